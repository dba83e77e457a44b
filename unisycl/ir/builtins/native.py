"""The functions of ``native`` and ``half_precision`` (SYCL 2020 §4.17.6): float32, fast, rough.

Non-goals: accuracy; 8192 units in the last place is what ``half_precision`` promises and what
``native`` is held to here. Invariant: the same names in both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.ir.builtins.reference import widened
from unisycl.ir.builtins.row import Bound, Builtin

_TURNS = 2.0 ** 16  # sines are good for operands up to this
_HOSTS: dict[str, tuple[Callable[..., Any], int, str]] = {
    "cos": (np.cos, 1, "Cosine of up to 2**16 radians"),
    "divide": (np.divide, 2, "x / y"),
    "exp": (np.exp, 1, "e to the power x"),
    "exp2": (np.exp2, 1, "2 to the power x"),
    "exp10": (widened(lambda x: np.power(np.float64(10), x)), 1, "10 to the power x"),
    "log": (np.log, 1, "Natural logarithm"),
    "log2": (np.log2, 1, "Logarithm to base 2"),
    "log10": (np.log10, 1, "Logarithm to base 10"),
    "powr": (np.power, 2, "x to the power y, for x above 0"),
    "recip": (np.reciprocal, 1, "1 / x"),
    "rsqrt": (widened(lambda x: np.float64(1) / np.sqrt(x)), 1, "Reciprocal square root"),
    "sin": (np.sin, 1, "Sine of up to 2**16 radians"),
    "sqrt": (np.sqrt, 1, "Square root"),
    "tan": (np.tan, 1, "Tangent of up to 2**16 radians"),
}
NAMES = tuple(_HOSTS)


def _row(family: str, name: str) -> Builtin:
    host, arity, doc = _HOSTS[name]
    high = _TURNS if name in ("cos", "sin", "tan") else float("inf")
    return Builtin(f"{family}_{name}", "s" * arity + ">s", host, f"expand:native_{name}",
                   bound=Bound(fp32=8192, high=high), section="4.17.6",
                   doc=f"{doc}, within 8192 units in the last place.")


ROWS = tuple(_row(family, name) for family in ("native", "half") for name in NAMES)
