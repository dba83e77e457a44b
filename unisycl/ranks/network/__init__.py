"""Internal: how long a program would take on ranks that are not here."""
