"""Calls of a routine that come again: their launches, bound once and submitted again.

A call is known by its policy, the very arrays, numbers, and functions that use nothing but their
arguments. Non-goals: large memory, beside which the cost of a call on the host is nothing, and what
a kernel may see differently each time. Invariant: a plan does what the call would do; it is used by
one thread at a time, and by calls that wait.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.policies import device_policy

_SMALL = 1 << 18
"""Bytes of an array at most: a plan keeps what it works on."""
_PLANS = 64
_EXACT = (int, bool, str, type(None), BuiltinFunctionType, type(sycl.plus), type, np.ufunc)


class Plan:
    """The launches of a call, and how its result is read."""

    def __init__(self, launches: list[Any], value: Callable[[], Any], kept: Any, *,
                 in_order: bool) -> None:
        self._launches, self._value, self._kept, self._in_order = launches, value, kept, in_order
        self.lock = threading.Lock()

    def run(self) -> Any:
        """Submit everything once more, wait, and return the result."""
        first, *rest = self._launches
        last = first()
        for again in rest:
            last = again() if self._in_order else again(depends_on=last)
        last.wait()
        return self._value()


class Plans:
    """The plans of all routines, the one used last at the end."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Any, Plan | None] = OrderedDict()

    def find(self, key: Any) -> tuple[Plan | None, bool]:
        """Return the plan of a call, and whether the call came before."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key], True
            self._known[key] = None
            while len(self._known) > _PLANS:
                self._known.popitem(last=False)
            return None, False

    def keep(self, key: Any, plan: Plan) -> None:
        """Note the plan of a call."""
        with self._lock:
            if key in self._known:
                self._known[key] = plan


PLANS = Plans()


def key_of(name: str, policy: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return what a call is known by; None if it may mean something else each time."""
    if not isinstance(policy, sycl.queue | device_policy):
        return None
    parts = [name, policy]
    for x in (*given, *(y for pair in sorted(named.items()) for y in pair)):
        part = _part(x)
        if part is None:
            return None
        parts.append(part)
    return tuple(parts)


def _part(x: Any) -> Any:
    kind = type(x)
    if kind is np.ndarray:
        return _Array(x) if x.nbytes <= _SMALL else None
    if kind in _EXACT:
        return kind, x
    if kind is float:
        return kind, x.hex()
    if isinstance(x, np.generic):
        return kind, x.tobytes()
    if kind is FunctionType:
        return _pure(x)
    if isinstance(x, sycl.usm_pointer):
        return _Same(x) if x.byte_size() <= _SMALL else None
    return (kind, x) if isinstance(x, np.dtype) else None


def _pure(function: FunctionType) -> Any:
    """Return what a function is known by that uses its arguments and constants only."""
    code = function.__code__
    if code.co_freevars or code.co_names or function.__defaults__ or function.__kwdefaults__ or any(
            hasattr(x, "co_code") for x in code.co_consts):
        return None
    return FunctionType, code


class _Same:
    """An object that a plan keeps, known by itself."""

    __slots__ = ("_hash", "object")

    def __init__(self, x: Any) -> None:
        self.object, self._hash = x, hash((_Same, id(x)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.object is self.object

    def __hash__(self) -> int:
        return self._hash


class _Array(_Same):
    """An array, which may be given another shape or type in place."""

    __slots__ = ("_form",)

    def __init__(self, x: Any) -> None:
        super().__init__(x)
        self._form = x.shape, x.strides, x.dtype, x.flags.writeable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Array) and other.object is self.object \
            and other._form == self._form

    __hash__ = _Same.__hash__
