"""Kernels beside the same algorithms in CUDA C++, on a card: ``python -m bench.cuda --out DIR``."""
