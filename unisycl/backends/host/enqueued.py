"""What ``enqueue_kernel`` does on the host device: write the record that compiled code writes.

Which child of the kernel is meant is found by the function and the types of what it is given.
Non-goals: starting children (``runtime.launch.child_kernels``). Invariant: a record means the same
as one of any other device.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from unisycl.backends.base import Launch
from unisycl.backends.host.binding import plain_function, unwrap
from unisycl.base.errors import DeviceError, errc
from unisycl.ir import enqueue_records as rows
from unisycl.ir.function_uses import ChildUse
from unisycl.ir.types import Scalar
from unisycl.lang.index.nd_item import item
from unisycl.lang.kernels import device_queue as dq
from unisycl.lang.memory.views import HostView


class Commands:
    """Takes the commands of one launch; threads of it may call at the same time."""

    def __init__(self, launch: Launch) -> None:
        self._children = launch.tree.uses
        self._lock = threading.Lock()
        self._records = self._counts = np.empty(0, np.int64)
        for raw, value in zip(launch.raw, launch.values, strict=False):
            if isinstance(raw, rows.Commands):
                if raw.counts:
                    self._counts = value.memory
                else:
                    self._records = value.memory

    def take(self, flags: Any, space: Any, function: Any, arguments: tuple[Any, ...],
             wait_list: Any) -> int:
        """Write a record; return its number or a negative status."""
        kind, extent, offset, local = _space(space)
        number, use = self._which(function, kind, len(extent), local, arguments)
        numbers = [_bits(a, x) for a, x in zip(use.arguments, arguments, strict=True)
                   if isinstance(a, Scalar)]
        event = self._put((number, int(flags), len(wait_list)), extent, offset, local, wait_list,
                          numbers)
        if event < 0 and use.checked:
            raise DeviceError(errc.kernel, f"enqueue_kernel failed with status {event} (-161: the "
                              "device queue is full, -160: wrong range, -57: an event it waits for "
                              "is none)")
        return np.int32(event)  # type: ignore[return-value]

    def _which(self, function: Any, kind: str, ndim: int, local: tuple[int, ...],
               arguments: tuple[Any, ...]) -> tuple[int, ChildUse]:
        """Return the child that is meant: the one whose number types fit best."""
        code = _code(function)
        best: tuple[int, int, ChildUse] | None = None
        for number, (use, known, given) in enumerate(self._children):
            if (use.kind, use.ndim, use.local) != (kind, ndim, local) or _code(known) is not code \
                    or len(given) != len(arguments):
                continue
            fit = [_fits(a, g, x) for a, g, x in zip(use.arguments, given, arguments, strict=True)]
            if min(fit, default=1) > 0 and (best is None or sum(fit) > best[0]):
                best = sum(fit), number, use
        if best is None:
            name = getattr(function, "__name__", type(function).__name__)
            raise DeviceError(errc.kernel, f"enqueue_kernel: '{name}' was not compiled for these "
                              "arguments")
        return best[1], best[2]

    def _put(self, head: tuple[int, ...], extent: tuple[int, ...], offset: tuple[int, ...],
             local: tuple[int, ...], waits: Any, numbers: list[int]) -> int:
        if any(x < 0 for x in extent) or any(x % s for x, s in zip(extent, local, strict=False)):
            return int(dq.enqueue_status.invalid_ndrange)
        if any(w < 0 for w in waits):
            return int(dq.enqueue_status.invalid_event_wait_list)
        with self._lock:
            event = int(self._counts[0])
            self._counts[0] = event + 1
        if event >= rows.CAPACITY:
            return int(dq.enqueue_status.device_queue_full)
        record = self._records[event * rows.WORDS:(event + 1) * rows.WORDS]
        for at, words in ((rows.KERNEL, head), (rows.EXTENT, extent), (rows.OFFSET, offset),
                          (rows.WAITS, waits), (rows.NUMBERS, numbers)):
            for k, word in enumerate(words):
                record[at + k] = word
        return event


@contextlib.contextmanager
def taking(launch: Launch) -> Iterator[None]:
    """Have the commands of the calling thread taken for a launch, if its kernel enqueues any."""
    if not launch.executable.kernel.enqueues:
        yield
        return
    before = dq.enter(Commands(launch))
    try:
        yield
    finally:
        dq.enter(before)


def _code(function: Any) -> Any:
    plain = plain_function(unwrap(function))
    return None if plain is None else plain.__code__


def _space(space: Any) -> tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    if space is None:
        return "single", (1,), (), ()
    if not isinstance(space, dq.ndrange):
        space = dq.ndrange(space)
    return "nd_range" if space.local else "range", space.extent, space.offset, space.local


def _fits(wanted: Any, known: Any, given: Any) -> int:
    """Say how well an argument fits what a child was compiled for: 0 not, 2 best."""
    if isinstance(wanted, Scalar):
        if isinstance(given, item):
            given = given.__index__()
        if not isinstance(given, bool | int | float | np.generic):
            return 0
        return 2 if np.asarray(given).dtype == wanted.dtype.numpy else 1
    if isinstance(given, HostView):
        return 2 * (given._raw is known)
    return 2 * (given is known or (_code(given) is not None and _code(given) is _code(known))
                or bool(given == known))


def _bits(kind: Scalar, value: Any) -> int:
    """Return a number as the low bytes of a 64-bit word."""
    if isinstance(value, item):
        value = value.__index__()
    data = np.asarray(value).astype(kind.dtype.numpy).tobytes()
    return int.from_bytes(data.ljust(8, b"\0"), "little", signed=True)
