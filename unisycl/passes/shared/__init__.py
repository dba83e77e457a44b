"""Internal: passes that every compiling backend may use."""
