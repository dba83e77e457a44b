"""Which line of the program called us: noted where a launch is made, so it takes half a us.

Non-goals: tracebacks. Invariant: a noted place is looked up only on request.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import CodeType, FrameType
from typing import TypeAlias

Where: TypeAlias = tuple[CodeType, int, str]
"""A place in code: the code object, the position in it, and what was done there."""

_PACKAGE = Path(__file__).resolve().parents[1]
_OURS = tuple(f"{_PACKAGE / room}{os.sep}" for room in (
    "api", "backends", "base", "compat12", "frontend", "ir", "lang", "observe", "passes", "process",
    "runtime"))
_known: dict[str, bool] = {}


def as_done(where: Where | None, done: str) -> Where | None:
    """Return a place with another word for what was done there."""
    return None if where is None else (*where[:2], done)


def caller() -> Where:
    """Return the innermost place of the program's own on the stack."""
    frame: FrameType = sys._getframe(2)
    while True:
        name = frame.f_code.co_filename
        ours = _known.get(name)
        if ours is None:
            ours = _known[name] = name.startswith(_OURS)
        above = frame.f_back
        if not ours or above is None:
            return frame.f_code, frame.f_lasti, "submitted"
        frame = above


def origin(made: object) -> str:
    """Return ", made at file:line" of what knows where the program made it; '' of other things."""
    where: Where | None = getattr(made, "__made__", None)
    return "" if where is None else f", made at {place(where)}"


def place(where: Where) -> str:
    """Return a place as file:line."""
    code, at, _ = where
    line = next((line for start, stop, line in code.co_lines() if start <= at < stop), None)
    return f"{code.co_filename}:{line or code.co_firstlineno}"
