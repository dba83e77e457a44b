"""Special values of mathematical functions: operands, then results (catalogue D-23).

None stands for a result that does not matter. Non-goals: accuracy.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Cases = dict[str, list[tuple[Any, ...]]]
inf, nan = math.inf, math.nan
LEAST, MOST = -(1 << 31), (1 << 31) - 1


def pinned(kind: np.dtype[Any]) -> Cases:
    """Return the cases by function, for one floating type."""
    return ELEMENTARY | GROWING | exact(kind)


ELEMENTARY: Cases = {
    "sqrt": [(-1, nan), (inf, inf), (-0.0, -0.0)], "rsqrt": [(0, inf), (inf, 0), (-1, nan)],
    "log": [(0, -inf), (-1, nan), (inf, inf), (1, 0)], "log2": [(8, 3), (0, -inf)],
    "log10": [(1000, 3), (0, -inf)], "log1p": [(-1, -inf), (-0.0, -0.0), (-2, nan)],
    "exp": [(-inf, 0), (inf, inf), (nan, nan), (1000, inf), (-1000, 0), (0, 1)],
    "exp2": [(10, 1024), (-inf, 0)], "exp10": [(2, 100), (-inf, 0)],
    "expm1": [(-inf, -1), (-0.0, -0.0)], "cbrt": [(-8, -2), (-0.0, -0.0), (inf, inf)],
    "sin": [(inf, nan), (-0.0, -0.0)], "cos": [(0, 1), (inf, nan)], "tan": [(-0.0, -0.0)],
    "sinpi": [(1, 0), (-1, -0.0), (0.5, 1), (1.5, -1), (inf, nan)],
    "cospi": [(0.5, 0), (1.5, 0), (1, -1)],
    "tanpi": [(0.5, inf), (1.5, -inf), (1, -0.0), (2, 0), (-0.5, -inf), (0.25, 1)],
    "acos": [(2, nan), (1, 0), (-1, math.pi)], "asin": [(1.5, nan), (-0.0, -0.0)],
    "atan": [(inf, math.pi / 2), (-0.0, -0.0)], "acospi": [(0, 0.5), (-1, 1)],
    "asinpi": [(1, 0.5)], "atanpi": [(inf, 0.5), (1, 0.25)],
    "atan2": [(0, -1, math.pi), (-0.0, -1, -math.pi), (0, 0.0, 0), (0, -0.0, math.pi),
              (inf, inf, math.pi / 4)],
    "atan2pi": [(1, 0, 0.5), (inf, -inf, 0.75)]}

GROWING: Cases = {
    "sinh": [(1000, inf), (-1000, -inf), (-0.0, -0.0)], "cosh": [(-1000, inf), (0, 1)],
    "tanh": [(inf, 1), (-inf, -1)], "atanh": [(1, inf), (-1, -inf), (2, nan)],
    "acosh": [(1, 0), (0.5, nan)], "asinh": [(-inf, -inf)],
    "erf": [(inf, 1), (-inf, -1)], "erfc": [(-inf, 2), (inf, 0)],
    "tgamma": [(5, 24), (0, inf), (-0.0, -inf), (-1, nan), (inf, inf), (-inf, nan)],
    "lgamma": [(1, 0), (2, 0), (0, inf), (-3, inf), (inf, inf)]}


def exact(kind: np.dtype[Any]) -> Cases:
    """Return cases of powers, and of functions of a float's parts."""
    tiny = float(np.finfo(kind).smallest_subnormal)
    below = float(np.nextafter(kind.type(1), kind.type(0)))
    return {
        "pow": [(nan, 0, 1), (1, nan, 1), (-8, 3, -512), (-2, 0.5, nan), (0, -1, inf),
                (-0.0, -3, -inf), (-1, inf, 1), (0.5, inf, 0), (2, -inf, 0), (-inf, 3, -inf)],
        "powr": [(-1, 2, nan), (0, 0, nan), (1, inf, nan), (0, -1, inf), (4, 0.5, 2)],
        "pown": [(nan, 0, 1), (-2, 3, -8), (0, -2, inf), (-0.0, -1, -inf), (2, -1, 0.5)],
        "rootn": [(-27, 3, -3), (-4, 2, nan), (16, 4, 2), (4, -2, 0.5), (1, 0, nan), (0, -3, inf)],
        "hypot": [(3, 4, 5), (inf, nan, inf)], "fmax": [(nan, 1, 1), (1, nan, 1)],
        "fmin": [(nan, 1, 1), (1, nan, 1)], "fdim": [(3, 1, 2), (1, 3, 0), (nan, 1, nan)],
        "fract": [(-tiny, below, -1), (1.25, 0.25, 1), (-0.0, -0.0, -0.0), (inf, 0, inf)],
        "modf": [(-1.25, -0.25, -1), (inf, 0, inf), (-inf, -0.0, -inf)],
        "frexp": [(8, 0.5, 4), (-0.0, -0.0, 0), (tiny, 0.5, None)],
        "remquo": [(7, 2, -1, 4), (-7, 2, 1, -4), (5, 2, 1, 2), (513, 1, 0, 1), (1, 0, nan, 0)],
        "remainder": [(5, 2, 1), (7, 2, -1), (-0.0, 1, -0.0), (1, inf, 1), (inf, 1, nan)],
        "fmod": [(-7, 2, -1), (7, -2, 1), (-4, 2, -0.0), (1, inf, 1)],
        "round": [(2.5, 3), (-2.5, -3)], "rint": [(2.5, 2), (3.5, 4), (-0.5, -0.0)],
        "ilogb": [(0, LEAST), (nan, LEAST), (inf, MOST), (10, 3), (0.5, -1)],
        "logb": [(0, -inf), (-inf, inf), (10, 3)], "ldexp": [(1, 4, 16), (inf, -9, inf)],
        "nextafter": [(0, 1, tiny), (0, -1, -tiny), (1, 0, below), (1, 1, 1), (tiny, -1, 0)],
        "maxmag": [(-3, 2, -3), (2, -2, 2)], "minmag": [(-3, 2, 2), (2, -2, -2)],
        "lgamma_r": [(-0.5, None, -1), (3, math.log(2), 1), (-1.5, None, 1)],
        "sign": [(nan, 0), (-0.0, -0.0), (-3, -1)], "normalize": [(-3, -1), (0, 0)]}
