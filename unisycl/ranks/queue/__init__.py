"""Internal: the queue over all ranks, its buffers, accessors and command groups."""
