"""What a kernel takes along when it is pickled to another process: its function and their texts.

Non-goals: pickling functions, which cloudpickle and dill do. Invariant: nothing is imported for it,
and a text that turns out to be another one is not used (``frontend.source`` compares).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

from unisycl.process import source_origins

_BY_VALUE = frozenset(("cloudpickle", "dill"))
_MOST = 64


def by_value(kernel: Any) -> bool:
    """Say whether to pickle a kernel with its function, not by its name."""
    name = getattr(kernel.function, "__module__", None) or "__main__"
    found: Any = sys.modules.get(name)
    for part in getattr(kernel.function, "__qualname__", "").split("."):
        found = getattr(found, part, None)
    if found is kernel and name != "__main__":
        return False
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _BY_VALUE.intersection(frame.f_globals.get("__name__", "").split(".")):
            return True
        frame = frame.f_back
    return False


def texts_of(function: Any) -> tuple[tuple[str, str], ...]:
    """Return (file name, text) of a function and of those that it can reach by their names."""
    found: dict[tuple[str, str], None] = {}
    seen: set[CodeType] = set()
    todo = [function]
    while todo and len(seen) < _MOST:
        one = _plain(todo.pop())
        if one is None or one.__code__ in seen:
            continue
        seen.add(one.__code__)
        for text in source_origins.candidates(one.__code__, one.__globals__):
            found[one.__code__.co_filename, text] = None
        todo += _reached(one)
    return tuple(found)


def file_of(function: Any) -> str:
    """Return the name that the code of a function has for its file now; "" if it has no code.

    cloudpickle gives the code that it carries, and that of what it calls, a name of its own.
    """
    one = _plain(function)
    return one.__code__.co_filename if one is not None else ""


def _plain(thing: Any) -> FunctionType | None:
    thing = getattr(thing, "__unisycl_function__", thing)
    thing = getattr(thing, "__func__", thing)
    if not isinstance(thing, FunctionType | type):
        thing = getattr(type(thing), "__call__", None)
    return thing if isinstance(thing, FunctionType) else None


def _reached(function: FunctionType) -> Iterator[Any]:
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue
