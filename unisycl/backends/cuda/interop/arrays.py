"""Arrays of CuPy's as arguments of kernels, used where they lie, and ours as theirs.

A launch comes behind what their stream was given, and the stream's later work behind the launch.
Non-goals: arrays of other devices. Invariant: nothing is copied, and nothing here waits.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView
from unisycl.backends.cuda.memory.arrays import DeviceArray
from unisycl.base import foreign_objects

_LEGACY = 1  # CU_STREAM_LEGACY


class NativeMemory:
    """The elements of a view as other libraries see them; it keeps their memory.

    They may be used by what goes to the stream of the same queue.
    """

    def __init__(self, memory: DeviceArray, address: int, shape: tuple[int, ...],
                 pitches: tuple[int, ...]) -> None:
        self._memory = memory
        self._address = address
        size, dtype = memory.dtype.itemsize, memory.dtype
        self.__cuda_array_interface__ = {
            "data": (address, not memory.writable), "shape": shape, "typestr": dtype.str,
            "descr": dtype.descr, "strides": tuple(p * size for p in pitches), "version": 3}

    def __int__(self) -> int:
        """Return the address."""
        return self._address

    __index__ = __int__


class Lent(BoundView):
    """A view of another library's array, with the stream that its commands go to."""

    __slots__ = ("lender", "stream")

    def __init__(self, memory: DeviceArray, shape: tuple[int, ...], pitches: tuple[int, ...],
                 lender: Any, stream: int) -> None:
        super().__init__(memory, 0, shape, pitches)
        self.lender = lender
        self.stream = stream


def register() -> None:
    """Have arrays of CuPy's known where kernels are compiled."""
    foreign_objects.register("cupy", "ndarray", describe)


def describe(array: Any) -> foreign_objects.Description:
    """Return what an array is to a kernel."""
    problem = ""
    about = array.__cuda_array_interface__
    if about.get("strides") is not None:
        problem = "pass a C-contiguous copy of it"
    elif not 1 <= len(about["shape"]) <= 3:
        problem = "reshape it to one to three dimensions"
    return foreign_objects.Description(np.dtype(about["typestr"]), len(about["shape"]), problem)


def lend(array: Any, ordinal: int) -> Lent | None:
    """Return a view of an array; None if it lies on another device."""
    device = getattr(getattr(array, "device", None), "id", ordinal)
    if device != ordinal:
        return None
    about = array.__cuda_array_interface__
    dtype, shape = np.dtype(about["typestr"]), tuple(about["shape"])
    pitches = tuple(int(np.prod(shape[d + 1:], dtype=np.int64)) for d in range(len(shape)))
    address, fixed = about["data"]
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = DeviceArray(array, address, nbytes, dtype, writable=not fixed)
    return Lent(memory, shape, pitches, array, _stream_of(about))


def _stream_of(about: Any) -> int:
    """Return the stream that an array's commands go to: what it says, else the legacy one."""
    said = about.get("stream")
    if said is not None:
        return int(said)
    cupy = sys.modules.get("cupy")
    return int(cupy.cuda.get_current_stream().ptr) or _LEGACY if cupy is not None else _LEGACY


def streams_of(values: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the streams of the arrays among the values of a launch, each once."""
    return tuple({v.stream: None for v in values if type(v) is Lent})
