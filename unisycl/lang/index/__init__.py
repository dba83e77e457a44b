"""Internal: index objects: items, groups, and where they are."""
