"""Internal: passes for backends that print C."""
