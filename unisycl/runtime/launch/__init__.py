"""Internal: from a kernel and its arguments to a launch."""
