"""The index objects of the calling work-item, without a parameter (khr_work_item_queries).

Non-goals: what they are (``nd_item``, ``groups``). Invariant: outside a kernel over an nd_range
they raise ``UsageError``; on the host device ``enter`` says which work-item is running.
"""

from __future__ import annotations

import threading
from typing import NoReturn

from unisycl.base.errors import UsageError, errc
from unisycl.lang.index.groups import group, sub_group
from unisycl.lang.index.nd_item import nd_item

_current = threading.local()


def enter(it: nd_item | None) -> None:
    """Make a work-item the one that is running in this thread."""
    _current.item = it


def this_nd_item() -> nd_item:
    """Return the calling work-item, in a kernel over an nd_range and the functions it calls."""
    found: nd_item | None = getattr(_current, "item", None)
    if found is None:
        _outside("this_nd_item")
    return found


def this_group() -> group:
    """Return the work-group of the calling work-item."""
    return this_nd_item().get_group()


def this_sub_group() -> sub_group:
    """Return the sub-group of the calling work-item."""
    return this_nd_item().get_sub_group()


def leader_of(group: group | sub_group) -> bool:
    """Say whether the calling work-item is the first of a group (khr_group_interface)."""
    return group.leader()


def _outside(name: str) -> NoReturn:
    raise UsageError(errc.invalid, f"{name} has an answer only in a kernel over an nd_range")
