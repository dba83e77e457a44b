"""What kernels require of the progress of their threads, against what a device can give.

Non-goals: giving it (backends). Invariant: a kernel never runs with less than it requires; it is
refused before anything enters the graph.
"""

from __future__ import annotations

import math

from unisycl.backends.base import DeviceInfo, Geometry
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.forward_progress import (
    WEAKEST,
    Levels,
    apart,
    forward_progress_guarantee,
    missing,
)
from unisycl.ir.nodes import Kernel


def check_kernel(info: DeviceInfo, kernel: Kernel) -> None:
    """Refuse a kernel that requires more than a device gives (``errc.feature_not_supported``)."""
    wanted = kernel.progress
    lacking = missing(info.progress, wanted) if wanted else ()
    if not wanted or not lacking:
        return
    level = lacking[0]
    raise UnsupportedError(errc.feature_not_supported, f"kernel '{kernel.name}' requires "
                           f"{wanted[level.value].name} progress of its {level.name}s; the device "
                           f"'{info.name}' gives {info.progress[level.value].name} at most; ask "
                           "info.device.forward_progress_guarantee before")


def groups_for(info: DeviceInfo, levels: Levels, local: int) -> int:
    """Return how many work-groups of ``local`` items a launch may have; 0 if it cannot be."""
    if not 1 <= local <= largest_group(info, levels) or missing(info.progress, levels):
        return 0
    most = (1 << 62) // local
    if levels[2] is forward_progress_guarantee.concurrent:
        most = min(most, info.resident_groups)
        if apart(levels) and info.resident_items:
            most = min(most, info.resident_items // local)
    return most


def largest_group(info: DeviceInfo, levels: Levels) -> int:
    """Return how many work-items a work-group may have."""
    if apart(levels) and info.resident_items:
        return min(info.max_work_group_size, info.resident_items)
    return info.max_work_group_size


def check_launch(info: DeviceInfo, kernel: Kernel, geometry: Geometry) -> None:
    """Refuse a launch with more work-groups than can run at the same time (``errc.nd_range``)."""
    if kernel.progress in ((), WEAKEST) or geometry.kind == "single":
        return
    if geometry.kind != "nd_range":
        raise UsageError(errc.invalid, f"kernel '{kernel.name}' requires progress of its "
                         "threads, so its launch says how many there are; use "
                         "nd_range(global, local)")
    items = math.prod(geometry.local)
    groups = math.prod(geometry.global_) // items
    most = groups_for(info, kernel.progress or WEAKEST, items)
    if groups > most:
        raise UsageError(errc.nd_range, f"kernel '{kernel.name}' requires progress of its threads "
                         f"that the device '{info.name}' gives to {most} work-groups of {items}; "
                         f"the launch has {groups}; ask info.kernel.max_num_work_groups before")
