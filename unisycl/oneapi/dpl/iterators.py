"""Iterators: elements that are computed where an algorithm reads or writes them (catalogue L-15).

Each takes arrays, USM memory, buffers or iterators, and composes with all others; what comes of it
is compiled into the algorithm's kernel. Non-goals: iterating in Python. Invariant: no iterator
keeps elements of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from unisycl.oneapi.dpl.kernels import iterators as kernels
from unisycl.oneapi.dpl.kernels import shuffles
from unisycl.oneapi.frame.extents import Extent
from unisycl.oneapi.frame.operands import Memory, Operand, operand_of
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.frame.types import type_of, type_of_result

_ZIPPED = {2: kernels.pair, 3: kernels.triple, 4: kernels.quadruple}
_MOST = 10
"""Iterators side by side, as many as a tuple of Thrust's has."""


class Computed(Operand):
    """An iterator over others. A part of it is one that begins elsewhere."""

    bounded = False
    first = 0
    total: int | None = None

    def _over(self, *bases: Operand) -> None:
        self.bases = bases
        sizes = [b.size for b in bases if b.size is not None]
        self.size = self.total = min(sizes, default=None)
        self.bounded = any(b.bounded for b in bases)
        self.readable = all(b.readable for b in bases)

    def has_buffer(self) -> bool:
        return any(b.has_buffer() for b in self.bases)

    def extents(self) -> list[Extent]:
        return [e for b in self._touched() for e in b.extents()]

    def _touched(self) -> list[Operand]:
        """Return the parts of the bases that are read or written, element by element."""
        if self.size is None:
            return list(self.bases)
        return [b.part(self.first, self.first + self.size) for b in self.bases]

    def read_only(self) -> Operand:
        found = self._copy(self.first)
        if self.has_buffer():
            found.bases = tuple(b.read_only() for b in self.bases)
        found.writable, found.bounded = False, self.bounded
        return found

    def bind(self, h: Any) -> Any:
        found = self._made(*(b.bind(h) for b in self.bases))
        return kernels.shifted(found, np.int64(self.first)) if self.first else found

    def _made(self, *bases: Any) -> Any:
        raise NotImplementedError

    def part(self, first: int, last: int | None) -> Operand:
        if self.size is not None and not 0 <= first <= (self.size if last is None else last) \
                <= self.size:
            refuse(type(self).__name__, f"elements {first} to {last} are not among {self.size}")
        found = self._copy(self.first + first)
        found.size = None if last is None and self.size is None else (
            (self.size if last is None else last) or 0) - first
        return found

    def _copy(self, first: int) -> Self:
        found = object.__new__(type(self))
        found.__dict__.update(self.__dict__)
        found.first, found.bounded = first, False
        return found

    def moved(self, steps: int) -> Operand:
        first = self.first + steps
        if first < 0 or (self.total is not None and first > self.total):
            refuse(type(self).__name__, f"position {first} is not among {self.total} elements")
        found = self._copy(first)
        found.size = None if self.total is None else self.total - first
        return found

    def steps_to(self, other: Operand) -> int | None:
        if not isinstance(other, Computed) or type(other) is not type(self) or (
                self.bounded or other.bounded) or len(other.bases) != len(self.bases):
            return None
        steps = {0 if a is b else a.steps_to(b)
                 for a, b in zip(self.bases, other.bases, strict=True)}
        found = steps.pop() if len(steps) == 1 else None
        return None if found is None else found + other.first - self.first


class counting_iterator(Computed):
    """Whole numbers, one after the other: ``counting_iterator(5)`` gives 5, 6, 7 and so on.

    Args:
        start: the first number; its type is that of the elements, int64 for Python's.
        stop: where they end, exclusively; left out, nowhere. ``counting_iterator(0)[2:9]`` is a
            part of it.
    """

    def __init__(self, start: Any = 0, stop: Any = None) -> None:
        self.start = start
        self.dtype = kind = np.asarray(start).dtype
        self.kind = kind.type
        if kind.kind not in "iu":
            refuse("counting_iterator", f"counts in whole numbers, got {start!r}")
        self._over()
        if stop is not None:
            self.size = self.total = max(int(operator.index(stop)) - int(start), 0)
            self.bounded = True

    def _made(self, *bases: Any) -> Any:
        wide = np.uint64 if self.dtype == np.uint64 else np.int64
        return kernels.counting(wide(self.start), self.kind)

    def steps_to(self, other: Operand) -> int | None:
        if isinstance(other, counting_iterator) and not self.bounded and not other.bounded:
            return int(other.start) + other.first - int(self.start) - self.first
        return None


class constant_iterator(Computed):
    """One value everywhere.

    Args:
        value: a number; its type is that of the elements.
        count: how many elements there are; left out, no end.
    """

    def __init__(self, value: Any, count: int | None = None) -> None:
        self.dtype = type_of(value)
        if isinstance(self.dtype, tuple) or self.dtype.kind not in "biufc":
            refuse("constant_iterator", f"gives a number, got {value!r}")
        self.value = self.dtype.type(value)
        self._over()
        if count is not None:
            self.size = self.total = int(count)
            self.bounded = True

    def _made(self, *bases: Any) -> Any:
        return kernels.constant(self.value)


