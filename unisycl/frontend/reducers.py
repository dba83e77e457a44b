"""Reduction variables in kernels (SYCL 2020 §4.9.2).

Non-goals: combining work-items (the backends). Invariant: a reducer's value is never read by the
kernel; combining reads and writes its private accumulator only.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.enums import access_mode, address_space
from unisycl.frontend import captures, coerce, complexes, guards
from unisycl.frontend.context import Context
from unisycl.frontend.values import Constant, Reduction, Value
from unisycl.ir import nodes as n
from unisycl.ir import operators
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_INT, Scalar, View

OPERATORS = {row.name: row.op for row in operators.OPERATORS.values() if row.op}


def declare(ctx: Context, reductions: tuple[Any, ...], node: ast.AST) -> None:
    """Declare the reducers of a launch and lower their operators."""
    for k, reduction in enumerate(reductions):
        row = dtypes.find_dtype(reduction.dtype)
        if row is None or row.made:
            raise ctx.refuse("K054", node, what=f"a reduction of {reduction.dtype} is not possible",
                             help="reduce bool, integers or floats" if row is None else
                             "complex numbers are added (plus), in an array, USM or a buffer; "
                             f"reduce {row.part} otherwise, each part by itself"
                             if row.kind == "c" else "reduce float32")
        type = Scalar(row)
        ctx.need(type)
        acc, left, right, result = (n.Local(f"{name}{k}", type)
                                    for name in ("acc", "left", "right", "result"))
        path = (("reduction", k), ("attr", "op"))
        ctx.guard(path, reduction.op)
        value = reduction.identity
        identity = None if value is None else n.Const(type, np.dtype(row.name).type(value).item())
        ctx.guards[(("reduction", k), ("attr", "identity")), True] = guards.equal(value)
        ctx.guards[(("reduction", k), ("attr", "dtype")), True] = guards.equal(reduction.dtype)
        for name in ("extent", "paired"):
            there = getattr(reduction, name)
            ctx.guards[(("reduction", k), ("attr", name)), True] = guards.equal(there)
        valid = n.Local(f"valid{k}", BOOL) if identity is None else None
        made = n.Reducer(k, acc, identity, valid, left, right, result, (),
                         operator_name(reduction.op))
        if reduction.extent > 1:
            cells = _cells(f"cells{k}", type, reduction.extent)
            filled = _cells(f"filled{k}", BOOL, reduction.extent) if valid is not None else None
            made = replace(made, cells=cells, filled=filled)
        ctx.reducers.append(made)
        with ctx.into() as block:
            combined = operate(ctx, reduction.op, path, n.Read(type, left), n.Read(type, right),
                               node)
            block.append(n.Assign(result, coerce.cast(combined, type)))
        ctx.reducers[k] = replace(made, combine=tuple(block))


def _cells(name: str, type: Scalar, extent: int) -> n.Array:
    view = View(type, 1, address_space.private_space, access_mode.read_write)
    return n.Array(name, view, (extent,))


def operator_name(op: Any) -> str:
    """Return the name of one of SYCL's function objects; '' for a user's operator."""
    module = getattr(op, "__module__", None) or getattr(type(op), "__module__", "")
    if module != "unisycl.lang.functions":
        return ""
    return str(getattr(op, "__name__", type(op).__name__))


def operate(ctx: Context, op: Any, path: Any, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``op(a, b)`` of two values of one type."""
    name = operator_name(op)
    if name in OPERATORS:
        if name.startswith("bit") and a.type.dtype.is_float:
            raise ctx.refuse("K036", node, op=name, types=a.type, help="")
        return n.Binary(a.type, OPERATORS[name], a, b)
    if name in ("minimum", "maximum"):
        if a.type.dtype.kind == "b":
            return n.Binary(a.type, "and" if name == "minimum" else "or", a, b)
        # min(y, x) is x where x < y, else y: minimum of the specification, for NaN and -0.0 too.
        return n.Call(a.type, BUILTINS[name[:3]], (b, a))
    if name in ("logical_and", "logical_or"):
        both = n.Binary(BOOL, name[8:], coerce.truth(a), coerce.truth(b))
        return coerce.cast(both, a.type)
    found = ctx.call(ctx, Constant(captures.unwrap(op), path), [a, b], node)
    return ctx.to_scalar(found, node)


