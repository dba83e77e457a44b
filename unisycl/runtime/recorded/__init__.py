"""Internal: command graphs, which are recorded and replayed."""
