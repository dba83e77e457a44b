"""A fork waits until no other thread is importing a part of unisycl.

Python keeps a lock for each module while it is imported. A child that is forked meanwhile has the
lock but not the thread that would give it back, and waits for ever when it needs the module; since
unisycl loads its parts on first use, that is easily met. Non-goals: other locks (``lifecycle``, and
each backend, start afresh in a child). Invariant: a fork waits for at most ``LONGEST`` seconds.
"""

from __future__ import annotations

import importlib
import os
import threading
import time
from typing import Any

LONGEST = 20.0
_NAMES = ("unisycl", "llvmlite", "numpy")


def imported_elsewhere() -> bool:
    """Say whether another thread is importing a module of ours, or one that ours need."""
    locks: dict[str, Any] = getattr(getattr(importlib, "_bootstrap", None), "_module_locks", {})
    me = threading.get_ident()
    for name, reference in list(locks.items()):
        if name.startswith(_NAMES):
            lock = reference()
            if lock is not None and getattr(lock, "owner", None) not in (None, me):
                return True
    return False


def wait_for_imports() -> None:
    """Let other threads finish what they import."""
    until = time.monotonic() + LONGEST
    while imported_elsewhere() and time.monotonic() < until:
        time.sleep(0.001)


def watch() -> None:
    """Have every fork of this process wait."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=wait_for_imports)
