"""Which specialization constants a kernel asks for, found without compiling it.

Non-goals: their values. Invariant: every ``specialization_id`` that the kernel's code, or that of a
function it calls, can name is found; one that it names without asking for it may be, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from unisycl.base.errors import UsageError, errc
from unisycl.lang.kernels.specialization import specialization_id

_DEEP = 6


def checked_id(name: Any) -> specialization_id:
    """Return a specialization_id; ``errc.invalid`` for anything else."""
    if not isinstance(name, specialization_id):
        raise UsageError(errc.invalid, "expected a specialization_id, got "
                         f"{type(name).__name__}; make one with specialization_id(dtype, default)")
    return name


def used_by(kernel: Any) -> frozenset[specialization_id]:
    """Return the constants that a kernel may ask for."""
    found: set[specialization_id] = set()
    seen: set[CodeType] = set()
    todo: list[tuple[Any, int]] = [(kernel, 0)]
    while todo:
        thing, depth = todo.pop()
        if isinstance(thing, specialization_id):
            found.add(thing)
            continue
        function = _function(thing)
        if function is None or depth > _DEEP or function.__code__ in seen:
            continue
        seen.add(function.__code__)
        todo += [(value, depth + 1) for value in _named(function)]
    return frozenset(found)


def _function(thing: Any) -> FunctionType | None:
    thing = getattr(thing, "__unisycl_function__", thing)
    thing = getattr(thing, "__func__", thing)
    if not isinstance(thing, FunctionType | type | ModuleType):
        thing = getattr(type(thing), "__call__", None)
    if isinstance(thing, FunctionType) and not thing.__module__.startswith(("unisycl.", "numpy")):
        return thing
    return None


def _named(function: FunctionType) -> Iterator[Any]:
    """Yield the objects that a function's code names, also as attributes of others it names."""
    names = set(_names(function.__code__))
    known = [function.__globals__[n] for n in names if n in function.__globals__]
    for cell in function.__closure__ or ():
        try:
            known.append(cell.cell_contents)
        except ValueError:  # not bound yet
            continue
    for value in known:
        yield value
        if isinstance(value, type | ModuleType):
            yield from (vars(value)[n] for n in names if n in vars(value))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
