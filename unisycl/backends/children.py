"""What starts the children of a kernel behind it on a device, and what it leaves to the runtime.

Non-goals: starting them. Invariant: what is left has not begun.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from unisycl.backends.base import BoundView, Completion
from unisycl.ir.enqueue_records import Commands


class Left(NamedTuple):
    """Commands that were not started.

    ``parents``: kernels that have ended and whose records nobody took, each with its place in the
    tree, its generation and its records; ``commands``: kernels that wait for nothing, each with its
    place, its generation and its record.
    """

    parents: tuple[tuple[int, int, Any], ...] = ()
    commands: tuple[tuple[int, int, Any], ...] = ()


class Starter(Protocol):
    """Starts the children of one launch."""

    def memory(self, what: Commands) -> BoundView:
        """Return the memory for what the launch itself enqueues, as it begins."""

    def run(self, parent: Completion) -> Left:
        """Start all that is enqueued behind a kernel, and wait; raise what a kernel failed with."""
