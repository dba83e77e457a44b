"""A driver that executes nothing, records every call, and whose commands tests end by hand.

Non-goals: results. Invariant: a completion ends when the test says so, or at once with
``automatic``; nothing here depends on time.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Sequence
from typing import Any

from unisycl.backends.base import (
    BoundView,
    Completion,
    DeviceInfo,
    Driver,
    Executable,
    Geometry,
    Launch,
)
from unisycl.backends.native_objects import HostObjects
from unisycl.base.dataclass import dataclass, field
from unisycl.base.enums import aspect, backend
from unisycl.ir.nodes import Kernel

INFO = DeviceInfo(
    name="null device", backend=backend.host, vendor="unisycl", version="0", driver_version="0",
    aspects=frozenset({
        aspect.cpu, aspect.emulated, aspect.fp64, aspect.atomic64, aspect.queue_profiling,
        aspect.ext_oneapi_queue_profiling_tag,
        aspect.usm_device_allocations, aspect.usm_host_allocations, aspect.usm_shared_allocations,
        aspect.usm_system_allocations}),
    max_compute_units=4, max_work_group_size=256, max_work_item_sizes=(256, 256, 256),
    local_mem_size=32768, global_mem_size=1 << 40, max_mem_alloc_size=1 << 36, units=(0, 1, 2, 3))


class NullCompletion:
    """The end of a recorded command."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self._event = threading.Event()
        self._error: BaseException | None = None
        self._start = time.monotonic_ns()
        self._end = 0

    def finish(self, error: BaseException | None = None) -> None:
        """End the command, as the device would."""
        self._error = error
        self._end = time.monotonic_ns()
        self._event.set()

    def done(self) -> bool:
        """Say whether the command has ended."""
        return self._event.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it ends."""
        return self._event.wait(timeout)

    def error(self) -> BaseException | None:
        """Return what it failed with."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return start and end in ns."""
        return self._start, self._end


@dataclass(eq=False, slots=True)
class Record:
    """One call of the driver: its kind, what it was given, and the completions it follows."""

    kind: str
    payload: Any
    deps: tuple[Completion, ...]
    completion: NullCompletion = field(init=False)

    def __post_init__(self) -> None:
        self.completion = NullCompletion(self)


@dataclass(eq=False, slots=True)
class NullExecutable:
    """A kernel that will never run."""

    kernel: Kernel


class NullDriver(Driver):
    """Records calls. ``automatic`` ends each command at once; else tests call ``finish``."""

    quick = True
    repeats = True

    def __init__(self, *, automatic: bool = False, infos: Sequence[DeviceInfo] = (INFO,),
                 name: backend = backend.host) -> None:
        self.backend = name
        self.automatic = automatic
        self.records: list[Record] = []
        self.compiled: list[Kernel] = []
        self._infos = tuple(infos)

    @property
    def native(self) -> HostObjects:
        """Arrays for memory, this driver for all else."""
        return HostObjects(self)

    def devices(self) -> Sequence[DeviceInfo]:
        """Return the devices given."""
        return self._infos

    def part(self, units: tuple[int, ...]) -> NullDriver:
        """Return a driver that records for itself, of a device of so many compute units."""
        info = dataclasses.replace(self._infos[0], max_compute_units=len(units),
                                   units=units if len(units) > 1 else ())
        return NullDriver(automatic=self.automatic, infos=(info,), name=self.backend)

    def compile(self, kernel: Kernel, geometry: Geometry) -> Executable:
        """Record that a kernel was compiled."""
        self.compiled.append(kernel)
        return NullExecutable(kernel)

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Record a launch."""
        return self._record("launch", launch, deps)

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Record a copy."""
        return self._record("copy", (dst, src), deps)

    def fill(self, dst: BoundView, pattern: Any, deps: Sequence[Completion]) -> Completion:
        """Record a fill."""
        return self._record("fill", (dst, pattern), deps)

    def finish_all(self) -> None:
        """End every command recorded so far."""
        for record in self.records:
            record.completion.finish()

    def _record(self, kind: str, payload: Any, deps: Sequence[Completion]) -> Completion:
        record = Record(kind, payload, tuple(deps))
        self.records.append(record)
        if self.automatic:
            record.completion.finish()
        return record.completion


def make_driver() -> NullDriver:
    """Return a driver whose commands end at once."""
    return NullDriver(automatic=True)
