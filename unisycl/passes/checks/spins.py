"""Loops that do nothing but look at memory until it changes, and kernels that ask how they are.

Non-goals: whether anybody changes it (whoever runs the kernel knows). Invariant: a loop that this
calls a spin, once it has taken a whole turn in which no memory changed, takes all others like it.
"""

from __future__ import annotations

from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.watch_statements import Synced, Watch

ENDLESS = "endless"
"""The word of kernels that have a time: all their loops ask whether it is over."""
_INERT = (n.Assign, n.If, n.While, n.For, n.Break, n.Continue, n.Check, Watch, Synced)


def timed(kernel: n.Kernel) -> bool:
    """Say whether all loops of a kernel ask whether its time is over."""
    return ENDLESS in kernel.checks


def polled(kernel: n.Kernel) -> bool:
    """Say whether a kernel has loops that ask.

    Where other threads may change what a loop looks at, it asks for the time only.
    """
    loops = [s for s in visit.statements(kernel.body) if isinstance(s, n.While | n.For)]
    return bool(loops) and (timed(kernel) or (alone(kernel) and any(
        isinstance(s, n.While) and spins(s) for s in loops)))


def alone(kernel: n.Kernel) -> bool:
    """Say whether work-items only take turns: what one waits for in a loop does not come."""
    return not (kernel.progress or kernel.waits or kernel.apart)


def spins(loop: n.While) -> bool:
    """Say whether a loop only looks at memory: each turn finds the same if that is the same."""
    inside = list(visit.statements((loop,)))
    if not all(isinstance(s, _INERT) or (isinstance(s, n.Atomic) and s.op == "load")
               for s in inside):
        return False
    deciding = _deciding(inside)
    return not _Carried(deciding, visit.assigned((loop,))).found(loop)


def unwritten(loop: n.While, kernel: n.Kernel) -> bool:
    """Say whether nothing in a kernel writes any memory that a loop may look at."""
    looks = any(isinstance(x, n.Load) for x in visit.all_expressions((loop,))) or any(
        isinstance(s, n.Atomic) for s in visit.statements((loop,)))
    return not looks or not any(
        isinstance(s, n.Store | n.StoreMany | n.ImageWrite | n.Foreign)
        or (isinstance(s, n.Atomic) and s.op != "load") for s in visit.statements(kernel.body)
        if not _private(s))


def _private(stmt: n.Stmt) -> bool:
    place = getattr(stmt, "place", None)
    return isinstance(place, n.Place) and isinstance(place.base, n.Array) and (
        place.base.type.space is address_space.private_space)


def _deciding(inside: list[n.Stmt]) -> set[n.Local]:
    """Return the locals that say how a loop goes on: all that conditions and places are made of."""
    found: set[n.Local] = set()
    for stmt in inside:
        if isinstance(stmt, n.Assign):
            for x in visit.walk(stmt.value):
                if isinstance(x, n.Load):
                    found |= _read(x)
        else:
            for y in visit.expressions(stmt):
                found |= _read(y)
    while True:
        more = {x for s in inside if isinstance(s, n.Assign) and s.local in found
                for x in _read(s.value)} - found
        if not more:
            return found
        found |= more


def _read(expr: n.Expr) -> set[n.Local]:
    return {x.local for x in visit.walk(expr) if isinstance(x, n.Read)}


class _Carried:
    """Finds locals that decide, and that a turn has from the one before."""

    def __init__(self, deciding: set[n.Local], changed: set[n.Local]) -> None:
        self.changing = deciding & changed

    def found(self, loop: n.While) -> bool:
        """Say whether there are any."""
        known: set[n.Local] = set()
        return self._block(loop.pre, known) or self._reads(_read(loop.cond), known) \
            or self._block(loop.body, known)

    def _reads(self, locals: set[n.Local], known: set[n.Local]) -> bool:
        return bool(locals & self.changing - known)

    def _block(self, block: n.Block, known: set[n.Local]) -> bool:
        return any(self._stmt(stmt, known) for stmt in block)

    def _stmt(self, stmt: n.Stmt, known: set[n.Local]) -> bool:
        if isinstance(stmt, n.Assign) and stmt.local not in self.changing:
            return False
        if not isinstance(stmt, n.While) and any(
                self._reads(_read(x), known) for x in visit.expressions(stmt)):
            return True
        match stmt:
            case n.If():
                then, other = set(known), set(known)
                if self._block(stmt.then, then) or self._block(stmt.orelse, other):
                    return True
                known |= then & other
            case n.While():
                inner = set(known)
                if self._block(stmt.pre, known) or self._reads(_read(stmt.cond), known):
                    return True
                inner |= known
                return self._block(stmt.body, inner)
            case n.For():
                return self._block(stmt.body, known | {stmt.local})
        known.update(visit.targets(stmt))
        return False
