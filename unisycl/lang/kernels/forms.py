"""Which kernels a program has, and in which forms it says it will launch them.

A kernel is compiled for an index space and for the types of its arguments, so compiling ahead of a
launch needs both: a form. Non-goals: compiling. Invariant: a kernel is known by its code, so two
closures of one function are one kernel.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from unisycl.base.errors import UsageError, errc

Function = Callable[..., Any]


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """One way to launch a kernel: what would be given to ``parallel_for``, by example.

    ``space`` is None for ``single_task``.
    """

    space: Any
    rest: tuple[Any, ...]


class _Kernels:
    """Every kernel that was decorated or asked for, by its code."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.functions: weakref.WeakValueDictionary[CodeType, Any] = weakref.WeakValueDictionary()
        self.forms: weakref.WeakKeyDictionary[CodeType, list[Form]] = weakref.WeakKeyDictionary()


_kernels = _Kernels()


def code_of(function: Any) -> CodeType:
    """Return the code that a kernel is known by; ``errc.invalid`` if it is no kernel."""
    inner = getattr(function, "__unisycl_function__", function)
    inner = getattr(inner, "__func__", inner)
    if not isinstance(inner, FunctionType):
        inner = None if isinstance(inner, type) else getattr(type(inner), "__call__", None)
    if not isinstance(inner, FunctionType):
        raise UsageError(errc.invalid, "expected a kernel: a Python function, a lambda or an object"
                         f" with __call__, not {type(function).__name__}")
    return inner.__code__


def register(function: Any) -> None:
    """Note that a function is a kernel of this program."""
    code = code_of(function)
    with _kernels.lock:
        _kernels.functions[code] = function


def registered() -> list[Any]:
    """Return the kernels noted so far that still exist."""
    with _kernels.lock:
        return list(_kernels.functions.values())


def declare(function: Any, space: Any, rest: tuple[Any, ...]) -> None:
    """Add a form in which a kernel will be launched."""
    code = code_of(function)
    register(function)
    with _kernels.lock:
        _kernels.forms.setdefault(code, []).append(Form(space, rest))


def forms_of(code: CodeType) -> Iterator[Form]:
    """Return the forms declared for a kernel."""
    with _kernels.lock:
        return iter(tuple(_kernels.forms.get(code, ())))
