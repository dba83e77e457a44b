"""Integer functions (SYCL 2020 §4.17.7): one row each; those of all numbers are here as well.

Non-goals: Python's own ``min``, ``max`` and ``abs``, which the front end handles. Invariants:
``host`` keeps its operands' dtype; what no type can hold wraps; clz and ctz of 0 are the width.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.ir.builtins.row import Builtin


def _width(x: Any) -> int:
    return 8 * np.result_type(x).itemsize


def _unsigned(x: Any) -> int:
    return int(x) & ((1 << _width(x)) - 1)


def _clz(x: Any) -> Any:
    return np.result_type(x).type(_width(x) - _unsigned(x).bit_length())


def _ctz(x: Any) -> Any:
    bits = _unsigned(x)
    return np.result_type(x).type((bits & -bits).bit_length() - 1 if bits else _width(x))


def _popcount(x: Any) -> Any:
    return np.result_type(x).type(_unsigned(x).bit_count())


def _wrap(x: Any, value: int) -> Any:
    """Return an int wrapped into the dtype of ``x``."""
    kind = np.result_type(x)
    bits = value & ((1 << _width(x)) - 1)
    if kind.kind == "i" and bits >> (_width(x) - 1):
        bits -= 1 << _width(x)
    return kind.type(bits)


def _rotate(x: Any, by: Any) -> Any:
    w = _width(x)
    k = int(by) % w
    return _wrap(x, (_unsigned(x) << k) | (_unsigned(x) >> (w - k)))


def _saturate(x: Any, value: int) -> Any:
    info = np.iinfo(np.result_type(x))
    return np.result_type(x).type(max(info.min, min(info.max, value)))


def _pick(condition: Any, x: Any, y: Any) -> Any:
    return np.asarray(np.where(condition, x, y))[()]


def _high(a: Any, b: Any) -> int:
    return (int(a) * int(b)) >> _width(a)


def _joined(high: Any, low: Any) -> Any:
    bits = _width(high)
    kind = np.dtype(f"{np.result_type(high).kind}{bits // 4}")
    return _wrap(kind.type(0), (int(high) << bits) | _unsigned(low))


_ROW: dict[str, Any] = {"section": "4.17.7"}

ROWS = (
    Builtin("abs", "n>n", np.abs, "expand:abs", **_ROW, numpy=("abs", "absolute"),
            doc="Magnitude."),
    Builtin("min", "nn>n", lambda a, b: _pick(b < a, b, a), "expand:min", **_ROW,
            doc="b if b < a, else a."),
    Builtin("max", "nn>n", lambda a, b: _pick(a < b, b, a), "expand:max", **_ROW,
            doc="b if a < b, else a."),
    Builtin("minimum_of", "nn>n", np.minimum, "expand:npmin", **_ROW, numpy=("minimum",),
            doc="NumPy's minimum: NaN if either is NaN."),
    Builtin("maximum_of", "nn>n", np.maximum, "expand:npmax", **_ROW, numpy=("maximum",),
            doc="NumPy's maximum: NaN if either is NaN."),
    Builtin("abs_diff", "ii>i", lambda a, b: _wrap(a, abs(int(a) - int(b))), "expand:abs_diff",
            **_ROW, doc="|x - y| without overflow on the way."),
    Builtin("clz", "i>i", _clz, "llvm.ctlz", **_ROW, doc="Leading zero bits."),
    Builtin("ctz", "i>i", _ctz, "llvm.cttz", **_ROW, doc="Trailing zero bits."),
    Builtin("popcount", "i>i", _popcount, "llvm.ctpop", **_ROW,
            doc="Bits that are set."),
    Builtin("rotate", "ii>i", _rotate, "expand:rotate", **_ROW,
            doc="Bits of x moved left around by y."),
    Builtin("add_sat", "ii>i", lambda a, b: _saturate(a, int(a) + int(b)), "sat:add", **_ROW,
            doc="a + b limited to the type."),
    Builtin("sub_sat", "ii>i", lambda a, b: _saturate(a, int(a) - int(b)), "sat:sub", **_ROW,
            doc="a - b limited to the type."),
    Builtin("hadd", "ii>i", lambda a, b: _wrap(a, (int(a) + int(b)) >> 1), "expand:hadd", **_ROW,
            doc="(a + b) >> 1 without overflow."),
    Builtin("rhadd", "ii>i", lambda a, b: _wrap(a, (int(a) + int(b) + 1) >> 1), "expand:rhadd",
            **_ROW, doc="(a + b + 1) >> 1 without overflow."),
    Builtin("mul_hi", "ii>i", lambda a, b: _wrap(a, _high(a, b)), "expand:mul_hi", **_ROW,
            doc="High half of the product."),
    Builtin("mad_hi", "iii>i", lambda a, b, c: _wrap(a, _high(a, b) + int(c)), "expand:mad_hi",
            **_ROW, doc="mul_hi(a, b) + c."),
    Builtin("mad_sat", "iii>i", lambda a, b, c: _saturate(a, int(a) * int(b) + int(c)),
            "expand:mad_sat", **_ROW, doc="a * b + c limited to the type."),
    Builtin("mul24", "jj>j", lambda a, b: _wrap(a, int(a) * int(b)), "expand:mul24", **_ROW,
            doc="The product of two numbers of 24 bits."),
    Builtin("mad24", "jjj>j", lambda a, b, c: _wrap(a, int(a) * int(b) + int(c)), "expand:mad24",
            **_ROW, doc="mul24(a, b) + c."),
    Builtin("upsample", "iu>w", _joined, "expand:upsample", **_ROW,
            doc="The integer of twice the width with x above y."),
)
