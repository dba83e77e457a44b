"""Loops whose turns hand a float on: a compiler that takes turns together rounds otherwise.

Non-goals: integers, which nobody can tell. Invariant: where it says no, turns may be computed in
any order, or several at once.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar


def carries(loop: n.For | n.While) -> bool:
    """Say whether a turn of a loop reads a float that one before may have left."""
    blocks = tuple(visit.blocks(loop))
    given = {x for block in blocks for s in visit.statements(block) for x in visit.targets(s)
             if _is_float(x.type)}
    known: set[n.Local] = set()
    for stmt in (s for block in blocks for s in block):
        read = {x.local for x in visit.all_expressions((stmt,)) if isinstance(x, n.Read)}
        if read & given - known:
            return True
        if isinstance(stmt, n.Assign):
            known.add(stmt.local)
    stored = {s.place.base for block in blocks for s in visit.statements(block)
              if isinstance(s, n.Store) and _is_float(s.place.type)}
    return bool(stored) and any(
        isinstance(x, n.Load) and x.place.base in stored
        for block in blocks for x in visit.all_expressions(block))


def _is_float(kind: object) -> bool:
    return isinstance(kind, Scalar) and kind.dtype.kind in "fc"
