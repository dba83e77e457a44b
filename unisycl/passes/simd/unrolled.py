"""Short loops that are to be unrolled wholly, unrolled: their turns as statements of constants.

LLVM would do it as well, but behind everything that is decided here: that ``(x - CX[k]) % n`` is a
neighbour along the lanes shows only where ``CX[k]`` is a number. Non-goals: choosing the loops
(``choices``, and the program's own hints). Invariants: turns keep their order; what is computed
here is exact, and fits its type.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.constant_tables import Table

_MOST_TURNS = 64
_MOST_EXPRESSIONS = 1500
_EXACT: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul}
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge}


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with such loops unrolled; itself if that makes too much of it."""
    if kernel.checks or not any(isinstance(s, n.For) and _is_asked(s)
                                for s in visit.statements(kernel.body)):
        return kernel
    body = _Unrolling(kernel.body).block(kernel.body)
    if body is kernel.body or sum(1 for _ in visit.all_expressions(body)) > _MOST_EXPRESSIONS:
        return kernel
    return replace(kernel, body=body)


def _is_asked(loop: n.For) -> bool:
    return dict(loop.controls).get("unroll") == 0


def _is_short(loop: n.For) -> bool:
    """Say whether a loop is one of few turns, all of which it takes, that asks to be unrolled."""
    turns = visit.fixed_turns(loop)
    return _is_asked(loop) and turns is not None \
        and 0 < len(turns) <= _MOST_TURNS \
        and not visit.contains(loop.body, (n.Break, n.Continue, n.Barrier, n.GroupCall)) \
        and loop.local not in visit.assigned(loop.body) \
        and len(turns) * sum(1 for _ in visit.all_expressions(loop.body)) <= 2 * _MOST_EXPRESSIONS


class _Unrolling(visit.Rewriter):
    """Unrolls loops, and follows the constants that this makes of locals.

    What a turn keeps to itself gets a name of its own in each, as if it had been written so.
    """

    def __init__(self, body: n.Block) -> None:
        self.known: dict[n.Local, n.Const] = {}
        self.assigned = _assignments(body)
        self.asked = _reads(body)

    def statement(self, stmt: n.Stmt) -> tuple[n.Stmt, ...]:
        match stmt:
            case n.Assign():
                made = visit.map_children(stmt, self.expression)
                assert isinstance(made, n.Assign)
                self.known.pop(stmt.local, None)
                if isinstance(made.value, n.Const) and _is_whole(made.value):
                    self.known[stmt.local] = made.value
                return (made,)
            case n.For() if _is_asked(stmt) and _is_short(
                    made := replace(stmt, start=self.expression(stmt.start),
                                    stop=self.expression(stmt.stop))):
                out: list[n.Stmt] = []
                for turn in visit.fixed_turns(made) or ():
                    value = n.Const(stmt.local.type, turn)
                    out.append(n.Assign(stmt.local, value, span=stmt.span))
                    self.known[stmt.local] = value
                    out += self.block(self.renamed(stmt.body))
                return tuple(out)
        if any(True for _ in visit.blocks(stmt)):
            return self.with_blocks(stmt)
        made = visit.map_children(stmt, self.expression)
        for local in visit.targets(stmt):
            self.known.pop(local, None)
        return (made,)

    def renamed(self, body: n.Block) -> n.Block:
        """Return the body of a loop with other locals in place of those that nobody else asks."""
        here, asked = _assignments(body), _reads(body)
        new = {x: n.Local(x.name, x.type) for x, count in here.items()
               if count == self.assigned[x] == 1 and asked.get(x) == self.asked.get(x)}
        for old, made in new.items():
            self.assigned[made] = 1
            if old in self.asked:
                self.asked[made] = self.asked[old]

        def read(x: n.Expr) -> n.Expr:
            return n.Read(x.type, new[x.local]) if isinstance(x, n.Read) and x.local in new else x

        def given(stmt: n.Stmt) -> n.Stmt:
            if isinstance(stmt, n.Assign) and stmt.local in new:
                return replace(stmt, local=new[stmt.local])
            return visit.map_blocks(stmt, lambda b: tuple(map(given, b)))
        return tuple(map(given, visit.rewrite_block(body, read))) if new else body

    def with_blocks(self, stmt: n.Stmt) -> tuple[n.Stmt, ...]:
        """Rewrite a statement of whose blocks nobody knows how often they run."""
        if not isinstance(stmt, n.If):  # the bounds of a loop are asked before it, or in each turn
            self.forget(stmt)
        made = visit.map_children(stmt, self.expression)
        before = dict(self.known)

        def block(inner: n.Block) -> n.Block:
            self.known = dict(before)
            return self.block(inner)
        made = visit.map_blocks(made, block)
        self.known = before
        self.forget(stmt)
        return (made,)

    def forget(self, stmt: n.Stmt) -> None:
        for local in visit.assigned((stmt,)):
            self.known.pop(local, None)

    # ---- expressions
    def expression(self, x: n.Expr) -> n.Expr:
        """Return an expression with what is known in it."""
        return visit.rewrite_expr(x, self.folded)

    def folded(self, x: n.Expr) -> n.Expr:
        """Return the constant that an expression is, or itself."""
        match x:
            case n.Read() if x.local in self.known:
                return n.Const(x.type, self.known[x.local].value)
            case n.Binary(a=n.Const() as a, b=n.Const() as b) if _is_whole(a) and _is_whole(b) \
                    and x.op in _EXACT:
                return _fitting(x, _EXACT[x.op](a.value, b.value))
            case n.Compare(a=n.Const() as a, b=n.Const() as b) if _is_whole(a) and _is_whole(b):
                return n.Const(x.type, _COMPARED[x.op](a.value, b.value))
            case n.Cast(x=n.Const() as inner) if _is_whole(inner) and x.type.dtype.is_integer:
                return _fitting(x, inner.value)
            case n.Cast(x=n.Const() as inner) if inner.type.dtype.kind == x.type.dtype.kind == "b":
                return n.Const(x.type, inner.value)
            case n.Select(cond=n.Const() as cond):
                return x.a if cond.value else x.b
            case n.Load(place=n.Place(base=Table() as table, index=(n.Const() as at,))) \
                    if x.type == table.type.elem and not x.place.inner and not x.place.offset \
                    and 0 <= at.value < len(table.values):
                return n.Const(x.type, table.values[int(at.value)])
        return x


def _is_whole(x: n.Const) -> bool:
    return x.type.dtype.kind in "iu"


def _fitting(x: n.Expr, value: int) -> n.Expr:
    """Return a whole number as a constant of an expression's type, if it fits there."""
    kind = x.type.dtype
    low, high = (-1 << kind.bits - 1, 1 << kind.bits - 1) if kind.kind == "i" \
        else (0, 1 << kind.bits)
    return n.Const(x.type, value) if low <= value < high else x


def _assignments(body: n.Block) -> dict[n.Local, int]:
    """Return how many statements give each local a value; two where one is no assignment."""
    found: dict[n.Local, int] = {}
    for stmt in visit.statements(body):
        for local in visit.targets(stmt):
            found[local] = found.get(local, 0) + 1 + (not isinstance(stmt, n.Assign))
    return found


def _reads(body: n.Block) -> dict[n.Local, int]:
    """Return how often each local is asked for."""
    found: dict[n.Local, int] = {}
    for x in visit.all_expressions(body):
        if isinstance(x, n.Read):
            found[x.local] = found.get(x.local, 0) + 1
    return found
