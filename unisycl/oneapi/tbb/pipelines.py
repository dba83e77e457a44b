"""Pipelines: items go through filters one behind the other, several items at a time.

Non-goals: graphs with branches (``flow``). Invariants: no more items are on the way than there are
tokens; a filter that is serial has one item at a time.
"""

from __future__ import annotations

import enum
import functools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.tbb.groups import batch_of, task_group_context
from unisycl.oneapi.tbb.workers import Batch


class filter_mode(enum.Enum):
    """How many items a filter has at a time, and in which order."""

    parallel = "parallel"
    serial_in_order = "serial_in_order"
    serial_out_of_order = "serial_out_of_order"


class flow_control:
    """What the first filter is given: it calls ``stop`` when there are no further items."""

    def __init__(self) -> None:
        self.stopped = False

    def stop(self) -> None:
        """Say that there are no further items; what the filter returns then is not used."""
        self.stopped = True


@dataclass(frozen=True)
class filter:
    """Filters one behind the other; ``a & b`` is ``b`` behind ``a``. Made by ``make_filter``."""

    stages: tuple[tuple[filter_mode, Callable[[Any], Any]], ...]

    def __and__(self, other: filter) -> filter:
        return filter(self.stages + other.stages)


def make_filter(mode: filter_mode, body: Callable[[Any], Any]) -> filter:
    """Return a filter.

    Args:
        mode: how many items it has at a time.
        body: a function of an item that returns what the next filter is given. The first filter's
            is given a ``flow_control``.
    """
    if not isinstance(mode, filter_mode):
        refuse("make_filter", f"a filter_mode is needed first, got {mode!r}")
    if not callable(body):
        refuse("make_filter", f"a function is needed, got {body!r}")
    return filter(((mode, body),))


class _Gate:
    """Lets items through a serial filter one at a time, in their order if that counts."""

    def __init__(self, ordered: bool) -> None:
        self.ordered, self.lock = ordered, threading.Lock()
        self.busy, self.next = False, 0
        self.waiting: dict[int, Any] = {}

    def enter(self, number: int, item: Any) -> bool:
        """Say whether an item may go through now; else keep it."""
        with self.lock:
            if self.busy or (self.ordered and number != self.next):
                self.waiting[number] = item
                return False
            self.busy = True
            return True

    def leave(self) -> tuple[int, Any] | None:
        """Let the item's place go; return the next item, which has it now."""
        with self.lock:
            self.next += 1
            number = self.next if self.ordered else min(self.waiting, default=-1)
            if number not in self.waiting:
                self.busy = False
                return None
            return number, self.waiting.pop(number)


class _Pipeline:
    """One run of a pipeline."""

    def __init__(self, tokens: int, chain: filter, batch: Batch) -> None:
        self.stages, self.batch = chain.stages, batch
        self.gates = [_Gate(mode is filter_mode.serial_in_order)
                      if mode is not filter_mode.parallel else None for mode, _ in chain.stages]
        self.control, self.lock = flow_control(), threading.Lock()
        self.free, self.made, self.feeding = tokens, 0, 0
        # A first filter that is parallel may make several items at a time.
        self.feeders = tokens if self.gates[0] is None else 1

    def feed(self) -> None:
        """Make items as long as there are tokens, each in a task of its own."""
        with self.lock:
            more = min(self.free, self.feeders - self.feeding)
            if self.control.stopped or more <= 0:
                return
            self.free -= more
            self.feeding += more
        for _ in range(more):
            self.batch.arena.put(self.batch, self.first)

    def first(self) -> None:
        """Make one item and take it on its way."""
        item = self.stages[0][1](self.control)
        with self.lock:
            self.feeding -= 1
            if self.control.stopped:
                self.free += 1
                return
            number, self.made = self.made, self.made + 1
        self.feed()
        self.go(1, number, item)

    def go(self, stage: int, number: int, item: Any) -> None:
        """Take an item through the filters from one on."""
        for k in range(stage, len(self.stages)):
            gate = self.gates[k]
            if gate is not None and not gate.enter(number, item):
                return
            item = self.through(k, item)
        with self.lock:
            self.free += 1
        self.feed()

    def through(self, k: int, item: Any) -> Any:
        """Take an item through one filter, and start the one that waited for it."""
        found, gate = self.stages[k][1](item), self.gates[k]
        following = None if gate is None else gate.leave()
        if following is not None:
            self.batch.arena.put(self.batch, functools.partial(self.resume, k, *following))
        return found

    def resume(self, k: int, number: int, item: Any) -> None:
        """Go on with an item that waited before a filter and has its place now."""
        self.go(k + 1, number, self.through(k, item))


@ends_at_call
def parallel_pipeline(max_number_of_live_tokens: int, *filters: filter,
                      context: task_group_context | None = None) -> None:
    """Take items through filters until the first filter stops.

    Args:
        max_number_of_live_tokens: how many items may be on the way.
        filters: the filters in order, joined by ``&`` or given one by one. The first makes the
            items; what the last returns is not used.
        context: what cancels it.
    """
    tokens = whole("parallel_pipeline", "max_number_of_live_tokens", max_number_of_live_tokens, 1)
    if not filters or not all(isinstance(f, filter) for f in filters):
        refuse("parallel_pipeline", "filters are needed: make_filter(mode, body)")
    batch = batch_of(context)
    _Pipeline(tokens, functools.reduce(filter.__and__, filters), batch).feed()
    batch.wait()


def items_of(iterable: Any) -> Callable[[flow_control], Any]:
    """Return the body of a first filter that makes what an iterable gives; take it in order."""
    source: Iterator[Any] = iter(iterable)

    def body(control: flow_control) -> Any:
        for item in source:
            return item
        control.stop()
        return None
    return body
