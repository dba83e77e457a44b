"""``pyopencl.array.Array`` as an argument of a kernel, used where it lies.

A launch waits for the events that the array has and for what its queue was given, and the array
gets the event of the launch.
Non-goals: arrays of other contexts. Invariant: nothing is copied, and nothing here waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView
from unisycl.backends.opencl.memory.objects import DeviceArray, next_address
from unisycl.backends.opencl.session import Session
from unisycl.base import foreign_objects


class Lent(BoundView):
    """A view of an array whose own commands come before and after a launch."""

    __slots__ = ("lender", "ready")

    def __init__(self, memory: Any, lender: Any, ready: Sequence[Any] = ()) -> None:
        shape = tuple(lender.shape)
        size = lender.dtype.itemsize
        super().__init__(memory, 0, shape, tuple(s // size for s in lender.strides))
        self.lender = lender
        self.ready = ready


class _Placed:
    """Describes memory at an address to NumPy, and keeps it."""

    def __init__(self, address: int, nbytes: int, owner: Any) -> None:
        self.__array_interface__ = {"data": (address, False), "shape": (nbytes,), "typestr": "|u1",
                                    "strides": None, "version": 3}
        self.owner = owner


def describe(array: Any) -> foreign_objects.Description:
    """Return what an array is to a kernel."""
    problem = ""
    if not array.flags.c_contiguous:
        problem = "pass a C-contiguous copy of it"
    elif not 1 <= array.ndim <= 3:
        problem = "reshape it to one to three dimensions"
    return foreign_objects.Description(array.dtype, array.ndim, problem)


def lend(session: Session, queue: Any, array: Any, *, shares_host: bool,
         alignment: int) -> Lent | None:
    """Return a view of an array; None if it belongs to another context.

    Args:
        session: the platform and its context.
        queue: where memory is mapped, if it must be.
        array: PyOpenCL's array.
        shares_host: kernels are given addresses without an offset.
        alignment: of sub-buffers, in bytes.
    """
    cl, base, start, nbytes = session.cl, array.base_data, int(array.offset), int(array.nbytes)
    if array.context != session.context:
        return None
    if base is None or nbytes == 0:
        made = np.empty(1, np.uint8) if shares_host else DeviceArray.over(
            cl.Buffer(session.context, cl.mem_flags.READ_WRITE, 1), 1)
        return Lent(made, array)
    if not isinstance(base, cl.MemoryObjectHolder):
        if shares_host:
            return Lent(np.asarray(_Placed(int(base.svm_ptr) + start, nbytes, base)), array)
        return Lent(DeviceArray(base, array.dtype, start, nbytes, int(base.svm_ptr)), array)
    if not shares_host:
        return Lent(DeviceArray(base, array.dtype, start, nbytes, next_address(nbytes)), array)
    if start % alignment == 0:
        part = base if start == 0 else base.get_sub_region(start, nbytes)
        return Lent(DeviceArray(part, array.dtype, 0, nbytes, next_address(nbytes)), array)
    flags = cl.map_flags.READ | cl.map_flags.WRITE
    mapped, ready = cl.enqueue_map_buffer(queue, base, flags, start, (nbytes,), np.uint8,
                                          wait_for=list(array.events), is_blocking=False)
    return Lent(mapped, array, (ready,))


def awaited(cl: Any, values: Sequence[Any],
            waits: list[Any] | None) -> tuple[list[Lent], list[Any] | None]:
    """Return the lent views among the values of a launch, and all that it waits for."""
    lent = [v for v in values if isinstance(v, Lent)]
    if not lent:
        return lent, waits
    found = list(waits or ())
    for queue in {view.lender.queue for view in lent} - {None}:
        found.append(cl.enqueue_marker(queue))  # what only reads an array leaves no event in it
        queue.flush()
    for view in lent:
        found += [*view.lender.events, *view.ready]
    return lent, found or None
