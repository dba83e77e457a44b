"""Internal: kernels of oneMKL's routines, for devices that no library serves."""
