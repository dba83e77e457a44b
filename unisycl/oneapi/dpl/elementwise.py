"""Algorithms that do something to each element by itself: transform, copy, fill, generate ...

Each is bit for bit the same on every run and device, as far as its function is. Non-goals: those
whose elements meet (``reductions``, ``scans``, ``selections``). Invariant: outputs may be the very
elements that are read, where nothing else is said, and overlap nothing otherwise.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels import maps
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Memory, Operand
from unisycl.oneapi.frame.progress import pieces
from unisycl.oneapi.frame.refusals import whole
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import number, scalar


def each(call: Call, count: int, work: Callable[..., None], *args: Any) -> None:
    """Do a work for each of so many elements, in order where the policy asks for it."""
    if count == 0:
        return
    if call.in_order:
        call.launch(sycl.nd_range(1, 1), maps.one_by_one, work, count, *args)
    elif call.shown is not None and work in _APART:
        for first, last in pieces(count):
            call.launch(last - first, work, *(
                a.part(first, last) if isinstance(a, Operand) else a for a in args))
    else:
        call.launch(count, work, *args)


_APART = {maps.transform, maps.transform_two, maps.transform_if, maps.copy, maps.fill,
          maps.for_each, maps.update, maps.replace, maps.swap}
"""Works to which an element's own number is nothing: a part of the elements is some more."""


@routine
def transform(call: Call, first: Any, second: Any, third: Any, fourth: Any = None) -> future:
    """Write the function of each element, or of two at a time.

    Called as ``transform(policy, x, out, f)`` or ``transform(policy, x, y, out, f)``.

    Args:
        call: the policy, or a queue.
        first: the elements.
        second: where the results go; or the second elements.
        third: the function; or where the results go.
        fourth: the function, where there are second elements.
    """
    source = call.source("the first argument", first)
    n = source.size
    if fourth is None:
        target = call.target("the output", second, n)
        call.apart(target, source, same=True)
        each(call, n, maps.transform, source, target, third)
        return call.done()
    other = call.source("the second argument", second, n)
    target = call.target("the output", third, n)
    call.apart(target, source, other, same=True)
    each(call, n, maps.transform_two, source, other, target, fourth)
    return call.done()


@routine
def transform_if(call: Call, data: Any, out: Any, function: Any, predicate: Any) -> future:
    """Write the function of each element of which a predicate is true; leave the others.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where the results go, each at its element's position.
        function: a function of one element.
        predicate: a function of one element.
    """
    source = call.source("the input", data)
    target = call.target("the output", out, source.size)
    call.apart(target, source, same=True)
    each(call, source.size, maps.transform_if, source, target, function, predicate)
    return call.done()


@routine
def for_each(call: Call, data: Any, function: Any) -> future:
    """Give each element to a function.

    Of memory that may be written, the function returns what replaces the element, as C++'s changes
    it by its reference. Of other elements, such as ``counting_iterator(0)[:n]``, it returns
    nothing, and writes to memory that it captures.

    Args:
        call: the policy, or a queue.
        data: the elements.
        function: a function of one element.
    """
    source = call.taken("the input", data)
    _check_written(call, source)
    each(call, source.size, maps.update if source.writable else maps.for_each, source, function)
    return call.done()


def _check_written(call: Call, target: Operand) -> None:
    if target.writable and not isinstance(target, Memory):
        call.apart(target)


@routine
def for_each_n(call: Call, data: Any, count: Any, function: Any) -> future:
    """Give each of the first ``count`` elements to a function; see ``for_each``."""
    n = whole("for_each_n", "count", count)
    source = call.taken("the input", data, n)
    _check_written(call, source)
    each(call, n, maps.update if source.writable else maps.for_each, source, function)
    return call.done()


@routine
def copy(call: Call, data: Any, out: Any) -> future:
    """Copy elements.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where they go.
    """
    source = call.source("the input", data)
    return _copied(call, source, out)


@routine
def copy_n(call: Call, data: Any, count: Any, out: Any) -> future:
    """Copy the first ``count`` elements to memory of as many or more; see ``copy``."""
    n = whole("copy_n", "count", count)
    return _copied(call, call.taken("the input", data, n).part(0, n), out, exact=False)


def _copied(call: Call, source: Any, out: Any, *, exact: bool = True) -> future:
    target = call.target("the output", out, source.size, exact=exact).part(0, source.size)
    call.apart(target, source, same=True)
    each(call, source.size, maps.copy, source, target)
    return call.done()


