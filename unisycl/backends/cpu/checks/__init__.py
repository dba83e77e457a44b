"""Internal: what checked and endless kernels tell while they run."""
