"""Reduction variables in kernels (SYCL 2020 §4.9.2).

Non-goals: combining work-items (the backends). Invariant: a reducer's value is never read by the
kernel; combining reads and writes its private accumulator only.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.frontend import captures, coerce, guards
from unisycl.frontend.context import Context
from unisycl.frontend.values import Constant, Nothing, Reduction, Value
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, Scalar

SYMBOLS = {"plus": "+", "multiplies": "*", "bit_and": "&", "bit_or": "|", "bit_xor": "^"}
OPERATORS = {"plus": "add", "multiplies": "mul", "bit_and": "and", "bit_or": "or", "bit_xor": "xor"}


def declare(ctx: Context, reductions: tuple[Any, ...], node: ast.AST) -> None:
    """Declare the reducers of a launch and lower their operators."""
    for k, reduction in enumerate(reductions):
        row = dtypes.find_dtype(reduction.dtype)
        if row is None:
            raise ctx.refuse("K054", node, what=f"a reduction of {reduction.dtype} is not possible",
                             help="reduce bool, integers or floats")
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
        valid = n.Local(f"valid{k}", BOOL) if identity is None else None
        ctx.reducers.append(n.Reducer(k, acc, identity, valid, left, right, result, ()))
        with ctx.into() as block:
            combined = operate(ctx, reduction.op, path, n.Read(type, left), n.Read(type, right),
                               node)
            block.append(n.Assign(result, coerce.cast(combined, type)))
        ctx.reducers[k] = n.Reducer(k, acc, identity, valid, left, right, result, tuple(block))


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
        return n.Call(a.type, BUILTINS[name[:3]], (a, b))
    if name in ("logical_and", "logical_or"):
        both = n.Binary(BOOL, name[8:], coerce.truth(a), coerce.truth(b))
        return coerce.cast(both, a.type)
    found = ctx.call(ctx, Constant(captures.unwrap(op), path), [a, b], node)
    return ctx.to_scalar(found, node)


def combine(ctx: Context, reduction: Reduction, x: n.Expr, node: ast.AST) -> None:
    """Lower ``reducer.combine(x)``."""
    reducer = ctx.reducers[reduction.index]
    type = reducer.acc.type
    x = ctx.hold(coerce.cast(x, type))
    acc = n.Read(type, reducer.acc)
    op = ctx.reductions[reduction.index].op
    path = (("reduction", reduction.index), ("attr", "op"))
    span = ctx.span(node)
    with ctx.into() as block:
        both = operate(ctx, op, path, acc, x, node)
        block.append(n.Assign(reducer.acc, coerce.cast(both, type), span=span))
    if reducer.valid is None:
        ctx.block.extend(block)
        return
    ctx.emit(n.If(n.Read(BOOL, reducer.valid), tuple(block),
                  (n.Assign(reducer.acc, x, span=span),), span=span))
    ctx.emit(n.Assign(reducer.valid, n.true(), span=span))


def combine_with(ctx: Context, reduction: Reduction, symbol: str, value: ast.expr,
                 node: ast.AST) -> None:
    """Lower ``reducer += x`` and its kin, where the symbol is the reducer's own operator."""
    name = operator_name(ctx.reductions[reduction.index].op)
    if SYMBOLS.get(name) != symbol:
        raise ctx.refuse("K055", node)
    combine(ctx, reduction, ctx.scalar(value), node)


def call_reducer(ctx: Context, reduction: Reduction, name: str, args: list[Value],
                 node: ast.AST) -> Value:
    """Lower a method of a reducer."""
    if name == "identity":
        identity = ctx.reducers[reduction.index].identity
        if not isinstance(identity, n.Const):
            raise ctx.refuse("K054", node, what="this reduction has no known identity", help="")
        return identity
    if len(args) != 1:
        raise ctx.refuse("K034", node, what="combine", expected="one value", found=len(args))
    combine(ctx, reduction, ctx.to_scalar(args[0], node), node)
    return Nothing()
