"""Internal: memory in kernels: views, pointers, atomics, images, records."""
