"""Integer and common functions (SYCL 2020 §4.17.7 and §4.17.8): one row each.

Non-goals: Python's own ``min``, ``max`` and ``abs``, which the front end handles. Invariant:
``host`` keeps its operands' dtype; clz and ctz of 0 are the width.
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


def _step(edge: Any, x: Any) -> Any:
    return np.result_type(edge, x).type(0 if x < edge else 1)


def _sign(x: Any) -> Any:
    return np.result_type(x).type(0) if np.isnan(x) else np.copysign(np.sign(x), x)


def _smoothstep(low: Any, high: Any, x: Any) -> Any:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


_INT: dict[str, Any] = {"section": "4.17.7"}
_COMMON: dict[str, Any] = {"section": "4.17.8"}

ROWS = (
    Builtin("abs", 1, "any", np.abs, "expand:abs", **_INT, numpy=("abs", "absolute"),
            doc="Magnitude."),
    Builtin("min", 2, "any", lambda a, b: _pick(b < a, b, a), "expand:min", **_INT,
            doc="b if b < a, else a."),
    Builtin("max", 2, "any", lambda a, b: _pick(a < b, b, a), "expand:max", **_INT,
            doc="b if a < b, else a."),
    Builtin("minimum_of", 2, "any", np.minimum, "expand:npmin", **_INT, numpy=("minimum",),
            doc="NumPy's minimum: NaN if either is NaN."),
    Builtin("maximum_of", 2, "any", np.maximum, "expand:npmax", **_INT, numpy=("maximum",),
            doc="NumPy's maximum: NaN if either is NaN."),
    Builtin("clamp", 3, "any",
            lambda x, lo, hi: np.where(x < lo, lo, np.where(hi < x, hi, x))[()],
            "expand:clamp", **_COMMON, doc="x limited to [lo, hi]."),
    Builtin("clz", 1, "int", _clz, "llvm.ctlz", **_INT, doc="Leading zero bits."),
    Builtin("ctz", 1, "int", _ctz, "llvm.cttz", **_INT, doc="Trailing zero bits."),
    Builtin("popcount", 1, "int", _popcount, "llvm.ctpop", **_INT, numpy=("bitwise_count",),
            doc="Bits that are set."),
    Builtin("rotate", 2, "int", _rotate, "expand:rotate", **_INT,
            doc="Bits of x moved left around by y."),
    Builtin("add_sat", 2, "int", lambda a, b: _saturate(a, int(a) + int(b)), "sat:add", **_INT,
            doc="a + b limited to the type."),
    Builtin("sub_sat", 2, "int", lambda a, b: _saturate(a, int(a) - int(b)), "sat:sub", **_INT,
            doc="a - b limited to the type."),
    Builtin("hadd", 2, "int", lambda a, b: _wrap(a, (int(a) + int(b)) >> 1), "expand:hadd", **_INT,
            doc="(a + b) >> 1 without overflow."),
    Builtin("rhadd", 2, "int", lambda a, b: _wrap(a, (int(a) + int(b) + 1) >> 1), "expand:rhadd",
            **_INT, doc="(a + b + 1) >> 1 without overflow."),
    Builtin("mul_hi", 2, "int", lambda a, b: _wrap(a, (int(a) * int(b)) >> _width(a)),
            "expand:mul_hi", **_INT, doc="High half of the product."),
    Builtin("degrees", 1, "float", np.degrees, "expand:degrees", **_COMMON,
            numpy=("degrees", "rad2deg"), math=("degrees",), doc="Radians to degrees."),
    Builtin("radians", 1, "float", np.radians, "expand:radians", **_COMMON,
            numpy=("radians", "deg2rad"), math=("radians",), doc="Degrees to radians."),
    Builtin("mix", 3, "float", lambda x, y, a: x + (y - x) * a, "expand:mix", **_COMMON,
            doc="x + (y - x) * a."),
    Builtin("step", 2, "float", _step, "expand:step",
            **_COMMON, doc="0 where x < edge, else 1."),
    Builtin("smoothstep", 3, "float", _smoothstep,
            "expand:smoothstep", **_COMMON, doc="Smooth Hermite step between two edges."),
    Builtin("sign", 1, "float", _sign,
            "expand:sign", **_COMMON, doc="-1, 0 or 1; 0 for NaN."),
)
