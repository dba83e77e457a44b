"""``dataclass`` for internal classes: quick to define, quick to make.

The standard's writes and compiles six methods for a frozen class, which for a hundred classes is
half of what starting unisycl costs, and its frozen ``__init__`` takes three times as long. This one
compiles ``__init__`` alone, when the first instance is made; comparison, hash and repr are shared,
until instances of a class are compared or hashed so often that methods of its own pay. That nothing
assigns to a frozen instance is checked by the type checker, not when it runs. Non-goals: classes
that users meet, which keep the standard's. Invariant: ``dataclasses.fields``, ``replace`` and
``astuple`` work as ever.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import field
from typing import Any, TypeVar, dataclass_transform, overload

__all__ = ["changed", "dataclass", "field", "replace"]

T = TypeVar("T")
_UNSET: Any = object()
_compared: dict[type, tuple[str, ...]] = {}
_shown: dict[type, tuple[str, ...]] = {}
_given: dict[type, tuple[str, ...]] = {}
_used: dict[tuple[type, str], int] = {}
_OFTEN = 100


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
        made = dataclasses.dataclass(
            init=False, eq=False, repr=False, slots=slots, kw_only=kw_only)(cls)
        if "__init__" not in own:
            made.__init__ = _beginner(made)
        return made
    return decorate if cls is None else decorate(cls)


def replace(one: T, **changes: Any) -> T:
    """Return an instance with some fields changed: the standard's, which asks each field anew."""
    kind = type(one)
    for name in _names(kind, _given, "init"):
        if name not in changes:
            changes[name] = getattr(one, name)
    return kind(**changes)


def changed(one: T, /, **changes: Any) -> T:
    """Return an instance with some fields changed; itself if they are what it has."""
    for name, value in changes.items():
        if value is not getattr(one, name):
            return replace(one, **changes)
    return one


def _beginner(cls: Any) -> Callable[..., None]:
    """Return an ``__init__`` that puts the true one in its place and calls it."""
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        cls.__init__ = _written(cls)
        cls.__init__(self, *given, **named)
    return __init__


def _written(cls: Any) -> Callable[..., None]:
    """Return the ``__init__`` of a class: what the standard's would do, frozen or not."""
    space: dict[str, Any] = {}
    heads: dict[bool, list[str]] = {False: ["self"], True: []}
    lines = []
    for k, one in enumerate(dataclasses.fields(cls)):
        value, head = one.name, one.name
        if one.default is not dataclasses.MISSING:
            space[f"_d{k}"] = one.default
            head = f"{one.name}=_d{k}"
            value = value if one.init else f"_d{k}"
        elif one.default_factory is not dataclasses.MISSING:
            space[f"_d{k}"], space["_unset"] = one.default_factory, _UNSET
            head = f"{one.name}=_unset"
            value = f"_d{k}() if {one.name} is _unset else {one.name}" if one.init else f"_d{k}()"
        elif not one.init:
            continue
        if one.init:
            heads[bool(one.kw_only)].append(head)
        lines.append(f"    self.{one.name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("    self.__post_init__()")
    named = ["*", *heads[True]] if heads[True] else []
    exec(f"def __init__({', '.join(heads[False] + named)}):\n"  # noqa: S102 - names of fields
         + "\n".join(lines or ["    pass"]), space)
    made: Callable[..., None] = space["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _names(kind: type, table: dict[type, tuple[str, ...]], which: str) -> tuple[str, ...]:
    found = table.get(kind)
    if found is None:
        found = table[kind] = tuple(f.name for f in dataclasses.fields(kind) if getattr(f, which))
    return found


def _eq(self: Any, other: object) -> Any:
    if self is other:
        return True
    kind = type(self)
    if kind is not type(other):
        return NotImplemented
    names = _names(kind, _compared, "compare")
    _note(kind, "__eq__", _eq, names)
    return not any(getattr(self, name) != getattr(other, name) for name in names)


def _hash(self: Any) -> int:
    names = _names(type(self), _compared, "compare")
    _note(type(self), "__hash__", _hash, names)
    return hash(tuple([getattr(self, name) for name in names]))


def _note(kind: Any, method: str, shared: Any, names: tuple[str, ...]) -> None:
    """Count a use of a shared method; write the class its own when there were many."""
    count = _used[kind, method] = _used.get((kind, method), 0) + 1
    if count < _OFTEN or getattr(kind, method) is not shared:
        return
    if method == "__eq__":
        differ = " or ".join(f"self.{x} != other.{x}" for x in names) or "False"
        text = ("def made(self, other):\n    if self is other:\n        return True\n"
                "    if type(self) is not type(other):\n        return NotImplemented\n"
                f"    return not ({differ})")
    else:
        text = f"def made(self):\n    return hash(({''.join(f'self.{x}, ' for x in names)}))"
    space: dict[str, Any] = {}
    exec(text, space)  # noqa: S102 - names of fields
    space["made"].__qualname__ = f"{kind.__qualname__}.{method}"
    setattr(kind, method, space["made"])


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}"
                      for name in _names(type(self), _shown, "repr"))
    return f"{type(self).__qualname__}({shown})"
