"""Memory that a launch needs besides its arguments: partial results, counters, room for reports.

Non-goals: what is in it (``cfamily``, ``printing``). Invariant: memory on loan is a call's own for
as long as the call lives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Launch
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.device import printing
from unisycl.backends.device.loans import Loan, Pool
from unisycl.backends.device.shapes import Shape, groups_of
from unisycl.ir.nodes import Kernel


@dataclass(slots=True)
class Call:
    """What the arguments of one call are taken from, besides its launch."""

    count: int = 0
    partials: list[tuple[Any, Any]] = field(default_factory=list)
    counter: Any = None
    report: Any = None
    loans: list[Loan[Any]] = field(default_factory=list)


NOTHING = Call()
"""For kernels that need nothing but their launch."""


class Scratch:
    """Such memory of one device.

    Args:
        allocate: gives so many bytes of the device's memory, as ``Driver.allocate`` does.
        zeros: gives bytes that are 0.
        shares_host: whether kernels work on the host's memory, so that arrays of NumPy will do.
    """

    def __init__(self, allocate: Callable[[int], Any], zeros: Callable[[int], Any], *,
                 shares_host: bool) -> None:
        self._allocate = allocate
        self._zeros = zeros
        self._shares_host = shares_host
        self._pool: Pool[Any] = Pool()
        self._counters: list[Any] = []

    def call(self, kernel: Kernel, source: Source, launch: Launch, shape: Shape) -> Call:
        """Return what a launch needs besides its arguments: partial results, room for reports."""
        call = Call()
        if source.sites:
            self.report(call)
        if launch.reductions:
            call.count = math.prod(launch.geometry.global_)
            groups = groups_of(shape)
            call.partials = [(self.memory(call, groups * r.extent * r.words,
                                          r.acc.type.dtype.numpy),
                              None if r.valid is None else self.memory(
                                  call, groups * r.extent, np.dtype(np.uint8)))
                             for r in kernel.reducers]
            if not source.finish_name:
                call.counter = self._counter(call)
        return call

    def report(self, call: Call) -> None:
        """Give a call room for what its kernel tells."""
        call.report = printing.new_buffer(
            printing.WORDS if self._shares_host else printing.WORDS >> 3)

    def _counter(self, call: Call) -> Any:
        """Return a number that is 0, on loan; a kernel that ends leaves it so."""
        if self._shares_host:
            return np.zeros(1, np.uint32)
        free = self._counters
        try:
            memory = free.pop()
        except IndexError:
            memory = self._zeros(4)
        call.loans.append(Loan(free, memory))
        return memory

    def memory(self, call: Call, count: int, dtype: np.dtype[Any]) -> Any:
        """Return memory for one launch, not initialised; on loan for as long as the call lives."""
        if self._shares_host:
            return np.empty(count, dtype)
        loan = self._pool.take(count * dtype.itemsize, self._allocate)
        call.loans.append(loan)
        return loan.memory[:count * dtype.itemsize].view(dtype)


def whole(memory: Any) -> BoundView:
    """Return all elements of one-dimensional memory as a view."""
    return BoundView(memory, 0, (memory.size,), (1,))
