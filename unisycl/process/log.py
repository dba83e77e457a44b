"""What the loggers ``unisycl.compile`` and ``unisycl.transfer`` are told.

Non-goals: settings of loggers, which are the program's. Invariant: a program that has not imported
``logging`` loads nothing for it and pays a look into a table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

DEBUG, INFO = 10, 20  # as logging has them


def _logger(part: str, level: int) -> Any:
    """Return the logger of a part if it takes messages of the level."""
    logging = sys.modules.get("logging")
    if logging is None or not hasattr(logging, "getLogger"):  # the second: it is being imported
        return None
    found = logging.getLogger(f"unisycl.{part}")
    return found if found.isEnabledFor(level) else None


def say(part: str, level: int, text: str, *values: object) -> None:
    """Give a message to a logger, which puts the values into the text."""
    found = _logger(part, level)
    if found is not None:
        found.log(level, text, *values)


@contextmanager
def timed(part: str, level: int, text: str, *values: object) -> Iterator[None]:
    """Give a message with the milliseconds that the block took, if it does not raise."""
    found = _logger(part, level)
    begun = perf_counter() if found is not None else 0.0
    yield
    if found is not None:
        found.log(level, f"{text} in %.1f ms", *values, (perf_counter() - begun) * 1e3)
