"""Internal: objects of CUDA that programs are given and bring, and other libraries' arrays."""
