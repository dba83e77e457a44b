"""Internal: what happens between submit and a driver."""
