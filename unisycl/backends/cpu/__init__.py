"""Internal: the native CPU."""
