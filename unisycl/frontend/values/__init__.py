"""Internal: what expressions denote while a kernel is compiled, one file a kind."""
