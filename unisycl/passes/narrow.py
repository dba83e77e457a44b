"""64-bit integers that provably fit are computed in 32 bits: twice as many lanes in a vector.

Ids, extents and Python ints are 64-bit by definition; here locals, comparisons and conversions to
float move to 32 bits where intervals show that no value changes. Non-goals: types the user chose.
Invariant: every value the kernel can observe stays the same.
"""

from __future__ import annotations

from dataclasses import replace

from unisycl.base.dtypes import INT32, INT64
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar
from unisycl.passes import ranges as rg

_NARROW = Scalar(INT32)
_FITS = rg.whole(INT32)
_MODULAR = frozenset(("add", "sub", "mul", "and", "or", "xor"))
_EXACT = frozenset(("floordiv", "mod", "shr"))


def run(kernel: n.Kernel, ids_below: int) -> n.Kernel:
    """Return the kernel with what fits in 32 bits computed there."""
    ranges = rg.analyse(kernel.body, ids_below)
    fixed = {x for s in visit.statements(kernel.body) if not isinstance(s, n.Assign)
             for x in visit.targets(s)}
    fixed |= {x for r in kernel.reducers for x in (r.acc, *r.left, *r.right, *r.result)}
    small = {local: n.Local(local.name, _NARROW) for local, interval in ranges.locals.items()
             if local.type.dtype is INT64 and local not in fixed and interval.within(_FITS)}
    body = _Narrower(ranges, small).block(kernel.body)
    return kernel if body == kernel.body else replace(kernel, body=body)


class _Narrower:
    """Rewrites a body; follows the same path as the analysis so that its facts hold here."""

    def __init__(self, ranges: rg.Ranges, small: dict[n.Local, n.Local]) -> None:
        self.ranges = ranges
        self.small = small
        ranges.facts, ranges.flags = {}, {}

    def block(self, block: n.Block) -> n.Block:
        return tuple([self.stmt(stmt) for stmt in block])

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
                return replace(stmt, cond=cond, then=then, orelse=orelse)
            case n.While():
                changed = visit.assigned(stmt.pre) | visit.assigned(stmt.body)
                r.forget(changed)
                pre = self.block(stmt.pre)
                cond = self.expr(stmt.cond)
                with r.knowing(stmt.cond, True):
                    body = self.block(stmt.body)
                r.forget(changed)
                return replace(stmt, pre=pre, cond=cond, body=body)
            case n.For():
                bounds = [self.expr(x) for x in (stmt.start, stmt.stop, stmt.step)]
                changed = visit.assigned(stmt.body) | {stmt.local}
                r.forget(changed)
                body = self.block(stmt.body)
                r.forget(changed)
                return replace(stmt, start=bounds[0], stop=bounds[1], step=bounds[2], body=body)
            case n.Scope():
                body = self.block(stmt.body)
                r.forget(visit.assigned(stmt.body))
                return replace(stmt, body=body)
            case n.WorkItems():
                extent = tuple(self.expr(x) for x in stmt.extent)
                body = self.block(stmt.body)
                r.forget(visit.assigned(stmt.body))
                return replace(stmt, extent=extent, body=body)
        new = visit.rewrite_own(stmt, self.node)
        for local in visit.targets(stmt):
            r.assign(local, rg.whole(local.type.dtype))
        return new

    def assign(self, stmt: n.Assign) -> n.Stmt:
        local = self.small.get(stmt.local)
        if local is None:
            return replace(stmt, value=self.expr(stmt.value))
        return replace(stmt, local=local, value=self.narrow(stmt.value))

    # ---- expressions
    def expr(self, x: n.Expr) -> n.Expr:
        """Rewrite an expression that keeps its type."""
        return visit.rewrite_expr_down(x, self.node)

    def node(self, x: n.Expr) -> n.Expr | None:
        """Return the replacement of a node; None to go on below it."""
        match x:
            case n.Read() if x.local in self.small:
                return n.Cast(x.type, n.Read(_NARROW, self.small[x.local]))
            case n.Compare() if x.a.type.dtype is INT64 and self.fits(x.a) and self.fits(x.b):
                return n.Compare(x.type, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Cast() if x.type.dtype.is_float and x.x.type.dtype is INT64 and self.fits(x.x):
                return n.Cast(x.type, self.narrow(x.x))
            case n.Cast() if x.type.dtype is INT32 and x.x.type.dtype is INT64:
                return n.Cast(x.type, self.narrow(x.x)) if x.type != _NARROW else self.narrow(x.x)
        return None

    def fits(self, x: n.Expr) -> bool:
        return self.ranges.of(x).within(_FITS)

    def narrow(self, x: n.Expr) -> n.Expr:
        """Return the low 32 bits of a 64-bit expression, computed in 32 bits where possible."""
        match x:
            case n.Const():
                value = int(x.value) & 0xFFFFFFFF
                return n.Const(_NARROW, value - (1 << 32) if value >> 31 else value)
            case n.Read() if x.local in self.small:
                return n.Read(_NARROW, self.small[x.local])
            case n.Binary() if x.op in _MODULAR:
                return n.Binary(_NARROW, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Binary() if x.op in _EXACT and self.fits(x.a) and self.fits(x.b) \
                    and self.fits(x):
                return n.Binary(_NARROW, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Binary() if x.op == "shl" and isinstance(x.b, n.Const) and 0 <= x.b.value < 32:
                return n.Binary(_NARROW, x.op, self.narrow(x.a), self.narrow(x.b))
            case n.Unary():
                return n.Unary(_NARROW, x.op, self.narrow(x.x))
            case n.Select():
                return n.Select(_NARROW, self.expr(x.cond), self.narrow(x.a), self.narrow(x.b))
            case n.Call() if x.builtin.name in ("min", "max", "abs") \
                    and all(self.fits(a) for a in x.args) and self.fits(x):
                return n.Call(_NARROW, x.builtin, tuple(self.narrow(a) for a in x.args))
            case n.Cast() if x.x.type.dtype is INT64:
                return self.narrow(x.x)
            case n.Cast() if not x.x.type.dtype.is_float:
                return n.Cast(_NARROW, self.expr(x.x))
        if self.fits(x):
            return n.Narrow(_NARROW, self.expr(x))
        return n.Cast(_NARROW, self.expr(x))
