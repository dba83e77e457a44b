"""Internal: this process and its machine: caches, interrupts, warnings, where source text is."""
