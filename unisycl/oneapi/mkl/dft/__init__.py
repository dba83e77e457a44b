"""Public: oneMKL's Fourier transforms: ``descriptor``, ``compute_forward``, ``compute_backward``.

Non-goals: computing.
"""

from unisycl.oneapi.mkl.dft.descriptor import (
    compute_backward,
    compute_forward,
    config_param,
    config_value,
    descriptor,
    domain,
    precision,
)

__all__ = ["compute_backward", "compute_forward", "config_param", "config_value", "descriptor",
           "domain", "precision"]
