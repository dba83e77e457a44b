"""Internal: NVIDIA cards by their own driver."""
