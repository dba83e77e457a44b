"""The host device: kernels run as ordinary Python in this process.

A command whose dependencies are done runs in the calling thread, so ``breakpoint()`` works in a
kernel; others wait on a thread of their own. One command runs at a time, which makes atomics exact.
Non-goals: speed. Invariant: an error of a command is kept in its completion, never raised from
``launch``, ``copy`` or ``fill``; KeyboardInterrupt and SystemExit are.
"""

from __future__ import annotations

import platform
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from unisycl.backends.base import BoundView, Completion, DeviceInfo, Driver, Geometry, Launch
from unisycl.backends.host import limits
from unisycl.backends.native_objects import HostObjects
from unisycl.base.dataclass import replace
from unisycl.base.enums import IMAGES_BY_HANDLE, aspect, backend
from unisycl.base.errors import DeviceError, UnsupportedError, errc, exception
from unisycl.base.image_formats import LARGEST_EXTENT
from unisycl.base.later import Later
from unisycl.ir.nodes import Kernel
from unisycl.process import float_mode, machine
from unisycl.process.shared_files import HostSharing, shared_between_processes

if TYPE_CHECKING:
    from unisycl.backends.host import binding, concurrent_groups, workitems
else:
    binding = Later("unisycl.backends.host.binding")
    concurrent_groups = Later("unisycl.backends.host.concurrent_groups")
    workitems = Later("unisycl.backends.host.workitems")

_ASPECTS = frozenset({
    aspect.emulated, aspect.host_debuggable, aspect.fp16, aspect.fp64, aspect.atomic64,
    aspect.image, aspect.online_compiler, aspect.online_linker, aspect.queue_profiling,
    aspect.ext_oneapi_queue_profiling_tag,
    aspect.usm_device_allocations, aspect.usm_host_allocations,
    aspect.usm_atomic_host_allocations, aspect.usm_shared_allocations,
    aspect.usm_atomic_shared_allocations, aspect.usm_system_allocations,
    aspect.ext_oneapi_chunk, aspect.ext_oneapi_fragment,
    aspect.ext_oneapi_tangle}) | IMAGES_BY_HANDLE


class HostExecutable:
    """A kernel as the host device has it: nothing is compiled; ``cache`` keeps rewritten code."""

    __slots__ = ("cache", "device", "kernel")

    def __init__(self, kernel: Kernel, device: DeviceInfo) -> None:
        self.kernel = kernel
        self.device = device
        self.cache: dict[Any, Any] = {}


class HostCompletion:
    """The end of a command of the host device. Any thread may ask."""

    __slots__ = ("_end", "_ended", "_error", "_keep", "_start")

    def __init__(self, keep: object) -> None:
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._start = self._end = 0
        self._keep: object = keep

    def done(self) -> bool:
        """Say whether the command has ended; never blocks."""
        return self._ended.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the command ends or ``timeout`` seconds pass; say whether it ended."""
        return self._ended.wait(timeout)

    def error(self) -> BaseException | None:
        """Return what the command failed with; only valid once done."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return (start, end) in nanoseconds of ``time.monotonic_ns``; only valid once done."""
        return self._start, self._end

    def _run(self, work: Callable[[], None]) -> None:
        self._start = self._end = time.monotonic_ns()
        try:
            with float_mode.usual():
                work()
        except Exception as error:  # noqa: BLE001 -- the error is delivered where it is awaited
            self._error = error
        except BaseException as error:
            self._error = error
            raise
        finally:
            self._end = time.monotonic_ns()
            self._keep = None
            self._ended.set()


