"""How each local varies over work-items: the lattice uniform < linear < varying, as a side table.

Ranks: GROUP (one value for the work-group), LANES (one for the sub-group), LINEAR (a base plus a
constant stride per lane), VARYING. Also finds where control flow diverges, and which assignments
must keep the values of lanes that are switched off. Non-goals: emission. Invariant: a result only
ever rises in the lattice, so iteration ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from unisycl.base.dataclass import dataclass, field
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.stack_statements import Popped
from unisycl.passes.simd import loop_liveness, shared_arrays
from unisycl.passes.simd.shared_arrays import Held

GROUP, LANES, LINEAR, VARYING = range(4)
_FEW = 8  # statements, through which one goes as fast as through their places


@dataclass(frozen=True, slots=True)
class Shape:
    """A rank and, for LINEAR, the stride per lane."""

    rank: int
    stride: int = 0


UNIFORM = Shape(GROUP)
PER_LANES = Shape(LANES)
ANY = Shape(VARYING)

QueryShape = Callable[[str, int], Shape]
PRIVATE = "private memory"
"""What a query is asked for the shape of what private arrays hold: each lane has its own."""


def join(a: Shape | None, b: Shape) -> Shape:
    """Return the least shape above both."""
    if a is None or a == b:
        return b
    if LINEAR in (a.rank, b.rank) or VARYING in (a.rank, b.rank):
        return ANY
    return a if a.rank > b.rank else b


@dataclass(slots=True)
class Shapes:
    """The result: shapes of locals, and three sets of statements by ``id``.

    A private array that is not ``VARYING`` in ``locals`` has one copy for all lanes of a vector.

    ``divergent``: branches, loops and jumps that not all lanes take alike. ``blends``: assignments
    that must keep the values of lanes that are off. ``apart``: jumps that not all items of a
    work-group take alike.
    """

    locals: dict[Held, Shape] = field(default_factory=dict)
    divergent: set[int] = field(default_factory=set)
    blends: set[int] = field(default_factory=set)
    apart: set[int] = field(default_factory=set)
    query: QueryShape = lambda name, dim: ANY

    def of(self, expr: n.Expr) -> Shape:
        """Return the shape of an expression."""
        return expression(expr, self.locals, self.query)

    def one_copy(self, array: n.Array) -> bool:
        """Say whether all lanes of a vector have a private array in common."""
        return self.locals.get(array, ANY).rank < LINEAR


@dataclass(slots=True)
class _Level:
    """A block on the way to a statement. ``split``: it runs without lanes that come back behind it.

    ``apart``: the sub-groups of a work-group do not run it alike. ``key`` identifies the block or
    loop; ``loop`` marks a loop, ``scope`` a function's number.
    """

    key: int
    split: bool = False
    apart: bool = False
    loop: bool = False
    scope: int = -1


def analyse(body: n.Block, query: QueryShape, seeds: dict[n.Local, Shape], *,
            at_group: bool = False, arrays: Iterable[n.Array] = ()) -> Shapes:
    """Return the shapes of a kernel body; ``seeds`` fixes those of reduction accumulators.

    ``at_group``: what stands outside work-item loops runs once for a work-group. ``arrays``:
    private ones that may turn out to be alike for all lanes (``shared_arrays``).
    """
    own = (*arrays,) if query(PRIVATE, 0).rank == VARYING else ()
    shapes = Shapes(dict(seeds.items()), query=query)
    shapes.locals.update((x, PER_LANES) for x in own)
    walk = _Walk(shapes, *_ways(body, own))
    walk.at_group = at_group
    while True:
        before = dict(shapes.locals), walk.size()
        walk.block(body)
        if before == (shapes.locals, walk.size()):
            return shapes


_Ways: TypeAlias = tuple[dict[Held, int], set[int], dict[Held, set[int]]]
_last_ways: list[tuple[n.Block, tuple[n.Array, ...], _Ways]] = []
_MOST_WAYS = 3


def _ways(body: n.Block, arrays: tuple[n.Array, ...]) -> _Ways:
    """Return homes, scopes that barriers span, and what is finished with a loop: of any lanes.

    Those of the last bodies are kept.
    """
    for known, of, found in _last_ways:
        if known is body and of == arrays:
            return found
    mentions = Mentions()
    places = homes(body, mentions)
    places.update(shared_arrays.homes(body, arrays))
    spanning = {x.number for x in visit.statements(body)
                if isinstance(x, n.Scope) and holds_barrier(x)}
    made = places, spanning, loop_liveness.finished(body, places, mentions.reads)
    _last_ways[:] = [(body, arrays, made), *_last_ways[:_MOST_WAYS - 1]]
    return made


def holds_barrier(stmt: n.Stmt) -> bool:
    """Say whether a barrier, work-group collective or work-item loop occurs in a statement."""
    return any(isinstance(s, n.WorkItems) or (isinstance(s, n.Barrier | n.GroupCall)
               and s.scope is memory_scope.work_group) for s in visit.statements((stmt,)))


def homes(body: n.Block, known: Mentions) -> dict[Held, int]:
    """Return for each local the innermost block that holds all its uses, by the block's id.

    A loop counts as a block of its own. A local that may carry a value from one run of that block
    to the next lives in the kernel's body instead.
    """
    finder = _Homes(known)
    finder.block(body, ())
    out: dict[Held, int] = {}
    for local, path in finder.paths.items():
        home = path[-1]
        once = home is body or finder.counters.get(local) is home or (
            assigns_first((home,), local, known) if isinstance(home, n.While)
            else isinstance(home, tuple) and assigns_first(home, local, known))
        out[local] = id(home if once else body)
    return out


class Mentions:
    """Which locals statements read and mention, each looked at once; they must not change."""

    def __init__(self) -> None:
        self._reads: dict[int, frozenset[n.Local]] = {}
        self._within: dict[int, tuple[frozenset[n.Local], bool]] = {}
        self._places: dict[int, tuple[n.Block, dict[n.Local, list[int]], list[int]]] = {}

    def reads(self, stmt: n.Stmt) -> frozenset[n.Local]:
        """Return the locals that a statement's own expressions read."""
        found = self._reads.get(id(stmt))
        if found is None:
            found = self._reads[id(stmt)] = frozenset(
                x.local for e in visit.expressions(stmt) for x in visit.walk(e)
                if isinstance(x, n.Read))
        return found

    def within(self, stmt: n.Stmt) -> tuple[frozenset[n.Local], bool]:
        """Return the locals that a statement and those in it mention, and whether one leaves."""
        found = self._within.get(id(stmt))
        if found is None:
            parts = [self.within(s) for block in visit.blocks(stmt) for s in block]
            leaves = isinstance(stmt, n.Leave | n.Break | n.Continue)
            found = self._within[id(stmt)] = (
                self.reads(stmt).union(visit.targets(stmt), *(p[0] for p in parts)),
                leaves or any(p[1] for p in parts))
        return found

    def concerning(self, block: n.Block, local: n.Local) -> Iterable[n.Stmt]:
        """Return the statements of a block that mention a local or leave, in order."""
        if len(block) < _FEW:
            return block
        found = self._places.get(id(block))
        if found is None:
            places: dict[n.Local, list[int]] = {}
            leaving: list[int] = []
            for k, stmt in enumerate(block):
                mentioned, leaves = self.within(stmt)
                for x in mentioned:
                    places.setdefault(x, []).append(k)
                if leaves:
                    leaving.append(k)
            found = self._places[id(block)] = (block, places, leaving)
        _, places, leaving = found
        where = places.get(local, [])
        return map(block.__getitem__, sorted({*where, *leaving}) if leaving else where)


