"""Internal: which runtimes and devices there are, and what they report."""
