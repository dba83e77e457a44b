"""Builtins on the CPU: vector mathematics from libmvec, and sequences for what LLVM lacks.

Non-goals: typing (the row has it). Invariant: an entry of ``EXPAND`` takes values already of the
row's type and gives the row's result (SYCL 2020 §4.17).
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable

from unisycl.backends.cpu.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.text import llvm_type
from unisycl.base.dtypes import FLOAT32, FLOAT64, DType
from unisycl.ir.builtins import Builtin

# libmvec's float32 versions exceed the bound of the specification's table; float64's do not.
_WIDER = frozenset(("exp10",))
_PURE = "memory(none) nounwind willreturn"


@functools.cache
def vector_library() -> ctypes.CDLL | None:
    """Return glibc's vector mathematics library; None where the system has none."""
    try:
        return ctypes.CDLL("libmvec.so.1")
    except OSError:
        return None


@functools.cache
def vector_symbol(name: str, bits: int, arity: int, widest: int) -> tuple[str, int]:
    """Return libmvec's entry point for a function and its lanes; ('', 0) if there is none."""
    library = vector_library()
    letter = {512: "e", 256: "d", 128: "b"}
    for size in (512, 256, 128):
        if size > widest or library is None:
            continue
        lanes = size // bits
        symbol = f"_ZGV{letter[size]}N{lanes}{'v' * arity}_{name}{'f' if bits == 32 else ''}"
        if hasattr(library, symbol):
            return symbol, lanes
    return "", 0


def call_builtin(lanes: Lanes, row: Builtin, args: list[Val], result: DType, widest: int) -> Val:
    """Emit a call of a builtin; ``widest`` is the machine's vector in bits."""
    kind, _, name = row.llvm.partition(":")
    if kind == "expand":
        return EXPAND[name](lanes, *args)
    if kind == "cmp":
        return lanes.compare(name, *args)
    if kind == "sat":
        sign = "s" if args[0].dtype.kind == "i" else "u"
        return lanes.call(f"llvm.{sign}{name}.sat", result, *args)
    if kind == "libm":
        return _library(lanes, name, args, widest)
    if kind == "llvm.fma" and result.bits == 16:
        wide = [lanes.cast(a, FLOAT64) for a in args]
        return lanes.cast(lanes.call(kind, FLOAT64, *wide), result)
    extra = "i1 false" if name == "" and kind in ("llvm.ctlz", "llvm.cttz") else ""
    return lanes.call(kind, result, *args, extra=extra)


def _library(lanes: Lanes, name: str, args: list[Val], widest: int) -> Val:
    dtype = args[0].dtype
    if dtype.bits == 16:
        wide = _library(lanes, name, [lanes.cast(a, FLOAT32) for a in args], widest)
        return lanes.cast(wide, dtype)
    if name in _WIDER and dtype is FLOAT32:
        wide = _library(lanes, name, [lanes.cast(a, FLOAT64) for a in args], widest)
        return lanes.cast(wide, dtype)
    form, refs = lanes.align(*args)
    t = llvm_type(dtype)
    f = lanes.f
    scalar = name + ("f" if dtype.bits == 32 else "")
    declared = f.module.declare(scalar, f"{t} @({', '.join([t] * len(refs))}) {_PURE}")
    if form == UNIFORM:
        return Val(UNIFORM, dtype, f.op(f"call {t} @{declared}({_list(t, refs)})"))
    symbol, width = vector_symbol(name, dtype.bits, len(refs), widest)
    if symbol and lanes.lanes % width == 0:
        return Val(VECTOR, dtype, _in_chunks(lanes, symbol, width, refs, dtype))
    vector = llvm_type(dtype, lanes.lanes)
    result = "poison"
    for k in range(lanes.lanes):
        parts = [f.op(f"extractelement {vector} {r}, i64 {k}") for r in refs]
        one = f.op(f"call {t} @{declared}({_list(t, parts)})")
        result = f.op(f"insertelement {vector} {result}, {t} {one}, i64 {k}")
    return Val(VECTOR, dtype, result)


def _list(type: str, refs: list[str]) -> str:
    return ", ".join(f"{type} {r}" for r in refs)


def _in_chunks(lanes: Lanes, symbol: str, width: int, refs: list[str], dtype: DType) -> str:
    """Call a vector function on parts of ``width`` lanes and join the results."""
    f = lanes.f
    part, whole = llvm_type(dtype, width), llvm_type(dtype, lanes.lanes)
    f.module.declare(symbol, f"{part} @({', '.join([part] * len(refs))}) {_PURE}")
    if width == lanes.lanes:
        return f.op(f"call {part} @{symbol}({_list(part, refs)})")
    results = []
    for start in range(0, lanes.lanes, width):
        mask = _indices(range(start, start + width))
        parts = [f.op(f"shufflevector {whole} {r}, {whole} poison, {mask}") for r in refs]
        results.append(f.op(f"call {part} @{symbol}({_list(part, parts)})"))
    while len(results) > 1:
        size = width * 2
        t = llvm_type(dtype, width)
        results = [f.op(f"shufflevector {t} {a}, {t} {b}, {_indices(range(size))}")
                   for a, b in zip(results[::2], results[1::2], strict=True)]
        width = size
    return results[0]


def _indices(numbers: range) -> str:
    return f"<{len(numbers)} x i32> <" + ", ".join(f"i32 {k}" for k in numbers) + ">"


# ---- sequences
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
    return lanes.select(_less(lanes, x, low), low,
                        lanes.select(_less(lanes, high, x), high, x))


def _fmod(lanes: Lanes, a: Val, b: Val) -> Val:
    return lanes.map(a.dtype, "frem {t} {0}, {1}", a, b)


def _fract(lanes: Lanes, x: Val) -> Val:
    below = {16: 1 - 2.0 ** -11, 32: 1 - 2.0 ** -24, 64: 1 - 2.0 ** -53}[x.dtype.bits]
    part = lanes.sub(x, lanes.call("llvm.floor", x.dtype, x))
    return _min(lanes, part, lanes.const(below, x.dtype))


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


EXPAND: dict[str, Callable[..., Val]] = {
    "min": _min, "max": _max, "npmin": _np_extreme(_min), "npmax": _np_extreme(_max),
    "abs": _abs, "clamp": _clamp, "fmod": _fmod, "fract": _fract, "rotate": _rotate,
    "hadd": functools.partial(_average, up=False), "rhadd": functools.partial(_average, up=True),
    "mul_hi": _mul_hi, "smoothstep": _smoothstep, "sign": _sign, "fdim": _fdim,
    "mad": lambda lanes, a, b, c: lanes.add(lanes.mul(a, b), c),
    "mix": lambda lanes, x, y, a: lanes.add(x, lanes.mul(lanes.sub(y, x), a)),
    "rsqrt": lambda lanes, x: lanes.map(
        x.dtype, "fdiv {t} {0}, {1}", lanes.const(1.0, x.dtype),
        lanes.call("llvm.sqrt", x.dtype, x)),
    "step": lambda lanes, edge, x: lanes.select(
        lanes.compare("olt", x, edge), lanes.const(0.0, x.dtype), lanes.const(1.0, x.dtype)),
    "degrees": _scaled(180 / math.pi), "radians": _scaled(math.pi / 180),
    "isnan": lambda lanes, x: lanes.compare("uno", x, x), "isinf": _is_inf,
    "isfinite": lambda lanes, x: lanes.compare("one", _abs(lanes, x),
                                               lanes.const(math.inf, x.dtype)),
    "signbit": _signbit,
}
