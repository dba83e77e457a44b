"""Algorithms with one result: reduce, transform_reduce, count, find, minimum, equal ...

A sum is taken in tiles whose size depends on the kind of device alone: the same bits on every run
and for any number of threads. Between kinds of devices, and policies, sums of floats may be rounded
otherwise. Results that are positions or counts are the same everywhere. Non-goals: running results
(``scans``). Invariant: of nothing, the result is the start, -1 or 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl import composites
from unisycl.oneapi.dpl.iterators import (
    counting_iterator,
    transform_iterator,
    zip_iterator,
)
from unisycl.oneapi.dpl.kernels import predicates, reductions, sweeps
from unisycl.oneapi.dpl.operators import check_associative, identity_of, known, order_of
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Operand
from unisycl.oneapi.frame.progress import pieces
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import number, scalar, type_of


def combined(call: Call, source: Operand, op: Any, dtype: np.dtype[Any]) -> Any:
    """Combine all elements, of which there is one at least; return the memory of the result."""
    op = known(op)
    identity = identity_of(op, dtype)
    kind, shape, count = dtype.type, call.shape, source.size or 0
    cells = None if identity is not None else sycl.local_accessor(dtype, shape.width)
    while True:
        parts, plan = shape.tiles(count), views.plan(count, shape.tile, op, kind, identity)
        out = call.result(dtype) if parts == 1 else call.own(parts, dtype)
        if identity is not None:
            kernel = sweeps.reduce if shape.wide else reductions.joined
            for first, last in [(0, count)] if call.shown is None else pieces(count, shape.tile):
                whole = last - first == count
                call.launch(shape.tile_space(last - first), kernel,
                            source if whole else source.part(first, last),
                            out if whole else out.part(first // shape.tile, parts),
                            views.plan(last - first, shape.tile, op, kind, identity))
        else:
            call.launch(shape.tile_space(count), reductions.plain, source, cells, out, plan)
        if parts == 1:
            return out
        source, count = out, parts


def _reduced(call: Call, source: Operand, start: Any, op: Any, dtype: Any) -> future:
    if dtype is None and composites.is_composite(source.dtype):
        return composites.reduced(call, source, start, op)
    kind = scalar(call.name, "the elements", _type(start, source, dtype))
    if not source.size:
        if start is None:
            start = identity_of(known(op), kind)
        if start is None:
            call.refuse("there is no element, and the operator has no identity that is known; "
                        "give a start")
        begin = number(call.name, "the start", start, kind)
        return call.done(lambda: begin)
    if call.checked:
        check_associative(call.name, known(op), kind, turned=True)
    begin = None if start is None else number(call.name, "the start", start, kind)
    out = combined(call, source, op, kind)
    if begin is not None:
        call.launch(sycl.nd_range(1, 1), reductions.with_start, out, begin, known(op), kind.type)
    return call.done(lambda: out.base[0])


def _type(start: Any, source: Operand, dtype: Any) -> Any:
    """Return the type to combine in: as asked, the start's, or that of the elements."""
    if dtype is not None:
        return dtype
    if start is not None and isinstance(start, np.generic):
        return type_of(start)
    return source.dtype


@routine
def reduce(call: Call, data: Any, start: Any = None, op: Any = sycl.plus,
           dtype: Any = None) -> future:
    """Combine all elements.

    Args:
        call: the policy, or a queue.
        data: the elements.
        start: what the result begins with; left out, nothing, and of no elements it is 0.
        op: one of SYCL's function objects, or any function of two; its order must not matter.
        dtype: the type to combine in; left out, that of a start of NumPy's, or of the elements.

    Returns the result as a NumPy number; of tuples (``zip_iterator``) and records as one of them.
    """
    return _reduced(call, call.source("the input", data), start, op, dtype)


@routine
def transform_reduce(call: Call, data: Any, start: Any, op: Any, function: Any, *more: Any,
                     dtype: Any = None) -> future:
    """Combine a function of each element, or of two at a time.

    Called as ``transform_reduce(policy, x, start, op, f)``, or
    ``transform_reduce(policy, x, y, start, op, f)`` for sums of ``f(x[i], y[i])``.

    Args:
        call: the policy, or a queue.
        data: the elements.
        start: what the result begins with.
        op: an operator as in ``reduce``.
        function: a function of one element, or of two.
        more: room for the function where there are second elements.
        dtype: the type to combine in; left out, that of a start of NumPy's, or of the results.
    """
    if not more:
        source = call.source("the input", data)
        over = transform_iterator(source, function)
        return _reduced(call, over, start, op, dtype)
    first = call.source("the first argument", data)
    second = call.source("the second argument", start, first.size)
    over = transform_iterator(zip_iterator(first, second), _of_two(more[0]))
    over.size = first.size
    return _reduced(call, over, op, function, dtype)


def _of_two(function: Any) -> Any:
    return lambda t: function(t[0], t[1])


# ---------------------------------------------------------------------------- counts and places
def _positions(call: Call, count: int) -> Any:
    return counting_iterator(np.int64(0), count)


def _counted(call: Call, source: Operand, predicate: Any) -> future:
    if not source.size:
        return call.done(lambda: 0)
    flags = transform_iterator(source, _flag(predicate), np.int64)
    out = combined(call, flags, sycl.plus, np.dtype(np.int64))
    return call.done(lambda: int(out.base[0]))


def _flag(predicate: Any) -> Any:
    return lambda x: np.int64(1) if predicate(x) else np.int64(0)


@routine
def count_if(call: Call, data: Any, predicate: Any) -> future:
    """Return of how many elements a predicate is true.

    Args:
        call: the policy, or a queue.
        data: the elements.
        predicate: a function of one element.
    """
    return _counted(call, call.source("the input", data), predicate)


