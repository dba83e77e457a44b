"""A helper that kernels reach through this module's name."""

from __future__ import annotations

import math
import sys

nested = sys.modules[__name__]


def logarithm(x):
    return math.log(x)
