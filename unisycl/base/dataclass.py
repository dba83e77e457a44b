"""``dataclass`` for internal classes: quick to define, quick to make.

The standard's writes and compiles six methods for a frozen class, which for a hundred classes is
half of what starting unisycl costs, and its frozen ``__init__`` takes three times as long. This one
compiles ``__init__`` alone; comparison, hash and repr are shared. That nothing assigns to a frozen
instance is checked by the type checker, not when it runs. Non-goals: classes that users meet, which
keep the standard's. Invariant: ``dataclasses.fields``, ``replace`` and ``astuple`` work as ever.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeVar, dataclass_transform, overload

__all__ = ["dataclass", "field"]

T = TypeVar("T")
_compared: dict[type, tuple[str, ...]] = {}
_shown: dict[type, tuple[str, ...]] = {}


@overload
def dataclass(cls: type[T], /) -> type[T]: ...
@overload
def dataclass(*, frozen: bool = False, slots: bool = False, eq: bool = True,
              kw_only: bool = False) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(field,))
def dataclass(cls: Any = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True,
              kw_only: bool = False) -> Any:
    """Make a class a dataclass; the arguments mean what the standard's mean."""
    def decorate(cls: Any) -> Any:
        own = vars(cls)
        if "__repr__" not in own:
            cls.__repr__ = _repr
        if eq:
            if "__eq__" not in own:
                cls.__eq__ = _eq
            if "__hash__" not in own or own["__hash__"] is None:
                cls.__hash__ = _hash if frozen else None
        return dataclasses.dataclass(
            eq=False, repr=False, slots=slots, kw_only=kw_only)(cls)
    return decorate if cls is None else decorate(cls)


def _names(kind: type, table: dict[type, tuple[str, ...]], which: str) -> tuple[str, ...]:
    found = table.get(kind)
    if found is None:
        found = table[kind] = tuple(f.name for f in dataclasses.fields(kind) if getattr(f, which))
    return found


def _eq(self: Any, other: object) -> Any:
    if self is other:
        return True
    if type(self) is not type(other):
        return NotImplemented
    for name in _names(type(self), _compared, "compare"):
        if getattr(self, name) != getattr(other, name):
            return False
    return True


def _hash(self: Any) -> int:
    return hash(tuple([getattr(self, name)
                       for name in _names(type(self), _compared, "compare")]))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}"
                      for name in _names(type(self), _shown, "repr"))
    return f"{type(self).__qualname__}({shown})"
