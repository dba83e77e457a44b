"""Public: extensions of SYCL, by vendor; each can be left out without changing the core.

Non-goals: anything of the core. Invariant: the core imports nothing from here.
"""

from unisycl.ext import intel, oneapi, unisycl

__all__ = ["intel", "oneapi", "unisycl"]
