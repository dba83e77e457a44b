"""Checks of what Python raises for and a device does not, in kernels that are debugged.

Python's integers and floats divide by zero with an exception, NumPy's scalars do not; a Python
integer becomes a NumPy scalar only if it fits. Non-goals: indices (``passes.checks.bounds``),
constants, which are refused while compiling. Invariant: without ``debug`` no kernel changes.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.frontend import captures, guards
from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_FLOAT, WEAK_INT, Scalar

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "div": operator.truediv, "floordiv": operator.floordiv, "mod": operator.mod}

_ZERO = n.Const(WEAK_FLOAT, 0.0)


def checked_operand(ctx: Lowering, op: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return the right operand of Python numbers, checked where Python raises for some."""
    if "assert" not in ctx.shape.checks or not (a.type.weak and b.type.weak):
        return b
    floats = a.type.dtype.is_float or b.type.dtype.is_float
    if op in _PYTHON:
        text, test = f"ZeroDivisionError: {_said(op, float if floats else int)}", "ne"
    elif op in ("shl", "shr"):
        text, test = "ValueError: negative shift count", "ge"
    else:
        return b
    if isinstance(b, n.Const) and (b.value > 0 or (b.value < 0 and test == "ne")):
        return b
    b = ctx.hold(b)
    ctx.emit(n.Check(n.Compare(BOOL, test, b, n.Const(b.type, 0)), (text,), span=ctx.span(node)))
    return b


def checked_power(ctx: Lowering, a: n.Expr, b: n.Expr, node: ast.AST,
                  power: Callable[[n.Expr, n.Expr], n.Expr]) -> n.Expr:
    """Return ``a ** b``, checked where Python raises, or NumPy of integers.

    Python's floats raise where the result would be infinite. Integers to negative powers that are
    known at run time only are floats in Python and refused by NumPy: in kernels they are neither.
    """
    whole = a.type.dtype.is_integer and b.type.dtype.is_integer
    if "assert" not in ctx.shape.checks or not (whole or (a.type.weak and b.type.weak)):
        return power(a, b)
    a, b = ctx.hold(a), ctx.hold(b)
    negative = n.Compare(BOOL, "lt", b, n.Const(b.type, 0))
    span = ctx.span(node)
    if whole:
        if not isinstance(b, n.Const) and b.type.dtype.kind == "i":
            ctx.emit(n.Check(n.Unary(BOOL, "not", negative), (
                "ValueError: Integers to negative integer powers are not allowed.",), span=span))
        return power(a, b)
    result = power(a, b)
    if result.type != WEAK_FLOAT:
        return result
    result = ctx.hold(result)
    a, b = (x if x.type == WEAK_FLOAT else n.Cast(WEAK_FLOAT, x) for x in (a, b))
    pole = n.Binary(BOOL, "and", n.Compare(BOOL, "eq", a, _ZERO), negative)
    ctx.emit(n.Check(n.Unary(BOOL, "not", pole), (_of_power(0.0, -1.0),), span=span))
    endless = n.Binary(BOOL, "and", _infinite(result), n.Unary(
        BOOL, "not", n.Binary(BOOL, "or", _infinite(a), _infinite(b))))
    ctx.emit(n.Check(n.Unary(BOOL, "not", endless), (_of_power(10.0, 400.0),), span=span))
    return result


