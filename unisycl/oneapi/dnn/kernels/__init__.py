"""Kernels of neural networks. Internal."""
