"""Internal: platforms, devices, contexts, selectors, and what they answer."""
