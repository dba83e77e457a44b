"""Internal: programs, launches, and their ends."""
