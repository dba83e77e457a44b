"""Objects that a kernel calls, as a launch sees them: with methods and attributes of the launch.

Such an object is still one of its class, with attributes and operators. Non-goals: the object that
is the kernel itself (``binding``). Invariant: the program's object is not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import CodeType, FunctionType, MethodType
from typing import Any

from unisycl.backends.host import record_classes
from unisycl.backends.host.record_classes import Rebuild


class CalledObjects:
    """Those of one launch.

    Args:
        codes: of the functions that the kernel calls.
        rebuild: gives a function as the launch has it.
        shadow: gives an object whose attributes are those of the launch.
    """

    def __init__(self, codes: Collection[CodeType], rebuild: Rebuild,
                 shadow: Callable[[Any], Any]) -> None:
        self._codes, self._rebuild, self._shadow = codes, rebuild, shadow
        self._objects: dict[int, tuple[Any, Any]] = {}
        self._classes: dict[Any, Any] = {}

    def of(self, owner: Any, call: FunctionType) -> Any:
        """Return what does what an object does; ``call``: its ``__call__``."""
        known = self._objects.get(id(owner))
        if known is None:
            known = self._objects[id(owner)] = owner, self._made(owner, call)
        return known[1]

    def _made(self, owner: Any, call: FunctionType) -> Any:
        inner, cls = self._shadow(owner), self._class(type(owner))
        try:
            made = object.__new__(cls)
        except TypeError:  # of a number, say, which it would have to be, too
            return MethodType(self._rebuild(call), inner)
        for name, value in held(inner).items():
            object.__setattr__(made, name, value)
        return made

    def _class(self, cls: Any) -> Any:
        """Return a class with methods as the launch has them."""
        known = self._classes.get(cls)
        if known is None:
            known = self._classes[cls] = record_classes.shadow(cls, self._codes)
            if known is not cls:
                record_classes.fill(known, self._codes, self._rebuild)
        return known


def held(owner: Any) -> dict[str, Any]:
    """Return what an object holds, by its names."""
    values = dict(getattr(owner, "__dict__", {}))
    for base in type(owner).__mro__:
        for name in _slots(base):
            if hasattr(owner, name):
                values[name] = getattr(owner, name)
    return values


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(n for n in names if n not in ("__dict__", "__weakref__"))
