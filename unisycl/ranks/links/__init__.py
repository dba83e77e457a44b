"""Internal: how ranks reach one another: threads of one process, MPI, one rank alone."""
