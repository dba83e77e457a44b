"""How short floats lie in memory and are rounded, one entry each.

Non-goals: which operations are rounded (``scalars``). Invariant: a value is a float32 that the type
has, so that widening and taking the bits are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from unisycl.base.dtypes import BFLOAT16, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT32, UINT16, UINT32
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar
from unisycl.passes.shared.small_floats import SmallFloat

Keep = Callable[[n.Expr], n.Expr]
"""Makes a value one that may be used several times."""
_F32, _U16, _U32 = Scalar(FLOAT32), Scalar(UINT16), Scalar(UINT32)
_SIGN, _QUIET, _UPPER, _HALF = 0x80000000, 0x7FC00000, 0xFFFF0000, 0x7FFF


@dataclass(frozen=True, slots=True)
class ShortFloat:
    """``widened``: bits to a value; ``bits``: back; ``rounded``: any float32 to the nearest value.

    Halves go to even; a NaN becomes the quiet one.
    """

    widened: Callable[[n.Expr, Keep], n.Expr]
    bits: Callable[[n.Expr, Keep], n.Expr]
    rounded: Callable[[n.Expr, Keep], n.Expr]


def _whole(op: str, a: n.Expr, b: int) -> n.Expr:
    return n.Binary(_U32, op, a, n.Const(_U32, b))


def _from_upper_half(bits: n.Expr, keep: Keep) -> n.Expr:
    return n.Bitcast(_F32, _whole("shl", n.Cast(_U32, bits), 16))


def _upper_half(x: n.Expr, keep: Keep) -> n.Expr:
    return n.Cast(_U16, _whole("shr", n.Bitcast(_U32, x), 16))


def _rounded_to_upper_half(x: n.Expr, keep: Keep) -> n.Expr:
    x = keep(x)
    word = keep(n.Bitcast(_U32, x))
    odd = _whole("and", _whole("shr", word, 16), 1)
    near = _whole("and", n.Binary(_U32, "add", _whole("add", word, _HALF), odd), _UPPER)
    nan = _whole("or", _whole("and", word, _SIGN), _QUIET)
    return keep(n.Bitcast(_F32, n.Select(_U32, n.Compare(BOOL, "ne", x, x), nan, near)))


def _small(row: SmallFloat) -> ShortFloat:
    return ShortFloat(row.widened, row.bits, row.rounded)


SHORT_FLOATS = {
    BFLOAT16: ShortFloat(_from_upper_half, _upper_half, _rounded_to_upper_half),
    FLOAT8_E4M3FN: _small(SmallFloat(3, 7, finite=True)),
    FLOAT8_E5M2: _small(SmallFloat(2, 15, finite=False)),
}
