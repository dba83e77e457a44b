"""What a work-item costs in vectors and alone, and whether it is faster one at a time.

Vectors lose where lanes read scattered memory or part ways: each element costs a load of its own
either way, and lanes that have finished wait for the longest. Non-goals: times; the numbers are
cycles of a recent processor, good to a factor of two (``python -m bench.lanes`` shows them beside
what was measured). Invariant: what nothing speaks against keeps its vectors.
"""

from __future__ import annotations

from collections.abc import Iterable

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.stack_statements import Popped
from unisycl.ir.types import View
from unisycl.passes.simd.shapes import LINEAR, VARYING, Shapes

_TRIPS = 16
_MISPREDICTED = 15.0
_SURPRISES = 0.25  # of branches that data decides, where one item runs alone
_LEAST_GATHERED = 4  # bytes
_WAIT, _SUM = 1.0, 3.0  # of a turn for the one before, and for its sum of floats
_SOME = 0.75  # of the times that some lane of a vector takes a branch
_CHOSEN = 0.5  # of a lane of a gather under a mask
_LOST, _LOST_MORE, _LOST_AGAIN = 1.5, 1.75, 1.15  # lanes for one at work in loops they leave apart
_APART = 2.5  # turns for one of a lane that shares a stack with others
_SURE = 2.1  # where launches try the other form, or vectors are short
_ROW = 1.0  # of a lane that goes along a row of its own: lines, and sets of the caches
_TURN = 1.0  # counting, comparing and jumping
_PARTING = 4.0  # of a vector whose lanes may leave in each turn
_DIVISION = 8.0  # of a quotient of whole numbers; in vectors by way of floats
_TAKEN_OUT = 4.0  # of vectors, and put back, where they may be too large for that
_CALLED = 15.0
_TURNED = 3.0  # of a vector of what neighbours interleave
_BLENDED = 2.0  # vectors: what was there is read, and put back in lanes that are off
_WIDE = 512  # bits; these have masks


@dataclass(frozen=True, slots=True)
class Vectors:
    """What vectors cost on a kind of processors; cycles, of a vector unless told otherwise.

    ``gathered``: of a lane, by bytes; ``strided``: the same where lanes are as far apart;
    ``hidden``: of a lane of a short element under a mask; ``stored``: under a mask; ``sure``: how
    many times less items alone have to cost where no launch will try the other form.
    """

    bits: int
    gathered: dict[int, float]
    strided: float
    scattered: float
    hidden: float
    stored: float
    multiplied: float  # of 64 bits
    sure: float


def vectors(bits: int) -> Vectors:
    """Return what vectors of so many bits cost."""
    if bits >= _WIDE:
        return Vectors(bits, {1: 6.0, 2: 6.0, 4: 2.0, 8: 3.0}, 1.75, 3.0, 0.2, 1.0, 2.0, 3.5)
    return Vectors(bits, {1: 4.0, 2: 4.0, 4: 2.0, 8: 3.5}, 1.75, 3.0, 3.0, 6.0, 4.0, _SURE)


@dataclass(slots=True)
class Cost:
    """Cycles of one work-item, in vectors and alone."""

    vector: float = 0.0
    scalar: float = 0.0

    def add(self, other: Cost, vector: float = 1.0, scalar: float = 1.0) -> None:
        """Add a part that runs so many times."""
        self.vector += other.vector * vector
        self.scalar += other.scalar * scalar


def prefers_scalar(body: n.Block, shapes: Shapes, bits: int, *, tried: bool = True) -> bool:
    """Say whether work-items of a range had better run one by one.

    ``bits``: of a vector; ``tried``: launches may try the other form.
    """
    if not doubtful(body, shapes):
        return False
    cost = estimate(body, shapes, bits)
    sure = 1.0 if _looks_up_bytes(body, shapes) else _SURE if tried else vectors(bits).sure
    return sure * cost.scalar < cost.vector


