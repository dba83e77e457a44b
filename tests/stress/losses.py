"""Every call to OpenCL fails once, with every status that a lost or exhausted device gives.

The calls of small programs are numbered; the n-th fails in the n-th run (``calls``), or all from it
on do, until the device is well again, or the n-th command ends with an error. The program gets
right results or an error with the right code, nothing hangs, the queue works afterwards, and no
native object or thread is left over. Devices are treated as of each level of memory that they have.
Non-goals: devices lost whose memory is that of ``cl_intel_unified_shared_memory``; its functions
are not in the table, and what they enqueue would go on.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import unisycl as sycl
from tests.stress.calls import Calls
from tests.stress.run import Run, handles
from unisycl.api.devices.device import device
from unisycl.backends import registry
from unisycl.backends.opencl.driver import ClDriver
from unisycl.backends.opencl.memory.levels import Level
from unisycl.base import settings
from unisycl.ext.oneapi import experimental as ext
from unisycl.runtime.devices.devices import DeviceState

SIZE = 300
SPARE = 24  # native objects that a device keeps for its next commands
Part = Callable[[sycl.queue], Any]
E = sycl.errc
STATUSES = {
    -2: E.runtime, -4: E.memory_allocation, -5: E.memory_allocation, -6: E.memory_allocation,
    -34: E.runtime, -36: E.runtime, -9999: E.runtime,
}
GROUPS = {-54: E.nd_range, -5: E.memory_allocation}
_ENDS = {-5: E.memory_allocation, -14: E.runtime, -36: E.runtime, -9999: E.runtime}
MODES = {"call": STATUSES, "from": STATUSES, "launch": GROUPS, "end": _ENDS}
"""One call fails, all from one on, one launch, the end of one command."""
TEXT = "__kernel void twice(__global int *x) { x[get_global_id(0)] *= 2; }"
RGBA = sycl.image_format.r32g32b32a32_sfloat


def bump(i: Any, p: Any) -> None:
    """A kernel."""
    p[i] += 1


def told(i: Any, p: Any) -> None:
    """A kernel that may write a text, and has a check."""
    if p[i] < 0:
        print("negative", i)
    assert p[i] < 99
    p[i] += 1


def turned(it: Any, p: Any, tile: Any) -> None:
    """A kernel with local memory."""
    k = it.get_local_id(0)
    tile[k] = p[it.get_global_id(0)]
    sycl.group_barrier(it.get_group())
    p[it.get_global_id(0)] = tile[it.get_local_range(0) - 1 - k]


def added(i: Any, p: Any, total: Any) -> None:
    """A kernel with a reduction."""
    total += p[i]


def buffers(q: sycl.queue) -> Any:
    """Buffers, one of them in parts, a copy, fills, a host task and a host accessor."""
    out = np.zeros(SIZE, np.int32)
    a = sycl.buffer(sycl.range(SIZE), dtype=np.int32)
    b = sycl.buffer(out)
    q.submit(lambda h: h.fill(sycl.accessor(a, h, sycl.write_only, sycl.no_init), 1))
    q.submit(lambda h: h.copy(sycl.accessor(a, h, sycl.read_only),
                              sycl.accessor(b, h, sycl.write_only)))

    def add(h: sycl.handler) -> None:
        x, y = sycl.accessor(a, h, sycl.read_only), sycl.accessor(b, h, sycl.read_write)
        h.parallel_for(SIZE, lambda i: put(x, y, i))

    def more(h: sycl.handler) -> None:
        y = sycl.accessor(b, h, sycl.read_write_host_task)
        h.host_task(lambda: grow(y))
    q.submit(add)
    q.submit(more)
    q.submit(add)
    with sycl.host_accessor(b, sycl.read_only) as seen:
        first = int(seen[5])
    part = sycl.buffer(b, 64, 64)
    q.submit(lambda h: h.fill(sycl.accessor(part, h, sycl.write_only), 7))
    q.wait_and_throw()
    b.close()
    return first, int(out[0]), int(out[64]), int(out[-1]), int(out.sum())


def put(x: Any, y: Any, i: Any) -> None:
    """A kernel."""
    y[i] += x[i]


def grow(y: Any) -> None:
    """A host task."""
    y[:] = np.asarray(y) + 1


def pointers(q: sycl.queue) -> Any:
    """USM of each kind that there is: fills, kernels, copies, waits."""
    d = q.get_device()
    own = sycl.malloc_device(SIZE, np.int32, q)
    event = q.fill(own, 3)
    event = q.parallel_for(SIZE, bump, own, depends_on=[event])
    out = np.zeros(SIZE, np.int32)
    q.memcpy(out, own, out.nbytes, depends_on=[event]).wait()
    found = [int(out.sum())]
    if d.has(sycl.aspect.usm_shared_allocations):
        p = sycl.malloc_shared(SIZE, np.int32, q)
        if p is None:
            raise MemoryError
        p[:] = np.arange(SIZE)
        event = q.parallel_for(SIZE, bump, p)
        q.parallel_for(sycl.nd_range(SIZE, 50), turned, p,
                       sycl.local_accessor(np.int32, 50), depends_on=[event]).wait()
        found += p[:4].tolist()
        q.copy(p, own, SIZE).wait()
        sycl.free(p, q)
    for _ in range(4):
        q.parallel_for(SIZE, bump, own)
    q.wait_and_throw()
    q.memcpy(out, own, out.nbytes).wait()
    sycl.free(own, q)
    return (*found, int(out.sum()))


def images(q: sycl.queue) -> Any:
    """An image copied to another one."""
    pixels = np.arange(5 * 7 * 4, dtype="f4").reshape(5, 7, 4)
    target = np.zeros_like(pixels)
    with sycl.unsampled_image(pixels, RGBA) as source, sycl.unsampled_image(target, RGBA) as copied:
        @q.submit
        def group(h: sycl.handler) -> None:
            src = sycl.unsampled_image_accessor(source, h, sycl.float4, sycl.read_only)
            dst = sycl.unsampled_image_accessor(copied, h, sycl.float4, sycl.write_only)

            @h.parallel_for((5, 7))
            def kernel(it: sycl.item) -> None:
                at = sycl.int2(it[1], it[0])
                dst.write(at, src.read(at))
        q.wait_and_throw()
    return float(target.sum()), float(target[4, 6, 3])


def graphs(q: sycl.queue) -> Any:
    """A graph of a fill and kernels, twice."""
    p = sycl.malloc_device(SIZE, np.int32, q)
    graph = ext.command_graph(q.get_context(), q.get_device())
    with graph.record(q):
        first = q.fill(p, 2)
        second = q.parallel_for(SIZE, bump, p, depends_on=first)
        q.parallel_for(SIZE, bump, p, depends_on=second)
    ready = graph.finalize()
    for _ in range(2):
        q.ext_oneapi_graph(ready).wait()
    q.wait_and_throw()
    out = np.zeros(SIZE, np.int32)
    q.memcpy(out, p, out.nbytes).wait()
    sycl.free(p, q)
    return int(out.sum())


def sums(q: sycl.queue) -> Any:
    """A reduction, and a kernel with texts and checks."""
    out = np.zeros(1, np.int32)
    values = np.arange(SIZE, dtype=np.int32)
    with sycl.buffer(values) as b, sycl.buffer(out) as r:
        def check(h: sycl.handler) -> None:
            x = sycl.accessor(b, h, sycl.read_write)
            h.parallel_for(20, lambda i: told(i, x))

        def add(h: sycl.handler) -> None:
            x = sycl.accessor(b, h, sycl.read_only)
            h.parallel_for(SIZE, sycl.reduction(r, h, sycl.plus), lambda i, t: added(i, x, t))
        q.submit(check)
        q.submit(add)
        q.wait_and_throw()
    return int(out[0]), int(values[0])


def times(q: sycl.queue) -> Any:
    """Profiling, in order."""
    timed = sycl.queue(q.get_context(), q.get_device(), [
        sycl.property.queue.enable_profiling(), sycl.property.queue.in_order()])
    p = sycl.malloc_device(SIZE, np.int32, timed)
    timed.fill(p, 1)
    event = timed.parallel_for(SIZE, bump, p)
    out = np.zeros(SIZE, np.int32)
    timed.memcpy(out, p, out.nbytes)
    timed.wait_and_throw()
    sycl.free(p, timed)
    info = sycl.info.event_profiling
    start, end = map(event.get_profiling_info, (info.command_start, info.command_end))
    return int(out.sum()), start <= end


def natives(q: sycl.queue) -> Any:
    """A kernel in OpenCL C, native objects, an event of the program's."""
    owner = q.get_context()
    source = ext.create_kernel_bundle_from_source(owner, ext.source_language.opencl, TEXT)
    twice = ext.build(source).ext_oneapi_get_kernel("twice")
    out = np.full(SIZE, 4, np.int32)
    with sycl.buffer(out) as b:
        def foreign(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h))
            h.parallel_for(SIZE, twice)
        q.submit(foreign)
        native = sycl.get_native(sycl.backend.opencl, q)
        event = q.submit(foreign)
        sycl.get_native(sycl.backend.opencl, event)
        with contextlib.suppress(Exception):  # the program's own call
            native.finish()
        q.wait_and_throw()
    return int(out.sum())


