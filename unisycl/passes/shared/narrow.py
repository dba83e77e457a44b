"""64-bit integers that provably fit are computed in 32 bits: twice as many lanes in a vector.

Ids, extents and Python ints are 64-bit by definition; here locals, comparisons and conversions to
float move to 32 bits where intervals show that no value changes. What is chosen for an integer
below zero is dropped where they show that it never is. Non-goals: types the user chose.
Invariant: every value the kernel can observe stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from unisycl.base.dataclass import changed, replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar
from unisycl.passes.shared import ranges as rg

NARROW = Scalar(INT32)
FITS = rg.whole(INT32)
_MODULAR = frozenset(("add", "sub", "mul", "and", "or", "xor"))
_EXACT = frozenset(("floordiv", "mod", "shr"))


def run(kernel: n.Kernel, ids_below: int, given: rg.Given = rg.NOTHING) -> n.Kernel:
    """Return the kernel with what fits in 32 bits computed there."""
    found = Narrower(kernel, rg.analyse(kernel.body, ids_below, given=given), given.locals)
    return found.run()


class Narrower:
    """Rewrites a body; follows the same path as the analysis so that its facts hold here."""

    def __init__(self, kernel: n.Kernel, ranges: rg.Ranges,
                 given: Iterable[n.Local] = ()) -> None:
        self.kernel = kernel
        self.given = frozenset(given)
        self.ranges = ranges
        ranges.facts, ranges.flags = {}, {}
        fixed = self.fixed()
        self.small = {
            local: n.Local(local.name, NARROW) for local, interval in ranges.locals.items()
            if local.type.dtype is INT64 and local not in fixed and interval.within(FITS)}

    def run(self) -> n.Kernel:
        """Return the kernel with its body rewritten."""
        body = self.block(self.kernel.body)
        return self.kernel if body == self.kernel.body else replace(self.kernel, body=body)

    def fixed(self) -> set[n.Local]:
        """Return the locals that keep their type."""
        found = {x for s in visit.statements(self.kernel.body) if not self.free(s)
                 for x in visit.targets(s)}
        return found | self.given | {x for r in self.kernel.reducers
                        for x in (r.acc, *r.left, *r.right, *r.result)}

    def free(self, stmt: n.Stmt) -> bool:
        """Say whether what a statement assigns may change its type."""
        return isinstance(stmt, n.Assign)

    def block(self, block: n.Block) -> n.Block:
        return visit.changed(block, [self.stmt(stmt) for stmt in block])

    def stmt(self, stmt: n.Stmt) -> n.Stmt:
        """Rewrite one statement and keep the analysis at the same place."""
        r = self.ranges
        match stmt:
            case n.Assign():
                new = self.assign(stmt)
                r.assign_value(stmt)
                return new
            case n.If():
                cond, before = self.expr(stmt.cond), r.said(stmt)
                with r.knowing(stmt.cond, True):
                    then = self.block(stmt.then)
                with r.knowing(stmt.cond, False):
                    orelse = self.block(stmt.orelse)
                r.leave_if(stmt, before)
                return changed(stmt, cond=cond, then=then, orelse=orelse)
            case n.While():
                given = r.assigned(stmt.pre) | r.assigned(stmt.body)
                r.forget(given)
                pre = self.block(stmt.pre)
                cond = self.expr(stmt.cond)
                with r.knowing(stmt.cond, True):
                    body = self.block(stmt.body)
                r.forget(given)
                return changed(stmt, pre=pre, cond=cond, body=body)
            case n.For():
                new = self.head(stmt)
                given = r.assigned(stmt.body) | {stmt.local}
                r.forget(given)
                body = self.block(stmt.body)
                r.forget(given)
                return changed(new, body=body)
            case n.Scope():
                body = self.block(stmt.body)
                r.forget(r.assigned(stmt.body))
                return changed(stmt, body=body)
            case n.WorkItems():
                outer = self.own(stmt)
                body = self.block(stmt.body)
                r.forget(r.assigned(stmt.body))
                return changed(outer, body=body)
        new = self.own(stmt)
        for local in visit.targets(stmt):
            r.assign(local, rg.whole(local.type.dtype))
        return new

    def head(self, stmt: n.For) -> n.For:
        """Rewrite the bounds of a loop."""
        return changed(stmt, start=self.expr(stmt.start), stop=self.expr(stmt.stop),
                       step=self.expr(stmt.step))

    def own(self, stmt: n.Stmt) -> n.Stmt:
        """Rewrite the expressions of a statement, not what is in its blocks."""
        return visit.rewrite_own(stmt, self.node)

    def assign(self, stmt: n.Assign) -> n.Stmt:
        local = self.small.get(stmt.local)
        if local is None:
            return changed(stmt, value=self.expr(stmt.value))
        return replace(stmt, local=local, value=self.narrow(stmt.value))

    # ---- expressions
    def never_below(self, cond: n.Expr) -> bool:
        """Say whether a condition asks if an integer is below 0 that never is."""
        return isinstance(cond, n.Compare) and cond.op == "lt" and isinstance(cond.b, n.Const) \
            and cond.b.value == 0 and cond.a.type.dtype.is_integer \
            and self.ranges.of(cond.a).low >= 0

    def expr(self, x: n.Expr) -> n.Expr:
        """Rewrite an expression that keeps its type."""
        return visit.rewrite_expr_down(x, self.node)

    def node(self, x: n.Expr) -> n.Expr | None:
        """Return the replacement of a node; None to go on below it."""
        match x:
            case n.Read() if x.local in self.small:
                return n.Cast(x.type, n.Read(NARROW, self.small[x.local]))
            case n.Compare() if x.a.type.dtype is INT64 and self.fits(x.a) and self.fits(x.b):
                return n.Compare(x.type, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Select() if self.never_below(x.cond):
                return self.expr(x.b)
            case n.Select() if x.type.dtype is INT64 and self.fits(x):
                return n.Cast(x.type, self.narrow(x))
            case n.Cast() if x.type.dtype.is_float and x.x.type.dtype is INT64 and self.fits(x.x):
                return n.Cast(x.type, self.narrow(x.x))
            case n.Cast() if x.type.dtype.kind in "iu" and x.type.dtype.bits <= 32 \
                    and x.x.type.dtype is INT64:
                return n.Cast(x.type, self.narrow(x.x)) if x.type != NARROW else self.narrow(x.x)
        return None

    def fits(self, x: n.Expr) -> bool:
        return self.ranges.of(x).within(FITS)

    def narrow(self, x: n.Expr) -> n.Expr:
        """Return the low 32 bits of a 64-bit expression, computed in 32 bits where possible."""
        match x:
            case n.Const():
                value = int(x.value) & 0xFFFFFFFF
                return n.Const(NARROW, value - (1 << 32) if value >> 31 else value)
            case n.Read() if x.local in self.small:
                return n.Read(NARROW, self.small[x.local])
            case n.Binary() if x.op in _MODULAR:
                return n.Binary(NARROW, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Binary() if x.op in _EXACT and self.fits(x.a) and self.fits(x.b) \
                    and self.fits(x):
                return n.Binary(NARROW, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Binary() if x.op == "shl" and isinstance(x.b, n.Const) and 0 <= x.b.value < 32:
                return n.Binary(NARROW, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Unary():
                return n.Unary(NARROW, x.op, self.narrow(x.x))
            case n.Select() if self.never_below(x.cond):
                return self.narrow(x.b)
            case n.Select():
                return n.Select(NARROW, self.expr(x.cond), self.narrow(x.a), self.narrow(x.b))
            case n.Call() if x.builtin.name in ("min", "max", "abs", "clamp") \
                    and all(self.fits(a) for a in x.args) and self.fits(x):
                return n.Call(NARROW, x.builtin, tuple(self.narrow(a) for a in x.args))
            case n.Cast() if x.x.type.dtype is INT64:
                return self.narrow(x.x)
            case n.Cast() if not x.x.type.dtype.is_float:
                return n.Cast(NARROW, self.expr(x.x))
        if self.fits(x):
            return n.Narrow(NARROW, self.expr(x))
        return n.Cast(NARROW, self.expr(x))
