"""Further ways in which programs launch kernels, for ``python -m bench.launches``.

What kernels are given (tuples, structs, objects, closures, arrays of two and three dimensions),
over what (ranges made each time, sizes that vary, offsets), by turns, behind events, and what else
queues and buffers do. Non-goals: timing. Invariant: each way is one waited-for command, or says how
many it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl

ITEMS, GROUP, SIDE = 256, 64, 16
_POINT = np.dtype([("x", "f4"), ("y", "f4"), ("n", "i4")])
_BIAS = sycl.specialization_id(np.float32(2))
Run = Callable[[], Any]


def raise_(i: Any, a: Any) -> None:
    """Add one to an element."""
    a[i] += np.float32(1)


def lower(i: Any, a: Any) -> None:
    """Take one from an element."""
    a[i] -= np.float32(1)


def halve(i: Any, a: Any) -> None:
    """Halve an element."""
    a[i] *= np.float32(0.5)


def raise_group(it: Any, a: Any) -> None:
    """Add one to an element, by an nd_item."""
    a[it.get_global_id(0)] += np.float32(1)


def raise_plane(i: Any, a: Any) -> None:
    """Add one to an element of a plane."""
    a[i[0], i[1]] += np.float32(1)


def raise_tile(it: Any, a: Any) -> None:
    """Add one to an element of a plane, by an nd_item."""
    a[it.get_global_id(0), it.get_global_id(1)] += np.float32(1)


def raise_block(i: Any, a: Any) -> None:
    """Add one to an element of a block."""
    a[i[0], i[1], i[2]] += np.float32(1)


def scale(i: Any, a: Any, by: Any, plus: Any, most: Any) -> None:
    """Use three numbers."""
    a[i] = min(a[i] * np.float32(by) + np.float32(plus), np.float32(most))


def weigh(i: Any, a: Any, weights: Any) -> None:
    """Use a tuple of eight numbers."""
    x = a[i]
    for w in weights:
        x += w
    a[i] = x


def moved(i: Any, a: Any, p: Any) -> None:
    """Use a struct."""
    a[i] += p.x + p.y


def once(a: Any) -> None:
    """Add one to the first element."""
    a[0] += np.float32(1)


def total(i: Any, s: Any, a: Any) -> None:
    """Add an element up."""
    s.combine(a[i])


def two_totals(i: Any, s: Any, most: Any, a: Any) -> None:
    """Add an element up, and find the largest."""
    s.combine(a[i])
    most.combine(a[i])


def total_group(it: Any, s: Any, a: Any) -> None:
    """Add an element up, by an nd_item."""
    s.combine(a[it.get_global_id(0)])


decorated = sycl.kernel(raise_)
of_eight = sycl.kernel(reqd_sub_group_size=8)(raise_)


class Shift:
    """A kernel that is an object."""

    def __init__(self, a: Any, by: float) -> None:
        self.a, self.by = a, by

    def __call__(self, i: Any) -> None:
        self.a[i] += np.float32(self.by)


def varying() -> Callable[[], int]:
    """Return what returns another number of items each time, as a program's sizes differ."""
    step = itertools.count()
    return lambda: 1 + 37 * next(step) % 251


def spaces(queue: sycl.queue, usm: Any) -> dict[str, Run]:
    """Return launches over index spaces of every kind."""
    q, size, step = queue.parallel_for, varying(), itertools.count()
    flat: Any = np.zeros((SIDE, SIDE), np.float32)
    block: Any = np.zeros((4, 8, 8), np.float32)
    square = sycl.range(SIDE, SIDE)
    return {
        "single task": lambda: queue.single_task(once, usm),
        "tuple of 1": lambda: q((ITEMS,), raise_, usm),
        "a plane, tuple": lambda: q((SIDE, SIDE), raise_plane, flat),
        "a plane, range made before": lambda: q(square, raise_plane, flat),
        "a plane, range made": lambda: q(sycl.range(SIDE, SIDE), raise_plane, flat),
        "a block, tuple": lambda: q((4, 8, 8), raise_block, block),
        "nd_range made": lambda: q(sycl.nd_range(ITEMS, GROUP), raise_group, usm),
        "nd_range of ranges made": lambda: q(sycl.nd_range(
            sycl.range(ITEMS), sycl.range(GROUP)), raise_group, usm),
        "nd_range of a plane made": lambda: q(sycl.nd_range((SIDE, SIDE), (4, 8)), raise_tile,
                                              flat),
        "offset": lambda: q(GROUP, sycl.id(GROUP), raise_, usm),
        "sizes that vary": lambda: q(size(), raise_, usm),
        "nd_ranges that vary": lambda: q(sycl.nd_range(
            8 * (1 + next(step) % 31), 8), raise_group, usm),
        "planes that vary": lambda: q((1 + next(step) % 15, SIDE), raise_plane, flat),
    }


