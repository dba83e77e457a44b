"""How a routine refuses what it is given: before anything runs, in the user's names.

Non-goals: errors of kernels, which the compiler tells. Invariant: ``errc.invalid``, and the text
begins with the routine's name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import unisycl as sycl


def refuse(routine: str, text: str) -> NoReturn:
    """Raise the error of a routine that was given something wrong."""
    raise sycl.UsageError(sycl.errc.invalid, f"{routine}: {text}")


def _usage(text: str) -> sycl.UsageError:
    return sycl.UsageError(sycl.errc.invalid, text)


def whole(routine: str, what: str, value: Any, least: int = 0, *,
          error: Callable[[str], Exception] = _usage) -> int:
    """Return a whole number that a routine was given; refuse others by a library's error."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise error(f"{routine}: {what} must be a whole number, got {value!r}")
    found = int(value.__index__())
    if found < least:
        raise error(f"{routine}: {what} must be at least {least}, got {found}")
    return found
