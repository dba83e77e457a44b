"""Internal: Python's syntax, one file a kind: statements, expressions, loops, calls."""
