"""A device that runs kernels as the host device does, but in memory of its own."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.api.devices.device import device
from unisycl.api.queue.queue import queue
from unisycl.backends.base import BoundView, Completion, DeviceInfo, Launch
from unisycl.backends.host.driver import HostDriver
from unisycl.base.enums import aspect
from unisycl.runtime.devices.devices import DeviceState

SHARING = {aspect.usm_host_allocations, aspect.usm_shared_allocations,
           aspect.usm_system_allocations, aspect.usm_atomic_host_allocations,
           aspect.usm_atomic_shared_allocations}
_numbers = itertools.count(1)


class Apart(np.ndarray[Any, Any]):
    """Memory of the device; the host's arrays are not of this type."""

    @property
    def address(self) -> int:
        return int(self.ctypes.data)


class ApartDriver(HostDriver):
    """Counts what is copied: 'in' to the device, 'out' of it, 'within' it."""

    def __init__(self) -> None:
        super().__init__()
        self.memory = f"apart {next(_numbers)}"
        self.copies: list[tuple[str, int]] = []
        self.broken = ""

    def devices(self) -> Sequence[DeviceInfo]:
        (info,) = super().devices()
        return (dataclasses.replace(info, name=self.memory, aspects=info.aspects - SHARING,
                                    mem_base_addr_align=64),)

    def allocate(self, nbytes: int, kind: Any = None,  # type: ignore[override]
                 alignment: int = 1, *, addressed: bool = False) -> Apart:
        return np.full(max(1, nbytes), 0xAB, np.uint8).view(Apart)

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        for view in (*launch.values, *(v for v, _ in launch.reductions)):
            assert not isinstance(view, BoundView) or isinstance(view.memory, Apart)
        return super().launch(launch, deps)

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        to, start = (isinstance(v.memory, Apart) for v in (dst, src))
        kind = "within" if to and start else "in" if to else "out"
        assert to or start
        if kind == self.broken:
            raise RuntimeError("the cable is unplugged")
        self.copies.append((kind, int(np.prod(dst.shape)) * dst.memory.itemsize))
        return super().copy(dst, src, deps)


def apart_queue(driver: ApartDriver, *args: Any) -> queue:
    """Return a queue on a device of its own platform."""
    (info,) = driver.devices()
    return queue(device._of(DeviceState(driver.memory, driver, info, driver.memory)), *args)
