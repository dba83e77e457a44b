"""Every call of a driver fails once: nothing hangs, leaks, or is silently wrong.

A driver stands before the native CPU's and before the host device's and makes its n-th call fail,
for every n that a small program makes: compile, immediate, launch, batch, copy, fill, and the
commands' own ends. Allocations fail likewise. The program either gets the right results, or an
error that says so, exactly once; afterwards the same queue works.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from tests.stress.run import Run, device_names, handles
from unisycl.api.devices.device import device
from unisycl.backends import registry
from unisycl.backends.base import Transfer
from unisycl.runtime.devices.devices import DeviceState
from unisycl.runtime.graph import lifecycle

SIZE = 4096
CALLS = ("compile", "immediate", "launch", "batch", "copy", "fill", "end", "allocation")


class Injected(Exception):  # noqa: N818 - not an error of ours
    """What the driver fails with."""


class FailedEnd:
    """The completion of a command that ran, and is said to have failed."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def done(self) -> bool:
        return bool(self.inner.done())

    def wait(self, timeout: float | None = None) -> bool:
        return bool(self.inner.wait(timeout))

    def error(self) -> BaseException | None:
        return Injected("end")

    def profile(self) -> tuple[int, int]:
        return self.inner.profile()  # type: ignore[no-any-return]


class Failing:
    """A driver that passes everything on, but for the call that is to fail."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.kind = ""
        self.left = 0
        self.seen = 0
        self.lock = threading.Lock()

    def arm(self, kind: str, number: int) -> None:
        self.kind, self.left, self.seen = kind, number, 0

    def due(self, kind: str) -> bool:
        with self.lock:
            if kind != self.kind:
                return False
            self.seen += 1
            self.left -= 1
            return self.left == 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def _call(self, kind: str, *args: Any) -> Any:
        if self.due(kind):
            raise Injected(kind)
        return getattr(self.inner, kind)(*args)

    def compile(self, *args: Any) -> Any:
        return self._call("compile", *args)

    def immediate(self, launch: Any) -> Any:
        if self.kind in ("launch", "end") or isinstance(launch, Transfer):
            return False
        return self._call("immediate", launch)

    def batch(self, launches: Any, before: Any) -> Any:
        return self._call("batch", launches, before)

    def _begin(self, kind: str, *args: Any) -> Any:
        *most, deps = args
        for dep in deps:
            if isinstance(dep, FailedEnd):  # a driver skips what depends on a failed command
                return FailedEnd(dep.inner)
        end = self._call(kind, *most, deps)
        return FailedEnd(end) if self.due("end") else end

    def launch(self, launch: Any, deps: Any) -> Any:
        return self._begin("launch", launch, deps)

    def copy(self, dst: Any, src: Any, deps: Any) -> Any:
        return self._begin("copy", dst, src, deps)

    def fill(self, dst: Any, pattern: Any, deps: Any) -> Any:
        return self._begin("fill", dst, pattern, deps)


class Allocator:
    """Memory for buffers that is not always to be had."""

    def __init__(self, driver: Failing) -> None:
        self.driver, self.out = driver, 0

    def allocate(self, count: int) -> Any:
        if self.driver.due("allocation"):
            raise MemoryError
        self.out += 1
        return bytearray(count)

    def deallocate(self, memory: Any) -> None:
        self.out -= 1


def program(queue: sycl.queue, allocator: Allocator) -> list[list[int]]:
    """Use every kind of command; return what must be [1..] in the end."""
    a, b = (sycl.buffer(sycl.range(SIZE), dtype=np.int32, allocator=allocator) for _ in range(2))
    out = np.zeros(SIZE, np.int32)
    total = sycl.buffer(out)
    p = sycl.malloc_shared(SIZE, np.int32, queue)

    def add(h: sycl.handler, source: sycl.buffer, target: sycl.buffer) -> None:
        x = sycl.accessor(source, h, sycl.read_only)
        y = sycl.accessor(target, h, sycl.read_write)
        h.parallel_for(SIZE, lambda i: put(x, y, i))
    queue.submit(lambda h: h.fill(sycl.accessor(a, h, sycl.write_only), 1))
    queue.submit(lambda h: h.copy(sycl.accessor(a, h, sycl.read_only),
                                  sycl.accessor(b, h, sycl.write_only)))
    queue.submit(lambda h: add(h, a, b))
    queue.submit(lambda h: add(h, b, total))

    def host(h: sycl.handler) -> None:
        t = sycl.accessor(total, h, sycl.read_write_host_task)

        @h.host_task
        def more() -> None:
            t[:] = np.asarray(t) + 1
    queue.submit(host)
    graph = sycl.ext.oneapi.experimental.command_graph(queue)
    with graph.record(queue):
        first = queue.fill(p, 2)
        queue.parallel_for(SIZE, bump, p, depends_on=first)
    queue.ext_oneapi_graph(graph.finalize()).wait()
    queue.wait_and_throw()
    total.close()
    result = [out.tolist(), p[:].tolist()]
    sycl.free(p, queue)
    return result


def put(x, y, i):
    y[i] += x[i]


def bump(i, p):
    p[i] += 1


RIGHT = [[3] * SIZE, [3] * SIZE]


def attempt(run: Run, inner: Any, kind: str, number: int, given: list[Any]) -> bool:
    """Let the n-th call of a kind fail on a device of its own; say whether there was one."""
    driver = Failing(inner)
    state = DeviceState("failing", driver, inner.devices()[0], "failing")
    queue, allocator = sycl.queue(device._of(state), given), Allocator(driver)
    driver.arm(kind, number)
    found: list[BaseException] = []
    result = None
    try:
        result = program(queue, allocator)
    except (sycl.exception, Injected) as error:
        found.append(error)
    fired = driver.left <= 0
    driver.arm("", 0)
    for _ in range(3):  # what other commands failed with, and nothing else
        try:
            queue.wait_and_throw()
            break
        except (sycl.exception, Injected) as error:
            found.append(error)
    where = f"{kind} {number}"
    if result is not None and result != RIGHT:
        run.fail(f"{where}: wrong results without an error")
    if fired and not found:
        run.fail(f"{where}: failed and nobody was told")
    if not fired and found:
        run.fail(f"{where}: {found[0]!r} though nothing failed")
    try:
        queue.wait_and_throw()
        if program(queue, allocator) != RIGHT:
            run.fail(f"{where}: wrong results afterwards")
    except (sycl.exception, Injected) as error:
        run.fail(f"{where}: the queue does not work afterwards: {error!r}")
    run.counts["told"] += bool(found)
    found.clear()  # their tracebacks hold the buffers
    gc.collect()
    if allocator.out:
        run.fail(f"{where}: {allocator.out} allocations were never given back")
    run.counts["failures"] += fired
    run.counts[f"of {kind}"] += fired
    return fired


def main(arguments: Sequence[str] | None = None) -> int:
    """Let every call of every kind fail, on each device, until the time is over."""
    run = Run("failures", arguments, seconds=60.0)
    kept = -1
    for _ in run.turns():
        for inner in [registry.drivers()[name] for name in device_names()]:
            for given in ([], [sycl.property.queue.in_order()]):
                for kind in CALLS:
                    number = 1
                    while run.going() and attempt(run, inner, kind, number, given):
                        number += 1
        if kept < 0:
            kept, (files, threads) = lifecycle.count(), handles()
    gc.collect()
    more = [lifecycle.count() - kept, handles()[0] - files, handles()[1] - threads]
    if max(more[:2]) > 2 or more[2] > 8:
        run.fail(f"{more} more queues, files and threads than after the first turn")
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
