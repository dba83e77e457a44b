"""Which ends of pipes a kernel moves, whether it is itself at the others, and who may be.

A method of a pipe is reached by way of its object: pipe, method, ``__self__``, ..., part of it.
Non-goals: what a pipe is (``api.pipes``). Invariant: two names of one pipe count as two pipes, so
a kernel that is said to be at both ends is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unisycl.backends.base import DeviceInfo
from unisycl.base.errors import UnsupportedError, errc
from unisycl.base.forward_progress import (
    WEAKEST,
    Levels,
    forward_progress_guarantee,
    missing,
)
from unisycl.ir.nodes import Kernel, Param
from unisycl.ir.types import View
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.partners import End

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


def _is_together(kernel: Kernel) -> bool:
    """Say whether all work-groups of a kernel are promised to run at the same time."""
    return kernel.index_kind == "nd_range" and not missing(kernel.progress or WEAKEST, _TOGETHER)


def meets_itself(kernel: Kernel) -> bool:
    """Say whether work-groups that run at the same time are at both ends of each of its pipes."""
    if not _is_together(kernel):
        return False
    ends: dict[tuple[object, ...], set[str]] = {}
    for _, path, method, _ in calls(kernel, "_ends"):
        ends.setdefault(path, set()).add(method)
    return bool(ends) and all(found & WRITES and found & READS for found in ends.values())


def _apart(kernel: Kernel) -> str:
    """Return why a kernel is launched as one with no other; '' where it may be."""
    if kernel.reducers:
        return "has reductions"
    if kernel.progress and not _is_together(kernel):
        return "requires progress of its own threads"
    if kernel.enqueues:
        return "enqueues kernels"
    return ""


def joins(info: DeviceInfo, kernel: Kernel) -> bool:
    """Say whether a kernel is launched with others that are at its pipes' other ends."""
    return info.joined_kernels and not info.concurrent_kernels and not meets_itself(
        kernel) and not _apart(kernel) and any(True for _ in calls(kernel, "_ends"))


def check(info: DeviceInfo, kernel: Kernel) -> None:
    """Refuse a kernel that may wait for others where it cannot run with them."""
    if not kernel.waits or info.concurrent_kernels or meets_itself(kernel) or joins(info, kernel):
        return
    why = _apart(kernel) if info.joined_kernels else ""
    refuse(info, kernel.name, f" unless they are launched as one, and this one {why}" * bool(why))


def refuse(info: DeviceInfo, kernel: str, unless: str = "") -> None:
    """Refuse a kernel, by name, that may wait for what need not run at the same time."""
    raise UnsupportedError(errc.kernel_not_supported, f"kernel '{kernel}' may wait for another "
                           f"kernel, and the device '{info.name}' need not run two at a time"
                           f"{unless}; use the operations of the pipe that do not wait (_nb), or "
                           "have both ends in one kernel that requires concurrent progress of its "
                           "work-groups")


def of_launch(kernel: Kernel, raw: tuple[Any, ...], channel: Channel) -> tuple[End, ...]:
    """Return the ends of pipes that one launch moves, of pipes between kernels.

    One that may wait at a pipe whose other end is a file is refused. One that requires progress of
    its work-groups may wait for itself only, and is launched alone.
    """
    found: dict[int, tuple[str, Any, set[str]]] = {}
    for name, _, method, param in calls(kernel, "_ends"):
        variable = raw[param.index]
        found.setdefault(id(variable), (name, variable, set()))[2].add(method)
    ends = []
    for name, variable, methods in found.values():
        waits = methods & {"write", "read"}
        if variable.outside:
            if waits:
                refuse(channel.device.info, kernel.name)
            continue
        ends.append(End(name, key_of(variable, channel), bool(methods & WRITES),
                        bool(methods & READS), "write" in waits, "read" in waits, variable))
    if not kernel.progress:
        return tuple(ends)
    if any(end.missing(ends) for end in ends):
        refuse(channel.device.info, kernel.name, " unless they are launched as one, and this one "
               "requires progress of its own threads")
    return ()


def key_of(variable: Any, channel: Channel) -> tuple[int, int, int]:
    """Return what tells the pipe of a device and context from others, by its variable of ends."""
    return id(variable), id(channel.context), channel.device.number
