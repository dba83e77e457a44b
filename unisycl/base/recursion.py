"""Room for recursion over deeply nested programs, such as long chains of ``elif``.

Non-goals: unlimited depth; what nests deeper still raises RecursionError. Invariant: the limit that
was there before is back when the last of those who asked for more is done.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LIMIT = 1600
"""Python frames. Some 250 nested statements; the memory that threads have for frames holds more."""

_lock = threading.Lock()
_users = 0
_before = 0


@contextmanager
def deep() -> Iterator[None]:
    """Let this thread, and with it all others, call functions more deeply for a while."""
    global _users, _before
    with _lock:
        if _users == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, LIMIT))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and sys.getrecursionlimit() == max(_before, LIMIT):
                sys.setrecursionlimit(_before)
