"""Whether a kernel is faster with one work-item at a time than with vectors of them.

Vectors lose where lanes read scattered memory inside loops of different lengths: each element costs
a load of its own either way, and lanes that have finished wait for the longest. Non-goals: times;
the numbers are cycles of a recent processor, good to a factor of two. Invariant: a kernel without
such loops, and without tables of bytes, keeps its vectors.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes.simd.shapes import LINEAR, VARYING, Shapes

_TRIPS = 16
_MISPREDICTED = 15.0
_GATHERED = {1: 8.0, 2: 8.0, 4: 2.0, 8: 3.0}  # by bytes: short ones are loads, one by one
_SCATTERED = 4.0
_LEAST_GATHERED = 4  # bytes
_LOST, _LOST_AGAIN = 2.0, 1.3  # lanes for one at work where some part ways, and where again
_LOADED = 0.5
_CALLED = 8.0
_COMPUTED = 0.3
_BITS = 512.0


@dataclass(slots=True)
class Cost:
    """Cycles of one work-item, in vectors and alone."""

    vector: float = 0.0
    scalar: float = 0.0

    def add(self, other: Cost, times: float = 1.0, lost: float = 1.0) -> None:
        """Add a part that runs so many times; ``lost``: how many lanes it keeps for one at work."""
        self.vector += other.vector * times * lost
        self.scalar += other.scalar * times


def prefers_scalar(body: n.Block, shapes: Shapes, bits: int) -> bool:
    """Say whether work-items of a range had better run one by one; ``bits``: of their elements."""
    if not any(isinstance(s, n.For | n.While) and id(s) in shapes.divergent
               and _scatters(s, shapes) for s in visit.statements(body)) \
            and not _looks_up_bytes(body, shapes):
        return False
    cost = _block(body, shapes, bits / _BITS, _LOST)
    return 2 * cost.scalar < cost.vector


def estimate(body: n.Block, shapes: Shapes, bits: int) -> Cost:
    """Return what an item costs, in vectors and alone."""
    return _block(body, shapes, bits / _BITS, _LOST)


def gathers_rows(body: n.Block, shapes: Shapes, bits: int) -> bool:
    """Say whether groups whose rows end within vectors had better run their items one by one."""
    cost = _block(body, shapes, bits / _BITS, _LOST)
    return 2 * cost.scalar < cost.vector


def _looks_up_bytes(body: n.Block, shapes: Shapes) -> bool:
    """Say whether a kernel whose lanes go round loops together reads bytes where data tells it to.

    No processor gathers these: each lane's place is taken out of a vector, and what it read put
    into another one. Neighbours that an id tells, by ``%`` or ``max``, mostly lie side by side.
    """
    if any(isinstance(s, n.While) or (isinstance(s, n.For) and id(s) in shapes.divergent)
           for s in visit.statements(body)):
        return False
    apart = [x.place for x in visit.all_expressions(body) if isinstance(x, n.Load)
             and _is_scattered(x.place, shapes) and not is_strided(x.place, shapes)]
    data = of_data(body) if apart else set()
    return all(any(isinstance(e, n.Load) or (isinstance(e, n.Read) and e.local in data)
                   for x in visit.expressions(p) for e in visit.walk(x)) for p in apart) \
        and any(p.type.dtype.size < _LEAST_GATHERED for p in apart)


def of_data(body: n.Block) -> set[n.Local]:
    """Return the locals that something read from memory went into."""
    found: set[n.Local] = set()
    before = -1
    while before != len(found):
        before = len(found)
        for stmt in visit.statements(body):
            if any(isinstance(e, n.Load) or (isinstance(e, n.Read) and e.local in found)
                   for x in visit.expressions(stmt) for e in visit.walk(x)):
                found |= set(visit.targets(stmt))
            found |= set(stmt.results) if isinstance(stmt, n.LoadMany) else set()
    return found


def is_strided(place: n.Place, shapes: Shapes) -> bool:
    """Say whether lanes are a fixed number of elements apart."""
    return all(shapes.of(x).rank <= LINEAR for x in (*place.index, *(x for x, _ in place.inner)))


def _scatters(loop: n.Stmt, shapes: Shapes) -> bool:
    return any(isinstance(x, n.Load) and _is_scattered(x.place, shapes)
               for block in visit.blocks(loop) for x in visit.all_expressions(block))


def _is_scattered(place: n.Place, shapes: Shapes) -> bool:
    """Say whether lanes reach places in memory that do not follow one another."""
    kind = place.base.type
    if not isinstance(kind, View) or kind.space is address_space.private_space:
        return False
    if isinstance(place.base, n.Heap):
        return any(shapes.of(x).rank >= LINEAR for x, _ in place.inner)
    *outer, last = [shapes.of(x) for x in place.index] or [shapes.of(n.Const(place.type, 0))]
    if any(s.rank >= LINEAR for s in outer) or (kind.spread and last.rank >= LINEAR):
        return True
    return last.rank == VARYING or (last.rank == LINEAR and last.stride != 1)


def _block(block: n.Block, shapes: Shapes, share: float, lost: float) -> Cost:
    cost = Cost()
    for stmt in block:
        cost.add(_statement(stmt, shapes, share, lost))
    return cost


def _statement(stmt: n.Stmt, shapes: Shapes, share: float, lost: float) -> Cost:
    """Return what a statement costs; ``lost``: what it would lose if lanes parted ways here."""
    cost = Cost()
    for expr in visit.expressions(stmt):
        for x in visit.walk(expr):
            cost.add(_expression(x, shapes, share))
    if isinstance(stmt, n.Store):
        cost.add(Cost(_SCATTERED if _is_scattered(stmt.place, shapes) else share, 1.0))
    parts = id(stmt) in shapes.divergent
    loop = isinstance(stmt, n.For | n.While)
    for block in visit.blocks(stmt):
        cost.add(_block(block, shapes, share, _LOST_AGAIN if parts else lost),
                 _TRIPS if loop else 1.0, lost if parts else 1.0)
    if parts:
        cost.scalar += _MISPREDICTED
    return cost


def _expression(x: n.Expr, shapes: Shapes, share: float) -> Cost:
    if isinstance(x, n.Load):
        apart = _GATHERED.get(x.type.dtype.size, _GATHERED[8])
        return Cost(apart if _is_scattered(x.place, shapes) else share, _LOADED)
    if isinstance(x, n.Call):
        return Cost(_CALLED * share, _CALLED)
    if isinstance(x, n.Binary | n.Unary | n.Select):
        varies = shapes.of(x).rank >= VARYING
        return Cost(share / 2 if varies else share / 4, _COMPUTED)
    return Cost()
