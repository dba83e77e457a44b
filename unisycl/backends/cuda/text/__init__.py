"""Internal: CUDA C++ as data, and NVIDIA's compiler for it at run time."""