def whole(ctx: Lowering, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return a float that becomes a Python integer, checked to be one that 64 bits hold."""
    if "assert" not in ctx.shape.checks or not x.type.dtype.is_float or isinstance(x, n.Const):
        return x
    x, span = ctx.hold(x), ctx.span(node)
    size, most = n.Call(x.type, BUILTINS["fabs"], (x,)), n.Const(x.type, 2.0 ** 63)
    fits = n.Compare(BOOL, "lt", size, most) if x.type.dtype.bits > 16 else n.true()
    for good, text in (
            (n.Compare(BOOL, "eq", x, x), "ValueError: cannot convert float NaN to integer"),
            (n.Unary(BOOL, "not", _infinite(x)),
             "OverflowError: cannot convert float infinity to integer"),
            (fits, "OverflowError: Python int too large: integers of kernels have 64 bits")):
        ctx.emit(n.Check(good, (text,), span=span))
    return x


def _infinite(x: n.Expr) -> n.Expr:
    return n.Compare(BOOL, "eq", n.Call(x.type, BUILTINS["fabs"], (x,)), n.Const(x.type, math.inf))


def _of_power(base: float, exponent: float) -> str:
    """Return what this Python says to a power that it does not compute."""
    try:
        operator.pow(base, exponent)
    except ArithmeticError as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError(exponent)


def moving_step(ctx: Lowering, bounds: tuple[n.Expr, n.Expr, n.Expr], call: ast.Call) -> n.Expr:
    """Return the step of a range, which is not 0: constants are refused, others checked.

    Of one that each launch gives, the code depends on the sign alone, unless the number of turns
    is known.
    """
    start, stop, step = bounds
    if isinstance(step, n.ParamRead) and not (isinstance(start, n.Const)
                                              and isinstance(stop, n.Const)):
        signed = _signed_step(ctx, step)
        if signed is not None:
            return signed
    known = ctx.constant(step) if isinstance(step, n.Const | n.ParamRead) else None
    if known is not None:
        if known.value == 0:
            raise ctx.refuse("K044", call)
        return known
    if "assert" in ctx.shape.checks:
        step = ctx.hold(step)
        ctx.emit(n.Check(n.Compare(BOOL, "ne", step, n.Const(WEAK_INT, 0)), (
            "ValueError: range() arg 3 must not be zero",), span=ctx.span(call)))
    return step


def _signed_step(ctx: Lowering, step: n.ParamRead) -> n.Expr | None:
    """Return a step that the code knows the sign of, and not the value.

    None for one that is no int of a launch, has more than 31 bits, or is 0, 1 or -1: vectors go
    along memory by these alone.
    """
    path = step.param.path
    if not path or step.type != WEAK_INT:
        return None
    given = captures.fetch(path, ctx.function, ctx.arguments)
    if type(given) is not int or not 1 < abs(given) <= guards.MOST_STEP:
        return None
    # In place of the question for its type, which this one asks, too.
    ctx.needs.guards[path, False] = guards.Signed31(given)
    size: n.Expr = step if given > 0 else n.Unary(WEAK_INT, "neg", step)
    for name, bound in (("max", 2), ("min", guards.MOST_STEP)):  # for analyses: it has no effect
        size = n.Call(WEAK_INT, BUILTINS[name], (size, n.Const(WEAK_INT, bound)))
    return size if given > 0 else n.Unary(WEAK_INT, "neg", size)


def fitting(ctx: Lowering, x: n.Expr, to: Scalar, node: ast.AST) -> n.Expr:
    """Return an operand that becomes a NumPy integer, checked if it is a Python integer."""
    if "assert" not in ctx.shape.checks or isinstance(x, n.Const) or to.weak \
            or x.type != WEAK_INT or to.dtype.kind not in "iu" or to.dtype.numpy == np.int64:
        return x
    info: Any = np.iinfo(to.dtype.name)
    x = ctx.hold(x)
    good: n.Expr = n.Compare(BOOL, "ge", x, n.Const(WEAK_INT, int(info.min)))
    if to.dtype.bits < 64:
        good = n.Binary(BOOL, "and", good,
                        n.Compare(BOOL, "le", x, n.Const(WEAK_INT, int(info.max))))
    ctx.emit(n.Check(good, ("OverflowError: Python integer ", x,
                            f" out of bounds for {to.dtype.name}"), span=ctx.span(node)))
    return x


def within(ctx: Lowering, index: n.Expr, low: int, count: int, said: tuple[str, str],
           node: ast.AST) -> n.Expr:
    """Return an index into what has no address of its own, checked to be from ``low`` to the end.

    ``said`` is the text around the index.
    """
    if "bounds" not in ctx.shape.checks or isinstance(index, n.Const):
        return index
    index = ctx.hold(index)
    kind = index.type
    if kind.dtype.bits < 64:
        kind = WEAK_INT
    whole = n.Cast(kind, index) if kind != index.type else index
    good: n.Expr = n.Compare(BOOL, "lt", whole, n.Const(kind, count))
    if kind.dtype.kind == "i":
        good = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", whole, n.Const(kind, low)), good)
    ctx.emit(n.Check(good, (said[0], index, said[1]), span=ctx.span(node)))
    return index


def of_axis(ctx: Lowering, index: n.Expr, axis: int, count: int, node: ast.AST) -> n.Expr:
    """Return an index into an array member of a record, checked."""
    return within(ctx, index, 0, count, (
        "IndexError: index ", f" is out of bounds for axis {axis} with size {count}"), node)


def of_elements(ctx: Lowering, index: n.Expr, what: str, count: int, node: ast.AST) -> n.Expr:
    """Return the number of an element of a vector, checked."""
    return within(ctx, index, 0, count, (
        "element ", f" of a {what} does not exist: it has {count}, counted from 0"), node)


def of_tuple(ctx: Lowering, index: n.Expr, count: int, node: ast.AST) -> n.Expr:
    """Return an index into a tuple, checked; one below zero counts from the end."""
    return within(ctx, index, -count, count, (
        "IndexError: index ", f" is outside a tuple of {count}"), node)


def _said(op: str, kind: type) -> str:
    """Return what this Python says to a division by zero."""
    try:
        _PYTHON[op](kind(1), kind(0))
    except ZeroDivisionError as error:
        return str(error)
    raise AssertionError(op)
