"""Internal: the kernel IR and its builtins."""
