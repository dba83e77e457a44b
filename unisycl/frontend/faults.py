"""Checks of what Python raises for and a device does not, in kernels that are debugged.

Python's integers and floats divide by zero with an exception, NumPy's scalars do not; a Python
integer becomes a NumPy scalar only if it fits. Non-goals: indices (``passes.bounds``), constants,
which are refused while compiling. Invariant: without ``debug`` no kernel changes.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.frontend.context import Context
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, Scalar

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "div": operator.truediv, "floordiv": operator.floordiv, "mod": operator.mod}


def checked_operand(ctx: Context, op: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
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


def moving_step(ctx: Context, step: n.Expr, call: ast.Call) -> n.Expr:
    """Return the step of a range, which is not 0: constants are refused, others checked."""
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


def fitting(ctx: Context, x: n.Expr, to: Scalar, node: ast.AST) -> n.Expr:
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


def _said(op: str, kind: type) -> str:
    """Return what this Python says to a division by zero."""
    try:
        _PYTHON[op](kind(1), kind(0))
    except ZeroDivisionError as error:
        return str(error)
    raise AssertionError(op)
