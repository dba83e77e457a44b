"""Summary statistics of observations: one result a dimension, in memory of the program.

Central moments are about the mean, which is computed first. Non-goals: weights. Invariant: sums go
through parts whose size depends on the number of observations alone, so reruns agree bit for bit;
they are of float64 wherever the device has it, as observations far from 0 would cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi import dpl
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.kernels import statistics
from unisycl.oneapi.mkl.names import Option

_LEAST, _MOST = 1024, 64


class layout:
    """How observations lie: of one dimension behind one another, or all dimensions of one."""

    row_major = Option("layout", "row_major", 101, "R")
    col_major = Option("layout", "col_major", 102, "C")


@dataclass(frozen=True)
class dataset:
    """Observations of some dimensions; made by ``make_dataset``."""

    n_dims: int
    n_observations: int
    observations: Memory
    lying: Option

    @property
    def dtype(self) -> Any:
        """The type of the observations."""
        return self.observations.dtype


@ends_at_call
def make_dataset(n_dims: int, n_observations: int, observations: Any, weights: Any = None, *,
                 lying: Option = layout.row_major) -> dataset:
    """Return observations as the routines take them.

    Args:
        n_dims: how many dimensions.
        n_observations: how many observations of each.
        observations: memory of float32 or float64.
        weights: None; weights are refused.
        lying: ``layout.row_major`` where the observations of one dimension follow one another.
    """
    name = "make_dataset"
    dims = names.whole(name, "n_dims", n_dims, 1)
    count = names.whole(name, "n_observations", n_observations, 1)
    if weights is not None:
        raise names.invalid_argument(f"{name}: weights are not served; leave them out")
    if lying not in (layout.row_major, layout.col_major, names.layout.row_major,
                     names.layout.col_major):
        raise names.invalid_argument(f"{name}: lying must be layout.row_major or "
                                     f"layout.col_major, got {lying!r}")
    kind: Any = memories.flat(name, "the observations", observations).dtype
    if kind not in (np.float32, np.float64):
        raise names.invalid_argument(f"{name}: the observations are {kind}; float32 or float64 "
                                     "are needed")
    held = memories.held(name, "the observations", observations, kind, dims * count, writes=False)
    return dataset(dims, count, held.memory, lying)


class _Work:
    """One call: its data as kernels read them, and what it needs besides."""

    def __init__(self, name: str, queue: Any, given: Any, dependencies: Any) -> None:
        if not isinstance(queue, sycl.queue) or not isinstance(given, dataset):
            raise names.invalid_argument(f"{name}: it takes (queue, dataset, result)")
        self.name, self.given, self.kind = name, given, given.dtype
        self.call = Call(name, queue, events_of(dependencies))
        count = given.n_observations
        has_doubles = self.call.queue.get_device().has(sycl.aspect.fp64)
        self.wide: Any = np.dtype(np.float64) if has_doubles else self.kind
        self.part = max(_LEAST, -(-count // _MOST))
        self.parts = -(-count // self.part)
        by_rows = given.lying.name == "row_major"
        down, along = (count, 1) if by_rows else (1, given.n_dims)
        self.data = Record(statistics.data, given.observations, np.int64(down), np.int64(along),
                           np.int64(count), np.int64(self.part), np.int64(self.parts))

    def target(self, what: str, x: Any) -> Memory:
        """Return memory for a result of each dimension."""
        held = memories.held(self.name, what, x, self.kind, self.given.n_dims, writes=True)
        memories.check_apart(self.name, [memories.Held("the observations",
                                                       self.given.observations, False), held])
        return held.memory

    def sums(self, power: int, about: Memory | None, scale: float, out: Memory) -> None:
        """Write sums of powers about something, scaled."""
        dims, kind = self.given.n_dims, np.dtype(out.base.dtype)
        origin = self.zeros() if about is None else about
        partial = self.call.scratch(dims * self.parts, self.wide)
        self.call.launch(dims * self.parts, statistics.powers, self.data, origin, power,
                         self.wide.type, partial)
        self.call.launch(dims, statistics.joined, np.int64(self.parts), partial,
                         self.wide.type(scale), kind.type, out)

    def zeros(self) -> Memory:
        """Return a zero for each dimension."""
        return Memory(self.call.kept(np.zeros(self.given.n_dims, self.wide)), 0,
                      self.given.n_dims)

    def own(self) -> Memory:
        """Return memory of the routine's own for each dimension."""
        return self.call.scratch(self.given.n_dims, self.wide)

    def mean(self) -> Memory:
        """Return the means."""
        first = self.own()
        self.sums(1, None, 1 / self.given.n_observations, first)
        return first

    def moment(self, power: int) -> Memory:
        """Return a central moment."""
        found = self.own()
        self.sums(power, self.mean(), 1 / self.given.n_observations, found)
        return found

    def ratio(self, upper: Memory, lower: Memory, kind: int, out: Memory) -> None:
        """Write what is made of two moments."""
        self.call.launch(self.given.n_dims, statistics.ratio, upper, lower, kind, self.kind.type,
                         out)

    def end(self) -> sycl.event:
        """Return the event of the last command."""
        return self.call.done().get_event()


