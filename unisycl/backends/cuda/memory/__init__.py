"""Internal: memory of cards, and memory that cards and the host share."""
