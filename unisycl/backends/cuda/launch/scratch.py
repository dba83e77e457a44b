"""Memory that a launch needs besides its arguments, on a card (``device.scratch``).

Non-goals: what is in it. Invariant: what kernels tell lies in the host's memory, where it can be
read even when the card was lost.
"""

from __future__ import annotations

import numpy as np

from unisycl.backends.cfamily.printing import HEADER
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.device import printing
from unisycl.backends.device.loans import Loan
from unisycl.backends.device.scratch import Call, Scratch

_WORDS = printing.WORDS >> 2


class CuScratch(Scratch):
    """Such memory of one card."""

    def __init__(self, heap: Heap) -> None:
        super().__init__(lambda nbytes: heap.allocate(nbytes, None), heap.zeros, shares_host=False)
        self._heap = heap
        self._reports: list[np.ndarray[tuple[int, ...], np.dtype[np.uint32]]] = []

    def report(self, call: Call) -> None:
        """Give a call room for what its kernel tells: pinned memory that is used again."""
        free = self._reports
        try:
            words = free.pop()
        except IndexError:
            words = self._heap.pinned((_WORDS + HEADER) * 4).view(np.uint32)
            words[:] = 0
        printing.clear(words)
        call.report = words
        call.loans.append(Loan(free, words))