Body = Callable[[_Work, Memory], None]


def _routine(name: str, text: str, body: Body) -> Any:
    @ends_at_call
    def routine(queue: sycl.queue, data: dataset, result: Any, *,
                dependencies: Any = ()) -> sycl.event:
        work = _Work(name, queue, data, dependencies)
        body(work, work.target("the result", result))
        return work.end()

    routine.__name__ = routine.__qualname__ = name
    routine.__doc__ = f"Write {text} of each dimension, and return the event."
    return routine


def _variance(w: _Work, out: Memory) -> None:
    n = w.given.n_observations
    if n < 2:
        raise names.invalid_argument("variance: it needs two observations at least")
    w.sums(2, w.mean(), 1 / (n - 1), out)


mean = _routine("mean", "the mean", lambda w, out: w.sums(1, None, 1 / w.given.n_observations, out))
raw_sum = _routine("raw_sum", "the sum", lambda w, out: w.sums(1, None, 1, out))
variance = _routine("variance", "the variance (divided by one less than the count)", _variance)
skewness = _routine("skewness", "the skewness", lambda w, out: w.ratio(
    w.moment(3), w.moment(2), 1, out))
kurtosis = _routine("kurtosis", "the excess kurtosis", lambda w, out: w.ratio(
    w.moment(4), w.moment(2), 2, out))
variation = _routine("variation", "the standard deviation over the mean", lambda w, out: w.ratio(
    w.mean(), _spread(w), 0, out))


def _spread(w: _Work) -> Memory:
    found = w.own()
    _variance(w, found)
    return found


def _power(name: str, power: Any) -> int:
    found = names.whole(name, "the order", power, 2)
    if found > 4:
        raise names.invalid_argument(f"{name}: the order is 2, 3 or 4, got {found}")
    return found


@ends_at_call
def central_moment(queue: sycl.queue, data: dataset, result: Any, order: int = 2, *,
                   dependencies: Any = ()) -> sycl.event:
    """Write the central moment of an order from 2 to 4 of each dimension, divided by the count."""
    power = _power("central_moment", order)
    work = _Work("central_moment", queue, data, dependencies)
    work.sums(power, work.mean(), 1 / work.given.n_observations, work.target("the result", result))
    return work.end()


@ends_at_call
def central_sum(queue: sycl.queue, data: dataset, result: Any, order: int = 2, *,
                dependencies: Any = ()) -> sycl.event:
    """Write the sum of powers about the mean of each dimension."""
    power = _power("central_sum", order)
    work = _Work("central_sum", queue, data, dependencies)
    work.sums(power, work.mean(), 1, work.target("the result", result))
    return work.end()


