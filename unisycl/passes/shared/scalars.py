"""Complex numbers and short floats as numbers that every target has.

A complex number becomes its two parts, in memory side by side. A short float, such as a bfloat16,
becomes the float32 of its value, rounded after each operation, and an integer of its bits in memory
(``short_floats``). Non-goals: typing rules. Invariants: a kernel without such numbers comes back as
it is; what complex operations round, they round as NumPy does, so no product is fused with a sum.
"""

from __future__ import annotations

import itertools
from typing import Any, TypeAlias

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import FLOAT32, DType
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, Field, Scalar, Struct, View
from unisycl.passes.shared.short_floats import SHORT_FLOATS

_F32 = Scalar(FLOAT32)
_CHOOSES = frozenset(("abs", "clamp", "copysign", "fabs", "fmax", "fmin", "max", "min"))
"""Functions whose results need no rounding: but for signs, they are operands."""

Pair: TypeAlias = tuple[n.Expr, n.Expr]


def expand(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel without complex numbers and short floats; itself if it has none."""
    return _Expansion(kernel).kernel() if _concerns(kernel) else kernel


def _concerns(kernel: n.Kernel) -> bool:
    """Say whether a kernel has any such number."""
    kinds = [p.type for p in kernel.params] + [a.type for a in kernel.arrays]
    if any(_is_made(k.elem if isinstance(k, View) else k) for k in kinds):
        return True
    if any(r.stored is not None for r in kernel.reducers):
        return True
    for block in (kernel.body, *(r.combine for r in kernel.reducers)):
        if any(x.type.dtype.made for x in visit.all_expressions(block)):
            return True
        if any(local.type.dtype.made for stmt in visit.statements(block)
               for local in visit.targets(stmt)):
            return True
    return False


def _is_made(kind: Scalar | Struct) -> bool:
    return isinstance(kind, Scalar) and kind.dtype.made


def _record(dtype: DType) -> Struct:
    """Return how such a number lies in memory."""
    if dtype.is_short:
        return Struct(dtype.name, (Field("bits", Scalar(dtype.word), 0),), dtype.size)
    part = Scalar(dtype.part)
    return Struct(dtype.name, (Field("real", part, 0), Field("imag", part, part.size)), dtype.size)


def _value_type(dtype: DType) -> Scalar:
    """Return the type that one of a number's parts is computed in."""
    return Scalar(dtype.part)


class _Expansion:
    """Rewrites one kernel. ``block`` collects what a statement becomes."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.whole = kernel
        self.block: list[n.Stmt] = []
        self.span: Span | None = None
        self.locals: dict[n.Local, tuple[n.Local, ...]] = {}
        self.bases: dict[n.Base, Any] = {}
        known: tuple[n.Param | n.Array, ...] = (*kernel.params, *kernel.arrays)
        for base in known:
            kind = base.type
            if isinstance(kind, View) and _is_made(kind.elem):
                assert isinstance(kind.elem, Scalar)
                self.bases[base] = replace(base, type=replace(
                    kind, elem=_record(kind.elem.dtype)))
            elif isinstance(base, n.Param) and isinstance(kind, Scalar) and kind.dtype.made:
                self.bases[base] = replace(base, type=_record(kind.dtype))

    def kernel(self) -> n.Kernel:
        """Return the kernel rewritten."""
        old = self.whole
        return replace(old, body=self.inside(old.body),
                       reducers=tuple(map(self.reducer, old.reducers)),
                       params=tuple(self.bases.get(p, p) for p in old.params),
                       arrays=tuple(self.bases.get(a, a) for a in old.arrays),
                       pointed=tuple(self.bases.get(x, x) for x in old.pointed))

    def reducer(self, r: n.Reducer) -> n.Reducer:
        """Return a reducer rewritten."""
        stored = None if r.stored is None else replace(
            r.stored, load=self.inside(r.stored.load), store=self.inside(r.stored.store))
        return replace(r, combine=self.inside(r.combine), stored=stored)

    # ---- statements
    def inside(self, block: n.Block) -> n.Block:
        """Return a block rewritten."""
        outer, self.block = self.block, []
        for stmt in block:
            self.span = stmt.span
            self.stmt(stmt)
        made, self.block = tuple(self.block), outer
        return made

    def stmt(self, stmt: n.Stmt) -> None:
        match stmt:
            case n.If() | n.For() | n.Scope() | n.WorkItems():
                own = self.own(stmt)
                self.block.append(visit.map_blocks(own, self.inside))
            case n.While():
                outer, self.block = self.block, []
                for inner in stmt.pre:
                    self.stmt(inner)
                cond = self.expr(stmt.cond)
                pre, self.block = tuple(self.block), outer
                self.block.append(replace(stmt, pre=pre, cond=cond, body=self.inside(stmt.body)))
            case n.Assign() if stmt.local.type.dtype.made:
                self.assign(stmt.local, stmt.value)
            case n.Store() if stmt.place.type.dtype.made:
                self.store(stmt.place, (stmt.value,))
            case n.StoreMany() if stmt.place.type.dtype.made:
                self.store(stmt.place, stmt.values)
            case n.LoadMany() if stmt.place.type.dtype.made:
                self.load(stmt)
            case n.GroupCall() if stmt.result.type.dtype.made:
                self.collective(stmt)
            case _:
                self.block.append(self.own(stmt))

    def own(self, stmt: Any) -> Any:
        """Return a statement with its own expressions rewritten."""
        return visit.map_children(stmt, self.expr, self.place)

    def assign(self, local: n.Local, value: n.Expr) -> None:
        """Give all parts of a number new values; none is written before all are known."""
        targets = self.parts_of(local)
        values = self.parts(value)
        if len(values) > 1:
            others = set(targets)
            values = tuple(self.kept(x) if any(isinstance(e, n.Read) and e.local in others
                                               for e in visit.walk(x)) else x for x in values)
        for target, x in zip(targets, values, strict=True):
            self.block.append(n.Assign(target, x, span=self.span))

    def store(self, place: n.Place, values: tuple[n.Expr, ...]) -> None:
        """Write numbers that lie side by side."""
        parts = tuple(itertools.chain.from_iterable(self.parts(x) for x in values))
        if place.type.dtype.is_short:
            bits = SHORT_FLOATS[place.type.dtype].bits
            parts = tuple(bits(x, self.keep) for x in parts)
        where = self.place(place)
        self.block.append(n.Store(where, parts[0], span=self.span) if len(parts) == 1 else
                          n.StoreMany(where, parts, span=self.span))

    def load(self, stmt: n.LoadMany) -> None:
        """Read numbers that lie side by side."""
        dtype = stmt.place.type.dtype
        if not dtype.is_short:
            flat = tuple(p for local in stmt.results for p in self.parts_of(local))
            self.block.append(replace(stmt, results=flat, place=self.place(stmt.place)))
            return
        kind = Scalar(dtype.word)
        words = tuple(n.Local("bits", kind) for _ in stmt.results)
        self.block.append(replace(stmt, results=words, place=self.place(stmt.place)))
        for local, word in zip(stmt.results, words, strict=True):
            (target,) = self.parts_of(local)
            self.block.append(n.Assign(
                target, SHORT_FLOATS[dtype].widened(n.Read(kind, word), self.keep),
                span=self.span))

    def collective(self, stmt: n.GroupCall) -> None:
        """Do what a group does with a number with each of its parts."""
        first, *rest = stmt.args
        more = [self.parts(x) if x.type.dtype.made else None for x in rest]
        plain = [self.kept(self.expr(x)) if known is None else None
                 for x, known in zip(rest, more, strict=True)]
        values = self.parts(first)
        for k, target in enumerate(self.parts_of(stmt.result)):
            args = [own if own is not None else many[k] if many is not None else None
                    for own, many in zip(plain, more, strict=True)]
            self.block.append(replace(stmt, result=target, args=(
                values[k], *(x for x in args if x is not None))))

    # ---- numbers
    def parts_of(self, local: n.Local) -> tuple[n.Local, ...]:
        """Return the locals that hold a number's parts."""
        found = self.locals.get(local)
        if found is None:
            kind = _value_type(local.type.dtype)
            names = (local.name,) if local.type.dtype.is_short else (
                f"{local.name}.real", f"{local.name}.imag")
            found = self.locals[local] = tuple(n.Local(name, kind) for name in names)
        return found

    def parts(self, x: n.Expr) -> tuple[n.Expr, ...]:
        """Return the parts of a number of any of these types."""
        return (self.expr(x),) if x.type.dtype.is_short else self.pair(x)

    def kept(self, x: n.Expr) -> n.Expr:
        """Return a value that may be used several times."""
        local = n.Local("p", x.type)
        self.block.append(n.Assign(local, x, span=self.span))
        return n.Read(local.type, local)

    def keep(self, x: n.Expr) -> n.Expr:
        return x if isinstance(x, n.Const | n.Read) else self.kept(x)

    def place(self, place: n.Place) -> n.Place:
        """Return a place in rewritten memory; that of a number is the one of its first part."""
        dtype = place.type.dtype
        kind = place.type
        if dtype.made:
            kind = Scalar(dtype.word if dtype.is_short else dtype.part)
        return replace(place, base=self.bases.get(place.base, place.base), type=kind,
                       index=tuple(self.expr(x) for x in place.index),
                       inner=tuple((self.expr(x), size) for x, size in place.inner))

    def parameter(self, x: n.ParamRead) -> n.Place:
        """Return where a parameter passed by value lies."""
        base = self.bases[x.param]
        return n.Place(base, (), base.type.fields[0].type)

    def expr(self, x: n.Expr) -> n.Expr:
        """Return an expression rewritten; of a short float, the float32 of its value."""
        dtype = x.type.dtype
        match x:
            case n.Part():
                return self.pair(x.x)[x.imaginary]
            case n.Compare() if x.a.type.dtype.kind == "c":
                return self.equal(x)
            case n.Cast() if x.x.type.dtype.kind == "c":
                assert dtype.kind == "b"
                return self.equal(n.Compare(BOOL, "ne", x.x, n.Const(x.x.type, 0j)))
            case n.Bitcast() if x.x.type.dtype.is_short:
                bits = SHORT_FLOATS[x.x.type.dtype].bits
                return n.Bitcast(x.type, bits(self.expr(x.x), self.keep))
            case n.Extent() | n.Pitch() if x.base in self.bases:
                return replace(x, base=self.bases[x.base])
        if dtype.is_short:
            return self.short(x)
        rewritten: n.Expr = visit.map_children(x, self.expr, self.place)
        return rewritten

    # ---- short floats
    def short(self, x: n.Expr) -> n.Expr:
        """Return the float32 of a short float."""
        known, word = SHORT_FLOATS[x.type.dtype], Scalar(x.type.dtype.word)
        match x:
            case n.Const():
                return n.Const(_F32, x.value)
            case n.Read():
                return n.Read(_F32, self.parts_of(x.local)[0])
            case n.ParamRead():
                return self.keep(known.widened(n.Load(word, self.parameter(x)), self.keep))
            case n.Load():
                return self.keep(known.widened(n.Load(word, self.place(x.place)), self.keep))
            case n.Bitcast():
                return self.keep(known.widened(n.Bitcast(word, self.expr(x.x)), self.keep))
            case n.Unary():
                return n.Unary(_F32, x.op, self.expr(x.x))
            case n.Select():
                return n.Select(_F32, self.expr(x.cond), self.expr(x.a), self.expr(x.b))
            case n.Binary():
                return known.rounded(
                    n.Binary(_F32, x.op, self.expr(x.a), self.expr(x.b)), self.keep)
            case n.Cast():
                return known.rounded(n.Cast(_F32, self.expr(x.x)), self.keep)
            case n.Call():
                found = n.Call(_F32, x.builtin, tuple(map(self.expr, x.args)))
                return self.keep(found) if x.builtin.name in _CHOOSES else \
                    known.rounded(found, self.keep)
        raise AssertionError(x)

    # ---- complex numbers
    def pair(self, x: n.Expr) -> Pair:
        """Return the real and the imaginary part of a complex number."""
        kind = Scalar(x.type.dtype.part)
        match x:
            case n.Const():
                value = complex(x.value)
                return n.Const(kind, value.real), n.Const(kind, value.imag)
            case n.Read():
                real, imag = self.parts_of(x.local)
                return n.Read(kind, real), n.Read(kind, imag)
            case n.ParamRead():
                place = self.parameter(x)
                return n.Load(kind, place), n.Load(kind, replace(place, offset=kind.size))
            case n.Load():
                both = (n.Local("real", kind), n.Local("imag", kind))
                self.block.append(n.LoadMany(both, self.place(x.place), span=self.span))
                return n.Read(kind, both[0]), n.Read(kind, both[1])
            case n.Complex():
                return self.keep(self.expr(x.re)), self.keep(self.expr(x.im))
            case n.Unary():
                a, b = self.pair(x.x)
                return n.Unary(kind, "neg", a), n.Unary(kind, "neg", b)
            case n.Select():
                cond = self.keep(self.expr(x.cond))
                left, right = self.pair(x.a), self.pair(x.b)
                a, b = (self.keep(n.Select(kind, cond, p, q))
                        for p, q in zip(left, right, strict=True))
                return a, b
            case n.Cast() if x.x.type.dtype.kind == "c":
                a, b = (self.keep(n.Cast(kind, p)) for p in self.pair(x.x))
                return a, b
            case n.Cast():
                return self.keep(n.Cast(kind, self.expr(x.x))), n.Const(kind, 0.0)
            case n.Binary():
                return self.operation(x, kind)
        raise AssertionError(x)

    def operation(self, x: n.Binary, kind: Scalar) -> Pair:
        """Return a sum, difference, product or quotient."""
        (a, b), (c, d) = self.held(x.a), self.held(x.b)
        if x.op == "div":
            return self.quotient((a, b), (c, d), kind, weak=x.type.weak)
        if x.op == "mul":
            real = _exact("sub", _times(a, c), _times(b, d))
            imag = _exact("add", _times(a, d), _times(b, c))
        else:
            real, imag = _exact(x.op, a, c), _exact(x.op, b, d)
        return self.keep(real), self.keep(imag)

    def held(self, x: n.Expr) -> Pair:
        a, b = self.pair(x)
        return self.keep(a), self.keep(b)

    def quotient(self, over: Pair, under: Pair, kind: Scalar, *, weak: bool) -> Pair:
        """Divide without needless overflow, step by step as NumPy (or, if weak, Python) does."""
        (a, b), (c, d) = over, under
        sizes = [self.keep(n.Call(kind, BUILTINS["fabs"], (v,))) for v in under]
        upright = self.keep(n.Compare(BOOL, "ge", *sizes))
        large, small = (self.keep(n.Select(kind, upright, *v)) for v in ((c, d), (d, c)))
        p, q = (self.keep(n.Select(kind, upright, *v)) for v in ((a, b), (b, a)))
        ratio = self.keep(n.Binary(kind, "div", small, large))
        whole = self.keep(_exact("add", large, _times(small, ratio)))
        first = _exact("add", p, _times(q, ratio))
        second = n.Select(kind, upright, _exact("sub", q, _times(p, ratio)),
                          _exact("sub", _times(p, ratio), q))
        if weak:
            parts: list[n.Expr] = [n.Binary(kind, "div", v, whole) for v in (first, second)]
        else:
            scale = self.keep(n.Binary(kind, "div", n.Const(kind, 1.0), whole))
            parts = [_times(v, scale) for v in (first, second)]
        # Both parts of the divisor are zero: the larger one is.
        nothing = self.keep(n.Binary(BOOL, "and", upright, n.Compare(
            BOOL, "eq", sizes[0], n.Const(kind, 0.0))))
        real, imag = (self.keep(n.Select(kind, nothing, n.Binary(kind, "div", v, sizes[0]), part))
                      for v, part in zip(over, parts, strict=True))
        return real, imag

    def equal(self, x: n.Compare) -> n.Expr:
        """Return whether two complex numbers are equal, or are not."""
        (a, b), (c, d) = self.held(x.a), self.held(x.b)
        return n.Binary(Scalar(x.type.dtype), "and" if x.op == "eq" else "or",
                        n.Compare(BOOL, x.op, a, c), n.Compare(BOOL, x.op, b, d))


def _times(a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(a.type, "mul", a, b)


def _exact(op: str, a: n.Expr, b: n.Expr) -> n.Expr:
    return n.Binary(a.type, op, a, b, exact=True)


__all__ = ["expand"]
