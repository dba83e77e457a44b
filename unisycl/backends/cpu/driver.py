"""The native CPU: kernels as vector code on a pool of threads (``backends.base.Driver``).

Non-goals: compiling (``executable``), threads (``pool``). Invariant: a launch packs its arguments
and hands them to the pool; nothing here waits.
"""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unisycl.backends import strided
from unisycl.backends.base import (
    BoundView,
    Completion,
    DeviceInfo,
    Driver,
    Geometry,
    Launch,
    Part,
    Transfer,
)
from unisycl.backends.cpu import variants
from unisycl.backends.cpu.abi import BLOCK_AT, address, unit_dimensions
from unisycl.backends.cpu.checks.reports import Report, callback
from unisycl.backends.cpu.compile import decision_cache, jit, options
from unisycl.backends.cpu.compile.target import compiler_version, machine, threads
from unisycl.backends.cpu.executable import CpuExecutable, compile_kernel
from unisycl.backends.cpu.pool import crash, varied
from unisycl.backends.cpu.pool.atomic_words import CpuWords, words
from unisycl.backends.cpu.pool.batch import CpuBatch, cost
from unisycl.backends.cpu.pool.child_kernels import Trees
from unisycl.backends.cpu.pool.crash import here as crash_here
from unisycl.backends.cpu.pool.job import NativeJob
from unisycl.backends.cpu.pool.own_threads import MOST_THREADS, OwnThreads, common_memory
from unisycl.backends.cpu.pool.pool import NativePool
from unisycl.backends.cpu.pool.units import ConfinedPool, domains, within
from unisycl.backends.cpu.variants import Key
from unisycl.backends.native_objects import HostObjects
from unisycl.base.enums import IMAGES_BY_HANDLE, aspect, backend
from unisycl.base.errors import UnsupportedError, errc
from unisycl.base.forward_progress import WEAKEST, forward_progress_guarantee
from unisycl.base.image_formats import LARGEST_EXTENT
from unisycl.base.later import Later
from unisycl.ir.nodes import Kernel
from unisycl.process import machine as machine_facts
from unisycl.process import packages
from unisycl.process.shared_files import HostSharing, shared_between_processes

if TYPE_CHECKING:
    from unisycl.backends.cpu import making
    from unisycl.backends.cpu.explain import explanation
    from unisycl.backends.cpu.pool import after_launch
else:
    making = Later("unisycl.backends.cpu.making")
    explanation = Later("unisycl.backends.cpu.explain.explanation")
    after_launch = Later("unisycl.backends.cpu.pool.after_launch")

_ASPECTS = frozenset(a for a in aspect if a.value.startswith("usm_")) | IMAGES_BY_HANDLE | {
    aspect.ext_oneapi_chunk, aspect.ext_oneapi_fragment, aspect.ext_oneapi_tangle,
    aspect.cpu, aspect.image, aspect.fp16, aspect.fp64, aspect.atomic64, aspect.online_compiler,
    aspect.online_linker, aspect.queue_profiling, aspect.ext_oneapi_queue_profiling_tag}
_PROGRESS = (WEAKEST[0], *(forward_progress_guarantee.concurrent,) * 2)
_SHORT_NS = 10_000_000
_ALIGN = 64
_AT_ONCE_BYTES = 64 << 10
"""So much is copied or filled where it is submitted: some 8 us, as much as handing it over."""
FEWEST = 4
SIZES = (1, 2, 4, 8, 16, 32, 64)
"""Of sub-groups, where vectors are wide enough."""
_STREAM_BYTES = 64 << 20  # larger than the last cache of most processors
_STREAM_VECTORS = 16  # of a row: shorter ones lose at their ends what they gain in between
_LINED_BYTES = 256 << 10  # what a processor has for itself holds it no longer with its operands
_LINED_VECTORS = 64
_FLAT_VECTORS = 4  # of a row: of longer ones, ends cost little
_FLAT_ITEMS = 256  # below, code for short rows as one row is not worth compiling


class CpuObjects(HostObjects):
    """The pool for a queue, the compute units for a device, else as for the host device."""

    __slots__ = ()

    def device(self) -> Any:
        """Return the compute units."""
        return self._driver.units

    def queue(self) -> Any:
        """Return the pool."""
        return self._driver.pool


