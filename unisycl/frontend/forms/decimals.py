"""``round(x, n)`` of Python's numbers.

Non-goals: NumPy's numbers, which round in another way (``numpy_functions``). Invariant: the result
is Python's, which is the nearest decimal number's nearest float.
"""

from __future__ import annotations

import ast

from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT
from unisycl.lang.library import decimals

_MOST = 22
_MOST_OF_INTEGERS = 18


def rounded(ctx: Context, x: n.Expr, digits: Value, node: ast.AST) -> Value:
    """Return a Python number rounded to digits behind the point, or before it."""
    known = ctx.constant(digits)
    if known is None or not known.type.dtype.is_integer:
        raise ctx.refuse("K046", node, what="the number of digits of round()", help="")
    count = int(known.value)
    if x.type.dtype.kind == "c":
        raise ctx.refuse("K036", node, op="round", types=x.type, help="complex numbers have none")
    floats = x.type.dtype.is_float
    if not floats and count >= 0:
        return coerce.convert(x, WEAK_INT)
    if not -(_MOST if floats else _MOST_OF_INTEGERS) <= count <= _MOST:
        raise ctx.refuse("K049", node, found=f"{count} digits", help="",
                         expected=f"{-_MOST if floats else -_MOST_OF_INTEGERS} to {_MOST}")
    name = "behind_point" if floats and count >= 0 else "before_point" if floats else "whole"
    scale = coerce.weak_scalar(10.0 ** abs(count) if floats else 10 ** -count)
    x = x if floats else coerce.convert(x, WEAK_INT)
    callee = Constant(getattr(decimals, name), (("library", name),))
    return ctx.call(ctx, callee, [x, scale], node)


__all__ = ["rounded"]
