"""What a compiled kernel depended on, and quick checks that a later launch finds it unchanged.

A kernel is compiled for the types of the data it captured and for the very objects that are
constants of it; each becomes a ``Guard``. Every launch asks all guards, so they are closures made
for one path and one kind of object. Non-goals: deciding what to depend on. Invariant: a guard that
says yes means that the kernel compiled anew would be the same.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, TypeAlias

import numpy as np

from unisycl.base.dtypes import alike, structured
from unisycl.frontend import captures
from unisycl.frontend.paths import Path
from unisycl.lang.kernels.specialization import constant_of

Getter: TypeAlias = Callable[[Any, tuple[Any, ...], tuple[Any, ...]], Any]
Test: TypeAlias = Callable[[Any], bool]
Guard: TypeAlias = tuple[Getter, Test]

_WITHOUT_REFERENCES = 2
"""The format in which marshal spells equal numbers alike, with their types and signs of zero."""
MOST_STEP = (1 << 31) - 1
"""The most that a step may be of which the code knows the sign only."""
UNBOUND = (AttributeError, IndexError, KeyError, TypeError, ValueError)


def unchanged(guards: tuple[Guard, ...], function: Any, arguments: tuple[Any, ...],
              reductions: tuple[Any, ...]) -> bool:
    """Say whether all that a kernel depended on is as it was."""
    try:
        for get, test in guards:
            if not test(get(function, arguments, reductions)):
                return False
    except UNBOUND:  # a name is gone, a tuple is shorter: not the kernel we know
        return False
    return True


# ---- ways to objects
def getter(path: Path) -> Getter:
    """Return a function that follows a path from (callable, arguments, reductions)."""
    if not path:
        return lambda function, arguments, reductions: function
    step, rest = path[0][0], path[1:]
    key: Any = path[0][1]
    first: Getter
    if step == "arg":
        first = lambda function, arguments, reductions: arguments[key]  # noqa: E731
    elif step == "constant":
        first = lambda function, arguments, reductions: constant_of(arguments, key)  # noqa: E731
    elif step == "reduction":
        first = lambda function, arguments, reductions: reductions[key]  # noqa: E731
    else:
        begin = _step(step, key)
        first = lambda function, arguments, reductions: begin(function)  # noqa: E731
    steps = tuple(_step(*part) for part in rest)
    if not steps:
        return first
    if len(steps) == 1:
        second = steps[0]
        return lambda function, arguments, reductions: second(
            first(function, arguments, reductions))

    def follow(function: Any, arguments: tuple[Any, ...], reductions: tuple[Any, ...]) -> Any:
        obj = first(function, arguments, reductions)
        for one in steps:
            obj = one(obj)
        return obj
    return follow


def _step(step: str, key: Any) -> Callable[[Any], Any]:
    if step == "global":
        def find(function: Any) -> Any:
            space = function.__globals__
            return space[key] if key in space else captures.follow(function, step, key)
        return find
    if step == "free":
        def cell(function: Any) -> Any:
            return function.__closure__[function.__code__.co_freevars.index(key)].cell_contents
        return cell
    if step == "attr":
        return lambda obj: getattr(obj, key)
    return lambda obj: captures.follow(obj, step, key)


# ---- what must not have changed about them
class Same:
    """Says whether another object is this one, perhaps wrapped."""

    __slots__ = ("object",)

    def __init__(self, obj: Any) -> None:
        self.object = obj

    def __call__(self, other: Any) -> bool:
        return other is self.object or captures.unwrap(other) is self.object


class OfType:
    """Says whether another object is of exactly this type."""

    __slots__ = ("kind",)

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def __call__(self, other: Any) -> bool:
        return type(other) is self.kind


class Typed:
    """Says whether kernels see another object as they see this one."""

    __slots__ = ("frozen", "kind", "type")

    def __init__(self, obj: Any, seen: Any, *, frozen: bool) -> None:
        self.kind = type(obj)
        self.type = seen
        self.frozen = frozen

    def __call__(self, other: Any) -> bool:
        return bool(captures.signature(other, frozen=self.frozen) == self.type)


class Coded:
    """Says whether a function has the code that this one has now; its own may change, too."""

    __slots__ = ("code",)

    def __init__(self, function: FunctionType) -> None:
        self.code = function.__code__

    def __call__(self, other: Any) -> bool:
        if type(other) is not FunctionType:
            return False
        return other.__code__ is self.code or other.__code__ == self.code


class Method(Coded):
    """Says whether another method has this one's code and owner; each look-up makes a new one."""

    __slots__ = ("owner",)

    def __init__(self, method: MethodType) -> None:
        super().__init__(method.__func__)  # type: ignore[arg-type]
        self.owner = method.__self__ if isinstance(method.__self__, type) else None

    def __call__(self, other: Any) -> bool:
        if type(other) is not MethodType or not super().__call__(other.__func__):
            return False
        return self.owner is None or other.__self__ is self.owner