class CpuDriver(Driver):
    """The driver of the native CPU. Its methods may be called from any thread."""

    backend = backend.cpu
    quick = True
    repeats = True
    varied = staticmethod(varied.form)
    waits_inside = True  # the thread takes part in the work

    def __init__(self, units: tuple[int, ...] = ()) -> None:
        self.units = units or tuple(range(threads()))
        self.pool = ConfinedPool(units) if units else NativePool(threads())
        self._known: dict[int, tuple[Kernel, int, int, int, int]] = {}
        self._parts: dict[tuple[int, ...], CpuDriver] = {}
        self._trees = Trees(self.pool, _device(self.units))
        self._alone: NativePool | ConfinedPool | None = None
        self._own = OwnThreads(self.pool, lambda count: ConfinedPool(units, count) if units
                               else NativePool(count))

    @property
    def native(self) -> CpuObjects:
        """The pool, the compute units, arrays and executables."""
        return CpuObjects(self)

    @property
    def sharing(self) -> HostSharing | None:
        """Memory that processes share (``Driver.sharing``)."""
        return HostSharing() if HostSharing.is_there() else None

    def devices(self) -> Sequence[DeviceInfo]:
        """Return the one device: the processors this process may use, or some of them."""
        return (_device(self.units),)

    def part(self, units: tuple[int, ...]) -> CpuDriver:
        """Return the driver that has as many threads as these units, on their processors."""
        found = self._parts.get(units)
        return found or self._parts.setdefault(units, CpuDriver(units))

    def geometry_key(self, kernel: Kernel, geometry: Geometry) -> Key:
        """Return what of a geometry the kernel's code depends on."""
        return self._variant(kernel, geometry, note=True)

    def _variant(self, kernel: Kernel, geometry: Geometry, *, note: bool) -> Key:
        """Return the variant for a geometry; ``note``: it will be made."""
        ready = variants.of(kernel)
        found = self._key(kernel, geometry)
        if ready is not None:
            return ready.closest(found)
        if kernel.index_kind != "range":
            return found
        return variants.versions.of(kernel).picked(found, note=note)

    def _key(self, kernel: Kernel, geometry: Geometry) -> Key:
        items = math.prod(geometry.global_)
        small = sum(geometry.global_) + sum(geometry.offset) < variants.SMALL
        if kernel.index_kind != "range":
            return Key(False, small and kernel.index_kind != "work_group", False)
        lanes, element, line, flats = self._facts(kernel)
        units = unit_dimensions(geometry.global_)
        last, most = geometry.global_[-1 - units], lanes
        while most > FEWEST and 2 * last <= most and not kernel.sub_group:
            most //= 2
        vectors = 0 if units else last // lanes
        large = items * element >= _STREAM_BYTES and vectors >= _STREAM_VECTORS
        lines = not large and items * line >= _LINED_BYTES and vectors >= _LINED_VECTORS \
            and len(geometry.global_) == 1
        flat = 0 if units or items < _FLAT_ITEMS else _flat(geometry.global_, flats, lanes)
        if flat:  # two variants for all short rows: a kernel has few
            most = min(lanes, 2 * FEWEST if last >= 2 * FEWEST else FEWEST)
            return Key(True, small, False, 0 if most == lanes else most, flat=flat)
        return Key(last % most != 0, small, large, 0 if most == lanes else most, units, lines)

    def _facts(self, kernel: Kernel) -> tuple[int, int, int, int]:
        """Return what ``making.find_facts`` finds of a kernel."""
        known = self._known.get(id(kernel))
        if known is None:
            ready = variants.of(kernel)
            lanes, size, line, flats = ready.facts if ready else decision_cache.recalled(
                kernel, lambda: making.find_facts(kernel), "facts")
            known = self._known[id(kernel)] = (kernel, lanes, size, line, flats)
        return known[1:]

    def compile(self, kernel: Kernel, geometry: Geometry) -> CpuExecutable:
        """Compile a kernel for launches of this geometry."""
        return compile_kernel(kernel, self.geometry_key(kernel, geometry))

    def text(self, kernel: Kernel, geometry: Geometry, stage: str) -> str:
        """Return a kernel's optimised LLVM IR ('llvm'), code ('asm') or options ('build').

        'explain' is what became of it, for people.
        """
        asked = options.of(kernel)
        if stage == "explain":
            return explanation.explain(kernel, self._variant(kernel, geometry, note=False),
                                       geometry)
        if stage == "build":
            return asked.text()
        show = {"llvm": jit.to_llvm, "asm": jit.to_assembly}.get(stage)
        if show is None:
            raise UnsupportedError(errc.feature_not_supported,
                                   f"the CPU device has stages llvm, asm and explain, not {stage}")
        return making.shown(kernel, self._variant(kernel, geometry, note=False), show)

    def immediate(self, launch: Part) -> bool:
        """Run a command of a few microseconds to its end in this thread; False if it is larger."""
        if not isinstance(launch, Launch):
            return isinstance(launch, Transfer) and _transferred(launch)
        executable: CpuExecutable = launch.executable  # type: ignore[assignment]
        plan = executable.plan(launch.geometry)
        if not executable.small(plan, launch.values):
            return False
        block, kept = launch.packed, None
        if launch.reductions:
            kept, slots = _partials(executable, launch, plan.units, plan.grain)
            block = executable.packer.pack(plan.head, launch.values, slots)
        elif block is None:
            block = executable.packer.pack(plan.head, launch.values)
        crash_here[1] = launch.words or crash.words(executable, launch)
        executable.direct(block)
        crash_here[1] = 0
        del kept  # until here its address was in use
        return True

    def ready(self, launch: Launch, values: tuple[Any, ...] = (),
              ) -> Callable[[], object] | None:
        """Return what runs a command of a few microseconds in this thread; None if it is larger."""
        executable: CpuExecutable = launch.executable  # type: ignore[assignment]
        plan = executable.plan(launch.geometry)
        if launch.reductions or not executable.small(plan, values or launch.values):
            return None
        block = executable.packer.pack(plan.head, values) if values else launch.packed
        if block is None:
            block = launch.packed = executable.packer.pack(plan.head, launch.values)
        words, direct, here = launch.words or crash.words(executable, launch), executable.direct, \
            crash_here

        def run() -> None:
            here[1] = words
            direct(block)
            here[1] = 0

        return run

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Completion:
        """Give a kernel to the pool."""
        asked: CpuExecutable = launch.executable  # type: ignore[assignment]
        executable, plan = asked.picked(launch.geometry)
        jobs: Any = deps
        values = launch.values
        report = Report(executable.kernel.name, executable.sites, launch) \
            if executable.packer.reports else None
        tail, error_at, on_error = _reporting(executable, report)
        watch: Any = None
        if executable.watch is not None:
            watch = executable.watch.begin(launch)
            tail = (watch.address, *tail)
        assisted = report is None and (not executable.heavy or _was_short(launch))
        submit: Callable[..., NativeJob] = self.pool.submit
        common: Any = None
        words = launch.words or crash.words(executable, launch)
        if executable.kernel.progress or executable.kernel.waits:
            submit = self._own.submitter(executable, plan)
        if executable.watch is not None and executable.watch.alone:
            submit = self._one_thread().submit
        if executable.kernel.apart:
            common, at = common_memory(executable, plan, values)
            tail = (at, *tail)
        if not launch.reductions:
            block, args = _movable(executable.packer.pack(plan.head, values, tail))
            job = submit(executable.entry, args, plan.units, plan.grain, jobs,
                         (executable, values, block, report, common, watch), assisted=assisted,
                         error_at=error_at, on_error=on_error, words=words, pace=plan.pace)
            _asking(job, report)
            if executable.counted and not asked.small(asked.plan(launch.geometry), values):
                launch.packed = job
            return job if watch is None else after_launch.look(self.pool.submit, launch, watch, job)
        partials, slots = _partials(executable, launch, plan.units, plan.grain)
        block, args = _movable(executable.packer.pack(plan.head, values, (*slots, *tail)))
        keep = (executable, values, partials, launch.reductions, block, report, common, watch)
        first = submit(executable.entry, args, plan.units, plan.grain, jobs, keep,
                       assisted=assisted, error_at=error_at, on_error=on_error, words=words,
                       pace=plan.pace)
        _asking(first, report)
        last = self.pool.submit(executable.finish, args, 1, 1, (first,), keep)
        last.begun_by = first
        return last if watch is None else after_launch.look(self.pool.submit, launch, watch, last)

    def _one_thread(self) -> NativePool | ConfinedPool:
        """Return the pool of launches whose races are looked for."""
        if self._alone is None:
            count = len(self.units)
            self._alone = NativePool(1) if count == threads() else ConfinedPool(self.units, 1)
        return self._alone

    def tree(self, launch: Launch, deps: Sequence[Completion]) -> Completion | None:
        """Start a kernel and what it enqueues; None if one of them is not for native code."""
        return self._trees.submit(launch, deps)

    def batch(self, launches: Sequence[Part], before: Sequence[Sequence[int]],
              ) -> CpuBatch | None:
        """Return launches prepared to run one after the other; None if one is too large for it."""
        kernels = [x for x in launches if isinstance(x, Launch) and cost(x)]
        return CpuBatch(self.pool, kernels) if len(kernels) == len(launches) else None

    def words(self) -> CpuWords:
        """Return atomic access to memory that kernels change meanwhile."""
        return words()

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Completion]) -> Completion:
        """Copy within host memory, all threads on large blocks."""
        jobs: Any = deps
        if strided.is_dense(dst) and strided.is_dense(src):
            size = math.prod(dst.shape) * dst.memory.dtype.itemsize
            return self.pool.copy(address(dst), address(src), size, jobs,
                                  (dst, src))
        return self._move(strided.copy_kernel, strided.as_scalars(dst), strided.as_scalars(src),
                          jobs)

    def fill(self, dst: BoundView, pattern: Any, deps: Sequence[Completion]) -> Completion:
        """Write one value everywhere in a view."""
        jobs: Any = deps
        value = np.asarray(pattern, dst.memory.dtype)
        if strided.is_dense(dst):
            return self.pool.fill(address(dst), value.tobytes(), math.prod(dst.shape), jobs,
                                  (dst,))
        if strided.as_scalars(dst) is dst:
            return self._move(strided.fill_kernel, dst, value[()], jobs)
        row = np.full(math.prod(dst.shape), value)
        pitches = tuple(int(np.prod(dst.shape[d + 1:], dtype=int)) for d in range(len(dst.shape)))
        return self.copy(dst, BoundView(row, 0, dst.shape, pitches), deps)

    def _move(self, make: Any, dst: BoundView, source: Any,
              deps: Sequence[Completion]) -> Completion:
        """Run a copy or fill kernel over a view whose rows do not follow one another."""
        kernel = make(dst.memory.dtype.name, len(dst.shape))
        geometry = Geometry("range", dst.shape, (), (0,) * len(dst.shape))
        launch = Launch(_strided_executable(kernel), geometry, (dst, source))
        return self.launch(launch, deps)