def assigns_first(block: n.Block, local: n.Local, known: Mentions | None = None) -> bool:
    """Say whether a block, however it is run through, reads a local only after it assigned it."""
    return not _First(local, known or Mentions()).block(block)[0]


class _First:
    """Follows a block to the first mention of a local: (may be read first, may stay unassigned)."""

    def __init__(self, local: n.Local, known: Mentions) -> None:
        self.local = local
        self.known = known
        self.left: set[int] = set()

    def block(self, block: n.Block) -> tuple[bool, bool]:
        for stmt in self.known.concerning(block, self.local):
            read, open = self.stmt(stmt)
            if read or not open:
                return read, open
        return False, True

    def reads(self, *exprs: n.Expr) -> bool:
        return any(isinstance(x, n.Read) and x.local is self.local
                   for e in exprs for x in visit.walk(e))

    def stmt(self, stmt: n.Stmt) -> tuple[bool, bool]:
        mentioned, leaves = self.known.within(stmt)
        if self.local not in mentioned and not leaves:
            return False, True
        if isinstance(stmt, n.While):
            read, open = self.block(stmt.pre)
            if read or not open:
                return read, open
            return self.reads(stmt.cond) or self.block(stmt.body)[0], True
        if self.local in self.known.reads(stmt):
            return True, True
        match stmt:
            case n.If():
                sides = [self.block(stmt.then), self.block(stmt.orelse)]
                return any(read for read, _ in sides), any(open for _, open in sides)
            case n.For():
                return stmt.local is not self.local and self.block(stmt.body)[0], True
            case n.WorkItems():
                return self.block(stmt.body)[0], True
            case n.Scope():
                read, open = self.block(stmt.body)
                return read, open or stmt.number in self.left
            case n.Leave():
                self.left.add(stmt.number)
                return False, False
            case n.Break() | n.Continue():
                return False, False
        return False, self.local not in visit.targets(stmt)


