"""Algorithms that move elements by position: rotate, shift, reverse, swap, shuffle.

Results are the same on every device. Those in place but ``reverse`` go by a copy of all. Non-goals:
moves that elements decide (``selections``, ``sorting``). Invariant: outputs overlap nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.iterators import (
    permutation_iterator,
    reverse_iterator,
    shuffle_iterator,
)
from unisycl.oneapi.dpl.kernels import maps
from unisycl.oneapi.dpl.places import room
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.refusals import whole
from unisycl.oneapi.frame.results import future


@routine
def swap_ranges(call: Call, first: Any, second: Any) -> future:
    """Exchange the elements of two memories.

    Args:
        call: the policy, or a queue.
        first: memory.
        second: other memory, of as many elements.
    """
    a = call.memory("the first argument", first)
    b = call.target("the second argument", second, a.size or 0)
    call.apart(a, b)
    each(call, a.size or 0, maps.swap, a, b)
    return call.done()


@routine
def reverse(call: Call, data: Any) -> future:
    """Turn the order of the elements round, in place.

    Args:
        call: the policy, or a queue.
        data: the memory.
    """
    target = call.memory("the memory", data)
    n = target.size or 0
    each(call, n // 2, maps.flip, target, np.int64(n - 1))
    return call.done()


@routine
def reverse_copy(call: Call, data: Any, out: Any) -> future:
    """Copy elements from the last one to the first.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where they go; other memory.
    """
    source = call.source("the input", data)
    target = call.target("the output", out, source.size)
    call.apart(target, source)
    each(call, source.size, maps.copy, reverse_iterator(source), target)
    return call.done()


@routine
def rotate(call: Call, data: Any, middle: Any) -> future:
    """Move elements round the end, so that element ``middle`` comes first; by a copy of all.

    Args:
        call: the policy, or a queue.
        data: the memory.
        middle: the position of the element that comes first.

    Returns where the first element went.
    """
    target = call.memory("the memory", data)
    n = target.size or 0
    at = _middle(call, middle, n)
    if 0 < at < n:
        old = room(call, n, target.dtype)
        each(call, n, maps.copy, target, old)
        each(call, n, maps.rotate, old, target, np.int64(at), np.int64(n))
    return call.done(lambda: n - at)


@routine
def rotate_copy(call: Call, data: Any, middle: Any, out: Any) -> future:
    """Copy elements, beginning with element ``middle``, the first ones behind the last.

    Args:
        call: the policy, or a queue.
        data: the elements.
        middle: the position of the element that comes first.
        out: where they go; other memory.
    """
    source = call.source("the input", data)
    at = _middle(call, middle, source.size)
    target = call.target("the output", out, source.size)
    call.apart(target, source)
    each(call, source.size, maps.rotate, source, target, np.int64(at), np.int64(source.size))
    return call.done()


def _middle(call: Call, middle: Any, count: int) -> int:
    at = whole(call.name, "middle", middle)
    if at > count:
        call.refuse(f"middle is {at}, and there are {count} elements")
    return at


def _shifted(call: Call, data: Any, steps: Any, *, left: bool) -> future:
    target = call.memory("the memory", data)
    n, by = target.size or 0, whole(call.name, "the number of places", steps)
    rest = n - by
    if by and rest > 0:
        old = room(call, rest, target.dtype)
        source, to = target.part(by, n), target.part(0, rest)
        if not left:
            source, to = to, source
        each(call, rest, maps.copy, source, old)
        each(call, rest, maps.copy, old, to)
    return call.done(lambda: max(rest, 0))


@routine
def shift_left(call: Call, data: Any, steps: Any) -> future:
    """Move elements towards the first one; those that leave are lost.

    Args:
        call: the policy, or a queue.
        data: the memory; what stands behind those that are left is as it was.
        steps: by how many places; by as many as there are, or more, nothing is moved.

    Returns how many elements are left.
    """
    return _shifted(call, data, steps, left=True)


@routine
def shift_right(call: Call, data: Any, steps: Any) -> future:
    """Move elements towards the last one; see ``shift_left``."""
    return _shifted(call, data, steps, left=False)


@routine
def shuffle(call: Call, data: Any, seed: Any = 0) -> future:
    """Bring the elements into a random order, the same for a seed on every device.

    The order is one of at most 2**64, which is fewer than there are of more than 20 elements; it is
    good for samples and not for secrets.

    Args:
        call: the policy, or a queue.
        data: the memory.
        seed: a whole number; where C++ takes an engine, its next number will do.
    """
    target = call.memory("the memory", data)
    n = target.size or 0
    order = shuffle_iterator(n, seed)
    if n > 1:
        old = room(call, n, target.dtype)
        each(call, n, maps.copy, target, old)
        each(call, n, maps.copy, permutation_iterator(old, order), target)
    return call.done()
