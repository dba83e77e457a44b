"""Internal: analyses for backends that run work-items as lanes of vectors."""
