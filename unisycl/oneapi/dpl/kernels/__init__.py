"""Internal: the kernels of the algorithms, written in the kernel language."""
