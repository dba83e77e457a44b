"""Pointers kept in memory: members of records and elements of arrays (SYCL 2020 §3.13, §5.4).

The types, which ``global_ptr[Node]`` and ``multi_ptr[Node]`` name, and their values in arrays.
Non-goals: following them (``heap``), pointers that only live in a kernel (``pointer``). Invariant:
what is stored is the 64-bit address of an element of global memory, 0 for a pointer to nothing.
"""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from unisycl.base.enums import access_mode, address_space
from unisycl.base.errors import UsageError, errc
from unisycl.ir.types import INT64, View
from unisycl.lang.memory.views import HostView

_TABLE = View(INT64, 1, mode=access_mode.read)
_Reader = TypeVar("_Reader", bound=Callable[..., Any])
_known: dict[Any, pointer_class] = {}
_names: dict[str, int] = {}


class pointer_class(type):
    """The class of pointer types. Called with memory, one gives a ``multi_ptr`` to it.

    ``dtype`` is the layout, eight bytes. A type may be named by a text until it exists.
    """

    dtype: np.dtype[Any]
    _target: Any
    _home: str

    def __call__(cls, source: Any) -> Any:
        return HostView.pointer_class(source, address_space.global_space)

    def target_name(cls) -> str:
        """Return what messages call the type it points to."""
        return str(getattr(cls._target, "__name__", cls._target))

    def settled(cls, home: str, own: type | None = None) -> pointer_class:
        """Return the type with a text replaced by what it names in a module, if it is there."""
        if not isinstance(cls._target, str):
            return cls
        if own is not None and own.__name__ == cls._target:
            return pointer_to(own)
        cls._home = cls._home or home
        found = vars(sys.modules[cls._home]).get(cls._target) if cls._home in sys.modules else None
        return cls if found is None else pointer_to(found)

    def element(cls) -> np.dtype[Any]:
        """Return the layout of what it points to; ``errc.invalid`` if it has none (yet)."""
        known = cls.settled("")
        own = getattr(known._target, "dtype", None)
        if isinstance(known._target, str) or (own is None and not isinstance(
                known._target, np.dtype) and not _is_number(known._target)):
            raise UsageError(errc.invalid, f"a pointer to '{cls.target_name()}': there is no such "
                             "element type; register the dataclass with is_device_copyable")
        return own if isinstance(own, np.dtype) else np.dtype(known._target)

    def __repr__(cls) -> str:
        return f"unisycl.global_ptr[{cls.target_name()}]"


def _is_number(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, np.generic | bool | int | float | complex)


class stored_pointer(np.void):  # type: ignore[misc]  # final for type checkers only
    """A pointer in an array, outside of kernels: an address, ``int(p)``, and whether there is one.

    Assigned from an address, which ``usm_pointer.address()`` gives, or from another pointer.
    """

    __slots__ = ()
    reader: Any = None
    """Returns what a kernel reads in place of a pointer: what ``@reads_pointers`` stands above."""

    _kind: Any

    @classmethod
    def __kernel_pointer__(cls) -> Any:
        """Return the type kernels know it by: one for all names of it."""
        return cls._kind.settled("")

    def __kernel_read__(self) -> Any:
        """Return what a kernel of the host device reads in its place: None for a null pointer."""
        return type(self).reader(self)

    def __int__(self) -> int:
        return int(self.view(np.uint64))

    __index__ = __address__ = __int__

    def __getitem__(self, index: Any) -> Any:
        raise UsageError(errc.invalid, f"{self!r} is followed in kernels only; on the host look at "
                         "the allocation that it points into")

    def __bool__(self) -> bool:
        return int(self) != 0

    def __eq__(self, other: object) -> Any:
        if other is None or hasattr(type(other), "__index__") or hasattr(other, "__address__"):
            return int(self) == address_of(other)
        return NotImplemented

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(int(self))

    def __repr__(self) -> str:
        return f"<{self._kind.target_name()} at {int(self):#x}>" if self else "<null>"

    __str__ = __repr__


def pointer_to(target: Any) -> pointer_class:
    """Return the type of pointers to elements of a type: a type, its name, or a dtype."""
    if not isinstance(target, type | str):
        target = np.dtype(target)
    if isinstance(target, np.dtype) and target.names is None:
        target = target.type
    found = None if isinstance(target, str) else _known.get(target)
    if found is None:
        found = _made(target)
        if not isinstance(target, str):
            _known[target] = found
    return found


def _made(target: Any) -> pointer_class:
    name = target if isinstance(target, str) else getattr(target, "__qualname__", str(target))
    cls = pointer_class("stored_ptr", (), {"__slots__": (), "_target": target, "_home": "",
                                           "__module__": __name__})
    value = _value_class("stored_pointer", (stored_pointer,), {"__slots__": (), "_kind": cls,
                                                               "__module__": __name__})
    # NumPy compares structured types by their members' names, so each kind has names of its own.
    number = _names[name] = _names.get(name, 0) + 1
    member = f"address of {name}" if number == 1 else f"address of {name} {number}"
    cls.dtype = np.dtype((value, [(member, np.uint64)]))
    return cls


class _value_class(type):
    """The class of the classes of values; lets NumPy's types that name them be pickled."""


def _value_of(target: Any) -> Any:
    return pointer_to(target).dtype.type


def _reduce(cls: Any) -> Any:
    return pointer_to, (cls._target,)


def _reduce_value(cls: Any) -> Any:
    return _value_of, (cls._kind._target,)


copyreg.pickle(pointer_class, _reduce)
copyreg.pickle(_value_class, _reduce_value)


def address_of(value: Any) -> int:
    """Return the address that storing a value in a pointer stores; None is 0."""
    if value is None:
        return 0
    own = getattr(value, "__address__", None)
    if own is not None:
        return int(own())
    return int(value)


def reads_pointers(function: _Reader) -> _Reader:
    """Decorate the one function that returns what a kernel reads in place of a stored pointer."""
    stored_pointer.reader = staticmethod(function)
    return function



class _Allocations:
    """What a launch is given so that it knows the allocations of its device and context."""

    __kernel_allocations__ = True

    def __kernel_type__(self) -> View:
        """Return the type kernels see: where each allocation begins and ends, in turn."""
        return _TABLE

    def __repr__(self) -> str:
        return "<allocations>"


ALLOCATIONS = _Allocations()