@routine
def count(call: Call, data: Any, value: Any) -> future:
    """Return how many elements are equal to a value."""
    return _counted(call, call.source("the input", data), _equals(value))


def _equals(value: Any) -> Any:
    return lambda x: x == value


def first_place(call: Call, source: Operand, predicate: Any, count: int) -> Any:
    """Return what gives the first position of which a predicate is true, and ``count`` if none."""
    end = np.int64(count)
    places = transform_iterator(
        zip_iterator(source, counting_iterator(np.int64(0), count)),
        lambda t: t[1] if predicate(t[0]) else end, np.int64)
    places.size = count
    out = combined(call, places, sycl.minimum, np.dtype(np.int64))
    return lambda: int(out.base[0])


def _found(call: Call, data: Any, predicate: Any) -> future:
    source = call.source("the input", data)
    n = source.size
    if not n:
        return call.done(lambda: -1)
    at = first_place(call, source, predicate, n)
    return call.done(lambda: at() if at() < n else -1)


@routine
def find_if(call: Call, data: Any, predicate: Any) -> future:
    """Return the position of the first element of which a predicate is true; -1 if there is none.

    Args:
        call: the policy, or a queue.
        data: the elements.
        predicate: a function of one element.
    """
    return _found(call, data, predicate)


@routine
def find_if_not(call: Call, data: Any, predicate: Any) -> future:
    """Return the position of the first element of which a predicate is false; -1 if none."""
    return _found(call, data, lambda x: not predicate(x))


@routine
def find(call: Call, data: Any, value: Any) -> future:
    """Return the position of the first element that is equal to a value; -1 if there is none."""
    return _found(call, data, _equals(value))


@routine
def find_first_of(call: Call, data: Any, values: Any) -> future:
    """Return the position of the first element that is among some values; -1 if there is none.

    Args:
        call: the policy, or a queue.
        data: the elements.
        values: memory of a few values, all looked at for each element.
    """
    source, wanted = call.source("the input", data), call.source("the values", values)
    n = source.size
    if not n or not wanted.size:
        return call.done(lambda: -1)
    out = call.own(n, np.int64)
    call.launch(n, predicates.among, source, wanted, wanted.size, np.int64(n), out)
    found = combined(call, out, sycl.minimum, np.dtype(np.int64))
    return call.done(lambda: int(found.base[0]) if found.base[0] < n else -1)


@routine
def any_of(call: Call, data: Any, predicate: Any) -> future:
    """Say whether a predicate is true of any element."""
    return _voted(call, data, predicate, lambda n, true: true > 0)


@routine
def all_of(call: Call, data: Any, predicate: Any) -> future:
    """Say whether a predicate is true of every element."""
    return _voted(call, data, predicate, lambda n, true: true == n)


@routine
def none_of(call: Call, data: Any, predicate: Any) -> future:
    """Say whether a predicate is true of no element."""
    return _voted(call, data, predicate, lambda n, true: true == 0)


def _voted(call: Call, data: Any, predicate: Any, answer: Any) -> future:
    source = call.source("the input", data)
    counted = _counted(call, source, predicate)
    return call.done(lambda: bool(answer(source.size, counted.value())))


# ---------------------------------------------------------------------------- two ranges
def _differing(call: Call, first: Any, second: Any, same: Any) -> tuple[Any, int]:
    a = call.source("the first argument", first)
    b = call.source("the second argument", second, a.size)
    n = a.size
    if not n:
        return (lambda: 0), 0
    both = zip_iterator(a, b)
    both.size = n
    equal_by = predicates.equal if same is None else same
    return first_place(call, both, lambda t: not equal_by(t[0], t[1]), n), n


@routine
def equal(call: Call, first: Any, second: Any, same: Any = None) -> future:
    """Say whether two ranges of one length have equal elements; NaN is equal to nothing.

    Args:
        call: the policy, or a queue.
        first: the elements.
        second: as many others.
        same: a function of two that says whether they count as equal.
    """
    at, n = _differing(call, first, second, same)
    return call.done(lambda: at() == n)


@routine
def mismatch(call: Call, first: Any, second: Any, same: Any = None) -> future:
    """Return the first position at which two ranges differ; -1 if nowhere; see ``equal``."""
    at, n = _differing(call, first, second, same)
    return call.done(lambda: at() if at() < n else -1)


@routine
def adjacent_find(call: Call, data: Any, same: Any = None) -> future:
    """Return the position of the first element that equals the next one; -1 if there is none."""
    return neighbours(call, data, predicates.equal if same is None else same)


@routine
def is_sorted(call: Call, data: Any, comp: Any = None) -> future:
    """Say whether no element comes before the one in front of it."""
    found = _broken(call, data, comp)
    return call.done(lambda: found.value() == -1)


@routine
def is_sorted_until(call: Call, data: Any, comp: Any = None) -> future:
    """Return how many elements from the first on are sorted."""
    source = call.source("the input", data)
    found = _broken(call, source, comp)
    return call.done(lambda: source.size if found.value() == -1 else found.value() + 1)


def _broken(call: Call, data: Any, comp: Any) -> future:
    source = call.source("the input", data)
    before = order_of(comp, source.dtype)
    return neighbours(call, source, lambda a, b: before(b, a))


def neighbours(call: Call, data: Any, predicate: Any) -> future:
    """Find the first element of which, with the next one, a predicate is true; -1 if none."""
    source = call.source("the input", data)
    n = source.size - 1
    if n < 1:
        return call.done(lambda: -1)
    both = zip_iterator(source.part(0, n), source.part(1, n + 1))
    at = first_place(call, both, lambda t: predicate(t[0], t[1]), n)
    return call.done(lambda: at() if at() < n else -1)
