"""Whether work-items leave a loop apart from each other with counters that outlive it.

A compiler may take a number that each turn adds the same to as equal for all work-items, also
where some have left the loop earlier than others. Non-goals: which compilers do. Invariant: the
answer may be yes where items stay together, never no where they part.
"""

from __future__ import annotations

from collections import Counter

from unisycl.backends.cfamily.signs import meet
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.shapes import holds_barrier


def found(kernel: n.Kernel) -> bool:
    """Say whether a kernel whose items meet has such a loop."""
    if not meet(kernel):
        return False
    reads = _reads(kernel.body)
    kept = {x for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}
    return any(_outlives(s, reads, kept) for s in visit.statements(kernel.body) if _left(s))


def _outlives(stmt: n.Stmt, reads: Counter[n.Local], kept: set[n.Local]) -> bool:
    """Say whether an integer that a statement changes is read behind it."""
    if holds_barrier(stmt):
        return False
    inside = _reads((stmt,))
    return any(x.type.dtype.is_integer and (x in kept or reads[x] > inside[x])
               for x in visit.assigned((stmt,)))


def _left(stmt: n.Stmt) -> bool:
    """Say whether items may leave a loop in a statement, or the statement out of one, apart."""
    match stmt:
        case n.While():
            return True
        case n.For():
            return visit.contains(stmt.body, (n.Break, n.Leave))
        case n.Scope():
            return any(isinstance(s, n.For | n.While) and visit.contains(s.body, n.Leave)
                       for s in visit.statements(stmt.body))
    return False


def _reads(block: n.Block) -> Counter[n.Local]:
    return Counter(x.local for x in visit.all_expressions(block) if isinstance(x, n.Read))
