"""Other libraries' arrays on a card as arguments of kernels, where they lie, and ours as theirs.

CuPy's, PyTorch's, JAX's and whatever else has ``__cuda_array_interface__``. A launch comes behind
what their stream was given, and the stream's later work behind the launch. Libraries that name no
stream are asked by DLPack to have ours wait; their arrays never change, and are kept from being
used again by the capsule. Non-goals: arrays of other devices. Invariants: nothing is copied, and
nothing here waits; no array is asked whether it is true, or equal to another one.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView
from unisycl.backends.cuda.memory import capsules
from unisycl.backends.cuda.memory.arrays import DeviceArray
from unisycl.base import foreign_objects
from unisycl.base.dtypes import SHORT_FLOATS

INTERFACE = "__cuda_array_interface__"
_LEGACY, _NONE = 1, 0  # CU_STREAM_LEGACY; no stream


class NativeMemory:
    """The elements of a view as other libraries see them; it keeps their memory.

    They may be used by what goes to the stream of the same queue.
    """

    def __init__(self, memory: DeviceArray, address: int, shape: tuple[int, ...],
                 pitches: tuple[int, ...], ordinal: int) -> None:
        self._memory = memory
        self._address = address
        self._lies = shape, pitches, ordinal
        size, dtype = memory.dtype.itemsize, memory.dtype
        self.__cuda_array_interface__ = {
            "data": (address, not memory.writable), "shape": shape, "typestr": dtype.str,
            "descr": dtype.descr, "strides": tuple(p * size for p in pitches), "version": 3}

    def __int__(self) -> int:
        """Return the address."""
        return self._address

    __index__ = __int__

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's name of the card."""
        return capsules.CUDA, self._lies[2]

    def __dlpack__(self, *, copy: bool | None = None, dl_device: tuple[int, int] | None = None,
                   **options: Any) -> Any:
        """Return a capsule; who takes it uses the memory behind what was waited for."""
        where = self.__dlpack_device__()
        if copy or dl_device not in (None, where) or not self._memory.writable:
            raise BufferError(f"memory of the device {where} is given as it is: no copy, on no "
                              "other device, and not where it may not be written")
        shape, pitches, ordinal = self._lies
        return capsules.make(self, self._address, self._memory.dtype, shape, pitches, ordinal)


class Borrowed:
    """Another library's array as the owner of memory; it is kept, and asked nothing."""

    __slots__ = ("address", "array", "nbytes")

    def __init__(self, array: Any, address: int, nbytes: int) -> None:
        self.array = array
        self.address = address
        self.nbytes = nbytes


class Lent(BoundView):
    """A view of another library's array, with the stream that its commands go to; 0 is none."""

    __slots__ = ("lender", "stream")

    def __init__(self, memory: DeviceArray, shape: tuple[int, ...], pitches: tuple[int, ...],
                 lender: Any, stream: int) -> None:
        super().__init__(memory, 0, shape, pitches)
        self.lender = lender
        self.stream = stream


def register() -> None:
    """Have such arrays known where kernels are compiled."""
    foreign_objects.register_protocol(INTERFACE, describe)


def describe(array: Any) -> foreign_objects.Description | None:
    """Return what an array is to a kernel; None if it does not lie on a card."""
    try:
        about = getattr(array, INTERFACE)
    except AttributeError:  # PyTorch's and JAX's of the host's
        return None
    except RuntimeError as error:  # PyTorch's that keep track of gradients
        return foreign_objects.Description(np.dtype(np.uint8), 1, str(error))
    problem, dtype, pitches = "", _type_of(array, about), _pitches(about)
    if not 1 <= len(about["shape"]) <= 3:
        problem = "reshape it to one to three dimensions"
    elif pitches is None:
        problem = "its strides are no whole elements; pass a C-contiguous copy of it"
    elif about.get("mask") is not None:
        problem = "kernels know nothing of masks; pass its data"
    return foreign_objects.Description(
        dtype, len(about["shape"]), problem, writable=not about["data"][1],
        layout=_layout(tuple(about["shape"]), pitches or ()))


def _type_of(array: Any, about: Any) -> np.dtype[Any]:
    """Return the type of an array's elements; those that NumPy has not go by their name."""
    found: np.dtype[Any] = np.dtype(about["typestr"])
    if found.kind == "V":
        name = str(getattr(array, "dtype", "")).rpartition(".")[2]
        if name in SHORT_FLOATS:
            found = np.dtype(SHORT_FLOATS[name].numpy)
    return found


def _pitches(about: Any) -> tuple[int, ...] | None:
    """Return the distances between elements, in elements; None where those are no numbers."""
    shape, strides = tuple(about["shape"]), about.get("strides")
    if strides is None:
        return _rows(shape)
    size = np.dtype(about["typestr"]).itemsize
    if any(step % size for step in strides):
        return None
    return tuple(step // size for step in strides)


def _rows(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.prod(shape[d + 1:], dtype=np.int64)) for d in range(len(shape)))


def _layout(shape: tuple[int, ...], pitches: tuple[int, ...]) -> str:
    """Return how elements lie (``ir.types.View.layout``); a step of one extent is never taken."""
    want = _rows(shape)
    apart = [n > 1 and p != w for n, p, w in zip(shape, pitches, want, strict=False)]
    if not any(apart) or 0 in shape:
        return ""
    return "spread" if apart[-1] else "rows"


def lend(array: Any, place: Any) -> Lent | None:
    """Return a view of an array; None if it lies on another device.

    ``place(address)`` says whether an address is one of the device's.
    """
    about = getattr(array, INTERFACE)
    dtype, shape = _type_of(array, about), tuple(about["shape"])
    address, fixed = about["data"]
    pitches = _pitches(about) or ()
    if address and not place(address):
        return None
    if not _layout(shape, pitches):
        pitches = _rows(shape)
    ends = [(n - 1) * p for n, p in zip(shape, pitches, strict=True)] if 0 not in shape else [-1]
    low, high = sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)
    nbytes = (high - low + 1) * dtype.itemsize if 0 not in shape else 0
    owner = Borrowed(array, address + low * dtype.itemsize, nbytes)
    memory = DeviceArray(owner, address, nbytes, dtype, writable=not fixed)
    return Lent(memory, shape, pitches, array, _stream_of(array, about))


def _stream_of(array: Any, about: Any) -> int:
    """Return the stream that an array's commands go to.

    It is what the array says, else its library's current one, else the legacy one, which waits for
    all others but those made not to; 0 where DLPack does it.
    """
    said = about.get("stream")
    if said is not None:
        return int(said) or _LEGACY
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return int(torch.cuda.current_stream(array.device).cuda_stream) or _LEGACY
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(array, cupy.ndarray):
        return int(cupy.cuda.get_current_stream().ptr) or _LEGACY
    return _NONE if about["data"][1] and hasattr(array, "__dlpack__") else _LEGACY


def streams_of(values: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the streams of the arrays among the values of a launch, each once."""
    return tuple({v.stream: None for v in values if type(v) is Lent and v.stream})


def await_ready(values: tuple[Any, ...], stream: int) -> list[Any]:
    """Have a stream wait for arrays without one; return what keeps their memory theirs."""
    return [v.lender.__dlpack__(stream=stream) for v in values
            if type(v) is Lent and not v.stream]
