"""Integers to integer powers that are known at run time only.

Python gives a float for a negative exponent, and NumPy raises: no device can do either. There it is
that float cut to a whole number, on every device; a warning names the line unless the exponent
cannot be negative, and debugged kernels report it (``faults``). Non-goals: constant exponents,
floats. Invariant: overflow wraps.
"""

from __future__ import annotations

import ast
import warnings

from unisycl.base.errors import KernelWarning
from unisycl.base.spans import Span
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar
from unisycl.passes import pipeline


def of_integers(ctx: Lowering, a: n.Expr, b: n.Expr, type: Scalar, node: ast.AST) -> n.Expr:
    """Emit the loop that squares and multiplies; return the power."""
    x, b = ctx.hold(coerce.cast(a, type)), ctx.hold(b)
    y = coerce.cast(b, type)
    base, left, result = (n.Local(name, type) for name in ("base", "exponent", "power"))
    one, zero = n.Const(type, 1), n.Const(type, 0)
    span = ctx.span(node)
    signed = b.type.dtype.kind == "i" and not (isinstance(b, n.Const) and b.value >= 0)
    negative = n.Compare(BOOL, "lt", b, n.Const(b.type, 0))
    start = n.Select(type, negative, zero, y) if signed and y.type != b.type else y
    for local, value in ((base, x), (left, start), (result, one)):
        ctx.emit(n.Assign(local, value, span=span))
    odd = n.Compare(BOOL, "ne", n.Binary(type, "and", n.Read(type, left), one), zero)
    more = n.Compare(BOOL, "gt", n.Read(type, left), zero)

    def times(a: n.Local, b: n.Local) -> n.Expr:
        return n.Binary(type, "mul", n.Read(type, a), n.Read(type, b))
    ctx.emit(n.While((), more, (
        n.Assign(result, n.Select(type, odd, times(result, base), n.Read(type, result))),
        n.Assign(base, times(base, base)),
        n.Assign(left, n.Binary(type, "shr", n.Read(type, left), one)),
    ), span=span))
    found = n.Read(type, result)
    if not signed or pipeline.never_negative((), b):
        return found
    ctx.doubts.powers[span] = b
    return n.Select(type, negative, _of_negative(x, y, type), found)


def _of_negative(x: n.Expr, y: n.Expr, type: Scalar) -> n.Expr:
    """Return the whole part of ``x ** y`` for a negative ``y``; 0 for infinity."""
    one, zero = n.Const(type, 1), n.Const(type, 0)
    rest: n.Expr = zero
    if type.dtype.kind == "i":
        less = n.Const(type, -1)
        even = n.Compare(BOOL, "eq", n.Binary(type, "and", y, one), zero)
        rest = n.Select(type, n.Compare(BOOL, "eq", x, less), n.Select(type, even, one, less), zero)
    return n.Select(type, n.Compare(BOOL, "eq", x, one), one, rest)


def warn(powers: dict[Span, n.Expr], body: n.Block) -> bool:
    """Warn of exponents that may be negative, each at the kernel's line; say if any are."""
    warned = False
    for span, exponent in powers.items():
        if not pipeline.never_negative(body, exponent):
            warned = True
            warnings.warn_explicit(
                f"this exponent of an integer is a {exponent.type} and may be negative: the power "
                "is then cut to a whole number (2 ** -1 is 0), where Python gives a float and "
                "NumPy raises ValueError; make the exponent unsigned, np.uint32(...), or the base "
                "a float", KernelWarning, span.file.name, span.line)
    return warned
