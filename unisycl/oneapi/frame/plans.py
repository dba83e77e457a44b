"""Calls of a routine that come again: their launches, bound once and submitted again.

A call is known by its policy, the very arrays, numbers, and functions that use nothing but their
arguments. Large USM memory is known by itself, too, and a plan does not keep it alive. Non-goals:
large arrays, beside which the cost of a call on the host is nothing, and what a kernel may see
differently each time. Invariant: a plan does what the call would do; it is used by one thread at a
time, and by calls that wait.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any, Literal

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.policies import device_policy

_SMALL = 1 << 18
"""Bytes of an array at most: a plan keeps what it works on."""
_PLANS = 64
_OWN = 1 << 28
"""Bytes of the routines' own that all plans keep at most, and one half of that."""
_EXACT = (int, bool, str, type(None), BuiltinFunctionType, type(sycl.plus), type, np.ufunc)


class Plan:
    """The launches of a call, and how its result is read."""

    def __init__(self, launches: list[Any], value: Callable[[], Any], kept: Any, *,
                 in_order: bool, own: int) -> None:
        self.own = own
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
    """The plans of all routines, the one used last at the end.

    A call that came once has None, one of which no plan is made has False.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # finalisers come at any time
        self._known: dict[Any, Plan | Literal[False] | None] = {}

    def find(self, key: Any) -> tuple[Plan | None, bool]:
        """Return the plan of a call, and whether one is to be made."""
        with self._lock:
            if key in self._known:
                plan = self._known[key] = self._known.pop(key)
                return plan or None, plan is None
            self._known[key] = None
            dead = []
            while len(self._known) > _PLANS:
                oldest = next(iter(self._known))
                dead.append((oldest, self._known.pop(oldest)))
        return None, False

    def keep(self, key: Any, plan: Plan | None) -> None:
        """Note the plan of a call, or that there is none."""
        with self._lock:
            if key not in self._known:
                return
            self._known[key] = plan if plan is not None and plan.own <= _OWN // 2 else False
            spent, dead = 0, []
            for other, found in reversed(list(self._known.items())):
                own = found.own if found else 0
                if spent + own > _OWN:
                    dead.append((other, self._known.pop(other)))
                else:
                    spent += own

    def forget(self, gone: Any) -> None:
        """Drop the plans of calls whose large memory went.

        What dies with them comes here, too: when the table is whole again.
        """
        with self._lock:
            stale = [k for k in list(self._known) if any(
                isinstance(part, _Alive) and part.object is gone for part in k)]
            dead = [(k, self._known.pop(k, None)) for k in stale]
        del dead


PLANS = Plans()


def key_of(name: str, policy: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return what a call is known by; None if it may mean something else each time."""
    if not isinstance(policy, sycl.queue | device_policy):
        return None
    queue = policy if isinstance(policy, sycl.queue) else policy.queue()
    if queue.ext_oneapi_get_state().name == "recording":
        return None  # what was bound would run, where commands are to become nodes
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
        return _Same(x) if x.byte_size() <= _SMALL else _Alive(x)
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


class _Alive:
    """Large USM memory, known by itself as long as somebody else refers to it."""

    __slots__ = ("_hash", "object")

    def __init__(self, x: Any) -> None:
        self.object, self._hash = weakref.ref(x, PLANS.forget), hash((_Alive, id(x)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Alive) and (
            other is self or ((x := self.object()) is not None and x is other.object()))

    def __hash__(self) -> int:
        return self._hash


def twins_of(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[
        tuple[Any, ...], dict[str, Any]]:
    """Return arguments of a call that is to be a plan: it refers to no large memory by itself."""
    return tuple(map(_twin, args)), {name: _twin(x) for name, x in named.items()}


def _twin(x: Any) -> Any:
    large = isinstance(x, sycl.usm_pointer) and x.byte_size() > _SMALL and len(x.shape) == 1
    return x.pointer_to(0) if large else x


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
