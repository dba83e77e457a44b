"""Internal: command groups, the task graph, and command graphs."""
