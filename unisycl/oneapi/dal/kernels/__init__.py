"""Kernels of oneDAL's algorithms, written in the kernel language."""