def _transferred(what: Transfer) -> bool:
    """Copy or fill a few contiguous bytes in this thread; False if it is more."""
    dst, src = what.dst, what.src
    size = math.prod(dst.shape) * dst.memory.dtype.itemsize
    if size > _AT_ONCE_BYTES or not strided.is_dense(dst):
        return False
    if src is None:
        value = np.asarray(what.pattern, dst.memory.dtype).tobytes()
        ctypes.memmove(address(dst), value * math.prod(dst.shape), size)
    elif strided.is_dense(src):
        ctypes.memmove(address(dst), address(src), size)
    else:
        return False
    return True


def _reporting(executable: CpuExecutable, report: Report | None
               ) -> tuple[tuple[int, ...], int, Callable[[int], BaseException] | None]:
    """Return the last slots, the place of the error cell's, and what makes the error."""
    if report is None:
        return (), -1, None
    return (callback(), report.number, 0), 8 * (executable.layout.reports + 2), report.error


def _asking(job: NativeJob, report: Report | None) -> None:
    """Have a job know who answers for its loops."""
    if report is not None and report.asked is not None:
        job.asked, report.asked.job = report.asked, job


def _was_short(launch: Launch) -> bool:
    """Say whether a kernel whose loops count ended soon when it was launched so the last time.

    Then a thread that waits may take part: Ctrl-C has to wait for the chunk that it began.
    """
    job = launch.packed
    return isinstance(job, NativeJob) and job.done() and job.end_ns - job.start_ns < _SHORT_NS


