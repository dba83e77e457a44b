"""Internal: who holds what of a buffer, and what a command makes ranks send to one another."""
