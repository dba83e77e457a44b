"""Internal: the vocabulary that every room shares."""
