"""Classes as records: ``is_device_copyable`` and the layout of its classes (SYCL 2020 §3.13.1).

Non-goals: what kernels do with them. Invariants: a registered class has ``dtype``, the C layout of
its fields; elements of arrays of it are records with the methods of the class.
"""

from __future__ import annotations

import copyreg
import dataclasses
import inspect
import types
import typing
from typing import Any, TypeVar

import numpy as np

from unisycl.base.dtypes import find_dtype
from unisycl.base.errors import UsageError, errc
from unisycl.base.generated_code import is_by_dataclass
from unisycl.base.geometry import id, range
from unisycl.ir.types import element_type
from unisycl.lang.memory.stored_pointers import pointer_class
from unisycl.lang.memory.views import Record, field, plain
from unisycl.lang.numbers.elements import elements_type

_T = TypeVar("_T")
_PYTHON = {bool: np.dtype(np.bool_), int: np.dtype(np.int64), float: np.dtype(np.float64),
           complex: np.dtype(np.complex128)}
_MOST_ALIGNED = 64


class _Copyable:
    """The trait ``is_device_copyable`` (SYCL 2020 §3.13.1): whether kernels take values of a type.

    Called with a type it says whether that is so: numbers, vec and marray types, ``range`` and
    ``id``, structured types, and dataclasses and tuples whose members are such types. ``register``
    declares a dataclass to be one and gives it a layout, so that it can be the element type of
    buffers and other memory.

    Example::

        @unisycl.is_device_copyable.register
        @dataclass
        class Particle:
            at: unisycl.float4
            mass: np.float32

            def momentum(self): return self.at * self.mass

        particles = np.zeros(100, Particle)
    """

    def __call__(self, kind: Any) -> bool:
        """Say whether kernels take values of a type."""
        return _is_taken(kind)

    def register(self, cls: type[_T]) -> type[_T]:
        """Give a dataclass a layout, ``cls.dtype``; ``errc.invalid`` if a field can have none."""
        if not dataclasses.is_dataclass(cls) or not isinstance(cls, type):
            raise UsageError(errc.invalid, "is_device_copyable.register takes a dataclass, got "
                             f"{cls!r}")
        hints = _hints(cls)
        members = []
        for f in dataclasses.fields(cls):
            kind = hints[f.name]
            if isinstance(kind, pointer_class):
                kind = kind.settled(cls.__module__, cls)
            layout = _layout_of(kind)
            if layout is None:
                raise UsageError(errc.invalid, f"{cls.__name__}.{f.name}: kernels have no type "
                                 f"{hints[f.name]!r}; use a number type, a vec or marray type, or "
                                 "another registered class")
            members.append((f.name, layout))
        cls.dtype = np.dtype((  # type: ignore[attr-defined]
            _record_class(cls), _struct(members)))
        return cls


is_device_copyable = _Copyable()


def _hints(cls: Any) -> dict[str, Any]:
    """Return the annotations of a class and its bases, texts evaluated."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        try:
            found.update(inspect.get_annotations(base, locals={
                **_around(base), **vars(base), base.__name__: base}, eval_str=True))
        except NameError as error:
            raise UsageError(errc.invalid, f"{cls.__name__}: the annotations name something that "
                             f"neither its module nor a running function around it has: {error}; "
                             "import or define it in the module") from None
    return found


def _around(cls: Any) -> dict[str, Any]:
    """Return the names of the functions that a class is local to, those that still run.

    ``from __future__ import annotations`` keeps texts, which Python's own closures do not cover.
    """
    parts = cls.__qualname__.split(".<locals>.")
    names = {".<locals>.".join(parts[:k]) for k, _ in enumerate(parts) if k}
    found: dict[str, Any] = {}
    frame = inspect.currentframe() if names else None
    while frame is not None:
        if frame.f_code.co_qualname in names and frame.f_globals.get("__name__") == cls.__module__:
            found = {**frame.f_locals, **found}
        frame = frame.f_back
    return found


def _is_taken(kind: Any) -> bool:
    """Say whether kernels take values of a type, those that have no layout in memory included."""
    if isinstance(kind, type) and issubclass(kind, range | id):
        return True
    if isinstance(kind, type) and dataclasses.is_dataclass(kind) and not hasattr(kind, "dtype"):
        hints = _hints(kind)
        return all(_is_taken(hints[f.name]) for f in dataclasses.fields(kind))
    if typing.get_origin(kind) is tuple:
        return all(map(_is_taken, typing.get_args(kind)))
    return _layout_of(kind) is not None


def _layout_of(kind: Any) -> np.dtype[Any] | None:
    """Return the layout of values of a type; None if kernels take none."""
    if kind in _PYTHON:
        return _PYTHON[kind]
    own = getattr(kind, "dtype", None) if isinstance(kind, type) else None
    if isinstance(own, np.dtype):
        return own
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        hints = _hints(kind)
        found = [(f.name, _layout_of(hints[f.name])) for f in dataclasses.fields(kind)]
        return _struct([(k, v) for k, v in found if v is not None]) \
            if all(v is not None for _, v in found) else None
    if typing.get_origin(kind) is tuple:
        found = [(str(k), _layout_of(t)) for k, t in enumerate(typing.get_args(kind))]
        return _struct([(k, v) for k, v in found if v is not None]) \
            if all(v is not None for _, v in found) else None
    return _numpy_layout(kind)


def _numpy_layout(kind: Any) -> np.dtype[Any] | None:
    """Return NumPy's layout of a type that kernels have: an element, or an array of some."""
    if isinstance(kind, type) and not issubclass(kind, np.generic):
        return None
    try:
        dtype = np.dtype(kind)
    except TypeError:
        return None
    base = dtype.base
    known = element_type(base) is not None if base.names else find_dtype(base) is not None
    return dtype if known else None


