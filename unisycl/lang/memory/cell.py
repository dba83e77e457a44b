"""One element of memory for ``atomic_ref``: as Python reaches it, or as a device's threads do.

Non-goals: orders, which are all sequentially consistent here. Invariant: ``update`` and ``compare``
happen as a whole as far as every other cell of the same kind can tell.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base.shared_words import Words

_LOOKS, _AGAIN = 64, 16
_turn = threading.Lock()


class Pace(threading.local):
    """What a thread does whenever it looks at an element that others change: by default nothing."""

    relax: Callable[[], None] | None = None
    meet: Callable[[], Any] | None = None
    """Waits for all other work-groups, where each has a thread."""


pace = Pace()

Update = Callable[[Any], Any]
Bits = Callable[[Any], int]
"""The bits of a value of the element's type."""


class PythonCell:
    """An element that only Python's threads change: they take turns.

    A ``watched`` one gets the ``scope`` and the ``order`` of each operation.
    """

    __slots__ = ("_bits", "_index", "_view", "order", "scope")
    watched = False
    scope: Any
    order: Any

    def __init__(self, view: Any, index: Any, bits: Bits) -> None:
        self._view, self._index, self._bits = view, index, bits
        view[index]  # an index outside is reported where the reference is made

    def load(self) -> Any:
        if pace.relax is not None:
            pace.relax()
        return self._view[self._index]

    def store(self, value: Any) -> None:
        with _turn:
            self._view[self._index] = value

    def update(self, change: Update) -> Any:
        """Replace the value by ``change`` of it; return the old one."""
        with _turn:
            old = self._view[self._index]
            self._view[self._index] = change(old)
        return old

    def compare(self, expected: Any, desired: Any) -> tuple[bool, Any]:
        """Set the value to ``desired`` if it has the bits of ``expected``; say whether it did."""
        if pace.relax is not None:
            pace.relax()
        with _turn:
            old = self._view[self._index]
            done = self._bits(old) == self._bits(expected)
            if done:
                self._view[self._index] = desired
        return done, old


class NativeCell:
    """An element that kernels may change at the same time, by its address.

    A thread that looks again and again and finds nothing new lets others run, for the one it waits
    for may need its processor, or the interpreter.
    """

    __slots__ = ("_address", "_bits", "_dtype", "_same", "_seen", "_word_type", "_words", "order",
                 "scope")
    watched = False
    scope: Any
    order: Any

    def __init__(self, words: Words, address: int, dtype: np.dtype[Any], bits: Bits) -> None:
        self._words, self._address, self._dtype, self._bits = words, address, dtype, bits
        self._word_type = np.dtype(f"u{dtype.itemsize}")
        self._seen, self._same = -1, 0

    def load(self) -> Any:
        word = self._words.load(self._address, self._dtype.itemsize)
        if word != self._seen:
            self._seen, self._same = word, 0
        else:
            self._same += 1
            if self._same > _LOOKS and self._same % _AGAIN == 0:
                time.sleep(0)
                os.sched_yield()
        return self._value(word)

    def store(self, value: Any) -> None:
        self._words.store(self._address, self._dtype.itemsize, self._bits(value))

    def update(self, change: Update) -> Any:
        """Replace the value by ``change`` of it; return the old one."""
        old = self.load()
        while True:
            done, seen = self.compare(old, change(old))
            if done:
                return old
            old = seen

    def compare(self, expected: Any, desired: Any) -> tuple[bool, Any]:
        """Set the value to ``desired`` if it has the bits of ``expected``; say whether it did."""
        wanted = self._bits(expected)
        seen = self._words.compare_exchange(self._address, self._dtype.itemsize, wanted,
                                            self._bits(desired))
        return seen == wanted, self._value(seen)

    def _value(self, word: int) -> Any:
        return np.array([word], self._word_type).view(self._dtype)[0]


def fence() -> None:
    """Order this thread's accesses to memory: taking a lock and giving it back does."""
    with _turn:
        pass
