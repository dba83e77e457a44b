"""Internal: rewrites that put the checks of checked mode into kernels."""