def _struct(members: list[tuple[str, np.dtype[Any]]]) -> np.dtype[Any]:
    """Return fields one after another, each at a multiple of its alignment."""
    offset, most, offsets = 0, 1, []
    for _, dtype in members:
        align = alignment(dtype)
        offset = -(-offset // align) * align
        offsets.append(offset)
        offset += dtype.itemsize
        most = max(most, align)
    return np.dtype({"names": [k for k, _ in members], "formats": [d for _, d in members],
                     "offsets": offsets, "itemsize": -(-offset // most) * most})


def alignment(dtype: np.dtype[Any]) -> int:
    """Return what addresses of a type are multiples of (SYCL 2020 §4.14.2.6 for vec)."""
    own = getattr(dtype.base.type, "_type", None)
    if isinstance(own, elements_type) and own.kind == "vec":
        return min(dtype.base.itemsize, _MOST_ALIGNED)
    if dtype.base.names:
        return max(alignment(field[0]) for field in (dtype.base.fields or {}).values())
    return dtype.base.itemsize


# ---- elements of arrays
class _record_type(type):
    """The class of the classes of records; lets NumPy's types that name them be pickled."""


def _find(cls: Any) -> Any:
    return cls.dtype.type


def _reduce(own: Any) -> Any:
    return _find, (own._struct,)


copyreg.pickle(_record_type, _reduce)


def _record_class(cls: type) -> Any:
    """Return the class of elements of arrays: records with the methods of a class."""
    names = {f.name for f in dataclasses.fields(cls)}
    space: dict[str, Any] = {"__slots__": (), "__module__": cls.__module__, "_struct": cls,
                             "__doc__": cls.__doc__, "__qualname__": cls.__qualname__}
    for base in reversed(cls.__mro__[:-1]):
        space.update({k: v for k, v in vars(base).items()
                      if k not in names and (not k.startswith("__") or _is_operator(k, v))})
    # Also where NumPy's scalars have attributes of these names.
    space.update({k: field(k) for k in names if k != "dtype" and not k.startswith("__")})
    return _record_type(cls.__name__, (StructRecord,), space)


def _is_operator(name: str, value: Any) -> bool:
    """Say whether an attribute is an operator that the user wrote."""
    return isinstance(value, types.FunctionType) and name in _OPERATORS and not (
        name in ("__eq__", "__ne__") and is_by_dataclass(value))


_OPERATORS = frozenset((
    *(f"__{side}{word}__" for side in ("", "r", "i") for word in (
        "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor",
        "lshift", "rshift", "divmod")),
    *(f"__{word}__" for word in (
        "neg", "pos", "invert", "abs", "round", "floor", "ceil", "trunc", "int", "float", "complex",
        "bool", "len", "contains", "call", "eq", "ne", "lt", "le", "gt", "ge"))))


class StructRecord(Record):  # type: ignore[misc]
    """An element of an array of a registered class: a view of its fields, with its methods."""

    __slots__ = ()
    _struct: Any

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self._struct

    def __copy__(self) -> Any:
        return self._struct(**{k: _detached(self[k]) for k in self.dtype.names or ()})

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={_shown(self[k])}" for k in self.dtype.names or ())
        return f"{self._struct.__name__}({shown})"

    __str__ = __repr__


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, np.generic) else repr(value)


def _detached(value: Any) -> Any:
    return value.__copy__() if hasattr(value, "__copy__") else value


__all__ = ["StructRecord", "alignment", "is_device_copyable", "plain"]
