"""How each local varies over work-items: the lattice uniform < linear < varying, as a side table.

Ranks: GROUP (one value for the work-group), LANES (one for the sub-group), LINEAR (a base plus a
constant stride per lane), VARYING. Also finds where control flow diverges, and which assignments
must keep the values of lanes that are switched off. Non-goals: emission. Invariant: a result only
ever rises in the lattice, so iteration ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit

GROUP, LANES, LINEAR, VARYING = range(4)


@dataclass(frozen=True, slots=True)
class Shape:
    """A rank and, for LINEAR, the stride per lane."""

    rank: int
    stride: int = 0


UNIFORM = Shape(GROUP)
PER_LANES = Shape(LANES)
ANY = Shape(VARYING)

QueryShape = Callable[[str, int], Shape]


def join(a: Shape | None, b: Shape) -> Shape:
    """Return the least shape above both."""
    if a is None or a == b:
        return b
    if LINEAR in (a.rank, b.rank) or VARYING in (a.rank, b.rank):
        return ANY
    return a if a.rank > b.rank else b


@dataclass(slots=True)
class Shapes:
    """The result: shapes of locals, and by ``id`` of statement: branches, loops and jumps that not
    all lanes take alike (``divergent``), and assignments that must keep switched-off lanes
    (``blends``)."""

    locals: dict[n.Local, Shape] = field(default_factory=dict)
    divergent: set[int] = field(default_factory=set)
    blends: set[int] = field(default_factory=set)
    query: QueryShape = lambda name, dim: ANY

    def of(self, expr: n.Expr) -> Shape:
        """Return the shape of an expression."""
        return expression(expr, self.locals, self.query)


@dataclass(slots=True)
class _Level:
    """A block on the way to a statement. ``split``: it runs without lanes that come back behind it.

    ``key`` identifies the block or loop; ``loop`` marks a loop, ``scope`` a function's number.
    """

    key: int
    split: bool = False
    loop: bool = False
    scope: int = -1


def analyse(body: n.Block, query: QueryShape, seeds: dict[n.Local, Shape]) -> Shapes:
    """Return the shapes of a kernel body; ``seeds`` fixes those of reduction accumulators."""
    shapes = Shapes(dict(seeds), query=query)
    walk = _Walk(shapes, homes(body))
    while True:
        before = (dict(shapes.locals), len(shapes.divergent), len(shapes.blends), len(walk.loops))
        walk.block(body)
        if before == (shapes.locals, len(shapes.divergent), len(shapes.blends), len(walk.loops)):
            return shapes


def homes(body: n.Block) -> dict[n.Local, int]:
    """Return for each local the innermost block that holds all its uses, by the block's id.

    A local that may carry a value from one run of that block to the next lives in the kernel's
    body instead.
    """
    finder = _Homes()
    finder.block(body, ())
    out = {}
    for local, path in finder.paths.items():
        home = path[-1]
        assigned = path[-1] is body or (isinstance(home, tuple) and assigns_first(home, local))
        out[local] = id(home if assigned else body)
    return out


def assigns_first(block: n.Block, local: n.Local) -> bool:
    """Say whether a block gives a local a value before anything reads it, whatever happens."""
    for stmt in block:
        reads = any(isinstance(x, n.Read) and x.local is local
                    for e in visit.expressions(stmt) for x in visit.walk(e))
        if reads:
            return False
        if local in visit.targets(stmt):
            return not isinstance(stmt, n.For)
        if isinstance(stmt, n.Scope):
            if assigns_first(stmt.body, local):
                return True
        if any(_mentions(inner, local) for inner in visit.blocks(stmt)):
            return False
    return False


def _mentions(block: n.Block, local: n.Local) -> bool:
    return local in visit.assigned(block) or any(
        isinstance(x, n.Read) and x.local is local for x in visit.all_expressions(block))


class _Homes:
    """Collects, for every local, the path of blocks and loops that leads to all its uses."""

    def __init__(self) -> None:
        self.paths: dict[n.Local, tuple[n.Block | n.Stmt, ...]] = {}

    def meet(self, local: n.Local, path: tuple[n.Block | n.Stmt, ...]) -> None:
        old = self.paths.get(local, path)
        k = 0
        while k < min(len(old), len(path)) and old[k] is path[k]:
            k += 1
        self.paths[local] = old[:k]

    def reads(self, expr: n.Expr, path: tuple[n.Block | n.Stmt, ...]) -> None:
        for x in visit.walk(expr):
            if isinstance(x, n.Read):
                self.meet(x.local, path)

    def block(self, block: n.Block, path: tuple[n.Block | n.Stmt, ...]) -> None:
        path = (*path, block)
        for stmt in block:
            if isinstance(stmt, n.While):
                path_in = (*path, stmt)
                self.reads(stmt.cond, path_in)
                self.block(stmt.pre, path_in)
                self.block(stmt.body, path_in)
                continue
            for e in visit.expressions(stmt):
                self.reads(e, path)
            if isinstance(stmt, n.For):
                self.meet(stmt.local, (*path, stmt.body))
            else:
                for local in visit.targets(stmt):
                    self.meet(local, path)
            for inner in visit.blocks(stmt):
                self.block(inner, path)


class _Walk:
    """One round over the body, with the stack of blocks that lead to the statement at hand."""

    def __init__(self, shapes: Shapes, homes: dict[n.Local, int]) -> None:
        self.shapes = shapes
        self.homes = homes
        self.loops: set[int] = set()
        self.levels: list[_Level] = []

    def block(self, block: n.Block, *, split: bool = False, scope: int = -1) -> None:
        """Visit a block; ``split`` if it runs with fewer lanes than the one around it."""
        self.levels.append(_Level(id(block), split, scope=scope))
        for stmt in block:
            self.stmt(stmt)
        self.levels.pop()

    def stmt(self, stmt: n.Stmt) -> None:
        match stmt:
            case n.Assign():
                self.assign(stmt, stmt.local, self.shapes.of(stmt.value))
            case n.Atomic():
                if stmt.result is not None:
                    self.assign(stmt, stmt.result, ANY)
            case n.GroupCall():
                self.assign(stmt, stmt.result, _collective(stmt))
            case n.If():
                if self.shapes.of(stmt.cond).rank >= LINEAR:
                    self.shapes.divergent.add(id(stmt))
                split = id(stmt) in self.shapes.divergent
                self.block(stmt.then, split=split)
                self.block(stmt.orelse, split=split)
            case n.While():
                self.enter_loop(stmt, self.shapes.of(stmt.cond).rank >= LINEAR)
                self.block(stmt.pre)
                self.block(stmt.body)
                self.levels.pop()
            case n.For():
                self.counted(stmt)
            case n.Scope():
                self.block(stmt.body, scope=stmt.number)
            case n.WorkItems():
                self.block(stmt.body)
            case n.Break() | n.Continue() | n.Leave():
                self.jump(stmt)

    def enter_loop(self, stmt: n.Stmt, diverges: bool) -> None:
        if diverges:
            self.shapes.divergent.add(id(stmt))
            self.loops.add(id(stmt))
        self.levels.append(_Level(id(stmt), id(stmt) in self.loops, loop=True))

    def counted(self, stmt: n.For) -> None:
        """Visit a counted loop: the counter is uniform among the lanes still in it."""
        start, stop = self.shapes.of(stmt.start), self.shapes.of(stmt.stop)
        self.enter_loop(stmt, max(start.rank, stop.rank) >= LINEAR)
        self.levels.append(_Level(id(stmt.body)))
        if start.rank >= LINEAR:
            counter = ANY
        else:
            counter = PER_LANES if LANES in (start.rank, stop.rank) else UNIFORM
            if stop.rank >= LINEAR or id(stmt) in self.shapes.divergent:
                counter = PER_LANES
        self.assign(stmt, stmt.local, counter)
        self.levels.pop()
        self.block(stmt.body)
        self.levels.pop()

    def assign(self, stmt: n.Stmt, local: n.Local, shape: Shape) -> None:
        """Join a value into a local; lanes that are off and come back must keep the old one."""
        home = self.homes[local]
        start = max((k + 1 for k, level in enumerate(self.levels) if level.key == home), default=0)
        if any(level.split for level in self.levels[start:]):
            self.shapes.blends.add(id(stmt))
        if id(stmt) in self.shapes.blends:
            shape = ANY
        self.shapes.locals[local] = join(self.shapes.locals.get(local), shape)

    def jump(self, stmt: n.Stmt) -> None:
        """Note a jump that only some lanes take: what follows runs without them until they return."""
        number = stmt.number if isinstance(stmt, n.Leave) else -1
        target = next(k for k in range(len(self.levels) - 1, -1, -1)
                      if (self.levels[k].scope == number if number >= 0 else self.levels[k].loop))
        if any(level.split for level in self.levels[target + 1:]):
            self.shapes.divergent.add(id(stmt))
        if id(stmt) not in self.shapes.divergent:
            return
        for level in self.levels[target:]:
            if level.loop:
                self.shapes.divergent.add(level.key)
        if isinstance(stmt, n.Break):
            self.loops.add(self.levels[target].key)
            self.levels[target].split = True
        elif isinstance(stmt, n.Continue):
            self.levels[target + 1].split = True
        else:
            self.levels[target].split = True


def _collective(stmt: n.GroupCall) -> Shape:
    if stmt.op in ("broadcast", "any", "all", "none", "reduce"):
        return UNIFORM if stmt.scope is memory_scope.work_group else PER_LANES
    return ANY


def expression(expr: n.Expr, locals: dict[n.Local, Shape], query: QueryShape) -> Shape:
    """Return the shape of an expression, given those of locals and queries."""
    match expr:
        case n.Const() | n.ParamRead() | n.Extent():
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
        stride = (a.stride if a.rank == LINEAR else 0) + sign * (b.stride if b.rank == LINEAR else 0)
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


def place(where: n.Place, locals: dict[n.Local, Shape], query: QueryShape) -> Shape:
    """Return the shape of what a place holds: uniform where every lane reads the same address."""
    base = where.base
    if isinstance(base, n.Array) and base.type.space is address_space.private_space:
        return ANY
    shape = UNIFORM
    for x in (*where.index, *(x for x, _ in where.inner)):
        inner = expression(x, locals, query)
        shape = ANY if inner.rank >= LINEAR else join(shape, inner)
    return shape
