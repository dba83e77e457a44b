"""What Ctrl-C has ended the wait for, and whether the end of the program waits for it.

Non-goals: stopping commands; no processor's thread can be stopped from outside. Invariant: who has
pressed Ctrl-C does not wait again at the program's end: commands go on until none ends for
``PATIENCE`` seconds, and what is left is reported and abandoned.
"""

from __future__ import annotations

import sys
import weakref
from typing import Protocol

PATIENCE = 1.0
"""So long, in seconds, the end of a hurried program waits for the next command to end."""


class Awaited(Protocol):
    """A command that was waited for."""

    def done(self) -> bool:
        """Say whether it has ended; never blocks."""


class _State:
    def __init__(self) -> None:
        self.left: weakref.WeakSet[Awaited] = weakref.WeakSet()
        self.ending = False
        self.cut: weakref.WeakSet[BaseException] = weakref.WeakSet()


_state = _State()


def leave(command: Awaited) -> None:
    """Note that Ctrl-C has ended the wait for a command, which goes on."""
    _state.left.add(command)


def hurried() -> bool:
    """Say whether the program ends by Ctrl-C, or has left a command to itself that still runs.

    To be asked at the program's end; once it is so, it stays so.
    """
    if not _state.ending:
        last = getattr(sys, "last_value", None)
        told = isinstance(last, KeyboardInterrupt) and not hasattr(sys, "ps1")
        _state.ending = told or any(not command.done() for command in list(_state.left))
    return _state.ending


def cut(error: BaseException) -> None:
    """Note that an error says only that a command was abandoned."""
    _state.cut.add(error)


def was_cut(error: BaseException | None) -> bool:
    """Say whether an error goes back to a command that was abandoned."""
    while error is not None:
        if error in _state.cut:
            return True
        error = error.__cause__
    return False
