"""Internal: which cards and which driver there are."""
