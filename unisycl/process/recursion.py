"""Room for recursion over deeply nested programs, such as long chains of ``elif`` or ``+``.

Non-goals: unlimited depth; what nests deeper still raises RecursionError. Invariant: the limit that
was there before is back when the last of those who asked for more is done.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

LIMIT = 1600
"""Python frames. Some 250 nested statements; the memory that threads have for frames holds more."""

DEEPER = 60_000
"""Frames in a thread made for it."""

_STACK = 512 << 20  # of addresses; memory is taken as it is used
_Result = TypeVar("_Result")
_lock = threading.Lock()
_users: list[int] = []
_before = 0


@contextmanager
def deep(limit: int = LIMIT) -> Iterator[None]:
    """Let this thread, and with it all others, call functions more deeply for a while."""
    global _before
    with _lock:
        if not _users:
            _before = sys.getrecursionlimit()
        _users.append(limit)
        sys.setrecursionlimit(max(_before, *_users))
    try:
        yield
    finally:
        with _lock:
            expected = max(_before, *_users)
            _users.remove(limit)
            if sys.getrecursionlimit() == expected:  # nobody else has set one
                sys.setrecursionlimit(max(_before, *_users) if _users else _before)


def inside() -> bool:
    """Say whether this thread is one that was made for deep recursion."""
    return threading.current_thread().name == _NAME


_NAME = "unisycl-deep"


def apart(work: Callable[[], _Result]) -> _Result:
    """Do the work in a thread with a large stack, and wait for it."""
    ended: list[Any] = []

    def run() -> None:
        try:
            with deep(DEEPER):
                ended.append((work(), None))
        except BaseException as error:  # noqa: BLE001 - raised below
            ended.append((None, error))
    thread = threading.Thread(target=run, name=_NAME, daemon=True)
    with _lock:
        before = threading.stack_size(_STACK)
        try:
            thread.start()
        except RuntimeError as full:  # no room for such a stack
            raise RecursionError(str(full)) from None
        finally:
            threading.stack_size(before)
    thread.join()
    result, raised = ended[0]
    if raised is not None:
        raise raised
    return result  # type: ignore[no-any-return]