class _Homes:
    """Collects, for every local, the path of blocks and loops that leads to all its uses."""

    def __init__(self, known: Mentions) -> None:
        self.known = known
        self.paths: dict[n.Local, tuple[n.Block | n.Stmt, ...]] = {}
        self.counters: dict[n.Local, n.Block] = {}

    def meet(self, local: n.Local, path: tuple[n.Block | n.Stmt, ...]) -> None:
        old = self.paths.setdefault(local, path)
        if old is path:
            return
        k = 0
        while k < min(len(old), len(path)) and old[k] is path[k]:
            k += 1
        self.paths[local] = old[:k]

    def block(self, block: n.Block, path: tuple[n.Block | n.Stmt, ...]) -> None:
        path = (*path, block)
        for stmt in block:
            if isinstance(stmt, n.While):
                path_in = (*path, stmt)
                for local in self.known.reads(stmt):
                    self.meet(local, path_in)
                self.block(stmt.pre, path_in)
                self.block(stmt.body, path_in)
                continue
            for local in self.known.reads(stmt):
                self.meet(local, path)
            if isinstance(stmt, n.For):
                self.meet(stmt.local, (*path, stmt.body))
                self.counters[stmt.local] = stmt.body
            else:
                for local in visit.targets(stmt):
                    self.meet(local, path)
            for inner in visit.blocks(stmt):
                self.block(inner, path)


