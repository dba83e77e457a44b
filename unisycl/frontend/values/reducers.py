"""Reduction variables in kernels (SYCL 2020 §4.9.2).

Non-goals: combining work-items (the backends). Invariant: a reducer's value is never read by the
kernel; combining reads and writes its private accumulator only.
"""

from __future__ import annotations

import ast
from typing import Any

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import access_mode, address_space
from unisycl.frontend import captures, coerce, guards
from unisycl.frontend.values import complexes
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Target, Value
from unisycl.frontend.values.methods import Method
from unisycl.ir import nodes as n
from unisycl.ir import operators
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_INT, Scalar, View
from unisycl.lang.numbers.function_objects import function_object

OPERATORS = {row.name: row.op for row in operators.OPERATORS.values() if row.op}


@dataclass(frozen=True, slots=True)
class Reduction(Kind):
    """A reducer parameter, or with ``cell`` one element of a span of them.

    ``half``: one part of a complex variable, counted by itself.
    """

    index: int
    cell: n.Expr | None = None
    half: bool = False

    def describe(self) -> str:
        return "a reducer"

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        raise ctx.refuse("K055", node)

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        return element(ctx, self, node)

    def attribute(self, ctx: Lowering, node: ast.Attribute) -> Value:
        if node.attr in ("combine", "identity"):
            return Method(self, node.attr)
        raise ctx.refuse("K055", node)

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        raise ctx.refuse("K055", node)

    def augment(self, ctx: Lowering, op: str, symbol: str, operand: ast.expr,
                node: ast.AST) -> bool:
        combine_with(ctx, self, symbol, operand, node)
        return True

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        return call_reducer(ctx, self, name, args, node)


def declare(ctx: Lowering, reductions: tuple[Any, ...], node: ast.AST) -> None:
    """Declare the reducers of a launch and lower their operators."""
    for k, reduction in enumerate(reductions):
        row = dtypes.find_dtype(reduction.dtype)
        if row is None or row.kind == "c":
            raise ctx.refuse("K054", node, what=f"a reduction of {reduction.dtype} is not possible",
                             help="reduce bool, integers or floats, or keep the best place as an "
                             "integer; dpl.reduce of unisycl.oneapi combines records and tuples"
                             if row is None else
                             "complex numbers are reduced in a contiguous array, USM or a buffer")
        kind = _kind(reduction)
        ctx.need(kind)
        path = (("reduction", k), ("attr", "op"))
        ctx.guard(path, reduction.op)
        ctx.needs.guards[(("reduction", k), ("attr", "identity")), True] = guards.Equal(
            reduction.identity)
        for name in ("dtype", "extent", "paired", "joint"):
            there = getattr(reduction, name)
            ctx.needs.guards[(("reduction", k), ("attr", name)), True] = guards.Equal(there)
        ctx.reducers.append(_declared(k, reduction, kind))
        with ctx.into() as block:
            _combine_words(ctx, k, node)
        ctx.reducers[k] = replace(ctx.reducers[k], combine=tuple(block))


