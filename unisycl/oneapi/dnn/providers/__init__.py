"""Who computes oneDNN's primitives. Internal."""
