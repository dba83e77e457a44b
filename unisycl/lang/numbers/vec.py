"""``vec``: short vectors (SYCL 2020 §4.14.2), in kernels and on the host.

``vec(np.float32, 4)`` is the type ``float4``; calling that makes a value. Non-goals: mathematics
(``math``, ``geometric``). Invariants: values have the layout of the specification; a swizzle is a
view of the vec it was taken from; an assignment never shares elements it did not name.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, TypeGuard

import numpy as np
import numpy.typing as npt

from unisycl.base.enums import rounding_mode
from unisycl.base.errors import UsageError, errc
from unisycl.lang.numbers.convert import round_to
from unisycl.lang.numbers.elements import (
    Count,
    Elements,
    Lanes,
    Operators,
    checked,
    element_of,
    elements_type,
    layout,
    maker,
    new_type,
)
from unisycl.lang.numbers.quick import element_at, hasten
from unisycl.lang.numbers.swizzle import (
    SIZES,
    names,
    padding,
    positions,
    refuse_repeated,
    repeated,
)

SCALARS: dict[str, type[np.generic]] = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": np.float16,
    "float": np.float32, "double": np.float64,
}
_NAMES = {np.dtype(kind): name for name, kind in SCALARS.items()}
ALIASES: tuple[str, ...] = tuple(f"{name}{n}" for name in SCALARS for n in SIZES[1:])
PUBLIC = ALIASES


class vec(metaclass=elements_type):
    """A vector of 1, 2, 3, 4, 8 or 16 elements (SYCL 2020 §4.14.2).

    Args:
        dtype: the type of an element: bool, an integer or a float.
        count: how many elements.

    Returns the type, of which ``float4``, ``int2`` and so on are aliases. A type is called with
    nothing (zeros), one number (for all elements), or numbers and vecs that make up its size
    together. ``type.dtype`` is the layout in memory: three elements take the room of four.

    Example:
        >>> v = float4(float2(1, 2), 3, 4)
        >>> v.zyx, v == 2, float(v.x + v[3])
        (float3(3.0, 2.0, 1.0), int4(0, -1, 0, 0), 5.0)
    """

    kind: ClassVar[str] = "vec"
    count: ClassVar[int]
    dtype: ClassVar[np.dtype[Any]]
    element: ClassVar[np.dtype[Any]]


@functools.cache
def _made(element: np.dtype[Any], count: int) -> elements_type:
    short = _NAMES.get(element)
    name = f"{short}{count}" if short and count > 1 else f"vec({element}, {count})"
    room = 4 if count == 3 else count
    fields = names(count)
    found: elements_type = new_type(vec, name, element, layout(
        element, fields, room * element.itemsize), count, Vector)
    hasten(found)
    for single in (*fields, *"xyzwrgba", *(f"s{d}" for d in "0123456789abcdefABCDEF")):
        places = positions(single, count)
        if places is not None:
            setattr(found.value, single, element_at(found, *places))
    return found


def is_vec_type(of: Any) -> TypeGuard[elements_type]:
    """Say whether something is ``vec`` or a type of vectors such as ``float4``."""
    return isinstance(of, elements_type) and issubclass(of, vec)


def vec_of(dtype: npt.DTypeLike, count: int) -> elements_type:
    """Return the type of vectors of an element type and size."""
    try:
        size = operator.index(count)
    except TypeError:
        raise UsageError(errc.invalid, "vec: the number of elements must be an integer, got "
                         f"{count!r}") from None
    if size not in SIZES:
        raise UsageError(errc.invalid, f"vec: {size} elements are not possible; use 1, 2, 3, 4, 8 "
                         "or 16")
    return _made(checked("vec", dtype), size)


def vector_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the layout of ``vec`` for a record that is a vector of OpenCL C; others as they are.

    PyOpenCL's ``cltypes`` are such: the title or the name of each number is its place, as s0.
    """
    members: Any = dtype.fields or {}
    fields = [] if dtype.type is not np.void else [
        (str(name), *members[name]) for name in dtype.names or ()]
    places = [f"s{k}" in (f[0], *f[3:]) for k, f in enumerate(fields)]
    count = sum(places)
    if len(fields) not in SIZES or count not in SIZES or places != [True] * count + [False] * (
            len(fields) - count):
        return dtype
    first = fields[0][1]
    even = all(f[1] == first and f[2] == k * first.itemsize for k, f in enumerate(fields))
    return vec_of(first, count).dtype if even and first in _NAMES else dtype


maker("vec", vec_of)


