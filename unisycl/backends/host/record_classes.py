"""Classes whose methods became part of a kernel, as a launch sees them.

Methods run as the launch has them: over its memory, meeting at barriers, assigning in place. So a
launch gets subclasses with such methods. Non-goals: making the methods (``binding``). Invariant: a
class of which the kernel calls no method stays itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any

from unisycl.ir.nodes import Kernel
from unisycl.ir.types import Scalar, Struct, View

_WRITTEN_IN_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE: others have no methods of Python's
Path = tuple[tuple[str, Any], ...]
Rebuild = Callable[[FunctionType], FunctionType]


def owners(kernel: Kernel) -> Iterator[Any]:
    """Yield the classes of records that a kernel's memory holds."""
    kinds = [p.type for p in kernel.params] + [a.type for a in kernel.arrays]
    for kind in kinds:
        yield from _owners(kind.elem if isinstance(kind, View) else kind)


def _owners(kind: Scalar | Struct) -> Iterator[Any]:
    if not isinstance(kind, Struct):
        return
    if getattr(kind.owner, "_struct", None) is not None:
        yield kind.owner
    for f in kind.fields:
        yield from _owners(f.type)


def shadow(cls: Any, codes: Collection[CodeType], of: Callable[[Any], Any] | None = None) -> Any:
    """Return a subclass to be filled; the class itself if the kernel calls none of its methods.

    ``of`` gives what stands for a class above, so that the one is derived from the other.
    """
    wanted = {*codes}
    if not any(_codes(v) & wanted for base in cls.__mro__ if base.__flags__ & _WRITTEN_IN_PYTHON
               for v in vars(base).values()):
        return cls
    space: dict[str, Any] = {"__module__": cls.__module__, "__qualname__": cls.__qualname__}
    if "__slots__" in vars(cls):
        space["__slots__"] = ()
    above = tuple(made for base in cls.__bases__ if base is not object
                  and (made := of(base)) is not base) if of else ()
    kind = type(cls)
    kinds = tuple(dict.fromkeys((*map(type, above), kind)))
    asked = type(kind.__name__, kinds, {
        "__instancecheck__": lambda _, value: isinstance(value, cls)})  # one of a subclass, too
    return asked(cls.__name__, (*above, cls), space)


def fill(made: Any, codes: Collection[CodeType], rebuild: Rebuild, cls: Any = None) -> None:
    """Give a subclass the methods as the launch has them; they may name the subclass itself.

    ``cls`` is the class it stands for, if those above have what stands for them, too.
    """
    for base in [cls] if cls is not None else [*reversed(made.__mro__[1:])]:
        for name, value in vars(base).items():
            if _codes(value) & set(codes):
                setattr(made, name, _rebuilt(value, rebuild))


def _codes(value: Any) -> set[CodeType]:
    """Return the codes of a method, static method or property; none for anything else."""
    inner = (value.fget, value.fset) if isinstance(value, property) else (
        getattr(value, "__func__", value),)
    return {x.__code__ for x in inner if isinstance(x, FunctionType)}


def _rebuilt(value: Any, rebuild: Rebuild) -> Any:
    if isinstance(value, property):
        parts: list[Any] = [rebuild(x) if isinstance(x, FunctionType) else x
                            for x in (value.fget, value.fset)]
        return property(parts[0], parts[1], value.fdel)
    if isinstance(value, staticmethod | classmethod):
        return type(value)(rebuild(value.__func__))  # type: ignore[arg-type]
    return rebuild(value)


class Names:
    """A module, class or object as a launch sees it: what leads to its memory is replaced."""

    def __init__(self, owner: Any, substitute: Callable[[Any], Any]) -> None:
        self._owner, self._substitute = owner, substitute

    def __getattr__(self, name: str) -> Any:
        return self._substitute(getattr(self._owner, name))

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._owner(*arguments, **named)


def along(path: Path, function: Any) -> Iterator[Any]:
    """Yield the modules, classes and objects through whose attributes a path leads."""
    at = function
    for step, key in path:
        if step == "global":
            at = at.__globals__.get(key)
        elif step == "free":
            at = at.__closure__[at.__code__.co_freevars.index(key)].cell_contents
        elif step == "attr":
            if not isinstance(at, FunctionType | MethodType):
                yield at
            at = getattr(at, key)
        else:
            return
        at = getattr(at, "__unisycl_function__", at)
