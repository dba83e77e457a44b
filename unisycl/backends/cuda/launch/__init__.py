"""Internal: streams, and what is launched into them."""
