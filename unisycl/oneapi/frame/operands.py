"""What routines take: memory, parts of it, places in it, and anything that reads like memory.

An ``Operand`` has a type of elements, mostly a size, and ``bind``, which makes the object that
kernels use (``views``). Non-goals: what a routine does with it. Invariant: nothing is copied, and
memory is asked for at the launch, so that a buffer's accessor belongs to its command group.
"""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.extents import Extent
from unisycl.oneapi.frame.refusals import refuse

_HOST = 1  # kDLCPU
Type = np.dtype[Any] | tuple[Any, ...]
"""The type of an element: NumPy's, or a tuple of types where elements are tuples."""


class Operand:
    """Elements by position. ``size`` is None where there is no end.

    ``bounded`` says that the size is meant, as that of an array is; a place in memory has a size
    that only limits what may follow.
    """

    dtype: Type
    size: int | None = None
    bounded = True
    readable = True
    writable = False

    def bind(self, h: Any) -> Any:
        """Return what kernels use; ``h`` is the handler where one is there."""
        raise NotImplementedError

    def extents(self) -> list[Extent]:
        """Return the memory that may be touched."""
        return []

    def has_buffer(self) -> bool:
        """Say whether binding needs a command group."""
        return False

    def read_only(self) -> Operand:
        """Return the same elements, which kernels do not write."""
        return self

    def part(self, first: int, last: int | None) -> Operand:
        """Return the elements from one position to another."""
        raise NotImplementedError

    def steps_to(self, other: Operand) -> int | None:
        """Return how many elements lie between two places; None if they are not in one thing."""
        return None

    def moved(self, steps: int) -> Operand:
        """Return the place so many elements further on."""
        raise NotImplementedError

    def __add__(self, steps: int) -> Operand:
        return self.moved(steps)

    def __sub__(self, steps: int) -> Operand:
        return self.moved(-steps)

    def __getitem__(self, at: Any) -> Operand:
        if not isinstance(at, slice) or at.step not in (None, 1):
            refuse("an iterator", "take a part of it by [first:last]; elements are read in kernels")
        if self.size is None:
            if at.stop is None or (at.start or 0) < 0 or at.stop < 0:
                refuse("an iterator", "one without an end needs positions that are not negative, "
                       "[first:last]")
            first, last = at.start or 0, at.stop
        else:
            first, last, _ = at.indices(self.size)
        found = self.part(first, max(first, last))
        found.bounded = True
        return found


class Memory(Operand):
    """Memory of one dimension: an array, USM, or a buffer, from one element to another."""

    writable = True

    def __init__(self, base: Any, first: int, last: int) -> None:
        self.base, self.first, self.size = base, first, last - first
        self.limits = first, last
        self.dtype = _type_of(base)
        self.whole = first == 0 and last == _count(base)
        if isinstance(base, np.ndarray):
            self.writable = bool(base.flags.writeable)

    def bind(self, h: Any) -> Any:
        """Return the memory as kernels use it."""
        at = self.base
        if isinstance(at, sycl.buffer):
            mode = sycl.read_write if self.writable else sycl.read_only
            at = sycl.accessor(at, h, mode)
        if np.dtype(self.dtype).names is not None:
            return views.records(at, np.int64(self.first))
        if isinstance(self.base, np.ndarray) and not self.whole:
            return views.cells(at[self.first:self.first + (self.size or 0)])
        return views.cells(at) if self.whole else views.window(at, np.int64(self.first))

    def is_contiguous(self) -> bool:
        """Say whether kernels see memory that begins with these elements, without gaps."""
        if isinstance(self.base, np.ndarray):
            return bool(self.base.flags.c_contiguous)
        return self.whole and not _is_foreign(self.base)

    def read_only(self) -> Memory:
        """Return the same memory, which kernels do not write."""
        found = self.part(0, self.size)
        found.writable, found.bounded = False, self.bounded
        return found

    def has_buffer(self) -> bool:
        return isinstance(self.base, sycl.buffer)

    def extents(self) -> list[Extent]:
        size, item, owner = self.size or 0, np.dtype(self.dtype).itemsize, None
        if not size:
            return []
        if isinstance(self.base, np.ndarray):
            start, step = int(self.base.__array_interface__["data"][0]), self.base.strides[0]
        elif isinstance(self.base, sycl.buffer):
            region: Any = self.base.region  # type: ignore[attr-defined]  # not for programs
            owner, start, step = region.memory, region.start, item
        else:
            start, step = _address(self.base), _step(self.base)
        at = start + self.first * step
        low, high = sorted((at, at + (size - 1) * step))
        return [Extent(owner, low, high + item, at, step, item)]

    def part(self, first: int, last: int | None) -> Self:
        size = self.size or 0
        last = size if last is None else last
        if not 0 <= first <= last <= size:
            refuse("an iterator", f"elements {first} to {last} are not in memory of {size}")
        return self._between(self.first + first, self.first + last)

    def _between(self, first: int, last: int) -> Self:
        found = type(self)(self.base, first, last)
        found.writable, found.bounded, found.limits = self.writable, False, self.limits
        return found

    def moved(self, steps: int) -> Self:
        first = self.first + steps
        if not self.limits[0] <= first <= self.limits[1]:
            refuse("an iterator", f"position {first - self.limits[0]} is not in memory of "
                   f"{self.limits[1] - self.limits[0]}")
        return self._between(first, self.limits[1])

    def steps_to(self, other: Operand) -> int | None:
        if isinstance(other, Memory) and other.base is self.base and not self.bounded \
                and not other.bounded:
            return other.first - self.first
        return None