PARTS = (buffers, pointers, images, graphs, sums, times, natives)


class Place:
    """A device at one level of memory, new at each ``fresh``."""

    def __init__(self, driver: Any, level: str) -> None:
        os.environ[settings.MEMORY.name] = level
        self.driver = ClDriver(driver.traits, driver._libraries)
        del os.environ[settings.MEMORY.name]
        self.level = self.driver.level.name
        info = replace(self.driver.devices()[0])
        state = DeviceState("lossy", self.driver, info, f"lossy {level}")
        self.device = device._of(state)

    def queue(self) -> sycl.queue:
        """Return a queue in a context of its own."""
        return sycl.queue(sycl.context(self.device), self.device)


def take(q: sycl.queue, found: list[BaseException]) -> None:
    """Take the errors that are left on a queue."""
    for _ in range(6):
        try:
            q.wait_and_throw()
            return
        except Exception as error:  # noqa: BLE001 - judged by the caller
            found.append(error)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what it came from."""
    while error is not None:
        yield error
        error = error.__cause__


class Trial:
    """What is tried on one place."""

    def __init__(self, run: Run, calls: Calls, place: Place) -> None:
        self.run, self.calls, self.place = run, calls, place
        self.right: dict[str, Any] = {}

    def fail(self, what: str) -> None:
        """Note what was wrong."""
        self.run.fail(f"{self.place.driver.traits.platform}, {self.place.level}: {what}")

    def known(self, part: Part) -> Any:
        """Return what a part gives when nothing fails; the first time it is run for that."""
        name = part.__name__
        if name not in self.right:
            self.run.going()
            q = self.place.queue()
            self.right[name] = part(q)
            self.run.going()
            if part(q) != self.right[name]:
                self.fail(f"{name}: two runs differ")
            gc.collect()
            self.calls.kept = self.calls.kinds()
        return self.right[name]

    def attempt(self, part: Part, number: int, status: int, mode: str) -> bool:
        """Let the n-th call of a part fail; say whether there was one."""
        expected = self.known(part)
        q = self.place.queue()
        found: list[BaseException] = []
        result = None
        only = "clEnqueueNDRangeKernel" if mode == "launch" else ""
        self.calls.fail(number, status, only, lasting=mode == "from", ends=mode == "end")
        try:
            result = part(q)
        except Exception as error:  # noqa: BLE001 - judged below
            found.append(error)
        if mode == "from":
            take(q, found)
        failed = list(self.calls.failed)
        self.calls.heal()
        take(q, found)
        name = part.__name__
        where = f"{name}, {mode} {number} ({failed[:1]}) with {status}"
        right = MODES[mode][status]
        if failed == ["clSVMAlloc"]:  # it has no status, and the context says nothing either
            right = E.memory_allocation
        self.judge(where, failed, found, result, expected, right)
        found.clear()
        self.again(q, part, where)
        del q
        gc.collect()
        more = self.calls.kinds() - self.calls.kept
        if max(more.values(), default=0) > SPARE:
            self.fail(f"{where}: left over: {dict(more)}")
            self.calls.kept = self.calls.kinds()
        self.run.counts["failures"] += bool(failed)
        self.run.counts[mode] += bool(failed)
        return bool(failed)

    def judge(self, where: str, failed: list[str], found: list[BaseException], result: Any,
              expected: Any, right: sycl.errc) -> None:
        """Compare what the program was told with what it should be."""
        if result is not None and result != expected and not found:
            self.fail(f"{where}: {result} without an error, not {expected}")
        if not failed and found:
            self.fail(f"{where}: {found[0]!r} though nothing failed")
        if failed and any(isinstance(e, MemoryError) for e in found):
            return  # a null pointer
        for error in found:
            if not isinstance(error, sycl.exception):
                self.fail(f"{where}: {type(error).__name__}: {error}")
        codes = [e.code() for error in found for e in causes(error)
                 if isinstance(e, sycl.exception)]
        chain = "end" in where and where.startswith("graphs")  # only its last command is asked
        if found and right not in codes and not (chain and E.runtime in codes):
            self.fail(f"{where}: {codes}, not {right}: {found[0]}")
        self.run.counts["told"] += bool(found)

    def again(self, q: sycl.queue, part: Part, where: str) -> None:
        """The same queue and a new one work afterwards."""
        for queue in (q, self.place.queue()):
            try:
                found = part(queue)
                queue.wait_and_throw()
            except Exception as error:  # noqa: BLE001 - told
                self.fail(f"{where}: afterwards {type(error).__name__}: {error}")
                continue
            if found != self.right[part.__name__]:
                self.fail(f"{where}: afterwards {found}, not {self.right[part.__name__]}")


def places() -> list[Place]:
    """Return OpenCL's devices at each of their levels."""
    wanted = os.environ.get("UNISYCL_DEVICE", "")
    found = []
    for name, driver in registry.drivers().items():
        if isinstance(driver, ClDriver) and wanted in ("", name, name.partition(":")[0]):
            made = [Place(driver, level) for level in settings.LEVELS]
            found += list({place.level: place for place in made}.values())
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Let every call of every part fail until the time is over."""
    run = Run("losses", arguments, seconds=60.0)
    sys.unraisablehook = lambda told: run.fail(f"unraisable: {told.exc_value!r} {told.object}")
    threading.excepthook = lambda told: run.fail(f"in a thread: {told.exc_value!r}")
    run.going()
    given = places()
    if not given:
        why = "; ".join(f"{k}: {v}" for k, v in registry.problems().items())
        print(f"losses: no OpenCL device ({why}), 0 wrong")
        return 0
    for place in given:
        place.driver.opened()
    tables: dict[str, Calls] = {}
    trials = []
    for place in given:
        native = place.driver.opened()[1].platform
        calls = tables.get(place.driver.traits.platform) or Calls(native)
        tables[place.driver.traits.platform] = calls
        trials.append(Trial(run, calls, place))
    kept: tuple[int, int] | None = None
    plan = [(t, p, s, m) for t in trials for p in PARTS
            for m, known in MODES.items() for s in known
            if not (m == "from" and t.place.driver.level is Level.unified)]
    for _ in run.turns():
        run.random.shuffle(plan)
        for trial, part, status, mode in plan:
            number = 1
            while run.going() and trial.attempt(part, number, status, mode):
                number += 1
            kept = kept or handles()
            if not run.going():
                break
    gc.collect()
    threads = handles()[1] - (kept or handles())[1]
    if threads > 16:
        run.fail(f"{threads} threads more than after the first turn")
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
