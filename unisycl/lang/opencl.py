"""Types by the names that OpenCL C has for them, and what only that interface has (App. C.7).

Non-goals: making objects of native ones. Invariant: each is the type of its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.lang.vec import SCALARS, vec_of


class opencl:
    """SYCL's ``sycl::opencl`` namespace: ``cl_float`` is np.float32, ``cl_float4`` float4.

    Example:
        >>> opencl.cl_ushort is np.uint16
        True
    """

    @staticmethod
    def get_error_code(error: Any) -> int:
        """Return the status behind an exception; 0 (CL_SUCCESS) if there is none (App. C.7.4)."""
        return int(getattr(error, "native_code", 0))

    @staticmethod
    def has_extension(thing: Any, name: str) -> bool:
        """Say whether a platform or a device has an extension, by its name (App. C.7.2)."""
        return bool(thing.has_extension(name))


def _fill() -> None:
    opencl.cl_bool = np.bool_  # type: ignore[attr-defined]
    for name, kind in SCALARS.items():
        setattr(opencl, f"cl_{name}", kind)
        for count in (2, 3, 4, 8, 16):
            setattr(opencl, f"cl_{name}{count}", vec_of(kind, count))


_fill()
