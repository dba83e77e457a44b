"""Loops that add up along rows, one row a lane, for kernels whose sums may be reordered.

``for j in range(n): total += a[i, j]`` with a row a lane reads rows side by side, and each turn
waits for the sum before it. Where the order of sums is free (``-ffast-math``), an item by itself
takes vectors along its row, which the target's compiler makes of the loop. Non-goals: those
vectors; what may be reordered (who asks). Invariant: nothing but sums and products goes from turn
to turn.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import row_blocks
from unisycl.passes.simd.shapes import Shapes

_FEWEST = 32
_SUMS = ("add", "sub")


def occur(body: n.Block, shapes: Shapes) -> bool:
    """Say whether loops along rows add up, and no innermost loop needs its turns in order."""
    along = {id(loop) for loop in row_blocks.loops(body, shapes)}
    inner = [s for s in visit.statements(body) if isinstance(s, n.For)
             and not visit.contains(s.body, n.For)]
    if not along or visit.contains(body, n.While):
        return False
    sums = [_sums(loop) for loop in inner if id(loop) in along]
    return any(sums) and all(x is not None for x in sums) and not any(
        _carried(loop) for loop in inner if id(loop) not in along)


def _sums(loop: n.For) -> int | None:
    """Return how many sums go round a loop; None where turns are few or need their order."""
    turns = visit.fixed_turns(loop)
    if (turns is not None and len(turns) < _FEWEST) or visit.contains(loop.body, n.If) or any(
            isinstance(x, n.Call) and not x.builtin.llvm.startswith("llvm.")
            for x in visit.all_expressions(loop.body)):
        return None
    carried = _carried(loop)
    return len(carried) if all(_is_sum(local, loop) for local in carried) else None


def _carried(loop: n.For) -> set[n.Local]:
    """Return the locals that a turn has from the turn before it."""
    known: set[n.Local] = {loop.local}
    carried: set[n.Local] = set()
    for stmt in loop.body:
        reads = {x.local for x in visit.all_expressions((stmt,)) if isinstance(x, n.Read)}
        carried |= reads - known
        known |= visit.assigned((stmt,)) if isinstance(stmt, n.Assign) else set()
    return carried & visit.assigned(loop.body)


def _is_sum(local: n.Local, loop: n.For) -> bool:
    """Say whether all that a loop does with a local is to add one thing to it, or multiply."""
    changes = [s for s in loop.body if isinstance(s, n.Assign) and s.local is local]
    reads = sum(1 for x in visit.all_expressions(loop.body)
                if isinstance(x, n.Read) and x.local is local)
    if len(changes) != 1 or reads != 1 or not local.type.dtype.is_float:
        return False
    value = changes[0].value
    ops = _SUMS if isinstance(value, n.Binary) and value.op in _SUMS else ("mul",)
    while isinstance(value, n.Binary) and value.op in ops:
        if isinstance(value.b, n.Read) and value.b.local is local:
            return value.op != "sub"
        if isinstance(value.a, n.Read) and value.a.local is local:
            return True
        value = value.a
    return False
