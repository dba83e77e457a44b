"""How many commands have not ended, for a backend that asks whether anything else is at work.

Non-goals: which they are. Invariant: the runtime tells; without it there are none.
"""

from __future__ import annotations

from collections.abc import Callable

_sources: list[Callable[[], int]] = []


def register(count: Callable[[], int]) -> None:
    """Have a function counted that says how many commands have not ended."""
    _sources.append(count)


def unfinished() -> int:
    """Return how many commands have not ended."""
    return sum(count() for count in _sources)
