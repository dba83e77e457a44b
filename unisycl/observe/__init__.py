"""Internal: look at what was submitted and compiled: histories, time lines, pictures."""