def given(queue: sycl.queue, usm: Any) -> dict[str, Run]:
    """Return launches of kernels that are given something."""
    q, step = queue.parallel_for, itertools.count()
    weights = tuple(float(k) for k in range(8))
    one, other = np.zeros(ITEMS, np.float32), np.zeros(ITEMS, np.float32)
    point = np.zeros((), _POINT)[()]
    shift = Shift(usm, 2.0)
    by, plus, most = 0.5, 3.0, 100.0

    def closed(i: Any) -> None:
        one[i] = min(one[i] * np.float32(by) + other[i] * np.float32(plus), np.float32(most))

    def made_anew(k: float) -> Any:
        def anew(i: Any) -> None:
            usm[i] += np.float32(k)
        return anew

    def weighed(i: Any) -> None:
        x = usm[i]
        for w in weights:
            x += w
        usm[i] = x

    def of_weights(ws: Any) -> Any:
        def inner(i: Any) -> None:
            x = usm[i]
            for w in ws:
                x += w
            usm[i] = x
        return inner

    return {
        "three numbers": lambda: q(ITEMS, scale, usm, 0.5, 3.0, 100.0),
        "three numbers, others": lambda: q(ITEMS, scale, usm, 0.5, float(next(step)), 100.0),
        "three NumPy numbers, others": lambda: q(
            ITEMS, scale, usm, np.float32(0.5), np.float32(next(step)), np.float32(100)),
        "tuple of 8": lambda: q(ITEMS, weigh, usm, weights),
        "tuple of 8, made": lambda: q(ITEMS, weigh, usm, tuple(map(float, range(8)))),
        "tuple of 8, captured": lambda: q(ITEMS, weighed),
        "tuple of 8, closure made": lambda: q(ITEMS, of_weights(tuple(map(float, range(8))))),
        "struct": lambda: q(ITEMS, moved, usm, point),
        "struct made": lambda: q(ITEMS, moved, usm, np.array((1, next(step), 3), _POINT)[()]),
        "object": lambda: q(ITEMS, shift),
        "object made": lambda: q(ITEMS, Shift(usm, 2.0)),
        "object, another number": lambda: q(ITEMS, Shift(usm, float(next(step)))),
        "decorated": lambda: q(ITEMS, decorated, usm),
        "decorated with attributes": lambda: q(ITEMS, of_eight, usm),
        "closure made": lambda: q(ITEMS, made_anew(1.0)),
        "closure, another number": lambda: q(ITEMS, made_anew(float(next(step)))),
        "closure of arrays, numbers": lambda: q(ITEMS, closed),
        "a new array": lambda: q(ITEMS, raise_, np.empty(ITEMS, np.float32)),
        "a new array and number": lambda: q(ITEMS, scale, np.empty(ITEMS, np.float32), 0.5,
                                            float(next(step)), 100.0),
        "a row of an array": lambda: q(SIDE, raise_, block_of(one)[next(step) % SIDE]),
        "a column of an array": lambda: q(SIDE, raise_, block_of(one)[:, next(step) % SIDE]),
        "a slice of an array": lambda: q(SIDE, raise_, one[(k := next(step) % 200):k + SIDE]),
    }


def block_of(array: Any) -> Any:
    """Return an array as a plane."""
    return array.reshape(SIDE, SIDE)


def turns(queue: sycl.queue, usm: Any) -> dict[str, Run]:
    """Return launches by turns, and behind events."""
    q = queue.parallel_for
    second: Any = sycl.malloc_shared(ITEMS, np.float32, queue)
    array, another = np.zeros(ITEMS, np.float32), np.zeros(ITEMS, np.float32)
    mine, other = (sycl.buffer(np.zeros(ITEMS, np.float32)) for _ in range(2))
    queue_b = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    size, step = varying(), itertools.count()
    kernels = itertools.cycle([raise_, lower])
    three = itertools.cycle([raise_, lower, halve])
    places, arrays = itertools.cycle([usm, second]), itertools.cycle([array, another])
    buffers, last = itertools.cycle([mine, other]), [q(ITEMS, raise_, usm)]

    def group(function: Any, memory: Any, items: int = ITEMS) -> Any:
        return queue.submit(lambda h: h.parallel_for(
            items, function, sycl.accessor(memory, h, sycl.read_write)))

    def behind() -> Any:
        last[0] = q(ITEMS, raise_, usm, depends_on=[last[0]])
        return last[0]

    def behind_group() -> Any:
        def of(h: Any) -> None:
            h.depends_on(last[0])
            h.parallel_for(ITEMS, raise_, usm)
        last[0] = queue.submit(of)
        return last[0]

    return {
        "two kernels": lambda: q(ITEMS, next(kernels), usm),
        "three kernels": lambda: q(ITEMS, next(three), usm),
        "two memories": lambda: q(ITEMS, raise_, next(places)),
        "two memories, numbers": lambda: q(ITEMS, scale, next(places), 0.5, float(next(step)), 9.0),
        "two arrays": lambda: q(ITEMS, raise_, next(arrays)),
        "two kernels, numbers": lambda: (q(ITEMS, raise_, usm), q(
            ITEMS, scale, usm, 0.5, float(next(step)), 1e9))[1],
        "two kernels, sizes": lambda: (q(k := size(), raise_, usm), q(k, lower, usm))[1],
        "two queues": lambda: (q(ITEMS, raise_, usm), queue_b.parallel_for(ITEMS, lower, usm))[1],
        "behind an event": behind,
        "group, lambda": lambda: queue.submit(lambda h: h.parallel_for(ITEMS, raise_, usm)),
        "group, two kernels": lambda: group(next(kernels), mine),
        "group, two buffers": lambda: group(raise_, next(buffers)),
        "group, sizes that vary": lambda: group(raise_, mine, size()),
        "group behind an event": behind_group,
    }


