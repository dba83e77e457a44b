"""Internal: numbers in kernels: vectors, conversions, mathematics."""
