"""Internal: Python functions to kernel IR."""
