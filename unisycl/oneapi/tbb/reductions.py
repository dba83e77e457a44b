"""Sums, running sums and sorting beside each other.

Non-goals: the operators. Invariants: partial results are joined from left to right; for one number
of threads and one partitioner they are the same parts in every run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi import dpl
from unisycl.oneapi.frame.policies import device_policy, par
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.tbb.bodies import is_compiled, numbers_of, own_copy
from unisycl.oneapi.tbb.groups import batch_of, task_group_context
from unisycl.oneapi.tbb.ranges import Partitioner, Range, auto_partitioner, simple_partitioner


@ends_at_call
def parallel_reduce(space: Range, identity: Any, body: Callable[..., Any],
                    join: Callable[[Any, Any], Any], *,
                    partitioner: Partitioner = auto_partitioner(),  # noqa: B008 - it has no state
                    context: task_group_context | None = None,
                    queue: sycl.queue | None = None) -> Any:
    """Return what a function makes of the parts of a range, joined.

    Args:
        space: the range.
        identity: what joined with anything leaves that as it is; each part starts from a copy.
        body: ``body(part, value)`` returns the value with the part's added. A kernel
            (``@sycl.kernel``) is called with each number of the range and returns its value.
        join: joins two values, the left one first; of a kernel's values a function that kernels may
            call (``sycl.plus()``).
        partitioner: how finely the range is taken apart; sums of floats depend on it, and on the
            number of threads unless it is ``simple_partitioner``.
        context: what cancels it; a sum that was cancelled has what was done until then.
        queue: where a kernel runs; left out, the native CPU.
    """
    if is_compiled(body):
        first, last = numbers_of("parallel_reduce", space)
        return dpl.transform_reduce(
            par if queue is None else device_policy(queue),
            dpl.counting_iterator(np.int64(first), last), identity, join,
            getattr(body, "__unisycl_function__", body))
    batch = batch_of(context)
    if space.empty():
        return own_copy(identity)
    parts = partitioner.parts(space, batch.arena.concurrency)
    found = [own_copy(identity) for _ in parts]  # bodies may change what they are given

    def one(k: int) -> None:
        found[k] = body(parts[k], found[k])
    for k in range(len(parts)):
        batch.arena.put(batch, functools.partial(one, k))
    batch.wait()
    return functools.reduce(join, found)


@ends_at_call
def parallel_deterministic_reduce(space: Range, identity: Any, body: Callable[..., Any],
                                  join: Callable[[Any, Any], Any], *,
                                  context: task_group_context | None = None) -> Any:
    """Return what ``parallel_reduce`` does, with the same parts for any number of threads.

    Give the range a grainsize: a part is as small as it allows.
    """
    return parallel_reduce(space, identity, body, join, partitioner=simple_partitioner(),
                           context=context)


@ends_at_call
def parallel_scan(space: Range, identity: Any, body: Callable[[Any, Any, bool], Any],
                  join: Callable[[Any, Any], Any], *,
                  partitioner: Partitioner = auto_partitioner(),  # noqa: B008 - it has no state
                  context: task_group_context | None = None) -> Any:
    """Go over a range twice, for running sums; return the sum of all.

    Args:
        space: a ``blocked_range``.
        identity: what joined with anything leaves that as it is; parts start from copies.
        body: ``body(part, value, final)`` returns the value with the part's added; when ``final``
            is true the value is that of all before the part, and the running sums are written.
        join: joins two values, the left one first.
        partitioner: how finely the range is taken apart.
        context: what cancels it.
    """
    if not hasattr(space, "grainsize"):
        refuse("parallel_scan", "a blocked_range is needed")
    batch = batch_of(context)
    parts = [] if space.empty() else partitioner.parts(space, batch.arena.concurrency)
    sums, ends = ([own_copy(identity) for _ in range(len(parts) + 1)] for _ in range(2))

    def one(into: list[Any], k: int, start: Any, final: bool) -> None:
        into[k] = body(parts[k], start, final)
    for k in range(len(parts) - 1):  # nobody needs the sum of the last part before
        batch.arena.put(batch, functools.partial(one, sums, k, sums[k], False))
    batch.wait()
    total = own_copy(identity)
    for k in range(len(parts)):
        batch.arena.put(batch, functools.partial(one, ends, k, own_copy(total), True))
        if k < len(parts) - 1:
            total = join(total, sums[k])
    batch.wait()
    return ends[len(parts) - 1]


@ends_at_call
def parallel_sort(data: Any, compare: Callable[[Any, Any], Any] | None = None, *,
                  queue: sycl.queue | None = None) -> None:
    """Sort memory, or a list, in place.

    Args:
        data: an array of NumPy, USM memory or a buffer, sorted by ``dpl.sort`` without the
            interpreter; or a list of anything.
        compare: says whether its first argument comes before its second; left out, the lesser does.
        queue: where memory is sorted; left out, the native CPU.
    """
    if isinstance(data, list):
        if compare is None:
            data.sort()
        else:
            data.sort(key=functools.cmp_to_key(functools.partial(_order, compare)))
        return
    if not isinstance(data, np.ndarray) and not hasattr(data, "dtype") \
            and not isinstance(data, sycl.buffer):
        refuse("parallel_sort", f"memory or a list is needed, got {type(data).__name__}")
    policy = par if queue is None else device_policy(queue)
    dpl.sort(policy, data) if compare is None else dpl.sort(policy, data, compare)


def _order(compare: Callable[[Any, Any], Any], a: Any, b: Any) -> int:
    return -1 if compare(a, b) else 1 if compare(b, a) else 0