class Past(Operand):
    """Memory whose elements are written one beside the other and not read soon."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.size, self.dtype = memory, memory.size, memory.dtype

    def bind(self, h: Any) -> Any:
        """Return the memory as kernels write it, past the caches."""
        found = self.memory.bind(h)
        return views.past(found.at, getattr(found, "first", np.int64(0)),
                          cast(Any, sycl.vec)(np.dtype(self.dtype).type, 1))

    def has_buffer(self) -> bool:
        """Say whether binding needs a command group."""
        return self.memory.has_buffer()


class Record(Operand):
    """A record of operands and numbers for kernels.

    Args:
        kind: the class that kernels know it by.
        fields: what it holds.
    """

    def __init__(self, kind: Any, *fields: Any) -> None:
        self.kind, self.fields = kind, fields

    def has_buffer(self) -> bool:
        return any(f.has_buffer() for f in self.fields if isinstance(f, Operand))

    def bind(self, h: Any) -> Any:
        return self.kind(*(f.bind(h) if isinstance(f, Operand) else f for f in self.fields))


def _count(base: Any) -> int:
    if _is_foreign(base):
        return int(base.shape[0])
    return int(base.size() if callable(base.size) else base.size)


def _is_foreign(base: Any) -> bool:
    """Say whether it is an array of another library's, in the memory of a device."""
    return not isinstance(base, np.ndarray | sycl.buffer | sycl.usm_pointer) and hasattr(
        base, "__dlpack_device__") and hasattr(base, "shape") and hasattr(base, "dtype")


def _type_of(base: Any) -> np.dtype[Any]:
    name = str(base.dtype).rpartition(".")[2] if _is_foreign(base) else base.dtype
    found: np.dtype[Any] = np.dtype(name)
    return found


def _address(base: Any) -> int:
    """Return where memory begins, of other libraries' arrays by the names these have for it."""
    if not _is_foreign(base):
        return int(base.address())
    for name in ("data_ptr", "unsafe_buffer_pointer"):
        if hasattr(base, name):
            return int(getattr(base, name)())
    return int(base.data.ptr)


def _step(base: Any) -> int:
    """Return how many bytes lie between the beginnings of two elements of memory at addresses."""
    item = _type_of(base).itemsize
    if not _is_foreign(base):
        return item
    if callable(getattr(base, "stride", None)):  # PyTorch counts elements
        return int(base.stride()[0]) * item
    strides = getattr(base, "strides", None)
    return int(strides[0]) if strides else item


def memory_of(routine: str, what: str, x: Any) -> Memory:
    """Return memory that a routine was given; refuse what is none."""
    x = _on_host(x)
    if isinstance(x, np.ndarray):
        if x.ndim != 1:
            refuse(routine, f"{what} is an array of {x.ndim} dimensions; give one of one "
                   "dimension, such as x.ravel()")
        if x.dtype.kind not in "biufcV" or x.dtype.hasobject:
            refuse(routine, f"{what} has elements of type {x.dtype}, which kernels do not have; "
                   "give bools, integers, floats, complex numbers or records")
        if not x.dtype.isnative:
            refuse(routine, f"{what} has elements of {x.dtype}, of the other byte order; give "
                   "x.astype(x.dtype.newbyteorder('='))")
        if not x.flags.aligned:
            refuse(routine, f"{what} has elements that do not lie where their type asks for, as "
                   "fields of packed records may; give a copy, x.copy()")
        return Memory(x, 0, x.size)
    if isinstance(x, sycl.buffer | sycl.usm_pointer):
        dimensions = len(tuple(x.get_range())) if isinstance(x, sycl.buffer) else len(x.shape)
        if dimensions != 1:
            refuse(routine, f"{what} has {dimensions} dimensions; give memory of one dimension")
        return Memory(x, 0, _count(x))
    if _is_foreign(x):
        if len(x.shape) != 1:
            refuse(routine, f"{what} has {len(x.shape)} dimensions; give memory of one dimension")
        return Memory(x, 0, _count(x))
    return refuse(routine, f"{what} must be an array, USM memory, a buffer or an iterator, got "
           f"{type(x).__name__}")


def _on_host(x: Any) -> Any:
    """Return an array of another library's as NumPy's, if it lies in the host's memory."""
    if isinstance(x, np.ndarray | sycl.buffer | sycl.usm_pointer) or not hasattr(
            x, "__dlpack_device__"):
        return x
    return np.from_dlpack(x) if x.__dlpack_device__()[0] == _HOST else x


def operand_of(routine: str, what: str, x: Any) -> Operand:
    """Return what a routine was given as elements; refuse what has none."""
    return x if isinstance(x, Operand) else memory_of(routine, what, x)


def begin(x: Any) -> Operand:
    """Return the place of the first element of memory, as C++ gives it to algorithms.

    Args:
        x: an array, USM memory (device allocations, too), or a buffer.
    """
    found = operand_of("begin", "the argument", x)
    return found.part(0, found.size)


def end(x: Any) -> Operand:
    """Return the place behind the last element of memory; see ``begin``."""
    found = operand_of("end", "the argument", x)
    if found.size is None:
        refuse("end", "this iterator has none")
    return found.part(found.size, found.size)


def paired(routine: str, given: tuple[Any, ...]) -> list[Any]:
    """Return the arguments of a routine; two places in one thing became what lies between them."""
    found: list[Any] = []
    rest = list(given)
    while rest:
        x = rest.pop(0)
        if isinstance(x, Operand) and rest and isinstance(rest[0], Operand):
            steps = x.steps_to(rest[0])
            if steps is not None:
                if steps < 0:
                    refuse(routine, f"the second iterator lies {-steps} elements before the first")
                x, _ = x.part(0, steps), rest.pop(0)
                x.bounded = True
        found.append(x)
    return found