def doubtful(body: n.Block, shapes: Shapes, *, loops: bool = True) -> bool:
    """Say whether anything speaks against vectors: lanes that part in loops, scattered memory.

    ``loops``: memory counts that is read in loops.
    """
    return visit.contains(body, Popped) or any(isinstance(s, n.For | n.While) and (
        id(s) in shapes.divergent or _scatters(visit.blocks(s), shapes))
        for s in visit.statements(body)) or _looks_up_bytes(body, shapes) or (
        not loops and _scatters((body,), shapes))


def all_short(body: n.Block) -> bool:
    """Say whether all elements of memory are shorter than a gather's."""
    places = [x.place for x in visit.all_expressions(body) if isinstance(x, n.Load)]
    places += [s.place for s in visit.statements(body)
               if isinstance(s, n.Store | n.LoadMany | n.StoreMany)]
    return all(p.type.dtype.size < _LEAST_GATHERED for p in places)


def estimate(body: n.Block, shapes: Shapes, bits: int) -> Cost:
    """Return what an item costs, in vectors of so many bits and alone."""
    return _Weighing(shapes, vectors(bits), _grown(body)).block(body)


def gathers_rows(body: n.Block, shapes: Shapes, bits: int) -> bool:
    """Say whether groups whose rows end within vectors had better run their items one by one.

    Some lanes have nothing to do there.
    """
    cost = estimate(body, shapes, bits)
    return cost.scalar < cost.vector


def _looks_up_bytes(body: n.Block, shapes: Shapes) -> bool:
    """Say whether a kernel whose lanes go round loops together reads bytes where data tells it to.

    No processor gathers these: each lane's place is taken out of a vector, and what it read put
    into another one. Neighbours that an id tells, by ``%`` or ``max``, mostly lie side by side.
    """
    if any(isinstance(s, n.While) or (isinstance(s, n.For) and id(s) in shapes.divergent)
           for s in visit.statements(body)):
        return False
    apart = [x.place for x in visit.all_expressions(body) if isinstance(x, n.Load)
             and is_scattered(x.place, shapes) and not is_strided(x.place, shapes)]
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


def _scatters(blocks: Iterable[n.Block], shapes: Shapes) -> bool:
    return any(isinstance(x, n.Load) and is_scattered(x.place, shapes)
               for block in blocks for x in visit.all_expressions(block))


def touches_rows(body: n.Block, shapes: Shapes) -> bool:
    """Say whether lanes read or write short rows of their own, several elements at once."""
    return any(isinstance(s, n.LoadMany | n.StoreMany) and is_scattered(s.place, shapes)
               for s in visit.statements(body))


def is_scattered(place: n.Place, shapes: Shapes) -> bool:
    """Say whether lanes reach places in memory that do not follow one another."""
    kind = place.base.type
    if not isinstance(kind, View):
        return False
    if _is_private(place):
        return any(shapes.of(x).rank >= LINEAR for x in place.index)
    if isinstance(place.base, n.Heap):
        return any(shapes.of(x).rank >= LINEAR for x, _ in place.inner)
    *outer, last = [shapes.of(x) for x in place.index] or [shapes.of(n.Const(place.type, 0))]
    if any(s.rank >= LINEAR for s in outer) or (kind.spread and last.rank >= LINEAR):
        return True
    return last.rank == VARYING or (last.rank == LINEAR and last.stride != 1)


def _is_private(place: n.Place) -> bool:
    kind = place.base.type
    return isinstance(kind, View) and kind.space is address_space.private_space


def _in_rows(place: n.Place, shapes: Shapes) -> bool:
    """Say whether lanes are at places further apart than one element."""
    return any(shapes.of(x).rank >= LINEAR for x in place.index[:-1])


