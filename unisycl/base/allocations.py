"""Which allocation the memory of a NumPy array is of: arrays live on when an allocation is freed.

Non-goals: allocating and freeing (``runtime.memory.usm``), arrays over memory that a program
allocated itself. Invariant: nothing here keeps memory or an allocation alive.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, NoReturn

import numpy as np

from unisycl.base.errors import UsageError, errc


class Fate:
    """What became of an allocation, known as long as an array over its memory is there."""

    __slots__ = ("__weakref__", "_block", "freed", "told")

    def __init__(self, block: Any) -> None:
        self._block = weakref.ref(block)
        self.freed = False
        self.told = ""

    @property
    def block(self) -> Any:
        """The allocation, if it is still there."""
        return self._block()

    def bytes(self) -> NoReturn:
        """Refuse to give the memory, which was freed."""
        raise UsageError(errc.invalid, f"this {self.told} was freed; do not use it after free()")


_known: dict[int, tuple[weakref.ref[Any], Fate]] = {}


def note(memory: Any, block: Any) -> Fate:
    """Remember whose memory an array is, and all arrays over it."""
    made = Fate(block)
    if isinstance(memory, np.ndarray):
        root = _root(memory)
        key = id(root)
        with contextlib.suppress(TypeError):  # of bytes there are no weak references
            _known[key] = weakref.ref(root, lambda _: _known.pop(key, None)), made
    return made


def _root(array: Any) -> Any:
    """Return the object whose memory an array shows."""
    while True:
        inner = array.base if isinstance(array, np.ndarray) else \
            array.obj if isinstance(array, memoryview) else None
        if inner is None:
            return array
        array = inner


def fate_of(array: np.ndarray[Any, Any]) -> Fate | None:
    """Return what became of the allocation that an array's memory is of; None: it is of none."""
    if array.base is None or not _known:
        return None
    root = _root(array)
    block = getattr(root, "block", None)
    if block is not None:  # NumPy was given the pointer itself
        found = getattr(block, "fate", None)
        return found if isinstance(found, Fate) else None
    known = _known.get(id(root))
    return known[1] if known is not None and known[0]() is root else None


def block_of(thing: Any) -> Any:
    """Return the allocation that an argument of a kernel is of; None if it is of none."""
    if isinstance(thing, np.ndarray):
        fate = fate_of(thing)
        return None if fate is None else fate.block
    return getattr(thing, "block", None)
