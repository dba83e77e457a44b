"""Kernels that enqueue kernels (OpenCL 3.0 §3.2.3, OpenCL C ``enqueue_kernel``).

A kernel writes commands, one record each, into memory that belongs to its own launch; what reads
them is ``runtime.launch.enqueued_kernels`` or the device itself. Written in the kernel language,
but for ``enqueue_kernel`` and ``enqueue_task``, which the front end knows
(``frontend.forms.enqueue``). Non-goals: running anything. Invariant: an event is the number of its
record, so it means something to the kernel that made it only.
"""

from __future__ import annotations

import enum
import threading
from typing import Any, NoReturn, Protocol

import numpy as np

from unisycl.base import geometry as geo
from unisycl.base.enums import memory_order, memory_scope
from unisycl.base.errors import UsageError, errc
from unisycl.ir.enqueue_records import (
    CAPACITY,
    EXTENT,
    GROUP_SIZE,
    MARKER,
    MULTIPLE,
    NUMBERS,
    OFFSET,
    STATUS,
    SUBMITTED,
    USER_EVENT,
    WAITS,
    WORDS,
    counts,
    records,
)
from unisycl.lang.memory.atomic import atomic_ref

__kernel_language__ = True
_FULL, _BAD_EVENT, _BAD_RANGE = -161, -57, -160
_RELAXED, _DEVICE = memory_order.relaxed, memory_scope.device


class kernel_enqueue_flags(enum.IntEnum):
    """When a child may begin: at once, after its parent's end, after its work-group's end."""

    no_wait = 0
    wait_kernel = 1
    wait_work_group = 2


class enqueue_status(enum.IntEnum):
    """The failures that ``enqueue_kernel`` returns: negative numbers."""

    success = 0
    out_of_resources = -5
    invalid_event_wait_list = _BAD_EVENT
    event_allocation_failure = -100
    enqueue_failure = -101
    invalid_ndrange = _BAD_RANGE
    device_queue_full = _FULL


# ---- in the kernel language
def put(head: Any, extent: Any, offset: Any, local: Any, waits: Any, numbers: Any) -> Any:
    """Write a record: its number, or a negative ``enqueue_status``."""
    event = np.int32(_FULL)
    for extent_d in extent:
        if extent_d < 0:
            event = np.int32(_BAD_RANGE)
    for extent_d, local_d in zip(extent, local):  # noqa: B905 - no keywords in kernels
        if extent_d % local_d != 0:
            event = np.int32(_BAD_RANGE)
    for wait in waits:
        if wait < 0:
            event = np.int32(_BAD_EVENT)
    if len(waits) > WORDS - WAITS:
        event = np.int32(_BAD_EVENT)
    if event == _FULL:
        at = atomic_ref(counts, 0, _RELAXED, _DEVICE).fetch_add(1)
        if 0 <= at < CAPACITY:
            event = at
            base = np.int64(at) * WORDS
            for k, word in enumerate(head):
                records[base + k] = np.int64(word)
            for k, word in enumerate(extent):
                records[base + EXTENT + k] = np.int64(word)
            for k, word in enumerate(offset):
                records[base + OFFSET + k] = np.int64(word)
            for k, wait in enumerate(waits):
                records[base + WAITS + k] = np.int64(wait)
            for k, number in enumerate(numbers):
                records[base + NUMBERS + k] = number
    return event


def create_user_event() -> Any:
    """Return an event that the kernel completes itself with ``set_user_event_status``.

    A command that waits for one whose status is never set does not run, and its parent fails.
    """
    return put((USER_EVENT, 0, SUBMITTED), (), (), (), (), ())


def set_user_event_status(event: Any, status: Any) -> None:
    """Complete a user event: 0, or a negative number, which fails what waits for it."""
    if event >= 0:
        records[np.int64(event) * WORDS + STATUS] = np.int64(status)


def enqueue_marker(wait_list: Any) -> Any:
    """Return an event that completes when all of a tuple have (22 at most)."""
    return put((MARKER, 0, len(wait_list)), (), (), (), wait_list, ())


def is_valid_event(event: Any) -> Any:
    """Say whether an enqueueing function returned an event and not a failure."""
    return event >= 0


def get_kernel_work_group_size(kernel: Any) -> Any:
    """Return how many work-items a work-group of a child may have, from inside a kernel."""
    return counts[GROUP_SIZE]


def get_kernel_preferred_work_group_size_multiple(kernel: Any) -> Any:
    """Return the best divisor of a child's work-group sizes, from inside a kernel."""
    return counts[MULTIPLE]


def get_default_queue_size() -> int:
    """Return how many commands one launch of a kernel may enqueue."""
    return CAPACITY


# ---- on the host device
class ndrange:
    """An index space of a child, made in a kernel; its sizes are checked when it is enqueued.

    Args:
        extent: the global range: an int, a tuple or a range.
        local: the work-group's size, known while compiling; left out: a plain range.
        offset: added to all ids.
    """

    __slots__ = ("extent", "local", "offset")

    def __init__(self, extent: Any, local: Any = None, offset: Any = None) -> None:
        self.extent = _tuple(extent)
        self.local = () if local is None else _tuple(local)
        self.offset = (0,) * len(self.extent) if offset is None else _tuple(offset)


def _tuple(extent: Any) -> tuple[int, ...]:
    if isinstance(extent, tuple | geo.range | geo.id):
        return tuple(int(x) for x in extent)
    return (extent.__index__(),)


class Taker(Protocol):
    """What takes the commands of a running kernel on the host device."""

    def take(self, flags: Any, space: Any, function: Any, arguments: tuple[Any, ...],
             wait_list: Any) -> Any:
        """Write a record; ``space`` is None for a single task, ``function`` for a marker."""


_current = threading.local()


def enter(taker: Taker | None) -> Taker | None:
    """Say whose commands those of this thread are from here on; return whose they were."""
    before: Taker | None = getattr(_current, "taker", None)
    _current.taker = taker
    return before


def enqueue_kernel(flags: Any, space: Any, kernel: Any, *arguments: Any,
                   wait_list: Any = ()) -> Any:
    """Enqueue a child kernel over a range or an ``ndrange``, from inside a kernel.

    Args:
        flags: when it may begin: one of ``kernel_enqueue_flags``.
        space: an int, a tuple, a range, or an ``ndrange``.
        kernel: a function of module or enclosing scope, as ``parallel_for`` takes it.
        arguments: numbers; memory that the parent has (accessors, USM, arrays), whole; functions
            and other constants.
        wait_list: up to 6 events of commands that this launch of the parent enqueued.

    Returns its event, an int32; a negative ``enqueue_status`` if it was not enqueued.
    """
    return _taker("enqueue_kernel").take(flags, space, kernel, arguments, wait_list)


def enqueue_task(flags: Any, kernel: Any, *arguments: Any, wait_list: Any = ()) -> Any:
    """Enqueue a child kernel that runs once, as ``single_task`` does; else as enqueue_kernel."""
    return _taker("enqueue_task").take(flags, None, kernel, arguments, wait_list)


def _taker(name: str) -> Taker:
    found: Taker | None = getattr(_current, "taker", None)
    if found is None:
        _outside(name)
    return found


def _outside(name: str) -> NoReturn:
    raise UsageError(errc.invalid, f"{name} is for kernels; on the host submit to a queue")