def groups(queue: sycl.queue, usm: Any) -> dict[str, Run]:
    """Return further command groups."""
    mine, other = (sycl.buffer(np.zeros(ITEMS, np.float32)) for _ in range(2))
    plane = sycl.buffer(np.zeros((SIDE, SIDE), np.float32))
    second: Any = sycl.malloc_shared(ITEMS, np.float32, queue)
    array, sums = np.zeros(ITEMS, np.float32), sycl.malloc_shared(2, np.float32, queue)

    def of_plane(h: Any) -> None:
        h.parallel_for((SIDE, SIDE), raise_plane, sycl.accessor(plane, h, sycl.read_write))

    def of_constant(h: Any) -> None:
        h.set_specialization_constant(_BIAS, np.float32(3))
        a = sycl.accessor(mine, h, sycl.read_write)

        def biased(i: Any, kh: Any) -> None:
            a[i] += kh.get_specialization_constant(_BIAS)
        h.parallel_for(ITEMS, biased)

    def of_get_access(h: Any) -> None:
        h.parallel_for(ITEMS, raise_, mine.get_access(h, sycl.access_mode.read_write))

    def of_copy(h: Any) -> None:
        h.copy(sycl.accessor(mine, h, sycl.read_only), sycl.accessor(other, h, sycl.write_only))

    def of_array(h: Any) -> None:
        h.copy(sycl.accessor(mine, h, sycl.read_only), array)

    def of_fill(h: Any) -> None:
        h.fill(sycl.accessor(mine, h, sycl.write_only), np.float32(1))

    def of_task(h: Any) -> None:
        a = sycl.accessor(mine, h, sycl.read_write_host_task)
        h.host_task(lambda: a[0])

    return {
        "group of a plane": lambda: queue.submit(of_plane),
        "group, get_access": lambda: queue.submit(of_get_access),
        "group, constant": lambda: queue.submit(of_constant),
        "group, copy": lambda: queue.submit(of_copy),
        "group, copy to an array": lambda: queue.submit(of_array),
        "group, fill": lambda: queue.submit(of_fill),
        "group, host task": lambda: queue.submit(of_task),
        "two reductions": lambda: queue.parallel_for(
            ITEMS, sycl.reduction(sums[0:1], sycl.plus()),
            sycl.reduction(sums[1:2], sycl.maximum()), two_totals, usm),
        "reduction, nd_range": lambda: queue.parallel_for(
            sycl.nd_range(ITEMS, GROUP), sycl.reduction(sums[0:1], sycl.plus()), total_group,
            usm),
        "reduction of an array": lambda: queue.parallel_for(
            ITEMS, sycl.reduction(array[:1], sycl.plus()), total, usm),
        "copy": lambda: queue.copy(usm, second, ITEMS),
        "copy of an array": lambda: queue.copy(array, usm),
        "memset": lambda: queue.memset(usm, 0),
        "memcpy behind a kernel": lambda: (queue.parallel_for(ITEMS, raise_, usm),
                                           queue.memcpy(second, usm))[1],
        "barrier": queue.ext_oneapi_submit_barrier, "a wait for nothing": lambda: queue,
    }


def objects(queue: sycl.queue, usm: Any) -> dict[str, Callable[[], object]]:
    """Return what programs make and give up."""
    mine, array = sycl.buffer(np.zeros(ITEMS, np.float32)), np.zeros(ITEMS, np.float32)

    def scratch() -> None:
        with sycl.buffer(ITEMS, np.float32) as made:
            queue.submit(lambda h: h.parallel_for(ITEMS, raise_, sycl.accessor(
                made, h, sycl.read_write)))

    def read() -> None:
        with sycl.host_accessor(mine, sycl.read_only):
            pass

    return {
        "a queue": lambda: sycl.queue(queue.get_device()),
        "a device": lambda: sycl.device(sycl.cpu_selector_v),
        "a buffer": lambda: sycl.buffer(ITEMS, np.float32),
        "a buffer of an array": lambda: sycl.buffer(array),
        "a buffer, closed": lambda: sycl.buffer(array).close(),
        "a buffer, used": scratch, "a host accessor": read,
        "a range": lambda: sycl.range(ITEMS), "an nd_range": lambda: sycl.nd_range(ITEMS, GROUP),
        "malloc_device and free": lambda: sycl.free(
            sycl.malloc_device(ITEMS, np.float32, queue), queue),
    }


def waited(queue: sycl.queue, usm: Any) -> dict[str, Callable[[], object]]:
    """Return all of them, those that return events with a wait for these."""
    every = {name: lambda r=run: r().wait() for make in (spaces, given, turns, groups)
             for name, run in make(queue, usm).items()}
    return {**every, **objects(queue, usm)}
