"""Mathematical functions as vector code; internal. ``emission`` is its door, loaded when needed."""
