"""Kernels that others designed, against other compilers: ``python -m bench.corpus``.

Each family is a module with a list ``ENTRIES`` and, beside it, a file of OpenCL C. Non-goals: the
project's own benchmarks (``bench.run``).
"""
