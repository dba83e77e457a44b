"""Local memory sized by the launch (sycl_ext_oneapi_work_group_scratch_memory).

Non-goals: memory of several types at once; C++ casts the pointer, Python names the type once.
Invariant: a work-group has one such memory, however often a kernel calls for it.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.enums import address_space
from unisycl.base.errors import UsageError, errc, exception
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.index.environment import here
from unisycl.lang.index.this import this_nd_item
from unisycl.lang.kernels.kernel_properties import Trait
from unisycl.lang.memory.views import HostView, poison


class work_group_scratch_size(Trait):
    """How many bytes of local memory a launch gives to each work-group.

    A property of the launch: ``launch_config(nd_range(n, 64), properties(
    work_group_scratch_size(64 * 4)))``. A kernel is compiled once for each size.
    """

    name = "work_group_scratch_size"
    __slots__ = ()

    @ends_at_call
    def __init__(self, nbytes: int) -> None:
        try:
            count = operator.index(nbytes)
        except TypeError:
            count = -1
        if count < 0:
            raise UsageError(errc.invalid, "work_group_scratch_size: expected a number of bytes, "
                             f"got {nbytes!r}")
        super().__init__((count,))


def get_work_group_scratch_memory(dtype: npt.DTypeLike = np.uint8) -> Any:
    """Return the local memory that the launch sized, as elements of a type, in one dimension.

    The same memory at each call; the type must be the same, too. Raises ``errc.memory_allocation``
    if the launch has no ``work_group_scratch_size``.
    """
    place = this_nd_item().get_group()._place
    nbytes = place.scratch_bytes
    if nbytes is None:
        raise missing()
    if place.scratch is None or place.scratch.dtype != np.dtype(dtype):
        place.scratch = np.full(max(nbytes, 1) + 64, 0xA5, np.uint8)[:nbytes // np.dtype(
            dtype).itemsize * np.dtype(dtype).itemsize].view(dtype)
        poison(place.scratch)
    return local_memory(place.scratch)


def local_memory(data: np.ndarray[Any, Any], made: str = "") -> HostView:
    """Return local memory that a kernel declares itself; ``made``: at which line."""
    if here.watch is not None:
        return here.watch.local(data, made)  # type: ignore[no-any-return]
    return HostView(data, "local", space=address_space.local_space)


def missing() -> exception:
    """Return the error of a kernel launched without such memory."""
    return exception(errc.memory_allocation, "get_work_group_scratch_memory: the launch has no "
                     "such memory; give it the property work_group_scratch_size(bytes)")