def _movable(packed: bytes) -> tuple[bytearray, int]:
    """Return a copy that native code may write to, and the address of the argument block in it."""
    block = bytearray(packed)
    return block, ctypes.addressof(ctypes.c_char.from_buffer(block)) + BLOCK_AT


@functools.cache
def _strided_executable(kernel: Kernel) -> CpuExecutable:
    return compile_kernel(kernel, Key(edge=True, small=False, stream=False))


def _flat(extents: tuple[int, ...], counts: int, lanes: int) -> int:
    """Return how many of the last dimensions are best taken as one; 0 if rows fill vectors.

    ``counts`` has a bit for each number that the kernel allows.
    """
    found, length = 0, extents[-1]
    for count in range(2, len(extents) + 1):
        if length >= _FLAT_VECTORS * lanes or length % lanes == 0:
            break
        length *= extents[-count]
        if counts >> count & 1:
            found = count
    return found


def _partials(executable: CpuExecutable, launch: Launch, units: int,
              grain: int) -> tuple[Any, list[int]]:
    """Return the memory of the reducers' partials, and the reducers' slots.

    The pool calls the entry for chunks that begin at multiples of ``grain``.
    """
    chunks = -(-units // grain)
    places: list[int] = []
    size = 0
    for reducer in executable.kernel.reducers:
        for item in (reducer.words * reducer.acc.type.dtype.size, 1):
            places.append(size)
            size += -(-chunks * reducer.extent * item // _ALIGN) * _ALIGN
    kept = np.empty(size + _ALIGN, np.uint8)
    base = -(-kept.__array_interface__["data"][0] // _ALIGN) * _ALIGN
    slots: list[int] = []
    for (target, fresh), at, valid in zip(launch.reductions, places[::2], places[1::2],
                                          strict=True):
        slots += [base + at, base + valid, chunks, address(target), not fresh, grain]
    return kept, slots


@functools.cache
def _device(units: tuple[int, ...]) -> DeviceInfo:
    found = machine()
    memory = machine_facts.memory_bytes() or 1 << 32
    cache, line = machine_facts.last_cache()
    sizes = tuple(s for s in SIZES if s * 32 <= 4 * found.vector_bits)
    return DeviceInfo(
        name=machine_facts.processor(), backend=backend.cpu,
        aspects=_ASPECTS | shared_between_processes(), vendor=machine_facts.vendor(),
        driver_version="1.0", version=found.cpu, max_compute_units=len(units),
        max_work_group_size=4096, max_work_item_sizes=(4096, 4096, 4096), sub_group_sizes=sizes,
        local_mem_size=512 * 1024, global_mem_size=memory, max_mem_alloc_size=memory,
        units=units if len(units) > 1 else (),
        progress=_PROGRESS, resident_groups=len(units), resident_items=MOST_THREADS,
        concurrent_kernels=True,
        native_enqueue=True,
        domains={name: cut for name, parts in domains().items()
                 if len(cut := within(units, parts)) > 1},
        details={"vector_bytes": found.vector_bits // 8, "image_extent": LARGEST_EXTENT,
                 "image_read_write": True, "vendor_id": machine_facts.vendor_id(),
                 "max_clock_frequency": machine_facts.clock_mhz(),
                 "global_mem_cache_size": cache, "global_mem_cache_line_size": line or 64,
                 "preferred_work_group_size_multiple": found.vector_bits // 32})


def make_driver() -> CpuDriver:
    """Return the driver; nothing is compiled and no thread started before the first kernel."""
    if not compiler_version() and not packages.brings("cpu"):
        raise UnsupportedError(errc.feature_not_supported, "the native CPU needs llvmlite: pip "
                               "install llvmlite")
    return CpuDriver()
