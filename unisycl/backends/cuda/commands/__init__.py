"""Internal: streams, what is given to them, and how its end is seen."""
