"""Internal: native threads that run kernels."""
