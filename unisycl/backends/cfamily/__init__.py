"""Internal: kernels as C text, shared by the backends whose compilers read a dialect of C."""
