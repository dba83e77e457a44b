"""The least and the greatest element, and where they are.

By the numbers' own order tiles are combined as sums are, and one tile is looked into; by others
elements are compared. Positions are the same on every device. Non-goals: the values alone, which
``reduce`` finds. Invariant: of no elements, the position is -1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.iterators import (
    counting_iterator,
    permutation_iterator,
    reverse_iterator,
    transform_iterator,
)
from unisycl.oneapi.dpl.kernels import reductions, sweeps
from unisycl.oneapi.dpl.operators import identity_of, order_of
from unisycl.oneapi.dpl.ranks import rank_by
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Operand, Record
from unisycl.oneapi.frame.results import future


def _best(call: Call, source: Operand, comp: Any, *, most: bool) -> Any:
    """Return what gives the place of the first least or greatest element."""
    rank, kind = rank_by(source.dtype, comp)
    if rank is not None:
        return _by_rank(call, source, rank, np.dtype(kind), most=most)
    before = order_of(comp, source.dtype)
    return _by_order(call, source, (lambda a, b: before(b, a)) if most else before)


def _by_rank(call: Call, source: Operand, rank: Any, kind: np.dtype[Any], *, most: bool,
             last: bool = False) -> Any:
    """Combine the ranks of each tile, then look into the tile that has the least or greatest."""
    op: Any = sycl.maximum if most else sycl.minimum
    shape, count = call.shape, source.size or 0
    plan = views.plan(count, shape.tile, op, kind.type, identity_of(op, kind))
    bests, found = call.own(shape.tiles(count), kind), call.result(np.int64)
    over = transform_iterator(source, rank.of, kind)
    over.size = count
    call.launch(shape.tile_space(count), sweeps.reduce if shape.wide else reductions.joined, over,
                bests, plan)
    call.launch(shape.one_group(), reductions.last_place if last else reductions.first_place, over,
                bests, found, plan)
    return found


def _by_order(call: Call, source: Operand, before: Any) -> Any:
    """Compare elements, and their places where they are equal."""
    shape, count = call.shape, source.size or 0
    places: Operand = counting_iterator(np.int64(0), count)
    kind = source.dtype
    if isinstance(kind, tuple) or kind.names is not None:
        return _best_of_any(call, source, places, before)
    own = views.candidates(sycl.local_accessor(kind, shape.width),
                           sycl.local_accessor(np.int64, shape.width))
    while True:
        parts = shape.tiles(count)
        values = call.own(parts, kind)
        positions = call.result(np.int64) if parts == 1 else call.own(parts, np.int64)
        call.launch(shape.tile_space(count), reductions.best, source, places, own,
                    Record(views.candidates, values, positions),
                    views.plan(count, shape.tile, before, None))
        if parts == 1:
            return positions
        source, places, count = values, positions, parts


def _best_of_any(call: Call, source: Operand, places: Operand, before: Any) -> Any:
    """Do so with elements that are tuples or records, of which positions alone are kept."""
    items, shape, count = source, call.shape, source.size or 0
    own = sycl.local_accessor(np.int64, shape.width)
    while True:
        parts = shape.tiles(count)
        positions = call.result(np.int64) if parts == 1 else call.own(parts, np.int64)
        call.launch(shape.tile_space(count), reductions.first_best, items, places, own, positions,
                    views.plan(count, shape.tile, before, None))
        if parts == 1:
            return positions
        items, places, count = permutation_iterator(source, positions), positions, parts


def _extreme(call: Call, data: Any, comp: Any, *, most: bool) -> future:
    source = call.source("the input", data)
    if not source.size:
        return call.done(lambda: -1)
    found = _best(call, source, comp, most=most)
    return call.done(lambda: int(found.base[0]))


@routine
def min_element(call: Call, data: Any, comp: Any = None) -> future:
    """Return the position of the least element, the first of several; -1 if there are none.

    NaN are greater than all numbers here, and -0.0 and 0.0 equal, as in ``sort``.

    Args:
        call: the policy, or a queue.
        data: the elements.
        comp: a function of two that says whether the first comes before the second.
    """
    return _extreme(call, data, comp, most=False)


@routine
def max_element(call: Call, data: Any, comp: Any = None) -> future:
    """Return the position of the greatest element, the first of several; see ``min_element``."""
    return _extreme(call, data, comp, most=True)


@routine
def minmax_element(call: Call, data: Any, comp: Any = None) -> future:
    """Return the positions of the least and of the greatest element; see ``min_element``.

    Of several least ones the first, and of several greatest ones the last, as C++ has it.
    """
    source = call.source("the input", data)
    n = source.size
    if not n:
        return call.done(lambda: (-1, -1))
    rank, kind = rank_by(source.dtype, comp)
    if rank is not None:
        least = _by_rank(call, source, rank, np.dtype(kind), most=False)
        last = _by_rank(call, source, rank, np.dtype(kind), most=True, last=True)
        return call.done(lambda: (int(least.base[0]), int(last.base[0])))
    least = _best(call, source, comp, most=False)
    most = _best(call, reverse_iterator(source), comp, most=True)
    return call.done(lambda: (int(least.base[0]), n - 1 - int(most.base[0])))
