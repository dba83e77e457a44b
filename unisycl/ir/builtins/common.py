"""Common functions and scalars' geometric ones (SYCL 2020 §4.17.8 and §4.17.9): one row each.

Non-goals: vectors. Invariant: ``host`` keeps its operands' dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.ir.builtins.row import ROUNDED, Bound, Builtin


def _step(edge: Any, x: Any) -> Any:
    return np.result_type(edge, x).type(0 if x < edge else 1)


def _sign(x: Any) -> Any:
    return np.result_type(x).type(0) if np.isnan(x) else np.copysign(np.sign(x), x)


def _smoothstep(low: Any, high: Any, x: Any) -> Any:
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def _clamp(x: Any, low: Any, high: Any) -> Any:
    least = np.where(x < low, low, x)
    return np.where(high < least, high, least)[()]


def _normalize(x: Any) -> Any:
    return x if x == 0 or np.isnan(x) else np.copysign(np.ones_like(x), x)


_COMMON: dict[str, Any] = {"section": "4.17.8"}
_GEOMETRIC: dict[str, Any] = {"section": "4.17.9"}
_TURNS = Bound(2, 2, 2)

ROWS = (
    Builtin("clamp", "nnn>n", _clamp, "expand:clamp", **_COMMON,
            doc="x limited to [lo, hi]."),
    Builtin("degrees", "f>f", np.degrees, "expand:degrees", bound=_TURNS, **_COMMON,
            numpy=("degrees", "rad2deg"), math=("degrees",), doc="Radians to degrees."),
    Builtin("radians", "f>f", np.radians, "expand:radians", bound=_TURNS, **_COMMON,
            numpy=("radians", "deg2rad"), math=("radians",), doc="Degrees to radians."),
    Builtin("mix", "fff>f", lambda x, y, a: x + (y - x) * a, "expand:mix",
            bound=Bound(absolute=1e-3), **_COMMON, doc="x + (y - x) * a."),
    Builtin("step", "ff>f", _step, "expand:step", **_COMMON, doc="0 where x < edge, else 1."),
    Builtin("smoothstep", "fff>f", _smoothstep, "expand:smoothstep", bound=Bound(absolute=1e-5),
            **_COMMON, doc="Smooth Hermite step between two edges."),
    Builtin("sign", "f>f", _sign, "expand:sign", **_COMMON, doc="-1, 0 or 1; 0 for NaN."),
    Builtin("dot", "ff>f", np.multiply, "expand:dot", bound=ROUNDED, **_GEOMETRIC,
            doc="Product of two numbers; the dot product of vectors."),
    Builtin("length", "f>f", np.abs, "expand:abs", **_GEOMETRIC,
            doc="Magnitude; the length of a vector."),
    Builtin("distance", "ff>f", lambda x, y: np.abs(x - y), "expand:distance", bound=ROUNDED,
            **_GEOMETRIC, doc="length(x - y)."),
    Builtin("normalize", "f>f", _normalize, "expand:normalize", **_GEOMETRIC,
            doc="The sign; a vector of length 1 in the same direction."),
    Builtin("fast_length", "s>s", np.abs, "expand:abs", **_GEOMETRIC,
            doc="Magnitude; a vector's length within 8192 units."),
    Builtin("fast_distance", "ss>s", lambda x, y: np.abs(x - y), "expand:distance", bound=ROUNDED,
            **_GEOMETRIC, doc="fast_length(x - y)."),
    Builtin("fast_normalize", "s>s", _normalize, "expand:normalize", **_GEOMETRIC,
            doc="The sign; a vector of length 1 within 8192 units."),
)