def combine(ctx: Context, reduction: Reduction, x: n.Expr, node: ast.AST) -> None:
    """Lower ``reducer.combine(x)``."""
    reducer, several = ctx.reducers[reduction.index], _several(ctx, reduction)
    if several > 1 and reduction.cell is None:
        raise ctx.refuse("K054", node, what=f"this reduction is a span of {several} "
                         "variables", help="combine into one of them: r[k].combine(x), r[k] += x")
    if ctx.reductions[reduction.index].paired and not reduction.half:
        _combine_halves(ctx, reduction, x, node)
        return
    type = reducer.acc.type
    x = ctx.hold(coerce.cast(x, type))
    acc: n.Expr = n.Read(type, reducer.acc)
    valid: n.Expr | None = n.Read(BOOL, reducer.valid) if reducer.valid is not None else None
    if reducer.cells is not None:
        acc = n.Load(type, _place(ctx, reducer.cells, reduction, node))
        if reducer.filled is not None:
            valid = n.Load(BOOL, _place(ctx, reducer.filled, reduction, node))

    def put(array: n.Array | None, local: n.Local | None, value: n.Expr) -> n.Stmt:
        if array is not None:
            return n.Store(_place(ctx, array, reduction, node), value, span=ctx.span(node))
        assert local is not None
        return n.Assign(local, value, span=ctx.span(node))
    op = ctx.reductions[reduction.index].op
    path = (("reduction", reduction.index), ("attr", "op"))
    with ctx.into() as block:
        both = operate(ctx, op, path, acc, x, node)
        block.append(put(reducer.cells, reducer.acc, coerce.cast(both, type)))
    if valid is None:
        ctx.block.extend(block)
        return
    ctx.emit(n.If(valid, tuple(block), (put(reducer.cells, reducer.acc, x),),
                  span=ctx.span(node)))
    ctx.emit(put(reducer.filled, reducer.valid, n.true()))


def _several(ctx: Context, reduction: Reduction) -> int:
    """Return how many variables the kernel sees: of complex numbers half as many as there are."""
    extent = ctx.reducers[reduction.index].extent
    return extent // 2 if ctx.reductions[reduction.index].paired else extent


def _combine_halves(ctx: Context, reduction: Reduction, x: n.Expr, node: ast.AST) -> None:
    """Combine the parts of a complex number, which lie one after another."""
    number = _complex(ctx, reduction)
    first: n.Expr = n.Const(WEAK_INT, 0)
    if reduction.cell is not None:
        first = ctx.hold(coerce.binary("mul", reduction.cell, n.Const(WEAK_INT, 2), WEAK_INT))
    for k, half in enumerate(complexes.parts(ctx, coerce.cast(x, number))):
        cell = first if k == 0 else coerce.binary("add", first, n.Const(WEAK_INT, 1), WEAK_INT)
        combine(ctx, Reduction(reduction.index, cell, half=True), half, node)


def _complex(ctx: Context, reduction: Reduction) -> Scalar:
    half = ctx.reducers[reduction.index].acc.type.dtype
    return Scalar(dtypes.COMPLEX64 if half.bits == 32 else dtypes.COMPLEX128)


def _place(ctx: Context, array: n.Array, reduction: Reduction, node: ast.AST) -> n.Place:
    assert reduction.cell is not None
    assert isinstance(array.type.elem, Scalar)
    return n.Place(array, (reduction.cell,), array.type.elem, span=ctx.span(node))


def element(ctx: Context, reduction: Reduction, node: ast.Subscript) -> Reduction:
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


def combine_with(ctx: Context, reduction: Reduction, symbol: str, value: ast.expr,
                 node: ast.AST) -> None:
    """Lower ``reducer += x`` and its kin, where the symbol is the reducer's own operator."""
    name = operator_name(ctx.reductions[reduction.index].op)
    if name not in OPERATORS or operators.OPERATORS[name].symbol != symbol:
        raise ctx.refuse("K054", node, what=f"'{symbol}=' is not the operator of this reduction"
                         + (f", which is {name}" if name else ""),
                         help="call r.combine(x)")
    combine(ctx, reduction, ctx.scalar(value), node)


def call_reducer(ctx: Context, reduction: Reduction, name: str, args: list[Value],
                 node: ast.AST) -> Value:
    """Lower a method of a reducer."""
    if name == "identity":
        identity = ctx.reducers[reduction.index].identity
        if not isinstance(identity, n.Const):
            raise ctx.refuse("K054", node, what="this reduction has no known identity", help="")
        if ctx.reductions[reduction.index].paired:
            return n.Complex(_complex(ctx, reduction), identity, identity)
        return identity
    if len(args) != 1:
        raise ctx.refuse("K034", node, what="combine", expected="one value", found=len(args))
    combine(ctx, reduction, ctx.to_scalar(args[0], node), node)
    return reduction
