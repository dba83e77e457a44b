"""Public: extensions of SYCL by Intel: pipes between kernels.

Non-goals: what only hardware descriptions need. Invariant: the core imports nothing from here.
"""

from unisycl.api.pipe import pipe

__all__ = ["pipe"]
