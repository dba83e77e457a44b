"""Internal: pipes between kernels, and to files."""