class HostDriver(Driver):
    """The driver of the host device."""

    backend = backend.host

    def __init__(self) -> None:
        # Re-entrant: at a debugger's prompt inside a kernel more commands may be submitted.
        self._one_at_a_time = threading.RLock()

    @property
    def native(self) -> HostObjects:
        """Arrays for memory, this driver for all else."""
        return HostObjects(self)

    @property
    def sharing(self) -> HostSharing | None:
        """Memory that processes share (``Driver.sharing``)."""
        return HostSharing() if HostSharing.is_there() else None

    def devices(self) -> Sequence[DeviceInfo]:
        """Return the one device: this process."""
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        memory, (cache, line) = machine.memory_bytes() or 1 << 32, machine.last_cache()
        return (DeviceInfo(
            name=f"host device ({platform.python_implementation()} {python})",
            backend=backend.host, aspects=_ASPECTS | shared_between_processes(), vendor="unisycl",
            driver_version=platform.python_version(), version=python,
            max_work_group_size=1024, max_work_item_sizes=(1024, 1024, 1024),
            sub_group_sizes=(limits.SUB_GROUP_SIZE, 1, 2, 4, 16, 32, 64),
            progress=limits.PROGRESS, resident_groups=limits.MOST_GROUPS,
            resident_items=limits.MOST_THREADS, concurrent_kernels=True,
            details={"image_extent": LARGEST_EXTENT, "image_read_write": True,
                     "vendor_id": machine.vendor_id(),
                     "max_clock_frequency": machine.clock_mhz(),
                     "global_mem_cache_size": cache, "global_mem_cache_line_size": line or 64},
            local_mem_size=256 * 1024, global_mem_size=memory, max_mem_alloc_size=memory),)

    def part(self, units: tuple[int, ...]) -> HostDriver:
        """Refuse: one thread at a time runs the kernels."""
        raise UnsupportedError(errc.feature_not_supported, "the host device is one compute unit")

    def compile(self, kernel: Kernel, geometry: Geometry) -> HostExecutable:
        """Return the kernel's executable; there is nothing to compile."""
        return HostExecutable(kernel, self.devices()[0])

    def text(self, kernel: Kernel, geometry: Geometry, stage: str) -> str:
        """Refuse but for 'build': the host device runs the function as it stands."""
        if stage == "build":
            return "nothing is compiled: options are accepted and have no effect"
        raise UnsupportedError(errc.feature_not_supported, "the host device compiles nothing: "
                               "CPython runs the function as it stands")

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Run a kernel: in this thread if ``deps`` are done, else after them on another."""
        executable = launch.executable
        cache = executable.cache if isinstance(executable, HostExecutable) else {}
        together = executable.kernel.progress and launch.geometry.kind == "nd_range"
        run = concurrent_groups.run if together else workitems.run
        if launch.order is not None:
            launch = replace(launch)  # a graph that runs again gives it another one
        if executable.kernel.waits:
            aside = run if together else concurrent_groups.run_aside
            return _start_aside(launch, lambda: aside(launch, cache), deps)
        return self._start(launch, lambda: run(launch, cache), deps)

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Copy element by element; ordering as for ``launch``."""
        def work() -> None:
            binding.bound_array(dst)[...] = binding.bound_array(src)
        return self._start((dst, src), work, deps)

    def fill(self, dst: BoundView, pattern: Any, deps: Sequence[Completion]) -> Completion:
        """Write one value everywhere; ordering as for ``launch``."""
        def work() -> None:
            binding.bound_array(dst)[...] = pattern
        return self._start((dst, pattern), work, deps)

    def _start(self, keep: object, work: Callable[[], None],
               deps: Sequence[Completion]) -> HostCompletion:
        made = HostCompletion(keep)

        def ordered() -> None:
            _check_dependencies(deps)
            with self._one_at_a_time:
                work()
        if all(d.done() for d in deps):
            made._run(ordered)
        else:
            threading.Thread(target=_run_later, args=(made, ordered, tuple(deps)),
                             name="unisycl-host").start()
        return made


def _start_aside(keep: object, work: Callable[[], None],
                 deps: Sequence[Completion]) -> HostCompletion:
    """Run a kernel that may wait for others in a thread of its own, beside all of them."""
    made = HostCompletion(keep)

    def ordered() -> None:
        _check_dependencies(deps)
        work()
    threading.Thread(target=_run_later, args=(made, ordered, tuple(deps)), daemon=True,
                     name="unisycl-host-kernel").start()
    return made


def _run_later(made: HostCompletion, work: Callable[[], None], deps: Sequence[Completion]) -> None:
    for dep in deps:
        dep.wait()
    made._run(work)


def _check_dependencies(deps: Sequence[Completion]) -> None:
    for dep in deps:
        error = dep.error()
        if error is not None:
            what = error.what() if isinstance(error, exception) else str(error)
            raise DeviceError(errc.runtime, "not run, because a command it depends on failed: "
                              f"{what}") from error


def make_driver() -> HostDriver:
    """Return a driver of the host device."""
    return HostDriver()
