"""Internal: analyses and rewrites of kernel IR."""
