"""Internal: who does the work of oneMKL's routines, one file a kind of library."""
