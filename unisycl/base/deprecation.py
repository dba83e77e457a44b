"""Telling a program that what it uses is deprecated, at its own line.

Non-goals: the names of SYCL 1.2 (``compat12``). Invariant: Python's own filters decide whether and
how often it is shown.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType

_HERE = __file__[:-len("base/deprecation.py")]


def warn(text: str) -> None:
    """Issue a ``DeprecationWarning`` that points at the first caller outside the package."""
    level, frame = 1, sys._getframe()
    caller: FrameType | None = frame
    while caller is not None and caller.f_code.co_filename.startswith(_HERE):
        caller, level = caller.f_back, level + 1
    warnings.warn(text, DeprecationWarning, stacklevel=level)
