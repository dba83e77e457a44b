"""The bits of numbers as those of numbers of other types.

Non-goals: conversions of values (``coerce``, ``rounding``). Invariant: no bit is lost that there is
room for; what is missing is zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.base.dtypes import DTYPES
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar


def regrouped(ctx: Lowering, items: Sequence[n.Expr], kind: Scalar, count: int) -> list[n.Expr]:
    """Return the bits of elements as those of another type; what is missing is zero."""
    parts = [as_bits(x) for x in items]
    have, want = parts[0].type.dtype.bits, 8 * kind.dtype.size
    word = Scalar(DTYPES[f"uint{want}"])
    zero = n.Const(parts[0].type, 0)
    bits: list[n.Expr]
    if have >= want:
        ratio = have // want
        parts = [ctx.once(x) for x in parts] if ratio > 1 else parts
        parts += [zero] * (-(-count // ratio) - len(parts))
        bits = [coerce.convert(_shifted("shr", parts[k // ratio], want * (k % ratio)), word)
                for k in range(count)]
    else:
        ratio = want // have
        parts += [zero] * (count * ratio - len(parts))
        bits = [_joined([coerce.convert(x, word) for x in parts[k * ratio:(k + 1) * ratio]], have)
                for k in range(count)]
    return [from_bits(x, kind) for x in bits]


def _shifted(op: str, x: n.Expr, by: int) -> n.Expr:
    return coerce.binary(op, x, n.Const(x.type, by), x.type)


def _joined(parts: list[n.Expr], width: int) -> n.Expr:
    result = parts[0]
    for k, part in enumerate(parts[1:], 1):
        result = coerce.binary("or", result, _shifted("shl", part, width * k), part.type)
    return result


def as_bits(x: n.Expr) -> n.Expr:
    """Return a number's bits as an unsigned integer of its size."""
    word = Scalar(DTYPES[f"uint{8 * x.type.dtype.size}"])
    return coerce.convert(x, word) if _is_made(x) else n.Bitcast(word, x)


def from_bits(x: n.Expr, kind: Scalar) -> n.Expr:
    """Return the number of a type that has these bits."""
    if kind.dtype.kind == "b":
        return coerce.cast(coerce.truth(x), BOOL)
    return coerce.convert(x, kind) if _is_made(x) else n.Bitcast(kind, x)


def _is_made(x: n.Expr) -> bool:
    """Say whether an integer is converted, for it has no bits of its own, or is known."""
    return not x.type.dtype.is_float and (isinstance(x, n.Const) or x.type.weak
                                          or x.type.dtype.kind == "b")
