"""One OpenCL device (``backends.base.Driver``): kernels, copies and fills on an out-of-order queue.

The runtime behind the device is loaded on the first use. Non-goals: finding devices
(``discovery``), text (``cfamily``), programs (``programs``). Invariants: a command's order is its
event wait list; nothing here waits but ``compile``.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import threading
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.backends import strided
from unisycl.backends.base import BoundView, Completion, DeviceInfo, Driver, Geometry, Launch
from unisycl.backends.device import printing
from unisycl.backends.device.loans import spoil
from unisycl.backends.device.pace import Pace
from unisycl.backends.device.scratch import NOTHING, whole
from unisycl.backends.device.shapes import groups_of
from unisycl.backends.device.texts import (
    PLAIN,
    Texts,
    Variant,
    key_of,
    source_of,
    variant_of,
    watched,
)
from unisycl.backends.opencl.discovery import discovery
from unisycl.backends.opencl.discovery.info import device_info
from unisycl.backends.opencl.discovery.runtimes import missing
from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.backends.opencl.errors import translated
from unisycl.backends.opencl.interop import pyopencl_arrays, pyopencl_objects
from unisycl.backends.opencl.interop.adopted import ClAdoption
from unisycl.backends.opencl.interop.given import ClObjects
from unisycl.backends.opencl.interop.pyopencl_objects import ForeignKernel
from unisycl.backends.opencl.launch import failed_calls, programs
from unisycl.backends.opencl.launch.completion import (
    CheckedCompletion,
    ClCompletion,
    Clock,
    Ends,
    end_of,
)
from unisycl.backends.opencl.launch.executable import (
    ClExecutable,
    make_executable,
)
from unisycl.backends.opencl.launch.failed_calls import guarded
from unisycl.backends.opencl.launch.prepared import Prepared, prepare
from unisycl.backends.opencl.launch.queues import MOST, Lanes
from unisycl.backends.opencl.launch.scratch import ClScratch
from unisycl.backends.opencl.launch.waiting import LATE_NS, Ending, Waiter
from unisycl.backends.opencl.memory.levels import Level, by_extension, level_of, memory_of
from unisycl.backends.opencl.memory.objects import DeviceArray, address
from unisycl.backends.opencl.memory.shared import Allocation, Shared, allocations_of, held
from unisycl.backends.opencl.memory.transfers import Transfers, events_of
from unisycl.backends.opencl.memory.unified import Unified
from unisycl.backends.opencl.session import Session, drivers, open_session
from unisycl.backends.opencl.text.dialect import make_dialect
from unisycl.backends.opencl.text.quirks import corrected, quirks_of
from unisycl.base import foreign_objects
from unisycl.base.enums import backend, usm_kind
from unisycl.base.errors import DeviceError, UnsupportedError, errc
from unisycl.ir.nodes import Kernel
from unisycl.passes import looking

_STAGES = ("source", "opencl")
_PATTERNS = frozenset((1, 2, 4, 8, 16, 32, 64, 128))

__all__ = ["ClDriver", "make_drivers", "missing", "problems"]


class ClDriver(Ending, Driver):
    """The driver of one OpenCL device. Its methods may be called from any thread."""

    backend = backend.opencl
    repeats = True

    def __init__(self, traits: Traits, libraries: list[str]) -> None:
        self.quirks = quirks_of(traits)
        self.traits = traits = corrected(traits, self.quirks)
        self.facts = dataclasses.replace(traits.facts(), short_ids=self.quirks.short_ids)
        self.level = level_of(traits, self.quirks)
        self.shares_host = self.level is Level.system
        self._extension = by_extension(traits, self.quirks, self.level)
        self.memory, self.apart = memory_of(traits, self.quirks, self.level)
        self._libraries = libraries
        self._dialect = make_dialect(traits, self.quirks, offsets=not self.shares_host)
        self._info = device_info(traits, self.quirks, self.level)
        self._lock = threading.Lock()
        self._open: tuple[Session, Any, Any] | None = None
        self._lanes: Lanes
        self._ends: Ends | None = None
        self._clock = Clock(apart=traits.kind == "gpu")
        self._waiter = Waiter(alone=self.quirks.lone_waits) if self.quirks.blocking_waits else (
            Waiter(LATE_NS) if traits.kind == "cpu" else None)
        self._pace = Pace() if traits.kind == "cpu" else None
        self.waits_inside = self._pace is not None
        self._timed = self._theirs = False
        self._moves: dict[Any, ClExecutable] = {}
        self._transfers: Transfers | None = None
        self._texts = Texts()
        self._shared: Shared | None = None
        self._tracks: Shared | None = None
        self._scratch = ClScratch(self.transfers, shares_host=self.shares_host)
        self._parts: dict[tuple[int, ...], ClDriver] = {}
        drivers.add(self)

    # ------------------------------------------------------------------ the device
    def devices(self) -> Sequence[DeviceInfo]:
        """Return the one device."""
        return (self._info,)

    @guarded("a part of the device")
    def part(self, units: tuple[int, ...]) -> ClDriver:
        """Return a driver of neighbouring compute units, which are a device of OpenCL's own."""
        known = self._parts.get(units)
        if known is None:
            session, device, _ = self.opened()
            mine = self._info.units
            places = tuple(mine.index(u) for u in units if u in mine)
            found = pyopencl_objects.sub_device(session.cl, device, places) if places else None
            if found is None:
                raise UnsupportedError(errc.feature_not_supported, f"'{self._info.name}' cannot "
                                       f"be split into the compute units {units}")
            known = self.within(session.cl.Context([found]), None, found)
            known._info = dataclasses.replace(
                self._info, max_compute_units=len(units), units=units if len(units) > 1 else ())
            known = self._parts.setdefault(units, known)
        return known

    @guarded("opening the device")
    def opened(self) -> tuple[Session, Any, Any]:
        """Return the session, the device and the queue, loading the runtime on the first use."""
        found = self._open
        if found is None:
            with self._lock:
                if self._open is None:
                    session, device = open_session(self.traits, self._libraries,
                                                   extension=self._extension, alone=self.apart)
                    self._begin(session, device, self._queue(session, device))
                found = self._open
            assert found is not None
        return found

    def _begin(self, session: Session, device: Any, queue: Any) -> None:
        """Give later commands to a queue, and to in-order ones beside it if it is our own."""
        alone = self._theirs or self.quirks.one_queue
        self._lanes = Lanes(queue, functools.partial(self._queue, session, device, in_order=True),
                            0 if alone else MOST)
        if self.level is Level.unified:
            self._shared = Unified(session, device, queue, self.traits)
        elif self.level in (Level.fine, Level.coarse):
            self._shared = Shared(session, queue, self.traits, self.level)
        if self.level is Level.coarse:
            self._tracks = self._shared
        if self._timed:
            self._clock.measure(session.cl, queue)
        session.low_limits = self.quirks.low_limits
        self._open = session, device, queue

    def _queue(self, session: Session, device: Any, *, in_order: bool = False) -> Any:
        kinds = session.cl.command_queue_properties
        asked = kinds.PROFILING_ENABLE * self._timed
        if not in_order:
            asked |= kinds.OUT_OF_ORDER_EXEC_MODE_ENABLE
        has = self.traits.number_of("queue_on_host_properties") or self.traits.number_of(
            "queue_properties")
        return session.cl.CommandQueue(session.context, device, properties=asked & has)

    def outlast(self, keep: object) -> None:
        """Keep what a command uses until the queues are empty."""
        if self._open is not None:
            failed_calls.hold_all(self._lanes.queues(), keep)

    @guarded("a queue that keeps times")
    def timed(self) -> None:
        """Have later commands timed: by another queue, since times cost a launch as much again."""
        with self._lock:
            if self._timed or self._theirs:
                return
            self._timed = True
            if self._open is not None:
                session, device, _ = self._open
                try:
                    queue = self._queue(session, device)
                except BaseException:
                    self._timed = False
                    raise
                self._begin(session, device, queue)
                self._transfers = None

    # ------------------------------------------------------------------ kernels
    def geometry_key(self, kernel: Kernel, geometry: Geometry) -> Hashable:
        """Return what of a geometry the kernel's text depends on."""
        return key_of(kernel, geometry, self.facts)

    def compile(self, kernel: Kernel, geometry: Geometry) -> ClExecutable:
        """Build a kernel for launches of this geometry."""
        made = self._compile(kernel, geometry, PLAIN)
        made.watched = watched(kernel, made.source, self.facts)
        made.check(geometry, self.traits, self.quirks)
        return made

    @guarded("building a kernel")
    def _compile(self, kernel: Kernel, geometry: Geometry, variant: Variant) -> ClExecutable:
        key = key_of(kernel, geometry, self.facts)
        source = self._texts.note(
            kernel, key, source_of(kernel, key, self._dialect, self.facts, variant))
        session, device, _ = self.opened()
        program = programs.build(session, device, self.traits, self.quirks, kernel, source)
        made = make_executable(session.cl, session.api, kernel, source, program)
        made.most = programs.most_items(session, made.main, device, self.traits)
        return made

    def _variant(self, executable: ClExecutable, launch: Launch) -> ClExecutable:
        """Return a kernel compiled for the local memory and the views of a launch."""
        return variant_of(executable, launch, lambda known: self._compile(
            executable.kernel, launch.geometry, known))

    def text(self, kernel: Kernel, geometry: Geometry, stage: str) -> str:
        """Return a kernel's OpenCL C ('source' or 'opencl'), as it was compiled last."""
        if stage == "build":
            return f"built with {programs.options(self.traits, self.quirks, kernel)}"
        if stage not in _STAGES:
            raise UnsupportedError(errc.feature_not_supported,
                                   f"this device has the stage source, not {stage}")
        key = key_of(kernel, geometry, self.facts)
        known = None if looking.is_seen() else self._texts.of(kernel, key)
        return known or source_of(kernel, key, self._dialect, self.facts).text

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Enqueue a kernel, and behind it the one that joins the results of its reductions."""
        ready = launch.packed
        if type(ready) is not Prepared:
            return self._launch_unprepared(launch, deps)
        session, _, _ = self._open or self.opened()
        lanes = self._lanes
        if ready.waits:
            lane, waits = lanes.main, _events(deps)
        else:
            lane, waits = lanes.choose(deps)
        queue = lane.queue
        try:
            event = session.enqueue(queue, ready.kernel, ready.items, ready.local, ready.offset,
                                    waits)
        except session.cl.Error as error:
            raise translated(ready.what, error) from error
        try:
            queue.flush()
        except session.cl.Error as error:
            failed_calls.flush_again(queue, event, ready, ready.what, error)
        made = ClCompletion(event, ready, ready.what, self._ends or self.ends())
        if lane.owner is not None:
            made.lane, lane.last = lane, made
        if self._pace is not None:
            self._pace.begun(made, ready.habit, deps)
        if deps and self._tracks is not None:
            made.used = held(deps)
        return made

    def _launch_unprepared(self, launch: Launch, deps: Sequence[Completion]) -> ClCompletion:
        executable: Any = launch.executable
        self._open or self.opened()
        if self._tracks is not None and self._tracks.known:
            made = self._tracked(self._tracks.used_by(launch), deps, functools.partial(
                self._enqueue_launch, launch))
        elif executable.simple and not executable.kernel.waits:
            lane, waits = self._lanes.choose(deps)
            made = self._enqueue_launch(launch, waits, lane.queue)
            if lane.owner is not None:
                made.lane, lane.last = lane, made
        else:
            made = self._enqueue_launch(launch, _events(deps))
        if self._pace is not None:
            self._pace.begun(made, executable.habit(launch.geometry, self.facts), deps)
        return made

    def _tracked(self, used: Sequence[Allocation], deps: Sequence[Completion],
                 begin: Callable[[list[Any] | None], ClCompletion]) -> ClCompletion:
        """Begin a command that uses allocations which are the host's while none does."""
        assert self._tracks is not None
        before, waits = held(deps), _events(deps)
        if not used:
            made = begin(waits)
            made.used = before
            return made
        use, moves = self._tracks.take(used)
        try:
            made = begin([*(waits or ()), *moves] or None)
        except BaseException:
            use.drop()
            raise
        use.event = made.event
        made.used = tuple({a.address: a for a in (*before, *used)}.values())
        return made

    def _enqueue_launch(self, launch: Launch, waits: list[Any] | None,
                        queue: Any = None) -> ClCompletion:
        executable: ClExecutable = launch.executable  # type: ignore[assignment]
        if executable.watched.locals or executable.watched.spans:
            executable = self._variant(executable, launch)
        if self._shared is not None and self.quirks.one_kind and isinstance(
                executable, ClExecutable):
            executable = executable.twin(self._shared.session.cl, self._shared.session.api, launch)
        if not executable.simple:
            given: Any = executable
            if isinstance(given, ForeignKernel):
                return self._launch_foreign(launch, given.name, waits)
            return self._launch_parts(executable, launch, waits)
        session, _, main = self._open or self.opened()
        if queue is None:
            queue = main
        shape = executable.shape(launch.geometry, self.facts)
        try:
            with executable.lock:
                executable.set(launch, NOTHING)
                if executable.follows and self._shared is not None:
                    self._shared.reach(executable, launch)
                event = session.enqueue(queue, executable.main, shape.items, shape.local,
                                        shape.offset, waits)
            keep = executable, launch.values  # not the launch: it holds the user's own objects
            failed_calls.flush(queue, event, keep, executable.what)
            if launch.packed is None:
                launch.packed = executable if self._repeats(launch, executable) else ()
            elif launch.packed is executable:  # it is bound, or of a graph: there will be a third
                launch.packed = prepare(session, executable, launch, self.facts) or ()
        except session.cl.Error as error:
            raise translated(executable.what, error) from error
        return ClCompletion(event, keep, executable.what, self._ends or self.ends())

    def _repeats(self, launch: Launch, executable: ClExecutable) -> bool:
        """Say whether a launch may be prepared: nothing is to be done each time before it."""
        if self._shared is None:
            return True
        return not (executable.follows or (
            self._tracks is not None and self._tracks.used_by(launch)))

    def _launch_parts(self, executable: ClExecutable, launch: Launch,
                      waits: list[Any] | None) -> ClCompletion:
        """Launch a kernel with reductions, reports or arrays of PyOpenCL's."""
        shape, what = executable.shape(launch.geometry, self.facts), executable.what
        call = self._scratch.call(executable.kernel, executable.source, launch, shape)
        (session, _, queue), shown = self.opened(), call.report
        keep = executable, launch.values, launch.reductions, call, shown
        event, parts = None, []
        try:
            lenders, waits = pyopencl_arrays.awaited(session.cl, launch.values, waits)
            if shown is not None and not self.shares_host:
                call.report, waits = self._scratch.to_device(call, shown, waits)
            with executable.lock:
                executable.set(launch, call)
                if executable.follows and self._shared is not None:
                    self._shared.reach(executable, launch)
                event = session.enqueue(
                    queue, executable.main, shape.items, shape.local, shape.offset, waits)
                parts = [event, *([waits[-1]] if call.report is not shown and waits else ())]
                if executable.finish is not None:
                    call.count = groups_of(shape)
                    for put in executable.set_finish:
                        put(executable.finish, launch, call)
                    event = session.enqueue(queue, executable.finish, (64,), (64,), None, [event])
                    parts.append(event)
            if shown is not None and not self.shares_host:
                event, _ = self.transfers().copy(whole(shown), whole(call.report), [event])
        except BaseException as error:
            if event is not None:  # what was begun goes on
                spoil(keep)
                failed_calls.hold(event, keep)
            if failed_calls.is_native(error):
                raise translated(what, error) from error
            raise
        failed_calls.flush(queue, event, keep, what)
        for view in lenders:
            view.lender.add_event(event)
        if shown is None:
            return end_of(parts, event, keep, what, self.ends())
        return CheckedCompletion(parts, event, keep, what, self.ends(), functools.partial(
            printing.take, shown, executable.kernel.name, executable.source.sites))

    def _launch_foreign(self, launch: Launch, name: str, waits: list[Any] | None) -> ClCompletion:
        session, _, queue = self.opened()
        try:
            event, kept = pyopencl_objects.launch(session.cl, queue, launch, waits)
        except session.cl.Error as error:
            raise translated(f"kernel '{name}'", error) from error
        return self.completion(event, kept, f"kernel '{name}'")

    @property
    def native(self) -> ClObjects:
        """PyOpenCL's objects."""
        return ClObjects(self)

    @property
    def adopt(self) -> ClAdoption:
        """What objects of PyOpenCL's are here."""
        return ClAdoption(self)

    def shared_queue(self) -> Any:
        """Return the queue for commands of a program's own, which come behind all submitted."""
        session, _, queue = self.opened()
        if self._pace is not None:
            self._pace.off = True
        pending = self._lanes.close()
        if pending:
            session.cl.enqueue_marker(queue, wait_for=pending)
        return queue

    def ends(self) -> Ends:
        """Return how the ends of this device's commands are awaited."""
        if self._ends is None:
            self._ends = Ends(self.opened()[0].cl, self._clock, self._waiter, self._pace)
        return self._ends

    def completion(self, event: Any, keep: object, what: str, queue: Any = None,
                   parts: Sequence[Any] = ()) -> ClCompletion:
        """Return the end of a command; ``queue``: where it was given to, and is to begin."""
        if queue is not None:
            failed_calls.flush(queue, event, keep, what)
        return end_of(parts, event, keep, what, self.ends())

    # ------------------------------------------------------------------ memory
    def hint(self, view: BoundView, advice: int | None = None, *, to_host: bool = False,
             ) -> Callable[[Sequence[Completion]], Completion] | None:
        """Return what gives a hint about memory of the extension (``Driver.hint``)."""
        shared = self._shared
        if not isinstance(shared, Unified) or not shared.heeds(view):
            return None
        return lambda deps: self.completion(
            shared.hint(view, _events(deps), advice, to_host=to_host), view, "a hint",
            self.opened()[2])

    def allocate(self, nbytes: int, kind: usm_kind | None = None, alignment: int = 1, *,
                 addressed: bool = False) -> Any:
        """Return bytes of the device's own memory, or shared; None if it works on the host's."""
        if self.shares_host:
            return None
        transfers = self.transfers()
        if kind is usm_kind.device and not addressed and self.level is not Level.unified:
            kind = None
        if kind is None or self._shared is None:
            return transfers.allocate(nbytes)
        return self._shared.allocate(nbytes, alignment, kind)

    def within(self, context: Any, queue: Any, part: Any = None) -> ClDriver:
        """Return a driver of the same device, or a part of it, in another context."""
        session, whole, _ = self.opened()
        device = whole if part is None else part
        made = ClDriver(self.traits, self._libraries)
        own = Session(session.cl, session.api, context, list(context.devices))
        if not made.shares_host:
            made.memory = f"{self.memory} {context.int_ptr:x}"
        made._theirs = queue is not None
        if made._pace is not None:
            made._pace.off = made._theirs
        made._begin(own, device, queue if queue is not None else made._queue(own, device))
        return made

    def transfers(self) -> Transfers:
        """Return what copies between the host and a device with memory of its own."""
        found = self._transfers
        if found is None:
            session, _, queue = self.opened()
            found = self._transfers = Transfers(
                session, queue, self._moved, reads_early=self.quirks.reads_early,
                most=self._info.max_mem_alloc_size)
        return found

    def _seen(self, view: BoundView) -> BoundView:
        return view if self._shared is None else self._shared.seen(view)

    def _moved(self, make: Any, dst: BoundView, source: Any,
               waits: list[Any] | None) -> tuple[Any, object]:
        """Run a copy or fill kernel; return its event and what it uses."""
        done = self._enqueue_launch(self._mover(make, dst, source), waits)
        return done.event, done

    def _transfer(self, how: Any, dst: BoundView, source: Any, deps: Sequence[Completion],
                  what: str) -> Completion:
        begin = functools.partial(self._begin_transfer, how, dst, source, what)
        tracks = self._tracks
        if tracks is None or not tracks.known:
            return begin(_events(deps))
        return self._tracked(allocations_of((dst, source)), deps, begin)

    def _begin_transfer(self, how: Any, dst: BoundView, source: Any, what: str,
                        waits: list[Any] | None) -> ClCompletion:
        try:
            event, kept = how(dst, source, waits)
        except self.opened()[0].cl.Error as error:
            raise translated(what, error) from error
        return self.completion(event, (dst, source, kept), what, self.opened()[2], events_of(kept))

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Copy equal shapes."""
        if not self.shares_host or isinstance(dst.memory, DeviceArray) or isinstance(
                src.memory, DeviceArray):
            return self._transfer(self.transfers().copy, self._seen(dst), self._seen(src), deps,
                                  "a copy")
        session, _, queue = self.opened()
        if strided.is_dense(dst) and strided.is_dense(src):
            size = math.prod(dst.shape) * dst.memory.dtype.itemsize
            event = session.api.copy(queue, address(dst), address(src), size, _events(deps) or ())
            return self.completion(event, (dst, src), "a copy", queue)
        return self._move(strided.copy_kernel, strided.as_scalars(dst), strided.as_scalars(src),
                          deps)

    def fill(self, dst: BoundView, pattern: Any, deps: Sequence[Completion]) -> Completion:
        """Write one value everywhere in a view."""
        value = np.asarray(pattern, dst.memory.dtype)
        if not self.shares_host or isinstance(dst.memory, DeviceArray):
            return self._transfer(self.transfers().fill, self._seen(dst), value, deps, "a fill")
        if strided.is_dense(dst) and value.itemsize in _PATTERNS and not self.quirks.fills_own:
            session, _, queue = self.opened()
            size = math.prod(dst.shape) * value.itemsize
            repeated = value.tobytes()
            event = session.api.fill(queue, address(dst), repeated, size, _events(deps) or ())
            return self.completion(event, (dst, repeated), "a fill", queue)  # quirks: a late one
        if strided.as_scalars(dst) is dst:
            return self._move(strided.fill_kernel, dst, value[()], deps)
        row = np.full(math.prod(dst.shape), value)
        pitches = tuple(int(np.prod(dst.shape[d + 1:], dtype=int)) for d in range(len(dst.shape)))
        return self.copy(dst, BoundView(row, 0, dst.shape, pitches), deps)

    def _move(self, make: Any, dst: BoundView, source: Any,
              deps: Sequence[Completion]) -> Completion:
        """Run a copy or fill kernel over a view whose rows do not follow one another."""
        return self.launch(self._mover(make, dst, source), deps)

    def _mover(self, make: Any, dst: BoundView, source: Any) -> Launch:
        """Return the launch of a copy or fill kernel."""
        kernel = make(dst.memory.dtype.name, len(dst.shape))
        geometry = Geometry("range", dst.shape, (), (0,) * len(dst.shape))
        key = (kernel.name, dst.memory.dtype.name, kernel.ndim,
               self.geometry_key(kernel, geometry))
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = self.compile(kernel, geometry)
        return Launch(known, geometry, (dst, source))

    def __repr__(self) -> str:
        return f"<OpenCL driver of {self._info.name} ({self.traits.platform})>"


def _events(deps: Sequence[Completion]) -> list[Any] | None:
    """Return the events of completions of this driver."""
    return [d.event for d in deps] if deps else None  # type: ignore[attr-defined]


def make_drivers() -> Sequence[ClDriver]:
    """Return a driver for each device found; no runtime is loaded yet.

    Raises ``UnsupportedError`` saying what is missing where there is none, and ``DeviceError``
    saying what is wrong where runtimes are installed and none works.
    """
    found = discovery.discover()
    if not found.devices:
        reasons = "; ".join(f"{library}: {why}" if library else why
                            for library, why in found.problems.items())
        kind = DeviceError if any(found.problems) else UnsupportedError
        raise kind(errc.platform, reasons or "no OpenCL device was found")
    libraries = list(dict.fromkeys(t.library for t in found.devices))
    foreign_objects.register("pyopencl.array", "Array", pyopencl_arrays.describe)
    return [ClDriver(traits, libraries) for traits in found.devices]


def problems() -> dict[str, str]:
    """Return why runtimes that are installed have no device, by the names of their libraries."""
    return {Path(library).name: why for library, why in discovery.discover().problems.items()}
