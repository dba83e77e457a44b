"""Internal: NVIDIA's devices by CUDA's own driver."""