class _Walk:
    """One round over the body, with the stack of blocks that lead to the statement at hand."""

    def __init__(self, shapes: Shapes, homes: dict[Held, int], spanning: set[int],
                 finished: dict[Held, set[int]]) -> None:
        self.shapes = shapes
        self.finished = finished
        self.homes = homes
        self.spanning = spanning
        self.loops: set[int] = set()
        self.apart: set[int] = set()
        self.left: dict[int, dict[int, bool]] = {}
        self.levels: list[_Level] = []
        self.at_group = False

    def size(self) -> tuple[int, ...]:
        """Return how much is known besides the shapes; it only grows."""
        left = [split for exits in self.left.values() for split in exits.values()]
        return (len(self.shapes.divergent), len(self.shapes.blends), len(self.loops),
                len(self.shapes.apart), len(self.apart), len(left), sum(left))

    def block(self, block: n.Block, *, split: bool = False, apart: bool = False,
              scope: int = -1) -> None:
        """Visit a block; ``split`` if it runs with fewer lanes than the one around it."""
        self.levels.append(_Level(id(block), split, apart, scope=scope))
        for stmt in block:
            self.stmt(stmt)
        self.levels.pop()

    def stmt(self, stmt: n.Stmt) -> None:
        match stmt:
            case n.Assign():
                self.assign(stmt, stmt.local, self.shapes.of(stmt.value))
            case n.Atomic():
                if stmt.result is not None:
                    self.assign(stmt, stmt.result, UNIFORM if self.at_group else ANY)
            case n.ImageRead():
                shape = UNIFORM
                for x in visit.expressions(stmt):
                    inner = self.shapes.of(x)
                    shape = ANY if inner.rank >= LINEAR else join(shape, inner)
                for local in stmt.results:
                    self.assign(stmt, local, shape)
            case n.LoadMany():
                shape = place(stmt.place, self.shapes.locals, self.shapes.query)
                for local in stmt.results:
                    self.assign(stmt, local, shape)
            case n.Store() | n.StoreMany() if stmt.place.base in self.homes:
                assert isinstance(stmt.place.base, n.Array)
                shape = PER_LANES
                for x in visit.expressions(stmt):
                    inner = self.shapes.of(x)
                    shape = ANY if inner.rank >= LINEAR else join(shape, inner)
                self.assign(stmt, stmt.place.base, shape)
            case n.GroupCall():
                self.assign(stmt, stmt.result, _collective(stmt, self.shapes))
            case Popped():
                self.assign(stmt, stmt.mine, ANY)
                self.assign(stmt, stmt.value, PER_LANES)
                self.assign(stmt, stmt.some, PER_LANES)
            case n.If():
                rank = self.shapes.of(stmt.cond).rank
                if rank >= LINEAR:
                    self.shapes.divergent.add(id(stmt))
                split = id(stmt) in self.shapes.divergent
                self.block(stmt.then, split=split, apart=rank >= LANES)
                self.block(stmt.orelse, split=split, apart=rank >= LANES)
            case n.While():
                self.enter_loop(stmt, self.shapes.of(stmt.cond).rank)
                self.block(stmt.pre)
                self.block(stmt.body)
                self.levels.pop()
            case n.For():
                self.counted(stmt)
            case n.Scope():
                self.block(stmt.body, scope=stmt.number)
            case n.WorkItems():
                outer, self.at_group = self.at_group, False
                self.block(stmt.body)
                self.at_group = outer
            case n.Break() | n.Continue() | n.Leave():
                self.jump(stmt)

    def enter_loop(self, stmt: n.Stmt, rank: int) -> None:
        """Enter a loop; the lanes that left a function from inside it are missing all through."""
        if rank >= LINEAR:
            self.shapes.divergent.add(id(stmt))
            self.loops.add(id(stmt))
        if rank >= LANES:
            self.apart.add(id(stmt))
        for level in self.levels:
            if level.scope in self.left.get(id(stmt), {}):
                level.apart = True
                level.split = level.split or self.left[id(stmt)][level.scope]
        self.levels.append(_Level(id(stmt), id(stmt) in self.loops, id(stmt) in self.apart,
                                  loop=True))

    def counted(self, stmt: n.For) -> None:
        """Visit a counted loop: the lanes still in it have taken the same steps."""
        start, stop, step = (self.shapes.of(x) for x in (stmt.start, stmt.stop, stmt.step))
        self.enter_loop(stmt, max(start.rank, stop.rank, step.rank))
        self.levels.append(_Level(id(stmt.body)))
        if step.rank >= LINEAR:
            counter = ANY
        elif start.rank >= LINEAR:
            counter = start if along_lanes(start, stmt) else ANY
        else:
            counter = PER_LANES if LANES in (start.rank, stop.rank, step.rank) else UNIFORM
            if stop.rank >= LINEAR or self.levels[-2].apart:
                counter = PER_LANES
        self.assign(stmt, stmt.local, counter)
        self.levels.pop()
        self.block(stmt.body)
        self.levels.pop()

    def assign(self, stmt: n.Stmt, local: Held, shape: Shape) -> None:
        """Join a value into a local; lanes that are off and come back must keep the old one."""
        home = self.homes[local]
        split = apart = False
        for level in reversed(self.levels):
            if level.key == home:
                break
            apart = apart or level.apart
            split = split or (level.split and not (
                level.loop and level.key in self.finished.get(local, ())))
        if split:
            self.shapes.blends.add(id(stmt))
        if id(stmt) in self.shapes.blends:
            shape = ANY
        elif apart and shape.rank == GROUP:
            shape = PER_LANES
        self.shapes.locals[local] = join(self.shapes.locals.get(local), shape)

    def jump(self, stmt: n.Stmt) -> None:
        """Note a jump only some lanes take: what follows runs without them until they return."""
        number = stmt.number if isinstance(stmt, n.Leave) else -1
        target = next(k for k in range(len(self.levels) - 1, -1, -1)
                      if (self.levels[k].scope == number if number >= 0 else self.levels[k].loop))
        inner = self.levels[target + 1:]
        split = any(level.split for level in inner)
        apart = split or any(level.apart for level in inner)
        if split or (apart and number in self.spanning):
            self.shapes.divergent.add(id(stmt))
        if not apart:
            return
        self.shapes.apart.add(id(stmt))
        split = id(stmt) in self.shapes.divergent
        stays = target + 1 if isinstance(stmt, n.Continue) else target
        self.levels[stays].split = self.levels[stays].split or split
        self.levels[stays].apart = True
        if isinstance(stmt, n.Break):
            self.apart.add(self.levels[target].key)
            if split:
                self.loops.add(self.levels[target].key)
        for level in self.levels[target:]:
            if level.loop and split:
                self.shapes.divergent.add(level.key)
            if level.loop and number >= 0:
                exits = self.left.setdefault(level.key, {})
                exits[number] = exits.get(number, False) or split


