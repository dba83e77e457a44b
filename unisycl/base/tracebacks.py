"""Tracebacks of errors raised at submission: the user's lines, without ours between them.

Non-goals: the text of errors. Invariants: an error keeps its type, its causes and every frame that
is not ours; an ``InternalError``, and what is no error of unisycl's, is shown whole.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from unisycl.base import config
from unisycl.base.errors import InternalError, exception

_PACKAGE = Path(__file__).resolve().parents[1]
_OURS = tuple(f"{_PACKAGE / room}/" for room in (
    "api", "backends", "base", "compat12", "frontend", "ir", "lang", "passes", "runtime"))


def shown(error: exception) -> exception:
    """Return an error, to be raised again, without the frames of unisycl below its caller's.

    ``UNISYCL_TRACEBACK=full`` leaves them all.
    """
    if config.TRACEBACK.get() == "full" or isinstance(error, InternalError):
        return error
    kept, step = [], error.__traceback__
    while step is not None:
        if not step.tb_frame.f_code.co_filename.startswith(_OURS):
            kept.append(step)
        step = step.tb_next
    trace: TracebackType | None = None
    for one in reversed(kept):
        trace = TracebackType(trace, one.tb_frame, one.tb_lasti, one.tb_lineno)
    if isinstance(error.__cause__, exception):
        error.__cause__ = shown(error.__cause__)
    return error.with_traceback(trace)
