"""Internal: images and their accessors."""