class transform_iterator(Computed):
    """A function of each element of another iterator.

    Args:
        base: what it reads; of a ``zip_iterator`` the function gets a tuple.
        function: a function of one element, compiled into the algorithm.
        dtype: the type of its results; left out, that which a kernel computes them in.
    """

    def __init__(self, base: Any, function: Callable[[Any], Any],
                 dtype: npt.DTypeLike | None = None) -> None:
        self._over(_read(operand_of("transform_iterator", "base", base)))
        self.function = function
        self.dtype = np.dtype(dtype) if dtype is not None else type_of_result(
            "transform_iterator", function, self.bases[0].dtype)

    def _made(self, *bases: Any) -> Any:
        return kernels.transformed(bases[0], self.function)


class transform_output_iterator(Computed):
    """Memory that gets a function of each element that an algorithm writes.

    Args:
        base: where the results go.
        function: a function of one element.
    """

    writable = True

    def __init__(self, base: Any, function: Callable[[Any], Any]) -> None:
        self._over(_written("transform_output_iterator", base))
        self.function, self.dtype = function, self.bases[0].dtype
        self.readable = False

    def _made(self, *bases: Any) -> Any:
        return kernels.storing(bases[0], self.function)


class permutation_iterator(Computed):
    """Elements of one iterator at the positions that another one has.

    A position beyond the elements is an error of the program, found in debugged kernels.

    Args:
        base: what it reads or writes.
        index: the positions, whole numbers.
    """

    def __init__(self, base: Any, index: Any) -> None:
        over = operand_of("permutation_iterator", "base", base)
        places = _read(operand_of("permutation_iterator", "index", index))
        if isinstance(places.dtype, tuple) or places.dtype.kind not in "iu":
            refuse("permutation_iterator", f"positions are whole numbers, got {places.dtype}")
        self._over(over, places)
        self.size = self.total = places.size
        self.bounded = places.bounded
        self.writable, self.dtype = over.writable, over.dtype

    def extents(self) -> list[Extent]:
        over, places = self.bases
        part = places.part(self.first, self.first + (self.size or 0))
        known = part.extents()
        index = tuple(known) if isinstance(places, Memory) else (places, self.first)
        return [*(e.permuted(index) for e in over.extents()),
                *(replace(e, read=True) for e in known)]

    def _made(self, *bases: Any) -> Any:
        return kernels.permuted(*bases)


class shuffle_iterator(Computed):
    """Positions from 0 on in a random order, each once, computed and kept nowhere.

    Args:
        count: how many there are.
        seed: a whole number that decides the order, the same on every device.
    """

    def __init__(self, count: int, seed: int = 0) -> None:
        self._over()
        self.size = self.total = whole("shuffle_iterator", "the count", count)
        self.seed = np.uint64(whole("shuffle_iterator", "the seed", seed) % (1 << 64))
        self.dtype, self.bounded = np.dtype(np.int64), True

    def _made(self, *bases: Any) -> Any:
        count = self.total or 0
        bits = max((count - 1).bit_length(), 2)
        return shuffles.shuffled(np.uint64(count), np.uint64(bits // 2),
                                 np.uint64(bits - bits // 2), self.seed)


class reverse_iterator(Computed):
    """Elements from the last one to the first.

    Args:
        base: what it reads or writes; it has an end.
    """

    def __init__(self, base: Any) -> None:
        over = operand_of("reverse_iterator", "base", base)
        if over.size is None:
            refuse("reverse_iterator", "the iterator has no end to begin at")
        self._over(over)
        self.writable, self.dtype = over.writable, over.dtype

    def extents(self) -> list[Extent]:
        base, size = self.bases[0], self.size or 0
        last = (base.size or 0) - self.first
        return [e.turned(size) for e in base.part(last - size, last).extents()]

    def _made(self, *bases: Any) -> Any:
        return kernels.backwards(bases[0], np.int64((self.bases[0].size or 0) - 1))


class discard_iterator(Computed):
    """What takes every element that an algorithm writes, and keeps none."""

    writable = True

    def __init__(self) -> None:
        self.dtype = np.dtype(np.int8)
        self._over()
        self.readable = False

    def _made(self, *bases: Any) -> Any:
        return kernels.nowhere()


class zip_iterator(Computed):
    """Two to ten iterators side by side; an element is a tuple.

    Args:
        bases: what it reads or writes; the shortest decides where it ends.
    """

    def __init__(self, *bases: Any) -> None:
        if not 2 <= len(bases) <= _MOST:
            refuse("zip_iterator", f"takes two to ten iterators, got {len(bases)}")
        self._over(*(operand_of("zip_iterator", "an argument", b) for b in bases))
        self.dtype = tuple(b.dtype for b in self.bases)
        self.writable = all(b.writable for b in self.bases)

    def _made(self, *bases: Any) -> Any:
        if len(bases) not in _ZIPPED:
            return kernels.together(bases)
        return _ZIPPED[len(bases)](*bases)


def make_zip_iterator(*bases: Any) -> zip_iterator:
    """Return a ``zip_iterator`` (oneDPL's name)."""
    return zip_iterator(*bases)


def make_transform_iterator(base: Any, function: Callable[[Any], Any]) -> transform_iterator:
    """Return a ``transform_iterator`` (oneDPL's name)."""
    return transform_iterator(base, function)


def make_permutation_iterator(base: Any, index: Any) -> permutation_iterator:
    """Return a ``permutation_iterator`` (oneDPL's name)."""
    return permutation_iterator(base, index)


def make_reverse_iterator(base: Any) -> reverse_iterator:
    """Return a ``reverse_iterator`` (the standard library's name)."""
    return reverse_iterator(base)


def _read(found: Operand) -> Operand:
    return found.read_only()


def _written(what: str, base: Any) -> Operand:
    found = operand_of(what, "base", base)
    if not found.writable:
        refuse(what, "base cannot be written")
    return found
