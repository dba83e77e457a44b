"""Memories that a kernel does nothing with but add to by relaxed atomics: counts, sums by number.

Nobody can tell when such an addition happens before the kernel ends, so a worker may add up by
itself and give its sums later. Non-goals: how (``backends.cpu.emit.own_sums``), whether it is worth
it (the launch says). Invariant: nothing in the kernel learns from memory how far others are.
"""

from __future__ import annotations

from unisycl.base.enums import memory_order, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd import registers

_KINDS = (n.Assign, n.Store, n.StoreMany, n.LoadMany, n.If, n.For, n.While, n.Break, n.Continue,
          n.Scope, n.Leave, n.Atomic)
_MOST = 2


def find(kernel: n.Kernel) -> tuple[n.Param, ...]:
    """Return the memories that may be added up apart, none in most kernels."""
    inside = list(visit.statements(kernel.body))
    atomics = [s for s in inside if isinstance(s, n.Atomic)]
    if not atomics or kernel.checks or kernel.pointed or kernel.apart or kernel.progress \
            or kernel.waits or kernel.index_kind not in ("range", "nd_range") \
            or not all(isinstance(s, _KINDS) for s in inside):
        return ()
    read = {x.local for x in visit.all_expressions(kernel.body) if isinstance(x, n.Read)}
    if any(s.result in read or not _adds(s) for s in atomics):
        return ()
    others = accessed([s for s in inside if not isinstance(s, n.Atomic)])
    found = dict.fromkeys(s.place.base for s in atomics)
    if any(not registers.is_whole(b) for b in found):
        return ()
    whole = all(registers.is_whole(b) or registers.is_apart(b) for b in others)
    return tuple(b for b in found if isinstance(b, n.Param) and b not in others
                 and all(_serves(s.place) for s in atomics if s.place.base is b))[
                     :_MOST if whole else 0]


def accessed(statements: list[n.Stmt]) -> tuple[n.Base, ...]:
    """Return the memories that statements, without the ones inside them, read or write."""
    found: dict[n.Base, None] = {}
    for stmt in statements:
        place = getattr(stmt, "place", None)
        if isinstance(place, n.Place):
            found[place.base] = None
        for top in visit.expressions(stmt):
            found.update((x.place.base, None) for x in visit.walk(top) if isinstance(x, n.Load))
    return tuple(found)


def others(kernel: n.Kernel, mine: tuple[n.Param, ...]) -> list[n.Base]:
    """Return the memories that a kernel uses besides, and that may be the same."""
    return [b for b in accessed(list(visit.statements(kernel.body)))
            if b not in mine and not registers.is_apart(b)]


def _adds(stmt: n.Atomic) -> bool:
    """Say whether an operation is a sum's, and orders nothing else."""
    return stmt.op in ("add", "sub") and stmt.order is memory_order.relaxed \
        and stmt.scope > memory_scope.work_group


def _serves(place: n.Place) -> bool:
    """Say whether a place is a number by itself."""
    kind = place.base.type
    return isinstance(kind, View) and isinstance(kind.elem, Scalar) and not place.inner \
        and not place.offset and kind.elem.dtype.bits in (32, 64)