def test(obj: Any, *, frozen: bool) -> Test:
    """Return whether another object would give the same code as this one.

    ``frozen`` numbers count by value, others by type.
    """
    kind = type(obj)
    if kind is np.ndarray and captures.data_type(obj) is not None:
        return Rows(obj) if obj.flags.c_contiguous else Apart(obj)
    if captures.is_reference(obj):
        return Same(obj)
    if kind in (bool, int, float) and frozen:
        return Number(obj)
    if kind in (bool, int, float) or (isinstance(obj, np.generic) and not isinstance(obj, np.void)):
        return OfType(kind)
    if kind is FunctionType:
        return Coded(obj)
    if kind is MethodType and type(obj.__func__) is FunctionType:
        return Method(obj)
    if captures.is_table(obj):
        return Table(obj)
    if kind in (np.void, np.record) and captures.data_type(obj) is not None:
        return Record(obj)
    known = captures.signature(obj, frozen=frozen)
    if isinstance(known, captures.Identity):
        return Same(known.object)
    if hasattr(kind, "__kernel_type__"):
        return Typed(obj, known, frozen=frozen)
    return Signed(known, frozen=frozen)


class Number:
    """Says whether another object is this very bool, int or float."""

    __slots__ = ("kind", "spelt")

    def __init__(self, number: float) -> None:
        self.kind = type(number)
        self.spelt = _spelt(number)

    def __call__(self, other: Any) -> bool:
        return type(other) is self.kind and _spelt(other) == self.spelt


class Signed31:
    """Says whether another object is an int of this one's sign, of two to ``MOST_STEP`` in size."""

    __slots__ = ("least", "most")

    def __init__(self, number: int) -> None:
        self.least, self.most = (2, MOST_STEP) if number > 0 else (-MOST_STEP, -2)

    def __call__(self, other: Any) -> bool:
        return type(other) is int and self.least <= other <= self.most


def _spelt(number: Any) -> Any:
    """Return what tells 0.0 from -0.0, and is like itself for NaN."""
    return number.hex() if type(number) is float else number


class Table:
    """Says whether another tuple has these numbers; the same one cannot have others."""

    __slots__ = ("known", "object")

    def __init__(self, obj: tuple[Any, ...]) -> None:
        self.object = obj
        self.known = marshal.dumps(obj, _WITHOUT_REFERENCES)

    def __call__(self, other: Any) -> bool:
        if other is not self.object:
            try:
                if marshal.dumps(other, _WITHOUT_REFERENCES) != self.known:
                    return False
            except ValueError:  # of other things than numbers
                return False
            self.object = other
        return True


class Signed:
    """Says whether kernels see another object as one of this signature."""

    __slots__ = ("frozen", "known")

    def __init__(self, known: Any, *, frozen: bool) -> None:
        self.known = known
        self.frozen = frozen

    def __call__(self, other: Any) -> bool:
        return bool(captures.signature(other, frozen=self.frozen) == self.known)


class Members:
    """Says whether another dtype has these members; programs may rename those of a dtype."""

    __slots__ = ("seen",)

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.seen = dtype, tuple([(one, one.names) for one in structured(dtype)])

    def __call__(self, other: np.dtype[Any]) -> bool:
        dtype, named = self.seen
        for one, names in named:
            if one.names != names:
                return False
        if other is not dtype:
            if not alike(other, dtype):
                return False
            self.seen = other, tuple([(one, one.names) for one in structured(other)])
        return True


class Record:
    """Says whether another record of NumPy has the members of this one."""

    __slots__ = ("kind", "members")

    def __init__(self, record: np.void) -> None:
        self.kind, self.members = type(record), Members(record.dtype)

    def __call__(self, other: Any) -> bool:
        return type(other) is self.kind and self.members(other.dtype)


class Rows:
    """Says whether another array of NumPy has elements of this type, row by row."""

    __slots__ = ("dtype", "members", "ndim", "writeable")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.dtype, self.ndim, self.writeable = array.dtype, array.ndim, array.flags.writeable
        self.members = None if array.dtype.names is None else Members(array.dtype)

    def __call__(self, other: Any) -> bool:
        if type(other) is not np.ndarray or other.ndim != self.ndim or not (
                alike(other.dtype, self.dtype) if self.members is None
                else self.members(other.dtype)):
            return False
        flags = other.flags
        return flags.c_contiguous and flags.aligned and flags.writeable is self.writeable


class Apart:
    """Says whether another array of NumPy lies in memory as this one does."""

    __slots__ = ("known", "seen")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.known = captures.array_type(array)
        self.seen: Any = None

    def __call__(self, other: Any) -> bool:
        if type(other) is not np.ndarray:
            return False
        flags, dtype = other.flags, other.dtype
        lies = dtype, other.shape, other.strides, flags.writeable, flags.aligned
        if lies == self.seen:
            return True
        same = captures.array_type(other) == self.known
        if same and dtype.names is None:
            self.seen = lies
        return same


class Equal:
    """Says whether another object equals a plain value, None included."""

    __slots__ = ("known",)

    def __init__(self, known: Any) -> None:
        self.known = known

    def __call__(self, other: Any) -> bool:
        return (other is None) == (self.known is None) and bool(other == self.known)
