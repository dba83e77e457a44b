"""Internal: kernel bundles, from functions and from source text."""
