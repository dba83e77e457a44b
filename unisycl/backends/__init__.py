"""Internal: what runs kernels, one folder each."""
