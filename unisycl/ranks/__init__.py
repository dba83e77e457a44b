"""Internal: ranks, processes or threads that run one program together (catalogue section R)."""
