"""Public: oneMKL's random numbers: engines, distributions, and ``generate`` over memory.

``device`` has engines for kernels. Invariant: a stream is the same, bit for bit, on every device.
"""

from unisycl.oneapi.mkl.rng import device
from unisycl.oneapi.mkl.rng.distributions import (
    bits,
    gaussian,
    generate,
    generate_async,
    uniform,
)
from unisycl.oneapi.mkl.rng.engines import (
    leapfrog,
    mcg59,
    mrg32k3a,
    philox4x32x10,
    skip_ahead,
)
from unisycl.oneapi.mkl.rng.laws import (
    bernoulli,
    binomial,
    cauchy,
    discrete,
    exponential,
    geometric,
    gumbel,
    laplace,
    lognormal,
    poisson,
    rayleigh,
    uniform_bits,
    uniform_int,
    weibull,
)
from unisycl.oneapi.mkl.rng.sequences import mt19937, sobol

__all__ = ["bernoulli", "binomial", "bits", "cauchy", "device", "discrete", "exponential",
           "gaussian", "generate", "generate_async", "geometric", "gumbel", "laplace", "leapfrog",
           "lognormal", "mcg59", "mrg32k3a", "mt19937", "philox4x32x10", "poisson", "rayleigh",
           "skip_ahead", "sobol", "uniform", "uniform_bits", "uniform_int", "weibull"]