class _Swizzles(Operators):
    """What a vec and a swizzle of one have beyond operators (SYCL 2020 §4.14.2.1)."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        own = None if name.startswith("_") else self._type
        places = own and positions(name, own.count)
        if not places:
            raise AttributeError(f"a {type(self).__name__} has no attribute '{name}'")
        return self._view(places)

    def __setattr__(self, name: str, value: Any) -> None:
        places = positions(name, self._type.count)
        if places is None:
            raise AttributeError(f"a {self._type.__name__} has no element '{name}'")
        if repeated(places):
            raise refuse_repeated(name)
        self._put(places, _assigned(self._type, len(places), value))

    def _view(self, places: Sequence[int]) -> Any:
        if len(places) == 1:
            return self._get()[places[0]]
        return Swizzle(self, tuple(places))

    def swizzle(self, *places: int) -> Any:
        """Return the elements at these places, in this order, as a view; one as a number."""
        if len(places) not in SIZES:
            raise UsageError(errc.invalid, f"a swizzle has 1, 2, 3, 4, 8 or 16 elements, not "
                             f"{len(places)}")
        return self._view([self._index(k) for k in places])

    def convert(self, dtype: npt.DTypeLike,
                mode: rounding_mode = rounding_mode.automatic) -> Any:
        """Return the elements as another type, rounded as asked (SYCL 2020 §4.14.2.5).

        ``automatic`` rounds floats to the nearest and truncates them where they become integers.
        """
        to = checked("vec.convert", dtype)
        return self._type._result(np.array([round_to(x, to, mode) for x in self._get()], to))

    def as_(self, to: Any) -> Any:
        """Return the same bytes as another vec type of equal size (SYCL 2020 §4.14.2.1)."""
        if not is_vec_type(to) or to is vec:
            raise UsageError(errc.invalid, "as_ takes a vec type, such as unisycl.int4")
        own = self._type
        if to.dtype.itemsize != own.dtype.itemsize:
            raise UsageError(errc.invalid, f"a {own.__name__} has {own.dtype.itemsize} bytes, a "
                             f"{to.__name__} {to.dtype.itemsize}")
        whole = np.zeros(own.dtype.itemsize // own.element.itemsize, own.element)
        whole[:own.count] = self._get()
        return to._of(whole.view(to.element)[:to.count])

    def load(self, offset: int, source: Any) -> None:
        """Set the elements to those from ``source[offset * n]`` on (SYCL 2020 §4.14.2.1)."""
        own = self._type
        start = operator.index(offset) * own.count
        self._put(range(own.count), [
            _same_type(own, source[start + k], "load") for k in range(own.count)])

    def store(self, offset: int, target: Any, streaming: bool = False) -> None:
        """Write the elements to ``target[offset * n]`` and on (SYCL 2020 §4.14.2.1).

        With ``streaming``, ours, nobody reads them soon: on a processor they go past the caches,
        if all work-items of a vector store the same, or one element each, side by side; other
        commands see them.
        """
        own = self._type
        kind = getattr(target, "dtype", own.element)
        if kind != own.element:
            raise UsageError(errc.invalid, f"store: a {own.__name__} cannot go to elements of "
                             f"{kind}")
        start = operator.index(offset) * own.count
        for k, x in enumerate(self._get()):
            target[start + k] = x


def _same_type(own: elements_type, x: Any, what: str) -> Any:
    if getattr(x, "dtype", None) != own.element:
        raise UsageError(errc.invalid, f"{what}: a {own.__name__} has elements of {own.element}, "
                         f"the memory of {getattr(x, 'dtype', type(x).__name__)}")
    return x


def _assigned(own: elements_type, count: int, value: Any) -> Any:
    """Return the elements that an assignment gives to ``count`` places."""
    if not isinstance(value, Operators):
        return element_of(value, own)
    theirs = value._type
    if theirs.element != own.element or theirs.count not in (1, count):
        raise UsageError(errc.invalid, f"a {theirs.__name__} cannot be assigned to {count} "
                         f"elements of {own.element}")
    return value._get()


class Vector(_Swizzles, Elements):  # type: ignore[misc]
    """A value of a vec type; arrays of vec types give these, as views of their elements."""

    __slots__ = ()


class Swizzle(_Swizzles):
    """Some elements of a vec, in some order: reading reads the vec, assigning writes it."""

    __slots__ = ("_of", "_places")
    _of: _Swizzles
    _places: tuple[int, ...]

    def __init__(self, of: _Swizzles, places: tuple[int, ...]) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_places", places)

    @property
    def _type(self) -> elements_type:  # type: ignore[override]
        return vec_of(self._of._type.element, len(self._places))

    def _get(self) -> Lanes:
        lanes = self._of._get()
        if padding(max(self._places), len(lanes)):
            lanes = np.append(lanes, lanes.dtype.type(0))
        return lanes[list(self._places)]

    def _put(self, places: Sequence[int], lanes: Any) -> None:
        if repeated(self._places):
            raise refuse_repeated("swizzle")
        given = zip(places, np.broadcast_to(lanes, len(places)), strict=True)
        count = self._of._type.count
        kept = [(self._places[k], x) for k, x in given
                if not padding(k, len(self._places)) and not padding(self._places[k], count)]
        self._of._put([k for k, _ in kept], [x for _, x in kept])

    def __getitem__(self, index: Any) -> Any:
        return self._get()[self._index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._put((self._index(index),), element_of(value, self._type))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._get())

    @property
    def dtype(self) -> np.dtype[Any]:
        """The layout in memory of the vec this is equal to."""
        return self._type.dtype

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Any:
        return np.array(self._type._of(self._get()), dtype)

    def size(self) -> int:
        """Return the number of elements."""
        return len(self._places)

    get_count = size

    def byte_size(self) -> int:
        """Return the bytes the elements take as a vec."""
        return self._type.dtype.itemsize

    get_size = byte_size


def __getattr__(name: str) -> Any:
    """Return one of the aliases: ``float4`` is ``vec(np.float32, 4)``."""
    if name not in ALIASES:
        raise AttributeError(f"unisycl has no vector type '{name}'")
    letters = name.rstrip("0123456789")
    return vec_of(SCALARS[letters], int(name[len(letters):]))


__all__ = ["ALIASES", "PUBLIC", "Count", "Swizzle", "Vector", "is_vec_type", "vec", "vec_of"]
