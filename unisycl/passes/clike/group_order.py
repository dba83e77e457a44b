"""Ranges for which other work-groups than rows use caches better: those along which dimension.

Non-goals: what to do about it (backends choose the shape of work-groups). Invariant: an answer is
advice; any shape gives the same results.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View


def dimension(kernel: n.Kernel) -> int | None:
    """Return the dimension of a range along which some view is contiguous, if not the last one.

    Such as 0 for ``out[x, y] = a[y, x]`` with ``y, x`` the id: a work-group that is long in that
    dimension as well meets each cache line of both again.
    """
    if kernel.index_kind != "range" or kernel.ndim < 2:
        return None
    last = kernel.ndim - 1
    known = _ids_of_locals(kernel.body)
    for place in _places(kernel.body):
        found = [_ids(x, known) for x in place.index]
        if any(last in ids for ids in found[:-1]) and last not in found[-1] and found[-1]:
            return max(found[-1])
    return None


def reused(kernel: n.Kernel) -> int | None:
    """Return a dimension of a range along which items read the same rows of memory in a loop.

    Such as 0 for ``b[k, x]`` with ``y, x`` the id and ``k`` a counter: work-items of several ``y``
    find in the cache what the first of them read.
    """
    if kernel.index_kind != "range" or kernel.ndim < 2:
        return None
    last = kernel.ndim - 1
    known = _ids_of_locals(kernel.body)
    for loop in visit.statements(kernel.body):
        if not isinstance(loop, n.For | n.While):
            continue
        moved = visit.assigned((loop,))
        for place in _places(loop.body):
            found = [_ids(x, known) for x in place.index]
            steps = any(isinstance(y, n.Read) and y.local in moved
                        for x in place.index[:-1] for y in visit.walk(x))
            free = set(range(last)) - set[int]().union(*found)
            if steps and free and last in found[-1]:
                return max(free)
    return None


def _places(body: n.Block) -> Iterator[n.Place]:
    """Yield the places in global memory of several dimensions."""
    stores = [s.place for s in visit.statements(body) if isinstance(s, n.Store)]
    loads = [x.place for x in visit.all_expressions(body) if isinstance(x, n.Load)]
    for place in (*stores, *loads):
        kind = place.base.type
        if len(place.index) > 1 and isinstance(kind, View) and (
                kind.space is address_space.global_space):
            yield place


def _ids_of_locals(body: n.Block) -> dict[n.Local, set[int]]:
    """Return the dimensions of the ids that locals are computed from."""
    found: dict[n.Local, set[int]] = {}
    assigns = [s for s in visit.statements(body) if isinstance(s, n.Assign)]
    grew = True
    while grew:
        grew = False
        for s in assigns:
            mine = found.setdefault(s.local, set())
            more = _ids(s.value, found) - mine
            mine |= more
            grew = grew or bool(more)
    return found


def _ids(x: n.Expr, known: dict[n.Local, set[int]]) -> set[int]:
    """Return the dimensions of the ids in an expression, not of those behind memory."""
    if isinstance(x, n.Load | n.Call):
        return set()
    if isinstance(x, n.Query):
        return {x.dim} if x.name == "global_id" else set()
    if isinstance(x, n.Read):
        return known.get(x.local, set())
    return {d for y in visit.expressions(x) for d in _ids(y, known)}
