"""Internal: command groups and the task graph."""
