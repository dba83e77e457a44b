"""The memory of collective calls: arrays, USM, buffers; as the host sees it while a call runs.

Non-goals: carrying it. Invariants: a buffer is used by an accessor of the call's command group;
memory that only the device sees is copied to and fro around the call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.ranks.links.gpu_aware import DeviceArray


class Side:
    """Elements that a call reads or writes: ``count`` of them from the first on."""

    def __init__(self, routine: str, what: str, x: Any, count: int | None, *,
                 writes: bool) -> None:
        self.routine, self.x, self.writes = routine, x, writes
        if isinstance(x, np.ndarray):
            if not x.flags.c_contiguous or (writes and not x.flags.writeable):
                refuse(routine, f"{what} must be contiguous" + (" and writable" if writes else ""))
            have = x.size
        elif isinstance(x, sycl.buffer | sycl.usm_pointer):
            have = x.size()
            block = getattr(x, "block", None)
            if block is not None and block.freed:
                block.bytes()  # says so
        else:
            refuse(routine, f"{what} must be an array, USM memory or a buffer, got "
                   f"{type(x).__name__}")
        self.dtype = np.dtype(x.dtype)
        self.count = have if count is None else whole(routine, "count", count)
        if not 0 <= self.count <= have:
            refuse(routine, f"{what} has {have} elements where {self.count} are needed")
        self.room = self.count
        """How many elements the call uses of the memory: more than these, where it is in place."""
        self.fresh = writes
        """Whether nothing of what was there before is read."""
        self.session: Any = None
        """What is entered to hand the device's memory to MPI; None where it is copied."""
        self._copy: np.ndarray[Any, Any] | None = None
        self._seen: Any = None

    @property
    def on_device(self) -> bool:
        """Whether the host cannot see it."""
        return isinstance(self.x, sycl.usm_pointer) and self.x.usm_type == "device"

    @property
    def needs_command(self) -> bool:
        """Whether it can be used by a command of the queue alone."""
        return isinstance(self.x, sycl.buffer) or self.on_device

    def hand_over(self, comm: Any, queue: sycl.queue) -> None:
        """Have MPI be given the device's memory itself, where it takes that."""
        driver = queue.channel.driver
        if self.on_device and comm.link.takes(driver.device_memory):
            self.session = driver.native.session()

    def words(self) -> str:
        """Return what its elements are, as the other end of a message has to see them."""
        return f"{self.count} {self.dtype.name}"

    def fetch(self, queue: sycl.queue, after: list[Any]) -> list[Any]:
        """Copy what only the device sees to the host; return what to wait for."""
        if not self.on_device or self.session is not None:
            return after
        self._copy = np.empty(self.room, self.dtype)
        return [queue.copy(self.x, self._copy, self.room, depends_on=after)]

    def put_back(self, queue: sycl.queue, after: Any) -> Any:
        """Copy what was written to the device; return its event."""
        if self._copy is None or not self.writes:
            return after
        return queue.copy(self._copy, self.x, self.room, depends_on=[after])

    def enter(self, h: sycl.handler) -> None:
        """Become part of the call's command group."""
        if isinstance(self.x, sycl.buffer):
            self._seen = sycl.accessor(
                self.x, h, sycl.read_write_host_task if self.writes else sycl.read_only_host_task)

    def enter_device(self, h: sycl.handler) -> None:
        """Become part of a command group whose command uses the memory where it lies."""
        if isinstance(self.x, sycl.buffer):
            every = self.fresh and self.count == self.x.size()
            how = (sycl.write_only, sycl.no_init) if every else (
                sycl.read_write if self.writes else sycl.read_only,)
            self._seen = sycl.accessor(self.x, h, *how)

    def address(self, handle: Any) -> int:
        """Return where the elements lie on the device, when the command is given to it."""
        if self._seen is not None:
            return int(handle.get_native_mem(self._seen))
        return int(self.x.address())

    def array(self) -> Any:
        """Return the elements, while the call runs; MPI's view of them if it takes the device's."""
        if self.session is not None:
            return DeviceArray(int(self.x.address()), self.count, self.dtype, self.session)
        return self.everything()[:self.count]

    def everything(self) -> np.ndarray[Any, Any]:
        """Return all elements that the call uses of the memory, while it runs."""
        if self._copy is not None:
            return self._copy
        if self._seen is not None:
            seen = self._seen.get_multi_ptr()
        else:
            seen = self.x.get_view() if isinstance(self.x, sycl.usm_pointer) else self.x
        return np.asarray(seen).reshape(-1)[:self.room]


def same_memory(a: Side, b: Side) -> bool:
    """Say whether a call is in place."""
    return a.x is b.x
