"""Which devices a rank has: one, those that a program lists, or its share of a platform's.

Non-goals: what runs where (``by_device``). Invariant: ranks of one machine take devices of their
own while there are enough.
"""

from __future__ import annotations

import os
from typing import Any

from unisycl.api.devices.device import device, platform
from unisycl.api.properties import Property, property_list
from unisycl.api.queue.queue import queue
from unisycl.base import settings
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.links.link import Link

_LOCAL = ("MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
          "SLURM_LOCALID")
_LOCALS = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE")


def queues(link: Link, given: tuple[Any, ...]) -> list[queue]:
    """Return a queue for each device of this rank, from the arguments of a ``distr_queue``."""
    lists = [a for a in given if isinstance(a, platform) or (
        isinstance(a, list | tuple) and any(isinstance(x, device | str) for x in a))]
    if not lists:
        return [queue(*_own_device(link, given))]
    if len(lists) > 1 or any(isinstance(a, device | str) for a in given):
        raise UsageError(errc.invalid, "distr_queue: give devices once: one, a list of them, or a "
                         "platform")
    rest = tuple(a for a in given if a is not lists[0])
    some = lists[0]
    chosen = _share(link, some.get_devices()) if isinstance(some, platform) else list(some)
    return [queue(one, *rest) for one in chosen]


def _share(link: Link, found: list[device]) -> list[device]:
    """Return what a rank gets of the devices that ranks of one machine share."""
    count = _number(_LOCALS, link.size)
    local = _number(_LOCAL, link.rank) % count
    return found[local::count] or [found[local % len(found)]]


def _own_device(link: Link, given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a queue's arguments with a rank's own device: of those of one kind each takes its own.

    A device that is named with its position, or is one, or is selected, stays.
    """
    named = "".join(a for a in given if isinstance(a, str))
    rest = tuple(a for a in given if not isinstance(a, str))
    if ":" in (named or settings.DEVICE.get() or "") or not all(
            isinstance(a, Property | property_list | list) for a in rest):
        return given
    chosen = device(named) if named else device()
    alike = [d for d in chosen.get_platform().get_devices()
             if d.state.info.backend == chosen.state.info.backend
             and (d.is_gpu(), d.is_cpu()) == (chosen.is_gpu(), chosen.is_cpu())]
    local = _number(_LOCAL, link.rank)
    return (alike[local % len(alike)] if len(alike) > 1 else chosen, *rest)


def _number(names: tuple[str, ...], otherwise: int) -> int:
    """Return a number that a launcher told this process, or another one."""
    found = [os.environ[name] for name in names if os.environ.get(name, "").isdecimal()]
    return int(found[0]) if found else otherwise
