"""What devices and kernels answer about forward progress and the limits it puts on launches.

The queries of sycl_ext_oneapi_forward_progress and sycl_ext_oneapi_launch_queries. Non-goals:
requiring progress (``base.forward_progress``). Invariant: a launch within the limits returned here
is accepted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from unisycl.api.devices.info import Descriptor
from unisycl.api.devices.queue_base import QueueBase
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.forward_progress import (
    WEAKEST,
    Levels,
    check_scopes,
    collapsed,
    execution_scope,
    forward_progress_guarantee,
    required,
)
from unisycl.lang.index.root_group import use_root_sync
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.launch import progress


def of_device(device: DeviceState, what: Descriptor) -> Any:
    """Return the strongest guarantee on request, or all guarantees, of a scope towards another."""
    single = what.name == "forward_progress_guarantee"
    scopes = what.arguments if single else (
        execution_scope[what.name.partition("_progress")[0]], *what.arguments)
    if len(scopes) != 2:
        raise UsageError(errc.invalid, f"{what!r} takes {2 if single else 1} execution_scope in "
                         f"brackets, as in info.device.{what.name}["
                         f"{'execution_scope.work_group, ' if single else ''}"
                         "execution_scope.root_group]")
    check_scopes(repr(what), *scopes)
    strongest = collapsed(device.info.progress, *scopes)
    return strongest if single else [g for g in forward_progress_guarantee if g <= strongest]


class Limits:
    """The limits of launches of one kernel, as the answers to its launch queries."""

    def __init__(self, levels: Levels | tuple[()], sub_group: int) -> None:
        self.levels = levels or WEAKEST
        self.sub_group = sub_group

    def ask(self, what: Descriptor, arguments: tuple[Any, ...]) -> Any:
        """Return the answer; ``TypeError`` for other arguments than the query takes."""
        takes, answer = _LAUNCH[what.name]
        least = len([t for t in takes if not t.startswith("[")])
        if not least <= len(arguments) <= len(takes) or not isinstance(arguments[0], QueueBase):
            raise TypeError(f"get_info({what!r}) takes ({', '.join(takes)})")
        return answer(self, arguments[0].channel.device, *arguments[1:])

    def _groups(self, device: DeviceState, local: Any, local_bytes: int = 0) -> int:
        items = math.prod(tuple(geo.as_range(local)))
        if items == 0:
            raise UsageError(errc.invalid, "max_num_work_groups: a work-group of no items cannot "
                             "be launched")
        if local_bytes > device.info.local_mem_size:
            return 0
        return progress.groups_for(device.info, self.levels, items)

    def _together(self, device: DeviceState, local: Any, local_bytes: int = 0) -> int:
        """Return how many groups a launch with barriers over the root_group may have."""
        levels = tuple(map(max, self.levels, required([use_root_sync])))
        return Limits((levels[0], levels[1], levels[2]), self.sub_group)._groups(
            device, local, local_bytes)

    def _recommended(self, device: DeviceState, local: Any, local_bytes: int = 0) -> int:
        """Return how many groups at once keep a compute unit busy; 0 if it can run none."""
        most = self._groups(device, local, local_bytes)
        return min(most, int(device.info.details.get("groups_per_unit", 1)))

    def _largest(self, device: DeviceState) -> int:
        return progress.largest_group(device.info, self.levels)

    def _widest(self, device: DeviceState, local: Any = 1) -> int:
        items = math.prod(tuple(geo.as_range(local)))
        size = self.sub_group or max(device.info.sub_group_sizes)
        return min(size, items)

    def _sub_groups(self, device: DeviceState, local: Any) -> int:
        items = math.prod(tuple(geo.as_range(local)))
        return -(-items // (self.sub_group or min(device.info.sub_group_sizes)))


def _sizes(limits: Limits, device: DeviceState) -> Any:
    return geo.id(*device.info.max_work_item_sizes)


_LAUNCH: dict[str, tuple[tuple[str, ...], Callable[..., Any]]] = {
    "max_work_item_sizes": (("queue",), _sizes),
    "max_work_group_size": (("queue",), Limits._largest),
    "max_num_work_groups": (("queue", "local range", "[local bytes]"), Limits._groups),
    "max_num_work_group_sync": (("queue", "local range", "[local bytes]"), Limits._together),
    "max_sub_group_size": (("queue", "local range"), Limits._widest),
    "max_num_sub_groups": (("queue", "local range"), Limits._sub_groups),
    "num_sub_groups": (("queue", "local range"), Limits._sub_groups),
    "recommended_num_work_groups": (("queue", "local range", "[local bytes]"),
                                    Limits._recommended),
}
LAUNCH = frozenset(_LAUNCH)
