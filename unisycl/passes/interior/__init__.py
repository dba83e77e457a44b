"""Internal: bodies for vectors in which guards, clamps and remainders are settled."""
