"""Builtins as a few instructions each, for what LLVM has no intrinsic.

Non-goals: polynomials (``maths`` has those). Invariant: an entry of ``EXPAND`` takes values already
of the row's types and gives the row's result (SYCL 2020 §4.17).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from unisycl.backends.cpu.emit.lanes import Lanes, Val
from unisycl.base.dtypes import DTYPES, DType


def _less(lanes: Lanes, a: Val, b: Val) -> Val:
    kind = a.dtype.kind
    return lanes.compare("olt" if kind == "f" else "slt" if kind == "i" else "ult", a, b)


def _min(lanes: Lanes, a: Val, b: Val) -> Val:
    return lanes.select(_less(lanes, b, a), b, a)


def _max(lanes: Lanes, a: Val, b: Val) -> Val:
    return lanes.select(_less(lanes, a, b), b, a)


def _np_extreme(pick: Callable[[Lanes, Val, Val], Val]) -> Callable[[Lanes, Val, Val], Val]:
    def expand(lanes: Lanes, a: Val, b: Val) -> Val:
        result = pick(lanes, a, b)
        if not a.dtype.is_float:
            return result
        result = lanes.select(lanes.compare("uno", a, a), a, result)
        return lanes.select(lanes.compare("uno", b, b), b, result)
    return expand


def _abs(lanes: Lanes, a: Val) -> Val:
    if a.dtype.is_float:
        return lanes.call("llvm.fabs", a.dtype, a)
    if a.dtype.kind == "u":
        return a
    return lanes.call("llvm.abs", a.dtype, a, extra="i1 false")


def _clamp(lanes: Lanes, x: Val, low: Val, high: Val) -> Val:
    least = lanes.select(_less(lanes, x, low), low, x)
    return lanes.select(_less(lanes, high, least), high, least)


def _rotate(lanes: Lanes, x: Val, by: Val) -> Val:
    return lanes.call("llvm.fshl", x.dtype, x, x, by)


def _average(lanes: Lanes, a: Val, b: Val, *, up: bool) -> Val:
    """(a + b [+ 1]) >> 1 from the bits both share and half of those they differ in."""
    shift = "ashr" if a.dtype.kind == "i" else "lshr"
    half = lanes.map(a.dtype, shift + " {t} {0}, {1}", lanes.logic("xor", a, b),
                     lanes.const(1, a.dtype))
    return lanes.sub(lanes.logic("or", a, b), half) if up \
        else lanes.add(lanes.logic("and", a, b), half)


def _mul_hi(lanes: Lanes, a: Val, b: Val) -> Val:
    bits = a.dtype.bits
    wide = DType(f"wide{bits}", a.dtype.kind, 2 * bits)
    product = lanes.mul(lanes.cast(a, wide), lanes.cast(b, wide))
    high = lanes.map(wide, "lshr {t} {0}, {1}", product, lanes.const(bits, wide))
    return lanes.cast(high, a.dtype)


def _smoothstep(lanes: Lanes, low: Val, high: Val, x: Val) -> Val:
    c = functools.partial(lanes.const, dtype=x.dtype)
    t = lanes.map(x.dtype, "fdiv {t} {0}, {1}", lanes.sub(x, low), lanes.sub(high, low))
    t = _clamp(lanes, t, c(0.0), c(1.0))
    return lanes.mul(lanes.mul(t, t), lanes.sub(c(3.0), lanes.mul(c(2.0), t)))


def _sign(lanes: Lanes, x: Val) -> Val:
    one = lanes.call("llvm.copysign", x.dtype, lanes.const(1.0, x.dtype), x)
    nonzero = lanes.compare("one", x, lanes.const(0.0, x.dtype))
    zero = lanes.call("llvm.copysign", x.dtype, lanes.const(0.0, x.dtype), x)
    result = lanes.select(nonzero, one, zero)
    return lanes.select(lanes.compare("uno", x, x), lanes.const(0.0, x.dtype), result)


def _is_inf(lanes: Lanes, x: Val) -> Val:
    return lanes.compare("oeq", _abs(lanes, x), lanes.const(math.inf, x.dtype))


def _signbit(lanes: Lanes, x: Val) -> Val:
    whole = DType(f"bits{x.dtype.bits}", "i", x.dtype.bits)
    bits = lanes.map(whole, "bitcast {t} {0} to {to}", x)
    return lanes.compare("slt", bits, lanes.const(0, whole))


def _fdim(lanes: Lanes, a: Val, b: Val) -> Val:
    positive = lanes.compare("ule", a, b)
    difference = lanes.sub(a, b)
    zero = lanes.select(lanes.compare("uno", a, b), difference, lanes.const(0.0, a.dtype))
    return lanes.select(positive, zero, difference)


def _scaled(factor: float) -> Callable[[Lanes, Val], Val]:
    return lambda lanes, x: lanes.mul(x, lanes.const(factor, x.dtype))


def _abs_diff(lanes: Lanes, a: Val, b: Val) -> Val:
    return lanes.select(_less(lanes, a, b), lanes.sub(b, a), lanes.sub(a, b))


def _mad_hi(lanes: Lanes, a: Val, b: Val, c: Val) -> Val:
    return lanes.add(_mul_hi(lanes, a, b), c)


def _mad_sat(lanes: Lanes, a: Val, b: Val, c: Val) -> Val:
    """A * b + c limited to the type, from the exact sum in twice its bits."""
    dtype, bits = a.dtype, a.dtype.bits
    wide = DType(f"wide{bits}", dtype.kind, 2 * bits)
    exact = lanes.add(lanes.mul(lanes.cast(a, wide), lanes.cast(b, wide)), lanes.cast(c, wide))
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if dtype.kind == "i" \
        else (0, (1 << bits) - 1)
    return lanes.cast(_clamp(lanes, exact, lanes.const(least, wide), lanes.const(most, wide)),
                      dtype)


def _upsample(lanes: Lanes, high: Val, low: Val) -> Val:
    wide = DTYPES[f"{'int' if high.dtype.kind == 'i' else 'uint'}{2 * high.dtype.bits}"]
    moved = lanes.map(wide, "shl {t} {0}, {1}", lanes.cast(high, wide),
                      lanes.const(high.dtype.bits, wide))
    return lanes.logic("or", moved, lanes.cast(low, wide))


def _as_bits(lanes: Lanes, x: Val) -> Val:
    whole = DType(f"bits{x.dtype.bits}", "i", x.dtype.bits)
    return lanes.map(whole, "bitcast {t} {0} to {to}", x) if x.dtype.is_float else x


def _bitselect(lanes: Lanes, a: Val, b: Val, c: Val) -> Val:
    x, y, mask = (_as_bits(lanes, v) for v in (a, b, c))
    bits = lanes.logic("xor", x, lanes.logic("and", lanes.logic("xor", x, y), mask))
    return lanes.map(a.dtype, "bitcast {t} {0} to {to}", bits) if a.dtype.is_float else bits


def _top_bit(lanes: Lanes, x: Val) -> Val:
    signed = Val(x.form, DType(f"bits{x.dtype.bits}", "i", x.dtype.bits), x.ref, x.stride)
    return lanes.compare("slt", signed, lanes.const(0, signed.dtype))


def _is_normal(lanes: Lanes, x: Val) -> Val:
    size = _abs(lanes, x)
    least = {16: 2.0 ** -14, 32: 2.0 ** -126, 64: 2.0 ** -1022}[x.dtype.bits]
    return lanes.logic("and", lanes.compare("oge", size, lanes.const(least, x.dtype)),
                       lanes.compare("olt", size, lanes.const(math.inf, x.dtype)))


def _normalize(lanes: Lanes, x: Val) -> Val:
    one = lanes.call("llvm.copysign", x.dtype, lanes.const(1.0, x.dtype), x)
    return lanes.select(lanes.compare("one", x, lanes.const(0.0, x.dtype)), one, x)


def _exactly(word: str) -> Callable[[Lanes, Val, Val], Val]:
    """Return an operation that is rounded by itself, never contracted."""
    return lambda lanes, a, b: lanes.map(a.dtype, word + " {t} {0}, {1}", a, b)


EXPAND: dict[str, Callable[..., Val]] = {
    "min": _min, "max": _max, "npmin": _np_extreme(_min), "npmax": _np_extreme(_max),
    "abs": _abs, "clamp": _clamp, "rotate": _rotate,
    "hadd": functools.partial(_average, up=False), "rhadd": functools.partial(_average, up=True),
    "mul_hi": _mul_hi, "smoothstep": _smoothstep, "sign": _sign, "fdim": _fdim,
    "mad": lambda lanes, a, b, c: lanes.add(lanes.mul(a, b), c),
    "mix": lambda lanes, x, y, a: lanes.add(x, lanes.mul(lanes.sub(y, x), a)),
    "step": lambda lanes, edge, x: lanes.select(
        lanes.compare("olt", x, edge), lanes.const(0.0, x.dtype), lanes.const(1.0, x.dtype)),
    "degrees": _scaled(180 / math.pi), "radians": _scaled(math.pi / 180),
    "isnan": lambda lanes, x: lanes.compare("uno", x, x), "isinf": _is_inf,
    "isfinite": lambda lanes, x: lanes.compare("one", _abs(lanes, x),
                                               lanes.const(math.inf, x.dtype)),
    "signbit": _signbit, "isnormal": _is_normal, "top_bit": _top_bit, "bitselect": _bitselect,
    "select": lambda lanes, a, b, c: lanes.select(c, b, a),
    "abs_diff": _abs_diff, "mad_hi": _mad_hi, "mad_sat": _mad_sat, "upsample": _upsample,
    "mul24": lambda lanes, a, b: lanes.mul(a, b),
    "mad24": lambda lanes, a, b, c: lanes.add(lanes.mul(a, b), c),
    "dot": _exactly("fmul"), "normalize": _normalize,
    "distance": lambda lanes, a, b: _abs(lanes, _exactly("fsub")(lanes, a, b)),
}
