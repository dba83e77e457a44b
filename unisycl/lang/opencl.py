"""Types by the names that OpenCL C has for them (SYCL 2020 App. C.7.8).

Non-goals: anything of that interface but the names. Invariant: each is the type of its size.
"""

from __future__ import annotations

import numpy as np

from unisycl.lang.vec import SCALARS, vec_of


class opencl:
    """SYCL's ``sycl::opencl`` namespace: ``cl_float`` is np.float32, ``cl_float4`` float4.

    Example:
        >>> opencl.cl_ushort is np.uint16
        True
    """


def _fill() -> None:
    opencl.cl_bool = np.bool_  # type: ignore[attr-defined]
    for name, kind in SCALARS.items():
        setattr(opencl, f"cl_{name}", kind)
        for count in (2, 3, 4, 8, 16):
            setattr(opencl, f"cl_{name}{count}", vec_of(kind, count))


_fill()