@routine
def fill(call: Call, data: Any, value: Any) -> future:
    """Write one value to every element.

    Args:
        call: the policy, or a queue.
        data: the memory.
        value: a number.
    """
    return _filled(call, call.taken("the memory", data), value)


@routine
def fill_n(call: Call, data: Any, count: Any, value: Any) -> future:
    """Write one value to the first ``count`` elements; see ``fill``."""
    n = whole("fill_n", "count", count)
    return _filled(call, call.taken("the memory", data, n), value, n)


def _filled(call: Call, target: Any, value: Any, count: int | None = None) -> future:
    target = call.target("the memory", target, target.size)
    _check_written(call, target)
    each(call, target.size if count is None else count, maps.fill, target,
         value_for(call, value, target))
    return call.done()


def value_for(call: Call, value: Any, target: Any) -> Any:
    """Return a value as a number of the type of the elements; refuse one that does not fit."""
    if isinstance(target.dtype, tuple) or isinstance(value, np.generic):
        return value
    return number(call.name, "the value", value, target.dtype)


@routine
def generate(call: Call, data: Any, function: Any) -> future:
    """Write what a function of the position returns to every element.

    C++'s function takes nothing and is called once for each element, in no order; this one is told
    which element it is for.

    Args:
        call: the policy, or a queue.
        data: the memory.
        function: a function of a position, from 0 on.
    """
    target = call.taken("the memory", data)
    target = call.target("the memory", target, target.size)
    _check_written(call, target)
    each(call, target.size, maps.generate, target, function)
    return call.done()


@routine
def generate_n(call: Call, data: Any, count: Any, function: Any) -> future:
    """Write what a function of the position returns to the first elements; see ``generate``."""
    n = whole("generate_n", "count", count)
    target = call.taken("the memory", data, n)
    target = call.target("the memory", target, target.size)
    _check_written(call, target)
    each(call, n, maps.generate, target, function)
    return call.done()


@routine
def iota(call: Call, data: Any, start: Any = 0, step: Any = 1) -> future:
    """Write ``start``, ``start + step`` and so on.

    Args:
        call: the policy, or a queue.
        data: the memory.
        start: the first number.
        step: what the next one has more; each is ``start + k * step``, rounded once or twice.
    """
    target = call.taken("the memory", data)
    target = call.target("the memory", target, target.size)
    kind = scalar(call.name, "the elements", target.dtype).type
    each(call, target.size, maps.iota, target, value_for(call, start, target),
         value_for(call, step, target), kind)
    return call.done()


@routine
def replace_if(call: Call, data: Any, predicate: Any, value: Any) -> future:
    """Replace the elements of which a predicate is true.

    Args:
        call: the policy, or a queue.
        data: the memory.
        predicate: a function of one element.
        value: a number.
    """
    target = call.memory("the memory", data)
    each(call, target.size or 0, maps.replace, target, target, predicate,
         value_for(call, value, target))
    return call.done()


@routine
def replace_copy_if(call: Call, data: Any, out: Any, predicate: Any, value: Any) -> future:
    """Copy elements, those of which a predicate is true replaced; see ``replace_if``."""
    source = call.source("the input", data)
    target = call.target("the output", out, source.size)
    call.apart(target, source, same=True)
    each(call, source.size, maps.replace, source, target, predicate,
         value_for(call, value, target))
    return call.done()


def _is(value: Any) -> Any:
    return lambda x: x == value


@routine
def replace(call: Call, data: Any, old: Any, value: Any) -> future:
    """Replace the elements that are equal to a value.

    Args:
        call: the policy, or a queue.
        data: the memory.
        old: what is replaced.
        value: what comes in its place.
    """
    target = call.memory("the memory", data)
    each(call, target.size or 0, maps.replace, target, target, _is(old),
         value_for(call, value, target))
    return call.done()


@routine
def replace_copy(call: Call, data: Any, out: Any, old: Any, value: Any) -> future:
    """Copy elements, those that are equal to a value replaced; see ``replace``."""
    source = call.source("the input", data)
    target = call.target("the output", out, source.size)
    call.apart(target, source, same=True)
    each(call, source.size, maps.replace, source, target, _is(old),
         value_for(call, value, target))
    return call.done()


@routine
def adjacent_difference(call: Call, data: Any, out: Any, op: Any = operator.sub) -> future:
    """Write the difference of each element and the one before it; the first as it is.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where they go; other memory.
        op: another function of an element and the one before it.
    """
    source = call.source("the input", data)
    target = call.target("the output", out, source.size)
    call.apart(target, source)
    each(call, source.size, maps.differences, source, target, op)
    return call.done()
