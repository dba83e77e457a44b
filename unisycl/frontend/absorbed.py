"""Literals that a variable of an integer type holds on some paths, and what cannot be theirs.

``y = 0`` on one path and ``y = u32[i]`` on another meet in a uint32, which takes the literal in.
As long as results fit that type nothing tells them apart; ``y - 1`` is -1 in Python where y is the
literal, and 4294967295 here. Non-goals: other numbers of several types (``unsure``).
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable

from unisycl.base.errors import KernelWarning
from unisycl.base.spans import Span
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering
from unisycl.frontend.values.unsure import Unsure
from unisycl.ir import nodes as n
from unisycl.ir.types import PointerType, Scalar

_EXACT: dict[str, Callable[[int, int], int]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "shl": operator.lshift}
_MOST = 4096  # bits of a shift


def check(ctx: Lowering, op: str, a: n.Expr, b: n.Expr, type: Scalar, node: ast.AST) -> None:
    """Note an operation with a literal whose result would not fit where the other is one, too."""
    exact = _EXACT.get(op)
    if exact is None or type.weak or type.dtype.kind not in "iu":
        return
    for x in _literals(ctx, a):
        for y in _literals(ctx, b):
            known = isinstance(a, n.Const) and isinstance(b, n.Const)
            if known or (op == "shl" and not 0 <= y < _MOST):
                continue
            if not coerce.fits(exact(x, y), type.dtype):
                name = next((v.local.name for v in (a, b) if isinstance(v, n.Read)), "the choice")
                ctx.doubts.beyond[ctx.span(node)] = name, type, exact(x, y)


def note(ctx: Lowering, holder: n.Local | n.Expr, type: Scalar, *values: n.Expr,
         key: object = None) -> None:
    """Note the literals among values that one variable or expression of a type takes.

    ``key`` of a name's variable: those of earlier rounds count, since what the end of a loop brings
    is read at its beginning.
    """
    if type.weak or type.dtype.kind not in "iu" or isinstance(type, PointerType | Unsure):
        return
    found = {v for x in values for v in _literals(ctx, x)}
    kept: set[int] = ctx.types.setdefault(("absorbed", key, type), set()) if key else set()
    kept |= found
    if kept:
        ctx.doubts.absorbed[id(holder)] = holder, kept


def _literals(ctx: Lowering, x: n.Expr) -> list[int]:
    """Return the numbers that an operand may be in Python's own type, as far as they are known."""
    if isinstance(x, n.Const) and x.type.weak:
        return [int(x.value)] if isinstance(x.value, int) else []
    thing = x.local if isinstance(x, n.Read) else x
    return sorted(ctx.doubts.absorbed.get(id(thing), (thing, ()))[1])


def warn(beyond: dict[Span, tuple[str, Scalar, int]]) -> bool:
    """Warn of results that Python has on some paths and the type has not; say if there are any."""
    for span, (name, type, value) in beyond.items():
        warnings.warn_explicit(
            f"{name} is a literal on one path and of type {type} on another, so this wraps as "
            f"{type} does, where Python has {value} of the literal; write np.{type}(...) where "
            "it gets the literal", KernelWarning, span.file.name, span.line)
    return bool(beyond)
