"""Public: oneMKL's random numbers: engines, distributions, and ``generate`` over memory.

Non-goals: engines inside kernels. Invariant: a stream is the same, bit for bit, on every device.
"""

from unisycl.oneapi.mkl.rng.distributions import (
    bits,
    gaussian,
    generate,
    generate_async,
    uniform,
)
from unisycl.oneapi.mkl.rng.engines import mcg59, mrg32k3a, philox4x32x10, skip_ahead

__all__ = ["bits", "gaussian", "generate", "generate_async", "mcg59", "mrg32k3a",
           "philox4x32x10", "skip_ahead", "uniform"]
