"""Public: libraries of oneAPI, written over the public package: ``dpl``, ``mkl`` and ``tbb``.

What they share is in ``frame``: what a routine takes and returns, and how it is refused. Non-goals:
names of SYCL itself (``unisycl``) and of its extensions (``unisycl.ext``).
"""