def _declared(k: int, reduction: Any, kind: Scalar) -> n.Reducer:
    """Return a reducer but for what its operator does."""
    words = 2 if kind.dtype.kind == "c" else 1
    type = Scalar(kind.dtype.part) if kind.dtype.made else kind
    acc, valid = n.Local(f"acc{k}", type), None
    left, right, result = (tuple(n.Local(f"{name}{k}{word}", type) for word in "xy"[:words])
                           if words > 1 else (n.Local(f"{name}{k}", type),)
                           for name in ("left", "right", "result"))
    identity = None
    if reduction.identity is None:
        valid = n.Local(f"valid{k}", BOOL)
    else:
        value = kind.dtype.numpy.type(reduction.identity)
        parts = (value.real, value.imag) if words > 1 else (value,)
        identity = tuple(n.Const(type, type.dtype.numpy.type(x).item()) for x in parts)
    made = n.Reducer(k, acc, identity, valid, left, right, result, (),
                     operator_name(reduction.op), stored=_stored(kind, left[0], result[0]))
    if words == 1 and reduction.extent == 1:
        return made
    # Numbers that lie side by side are the parts of a variable, or variables of their own.
    filled = _cells(f"filled{k}", BOOL, reduction.extent // words) if valid is not None else None
    return replace(made, cells=_cells(f"cells{k}", type, reduction.extent), filled=filled)


def _stored(kind: Scalar, left: n.Local, result: n.Local) -> n.StoredVariable | None:
    """Return how variables that are short floats lie in memory; None for other types."""
    if not kind.dtype.is_short:
        return None
    bits = n.Local("bits", Scalar(kind.dtype.word))
    old, new = n.Bitcast(kind, n.Read(bits.type, bits)), n.Read(result.type, result)
    return n.StoredVariable(bits, (n.Assign(left, n.Cast(left.type, old)),),
                            (n.Assign(bits, n.Bitcast(bits.type, n.Cast(kind, new))),))


def _kind(reduction: Any) -> Scalar:
    """Return the type of one variable, as the operator sees it."""
    row = dtypes.find_dtype(reduction.dtype)
    assert row is not None
    if reduction.joint:
        row = dtypes.COMPLEX64 if row.bits == 32 else dtypes.COMPLEX128
    return Scalar(row)


def _combine_words(ctx: Lowering, k: int, node: ast.AST) -> None:
    """Emit ``result = op(left, right)``."""
    made, reduction = ctx.reducers[k], ctx.reductions[k]
    left, right = (tuple(n.Read(x.type, x) for x in some) for some in (made.left, made.right))
    for to, value in zip(made.result, _joined(ctx, k, reduction, left, right, node), strict=True):
        ctx.block.append(n.Assign(to, value))


def _joined(ctx: Lowering, k: int, reduction: Any, left: tuple[n.Expr, ...],
            right: tuple[n.Expr, ...], node: ast.AST) -> tuple[n.Expr, ...]:
    """Return the numbers of ``op(left, right)``, both given as theirs."""
    kind, type, name = _kind(reduction), left[0].type, operator_name(reduction.op)
    if kind.dtype.is_short and name and not name.startswith("bit"):
        kind = type  # SYCL's operators combine in float32
    path = (("reduction", k), ("attr", "op"))
    a, b = (n.Complex(kind, *some) if len(some) > 1 else coerce.cast(some[0], kind)
            for some in (left, right))
    return _numbers(ctx, operate(ctx, reduction.op, path, a, b, node), kind, type)


def _numbers(ctx: Lowering, x: n.Expr, kind: Scalar, type: Scalar) -> tuple[n.Expr, ...]:
    """Return a value of a variable as the numbers it is made of."""
    x = coerce.cast(x, kind)
    return complexes.parts(ctx, x) if kind.dtype.kind == "c" else (coerce.cast(x, type),)


def _cells(name: str, type: Scalar, extent: int) -> n.Array:
    view = View(type, 1, address_space.private_space, access_mode.read_write)
    return n.Array(name, view, (extent,))


def operator_name(op: Any) -> str:
    """Return the name of one of SYCL's function objects; '' for a user's operator."""
    return op.__name__ if isinstance(op, function_object) else ""


def operate(ctx: Lowering, op: Any, path: Any, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``op(a, b)`` of two values of one type."""
    name = operator_name(op)
    if name in OPERATORS:
        if name.startswith("bit") and a.type.dtype.kind in "fc":
            raise ctx.refuse("K036", node, op=name, types=a.type, help="")
        return n.Binary(a.type, OPERATORS[name], a, b)
    if name in ("minimum", "maximum"):
        if a.type.dtype.kind == "b":
            return n.Binary(a.type, "and" if name == "minimum" else "or", a, b)
        if a.type.dtype.kind == "c":
            raise ctx.refuse("K036", node, op=name, types=a.type,
                             help="complex numbers have no order")
        # min(y, x) is x where x < y, else y: minimum of the specification, for NaN and -0.0 too.
        return n.Call(a.type, BUILTINS[name[:3]], (b, a))
    if name in ("logical_and", "logical_or"):
        both = n.Binary(BOOL, name[8:], coerce.truth(a), coerce.truth(b))
        return coerce.cast(both, a.type)
    found = ctx.call(ctx, Constant(captures.unwrap(op), path), [a, b], node)
    return ctx.to_scalar(found, node)


def combine(ctx: Lowering, reduction: Reduction, x: n.Expr, node: ast.AST) -> None:
    """Lower ``reducer.combine(x)``."""
    k = reduction.index
    reducer, several, host = ctx.reducers[k], _several(ctx, reduction), ctx.reductions[k]
    if several > 1 and reduction.cell is None:
        raise ctx.refuse("K054", node, what=f"this reduction is a span of {several} "
                         "variables", help="combine into one of them: r[k].combine(x), r[k] += x")
    if host.paired and not host.joint and not reduction.half:
        _combine_halves(ctx, reduction, x, node)
        return
    type = reducer.acc.type
    xs = tuple(map(ctx.hold, _numbers(ctx, x, _kind(host), type)))
    places = _places(ctx, reducer, reduction, node)
    accs: tuple[n.Expr, ...] = (n.Read(type, reducer.acc),)
    if places:
        accs = tuple(n.Load(type, place) for place in places)
        if len(places) > 1:
            accs = tuple(map(ctx.hold, accs))
    valid: n.Expr | None = n.Read(BOOL, reducer.valid) if reducer.valid is not None else None
    if reducer.filled is not None:
        valid = n.Load(BOOL, _place(ctx, reducer.filled, reduction.cell, node))

    def put(values: tuple[n.Expr, ...]) -> tuple[n.Stmt, ...]:
        if not places:
            return (n.Assign(reducer.acc, values[0], span=ctx.span(node)),)
        return tuple(n.Store(place, value, span=ctx.span(node))
                     for place, value in zip(places, values, strict=True))
    with ctx.into() as block:
        block.extend(put(_joined(ctx, k, host, accs, xs, node)))
    if valid is None:
        ctx.block.extend(block)
        return
    ctx.emit(n.If(valid, tuple(block), put(xs), span=ctx.span(node)))
    if reducer.filled is not None:
        ctx.emit(n.Store(_place(ctx, reducer.filled, reduction.cell, node), n.true(),
                         span=ctx.span(node)))
    elif reducer.valid is not None:
        ctx.emit(n.Assign(reducer.valid, n.true(), span=ctx.span(node)))


def _places(ctx: Lowering, reducer: n.Reducer, reduction: Reduction,
            node: ast.AST) -> tuple[n.Place, ...]:
    """Return where the numbers of one variable are accumulated; none if in a local."""
    cells, words = reducer.cells, reducer.words
    if cells is None:
        return ()
    if words == 1:
        return (_place(ctx, cells, reduction.cell, node),)
    first: n.Expr = n.Const(WEAK_INT, 0)
    if reduction.cell is not None:
        first = ctx.hold(coerce.binary("mul", reduction.cell, n.Const(WEAK_INT, words), WEAK_INT))
    return tuple(_place(ctx, cells, coerce.binary("add", first, n.Const(WEAK_INT, word), WEAK_INT)
                        if word else first, node) for word in range(words))


def _several(ctx: Lowering, reduction: Reduction) -> int:
    """Return how many variables the kernel sees: of complex numbers half as many as there are."""
    extent = ctx.reducers[reduction.index].extent
    return extent // 2 if ctx.reductions[reduction.index].paired else extent


def _combine_halves(ctx: Lowering, reduction: Reduction, x: n.Expr, node: ast.AST) -> None:
    """Combine the parts of a complex number, which lie one after another."""
    number = _complex(ctx, reduction)
    first: n.Expr = n.Const(WEAK_INT, 0)
    if reduction.cell is not None:
        first = ctx.hold(coerce.binary("mul", reduction.cell, n.Const(WEAK_INT, 2), WEAK_INT))
    for k, half in enumerate(complexes.parts(ctx, coerce.cast(x, number))):
        cell = first if k == 0 else coerce.binary("add", first, n.Const(WEAK_INT, 1), WEAK_INT)
        combine(ctx, Reduction(reduction.index, cell, half=True), half, node)


def _complex(ctx: Lowering, reduction: Reduction) -> Scalar:
    half = ctx.reducers[reduction.index].acc.type.dtype
    return Scalar(dtypes.COMPLEX64 if half.bits == 32 else dtypes.COMPLEX128)


def _place(ctx: Lowering, array: n.Array, cell: n.Expr | None, node: ast.AST) -> n.Place:
    assert isinstance(array.type.elem, Scalar)
    return n.Place(array, (n.Const(WEAK_INT, 0) if cell is None else cell,), array.type.elem,
                   span=ctx.span(node))


def element(ctx: Lowering, reduction: Reduction, node: ast.Subscript) -> Reduction:
    """Return ``reducer[k]``: one variable of a span."""
    extent = _several(ctx, reduction)
    if reduction.cell is not None:
        raise ctx.refuse("K055", node)
    index = ctx.scalar(node.slice)
    if not index.type.dtype.is_integer:
        raise ctx.refuse("K038", node.slice, found=str(index.type),
                         help="convert it first: int(...)")
    if isinstance(index, n.Const) and not 0 <= index.value < extent:
        raise ctx.refuse("K054", node, what=f"this reduction has {extent} variable(s); there is no "
                         f"number {index.value}", help="they count from 0")
    return Reduction(reduction.index, ctx.hold(coerce.convert(index, WEAK_INT)))


def combine_with(ctx: Lowering, reduction: Reduction, symbol: str, value: ast.expr,
                 node: ast.AST) -> None:
    """Lower ``reducer += x`` and its kin, where the symbol is the reducer's own operator."""
    name = operator_name(ctx.reductions[reduction.index].op)
    if name not in OPERATORS or operators.OPERATORS[name].symbol != symbol:
        raise ctx.refuse("K054", node, what=f"'{symbol}=' is not the operator of this reduction"
                         + (f", which is {name}" if name else ""),
                         help="call r.combine(x)")
    combine(ctx, reduction, ctx.scalar(value), node)


def call_reducer(ctx: Lowering, reduction: Reduction, name: str, args: list[Value],
                 node: ast.AST) -> Value:
    """Lower a method of a reducer."""
    if name == "identity":
        identity = ctx.reducers[reduction.index].identity
        if identity is None:
            raise ctx.refuse("K054", node, what="this reduction has no known identity", help="")
        if ctx.reductions[reduction.index].paired:
            return n.Complex(_complex(ctx, reduction), identity[0], identity[-1])
        return coerce.cast(identity[0], _kind(ctx.reductions[reduction.index]))
    if len(args) != 1:
        raise ctx.refuse("K034", node, what="combine", expected="one value", found=len(args))
    combine(ctx, reduction, ctx.to_scalar(args[0], node), node)
    return reduction