@ends_at_call
def raw_moment(queue: sycl.queue, data: dataset, result: Any, order: int = 2, *,
               dependencies: Any = ()) -> sycl.event:
    """Write the moment about zero of an order from 2 to 4 of each dimension."""
    power = _power("raw_moment", order)
    work = _Work("raw_moment", queue, data, dependencies)
    work.sums(power, None, 1 / work.given.n_observations, work.target("the result", result))
    return work.end()


@ends_at_call
def min_max(queue: sycl.queue, data: dataset, least: Any, most: Any, *,
            dependencies: Any = ()) -> sycl.event:
    """Write the least and the greatest observation of each dimension; NaN if any is."""
    work = _Work("min_max", queue, data, dependencies)
    out = [work.target(w, x) for w, x in (("the least", least), ("the greatest", most))]
    dims = work.given.n_dims
    low, high = (work.call.scratch(dims * work.parts, work.kind) for _ in range(2))
    work.call.launch(dims * work.parts, statistics.extremes, work.data, low, high)
    work.call.launch(dims, statistics.least_of, np.int64(work.parts), low, out[0])
    work.call.launch(dims, statistics.greatest_of, np.int64(work.parts), high, out[1])
    return work.end()


@ends_at_call
def smallest(queue: sycl.queue, data: dataset, result: Any, *,
             dependencies: Any = ()) -> sycl.event:
    """Write the least observation of each dimension."""
    return min_max(queue, data, result, _unused(queue, data), dependencies=dependencies)


@ends_at_call
def largest(queue: sycl.queue, data: dataset, result: Any, *,
            dependencies: Any = ()) -> sycl.event:
    """Write the greatest observation of each dimension."""
    return min_max(queue, data, _unused(queue, data), result, dependencies=dependencies)


def _unused(queue: Any, data: Any) -> Any:
    work = _Work("min_max", queue, data, ())
    return work.call.scratch(work.given.n_dims, work.kind).base


@ends_at_call
def quantiles(queue: sycl.queue, data: dataset, orders: Any, result: Any, *,
              dependencies: Any = ()) -> sycl.event:
    """Write quantiles of each dimension, between neighbours as NumPy's ``linear`` does; waits.

    Args:
        queue: the queue.
        data: the observations.
        orders: numbers from 0 to 1.
        result: memory for the quantiles of the first dimension, then of the next.
        dependencies: events to wait for.
    """
    work = _Work("quantiles", queue, data, dependencies)
    wanted = np.atleast_1d(np.asarray(orders, np.float64))
    if wanted.ndim != 1 or not ((wanted >= 0) & (wanted <= 1)).all():
        raise names.invalid_argument("quantiles: the orders are numbers from 0 to 1")
    dims, n = data.n_dims, data.n_observations
    held = memories.held("quantiles", "the result", result, np.dtype(work.kind),
                         dims * wanted.size, writes=True)
    memories.check_apart("quantiles", [memories.Held("the observations", data.observations, False),
                                       held])
    ordered = work.call.scratch(n, work.kind)
    at = wanted * (n - 1)
    low = np.floor(at).astype(np.int64)
    high, found = np.minimum(low + 1, n - 1), np.empty(dims * wanted.size, work.kind)
    for d in range(dims):
        work.call.launch(n, statistics.column, work.data, np.int64(d), ordered)
        work.call.done().wait()
        dpl.sort(queue, ordered)
        values = np.asarray(ordered.base)
        with np.errstate(invalid="ignore", over="ignore"):  # infinities, as NumPy has them
            part = values[low] + (at - low) * (values[high] - values[low])
        found[d * wanted.size:(d + 1) * wanted.size] = np.where(
            np.isnan(values[-1]), values[-1], part)
    kept = Memory(work.call.kept(found), 0, found.size)
    work.call.launch(found.size, statistics.keep, kept, held.memory)
    return work.end()
