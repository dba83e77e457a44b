"""What stands for USM memory where a kernel's argument is declared and no queue is at hand.

Non-goals: memory. Invariant: kernels see it as they see USM of this type.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from unisycl.api.memory.usm import usm_pointer
from unisycl.base.dtypes import as_dtype
from unisycl.base.enums import access_mode
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.ir.types import View, global_view


@ends_at_call
class usm_like:
    """An argument of ``kernel.declare`` that stands for USM memory of a type.

    Args:
        dtype: the type of an element.
        dimensions: how many dimensions the memory has.

    Example:
        >>> scale.declare(sycl.range(1), sycl.ext.unisycl.usm_like(np.float32), 1.0)
    """

    __slots__ = ("_type", "dimensions", "dtype")
    __stands_for__: Any = usm_pointer

    def __init__(self, dtype: npt.DTypeLike, dimensions: int = 1) -> None:
        self.dtype = as_dtype("usm_like", dtype)
        self.dimensions = dimensions
        found = global_view(self.dtype, dimensions, access_mode.read_write)
        if found is None or dimensions not in (1, 2, 3):
            raise UsageError(errc.invalid, f"usm_like: kernels have no memory of {self.dtype} in "
                             f"{dimensions} dimensions")
        self._type = found

    def __kernel_type__(self) -> View:
        """Return the type kernels see."""
        return self._type

    def __repr__(self) -> str:
        return f"usm_like({self.dtype}, {self.dimensions})"
