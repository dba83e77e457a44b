"""One project through all libraries of oneAPI; ``python -m unisycl.examples.project``."""
