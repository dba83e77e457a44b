"""Ranks that are threads of this process, to try programs out.

Non-goals: speed. Invariant: the first error of a rank is raised when all have ended.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.ccl.communicators import communicator
from unisycl.ranks.links import threads

T = TypeVar("T")


@ends_at_call
def run_threads(size: int, body: Callable[[communicator], T], *, limit: float = 30.0) -> list[T]:
    """Run a function as so many ranks of this process; return what each of them returns.

    Args:
        size: how many ranks.
        body: called in a thread for each rank, with its communicator.
        limit: the seconds after which a rank that has not come is missing.
    """
    return threads.run(size, lambda link: body(communicator(link)), limit=limit)
