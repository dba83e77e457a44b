"""Primitives by our kernels. Internal."""