class _Weighing:
    """Adds up a body. ``off``: some lanes may be off where it has come to.

    ``astray``: in a loop in which each lane follows a stack of its own, so that in each turn some
    lane is anywhere.
    """

    def __init__(self, shapes: Shapes, unit: Vectors, grown: set[n.Local]) -> None:
        self.shapes, self.unit, self.grown = shapes, unit, grown
        self.astray = False

    def block(self, block: n.Block, *, off: bool = False, again: bool = False) -> Cost:
        cost = Cost()
        for stmt in block:
            cost.add(self.statement(stmt, off, again))
        return cost

    def statement(self, stmt: n.Stmt, off: bool, again: bool) -> Cost:
        cost = Cost()
        if isinstance(stmt, n.Check):
            return cost  # so that a checked kernel has the form that it has without checks
        for expr in visit.expressions(stmt):
            for x in visit.walk(expr):
                cost.add(self.expression(x, off))
        if isinstance(stmt, n.Store):
            cost.add(Cost(self.stored(stmt.place, off), 1.0))
        if isinstance(stmt, n.LoadMany | n.StoreMany):
            cost.add(self.several(stmt))
        if isinstance(stmt, n.For | n.While):
            cost.add(self.loop(stmt, off, again))
            return cost
        parts = id(stmt) in self.shapes.divergent
        for block in visit.blocks(stmt):
            alone = some = 0.5 if isinstance(stmt, n.If) else 1.0
            if isinstance(stmt, n.If) and parts:
                some = 1.0 if stmt.orelse or self.astray else _SOME
            cost.add(self.block(block, off=off or parts, again=again), some, alone)
        if parts:
            cost.add(Cost(_PARTING / 2 * self.share(32), _SURPRISES * _MISPREDICTED))
        return cost

    def loop(self, loop: n.For | n.While, off: bool, again: bool) -> Cost:
        """Return what the turns of a loop cost; ``again``: lanes part ways around it already."""
        parts = id(loop) in self.shapes.divergent
        turns, turn, astray = _turns(loop), Cost(), self.astray
        self.astray = astray or (parts and isinstance(loop, n.While) and self.strays(loop))
        for block in visit.blocks(loop):
            turn.add(self.block(block, off=off or parts, again=again or parts))
        self.astray = astray
        if isinstance(loop, n.While):
            for x in visit.walk(loop.cond):
                turn.add(self.expression(x, off or parts))
        share = self.share(32)
        chain = _SUM if _sums(loop) else _WAIT
        turn.vector = max(turn.vector, chain * share) + (_PARTING if parts else _TURN) * share
        turn.scalar = max(turn.scalar, chain) + _TURN
        cost = Cost()
        lost = 1.0 if not parts else _LOST_AGAIN if again and not astray else self.lost(loop)
        if isinstance(loop, n.While) and any(isinstance(s, Popped) for s in loop.pre):
            lost = _APART
        cost.add(turn, turns * lost, turns)
        cost.scalar += _MISPREDICTED if parts else 0.0
        return cost

    def strays(self, loop: n.While) -> bool:
        """Say whether lanes take what a loop goes on with from places of their own."""
        return any(isinstance(x, n.Load) and _is_private(x.place)
                   and any(self.shapes.of(i).rank >= VARYING for i in x.place.index)
                   for x in visit.all_expressions(loop.body))

    def lost(self, loop: n.For | n.While) -> float:
        """Return how many lanes wait for one at work: fewer where turns are counted beforehand."""
        left = isinstance(loop, n.While) or any(
            isinstance(s, n.Break | n.Leave) and id(s) in self.shapes.divergent
            for s in visit.statements(loop.body))
        return (_LOST_MORE if left else _LOST) + (0.5 if self.unit.bits >= _WIDE else 0.0)

    def share(self, bits: int) -> float:
        """Return one lane's part of a vector of elements of so many bits."""
        return max(bits, 32) / self.unit.bits

    def stored(self, place: n.Place, off: bool) -> float:
        unit, kind = self.unit, place.type.dtype
        if is_scattered(place, self.shapes):
            return unit.scattered + 2.5 * self.row(place) + (unit.hidden / 2 if off else 0.0)
        if not off:
            return self.share(kind.bits)
        if _is_private(place):
            return _BLENDED * self.share(kind.bits)
        return unit.hidden if kind.size < _LEAST_GATHERED else unit.stored * self.share(kind.bits)

    def several(self, stmt: n.LoadMany | n.StoreMany) -> Cost:
        """Return what neighbours cost: an access for each lane, unless they follow one another."""
        place, stores = stmt.place, isinstance(stmt, n.StoreMany)
        count = len(stmt.values if isinstance(stmt, n.StoreMany) else stmt.results)
        alone = count * (1.0 if stores else 0.5)
        if not is_scattered(place, self.shapes) and not _in_rows(place, self.shapes):
            return Cost(alone * self.share(place.type.dtype.bits), alone)
        each = _TURNED * self.share(place.type.dtype.bits) * count
        apart = 0.0 if is_strided(place, self.shapes) else self.unit.gathered[4] + self.row(place)
        return Cost(apart + each, alone)

    def loaded(self, place: n.Place, off: bool) -> float:
        unit, kind = self.unit, place.type.dtype
        if not is_scattered(place, self.shapes):
            hidden = off and kind.size < _LEAST_GATHERED and not _is_private(place)
            return unit.hidden if hidden else self.share(kind.bits)
        if is_strided(place, self.shapes):
            return unit.strided + self.row(place)
        short = unit.hidden / 2 if kind.size < _LEAST_GATHERED else _CHOSEN
        return unit.gathered.get(kind.size, unit.gathered[8]) + self.row(place) + (
            short if off else 0.0)

    def row(self, place: n.Place) -> float:
        """Return what a lane pays for a row of its own."""
        return _ROW if any(self.shapes.of(x).rank >= LINEAR for x in place.index[:-1]) else 0.0

    def expression(self, x: n.Expr, off: bool) -> Cost:
        if isinstance(x, n.Load):
            alone = 1.0 if is_scattered(x.place, self.shapes) else 0.5
            return Cost(self.loaded(x.place, off), alone)
        if not isinstance(x, n.Binary | n.Unary | n.Select | n.Compare | n.Call):
            return Cost()
        kind = x.type.dtype if not isinstance(x, n.Compare) else x.a.type.dtype
        bits = 32 if kind.is_integer and x.type.weak and not self.grows(x) else kind.bits
        vector, scalar = 0.5, 0.3
        if isinstance(x, n.Call):
            vector, scalar = (_CALLED, _CALLED) if kind.is_float else (1.0, 1.0)
        elif isinstance(x, n.Binary) and x.op in ("div", "floordiv", "mod"):
            if kind.is_float:
                vector, scalar = 5.0, 4.0
            elif isinstance(x.b, n.Const):
                vector, scalar = (2.0, 1.0) if int(x.b.value) & (int(x.b.value) - 1) else (0.5, 0.5)
            else:
                each = _DIVISION + _TAKEN_OUT if self.grows(x) else _DIVISION / 2
                vector, scalar = each / self.share(bits), _DIVISION
        elif isinstance(x, n.Binary) and x.op == "mul" and kind.is_integer and bits == 64:
            vector = self.unit.multiplied
        varies = self.shapes.of(x).rank >= VARYING
        return Cost(vector * self.share(bits) * (1.0 if varies else 0.25), scalar)


    def grows(self, x: n.Expr) -> bool:
        """Say whether a product or quotient has an operand that nothing bounds."""
        return isinstance(x, n.Binary) and x.op in ("mul", "div", "floordiv", "mod") and any(
            isinstance(e, n.Read) and e.local in self.grown for e in (x.a, x.b))


def _grown(body: n.Block) -> set[n.Local]:
    """Return the numbers that loops without a count add to or multiply again and again."""
    return {s.local for loop in visit.statements(body) if isinstance(loop, n.While)
            for s in visit.statements(loop.body) if isinstance(s, n.Assign)
            and any(isinstance(x, n.Binary) and x.op in ("add", "mul", "shl") and any(
                isinstance(e, n.Read) and e.local is s.local for e in visit.walk(x))
                for x in visit.walk(s.value))}


def _turns(loop: n.For | n.While) -> int:
    turns = visit.fixed_turns(loop) if isinstance(loop, n.For) else None
    return _TRIPS if turns is None else len(turns)


def _sums(loop: n.For | n.While) -> bool:
    """Say whether a turn waits for a float of the turn before."""
    return any(isinstance(s, n.Assign) and s.local.type.dtype.is_float and any(
        isinstance(x, n.Read) and x.local is s.local for x in visit.walk(s.value))
        for block in visit.blocks(loop) for s in block)