def along_lanes(start: Shape, stmt: n.For) -> bool:
    """Say whether a counter stays linear: counting away from lane 0, which comes first."""
    ahead = stmt.step.value if isinstance(stmt.step, n.Const) else 1  # else it is positive
    return start.rank == LINEAR and start.stride * ahead > 0 and not holds_barrier(stmt)


def _collective(stmt: n.GroupCall, shapes: Shapes) -> Shape:
    if stmt.op in ("broadcast", "any", "all", "none", "reduce", "ballot"):
        return UNIFORM if stmt.scope is memory_scope.work_group else PER_LANES
    if stmt.op == "select" and shapes.of(stmt.args[1]).rank < LINEAR:
        return PER_LANES  # of one lane that all of them name
    return ANY


def expression(expr: n.Expr, locals: dict[Held, Shape], query: QueryShape) -> Shape:
    """Return the shape of an expression, given those of locals and queries."""
    match expr:
        case n.Const() | n.ParamRead() | n.Extent() | n.Pitch():
            return UNIFORM
        case n.Read():
            return locals.get(expr.local, UNIFORM)
        case n.Query():
            return query(expr.name, expr.dim)
        case n.Load():
            return place(expr.place, locals, query)
        case n.Binary():
            return binary(expr.op, expression(expr.a, locals, query),
                          expression(expr.b, locals, query), expr)
        case n.Cast():
            inner = expression(expr.x, locals, query)
            whole = expr.type.dtype.is_integer and expr.x.type.dtype.is_integer
            same = whole and expr.type.dtype.bits >= expr.x.type.dtype.bits
            return inner if inner.rank != LINEAR or same else ANY
        case n.Narrow():
            return expression(expr.x, locals, query)
        case n.Unary() if expr.op == "neg" and expr.type.dtype.is_integer:
            inner = expression(expr.x, locals, query)
            return Shape(LINEAR, -inner.stride) if inner.rank == LINEAR else inner
    shape = UNIFORM
    for child in visit.expressions(expr):
        inner = expression(child, locals, query)
        shape = ANY if inner.rank == LINEAR else join(shape, inner)
    return shape


def binary(op: str, a: Shape, b: Shape, expr: n.Binary) -> Shape:
    """Return the shape of an arithmetic operation."""
    if LINEAR not in (a.rank, b.rank):
        return join(a, b)
    if VARYING in (a.rank, b.rank) or expr.type.dtype.is_float:
        return ANY
    if op in ("add", "sub"):
        sign = 1 if op == "add" else -1
        left, right = (s.stride if s.rank == LINEAR else 0 for s in (a, b))
        stride = left + sign * right
        return Shape(LINEAR, stride) if stride else PER_LANES
    if op == "mul":
        factor = expr.b if a.rank == LINEAR else expr.a
        base = a if a.rank == LINEAR else b
        if isinstance(factor, n.Const):
            stride = base.stride * int(factor.value)
            return Shape(LINEAR, stride) if stride else PER_LANES
    if op == "shl" and a.rank == LINEAR and isinstance(expr.b, n.Const) and 0 <= expr.b.value < 32:
        return Shape(LINEAR, a.stride << int(expr.b.value))
    return ANY


def place(where: n.Place, locals: dict[Held, Shape], query: QueryShape) -> Shape:
    """Return the shape of what a place holds: uniform where every lane reads the same address."""
    base, shape = where.base, UNIFORM
    if isinstance(base, n.Array) and base.type.space is address_space.private_space:
        if base not in locals:
            return query(PRIVATE, 0)
        shape = locals[base]
    for x in (*where.index, *(x for x, _ in where.inner)):
        inner = expression(x, locals, query)
        shape = ANY if inner.rank >= LINEAR else join(shape, inner)
    return shape
