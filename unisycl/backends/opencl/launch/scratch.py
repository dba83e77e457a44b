"""Memory that a launch needs besides its arguments: partial results, counters, room for reports.

Non-goals: what is in it (``cfamily``, ``printing``). Invariant: memory on loan is a call's own for
as long as the call lives.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Launch
from unisycl.backends.opencl.launch import printing
from unisycl.backends.opencl.launch.arguments import Call
from unisycl.backends.opencl.launch.executable import ClExecutable, groups_of
from unisycl.backends.opencl.launch.shapes import Shape
from unisycl.backends.opencl.memory.objects import DeviceArray, Loan, Pool
from unisycl.backends.opencl.memory.transfers import Transfers


class Scratch:
    """Such memory of one device; ``transfers`` allocates on one that has its own."""

    def __init__(self, transfers: Callable[[], Transfers], *, shares_host: bool) -> None:
        self._transfers = transfers
        self._shares_host = shares_host
        self._pool = Pool()
        self._counters: list[DeviceArray] = []

    def call(self, executable: ClExecutable, launch: Launch, shape: Shape) -> Call:
        """Return what a launch needs besides its arguments: partial results, room for reports."""
        call = Call()
        if executable.source.sites:
            words = printing.WORDS if self._shares_host else printing.WORDS >> 3
            call.report = printing.new_buffer(words)
        if launch.reductions:
            call.count = math.prod(launch.geometry.global_)
            groups = groups_of(shape)
            call.partials = [(self._memory(call, groups * r.extent * r.words,
                                            r.acc.type.dtype.numpy),
                              None if r.valid is None else self._memory(
                                  call, groups * r.extent, np.dtype(np.uint8)))
                             for r in executable.kernel.reducers]
            if executable.finish is None:
                call.counter = self._counter(call)
        return call

    def _counter(self, call: Call) -> Any:
        """Return a number that is 0, on loan; a kernel that ends leaves it so."""
        if self._shares_host:
            return np.zeros(1, np.uint32)
        free = self._counters
        try:
            memory = free.pop()
        except IndexError:
            memory = self._transfers().zeros(4)
        call.loans.append(Loan(free, memory))
        return memory

    def _memory(self, call: Call, count: int, dtype: np.dtype[Any]) -> Any:
        """Return memory for one launch, not initialised; on loan for as long as the call lives."""
        if self._shares_host:
            return np.empty(count, dtype)
        loan = self._pool.take(count * dtype.itemsize, self._transfers().allocate)
        call.loans.append(loan)
        return loan.memory[:count * dtype.itemsize].view(dtype)

    def to_device(self, call: Call, array: np.ndarray[Any, Any],
                   waits: list[Any] | None) -> tuple[Any, list[Any]]:
        """Return a copy of an array on the device, and what a kernel that uses it waits for."""
        copy = self._memory(call, array.size, array.dtype)
        event, _ = self._transfers().copy(whole(copy), whole(array), None)
        return copy, [*(waits or ()), event]


def whole(memory: Any) -> BoundView:
    """Return all elements of one-dimensional memory as a view."""
    return BoundView(memory, 0, (memory.size,), (1,))
