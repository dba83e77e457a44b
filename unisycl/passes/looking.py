"""Who looks at kernels on their way through the passes.

Non-goals: running them (``pipeline``). Invariant: while somebody looks, nothing is remembered in
place of being done.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unisycl.base.dataclass import dataclass
from unisycl.ir.nodes import Kernel


@dataclass(frozen=True, slots=True)
class Seen:
    """A pass that a kernel came by, and the kernel behind it."""

    name: str
    kernel: Kernel


watchers: list[list[Seen]] = []


@contextmanager
def seen() -> Iterator[list[Seen]]:
    """Collect what kernels look like behind each pass that they come by inside the block."""
    found: list[Seen] = []
    watchers.append(found)
    try:
        yield found
    finally:
        watchers[:] = [x for x in watchers if x is not found]


def is_seen() -> bool:
    """Say whether somebody looks."""
    return bool(watchers)
