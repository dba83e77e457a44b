"""Which ends of pipes a kernel moves, and whether it is itself at the other end of each.

A method of a pipe is reached by way of its object: pipe, method, ``__self__``, ..., part of it.
Non-goals: what a pipe is (``api.pipes``). Invariant: two names of one pipe count as two pipes, so
a kernel that is said to be at both ends is.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.base.forward_progress import (
    WEAKEST,
    Levels,
    forward_progress_guarantee,
    missing,
)
from unisycl.ir.nodes import Kernel, Param
from unisycl.ir.types import View

WRITES = frozenset(("write", "write_nb", "reserve_write"))
READS = frozenset(("read", "read_nb", "reserve_read"))
_WEAK, _CONCURRENT = (
    forward_progress_guarantee.weakly_parallel, forward_progress_guarantee.concurrent)
_TOGETHER: Levels = (_WEAK, _WEAK, _CONCURRENT)


def calls(kernel: Kernel, part: str) -> Iterator[tuple[str, tuple[object, ...], str, Param]]:
    """Yield each use of a part of something with methods: its name, its path, method, parameter."""
    for param in kernel.params:
        steps = [str(step) for _, step in param.path]
        method = steps.index("__self__") - 1 if "__self__" in steps else 0
        if method >= 1 and steps[-1] == part and isinstance(param.type, View):
            yield steps[method - 1], param.path[:method], steps[method], param


def meets_itself(kernel: Kernel) -> bool:
    """Say whether work-groups that run at the same time are at both ends of each of its pipes."""
    if kernel.index_kind != "nd_range" or missing(kernel.progress or WEAKEST, _TOGETHER):
        return False
    ends: dict[tuple[object, ...], set[str]] = {}
    for _, path, method, _ in calls(kernel, "_ends"):
        ends.setdefault(path, set()).add(method)
    return bool(ends) and all(found & WRITES and found & READS for found in ends.values())
