"""Warnings that decide about nothing: said as Python says them, and never raised.

With ``-W error`` a warning is an exception. One that came out of looking for devices, of compiling
or of a thread would take a device away, or a result; here its text goes to the standard error
stream instead. ``warn`` is for what is asked at the program's own line, where an error is what it
wanted. Non-goals: deprecations (``deprecation``). Invariant: nothing else raises here.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator

_HERE = __file__[:-len("process/notices.py")]


def tell(text: str, kind: type[Warning] = RuntimeWarning) -> None:
    """Warn at the first caller outside the package; where warnings are errors, print the text."""
    try:
        warnings.warn(f"unisycl: {text}", kind, stacklevel=outside())
    except Warning:
        _print(f"unisycl: {text}\n")


def warn(text: str, kind: type[Warning] = RuntimeWarning) -> None:
    """Warn at the first caller outside the package, and raise where warnings are errors."""
    warnings.warn(f"unisycl: {text}", kind, stacklevel=outside())


def outside() -> int:
    """Return the stack level, for the caller of this, of the first frame outside the package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame, level = frame.f_back, level + 1
    return level


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Let nothing that warns in this block be stopped by it, ours or a library's; tell it later."""
    found: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("default")
            yield
    finally:
        for one in found:
            try:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
            except Warning:
                _print(f"{one.category.__name__}: {one.message}\n")


def _print(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or there is none
        sys.stderr.write(text)
