"""How long objects live: nothing leaks, and they go in any order, anywhere (SYCL 2020 §3.9.12)."""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.runtime.graph import lifecycle
from unisycl.testing import device_names, find_device, refused


def resident() -> int:
    """Return the bytes of memory this process has in use."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def handles() -> tuple[int, int]:
    """Return the open files and the threads of this process."""
    folders = (Path("/proc/self/fd"), Path("/proc/self/task"))
    files, threads = (sum(1 for _ in folder.iterdir()) for folder in folders)
    return files, threads


def count_up(i, p):
    p[i] += 1


def add_one(h: sycl.handler, b: sycl.buffer) -> None:
    acc = sycl.accessor(b, h)

    @h.parallel_for(b.get_range())
    def kernel(i):
        acc[i] += 1


@pytest.mark.row("E-37", "A-23", "B-1")
def test_ten_thousand_queues_and_buffers_leave_nothing(device: sycl.device) -> None:
    array = np.zeros(64, np.int32)

    def once(turn: int) -> None:
        q = sycl.queue(device)
        with sycl.buffer(array) as b:
            if turn % 10 == 0:  # the others are dropped unused
                p = sycl.malloc_shared(16, np.int32, q)
                q.memset(p, 0).wait()
                q.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 1))
                sycl.free(p, q)
    for turn in range(500):
        once(turn)
    gc.collect()
    sycl.queue(device).wait()
    before, open_before, kept = resident(), handles(), lifecycle.count()
    total = 10_000
    for turn in range(total):
        once(turn)
    gc.collect()
    grown = resident() - before
    assert grown < total * 400, f"{grown} bytes more after {total} queues and buffers"
    files, threads = handles()
    assert files <= open_before[0] + 2
    assert threads <= open_before[1] + 2
    assert lifecycle.count() <= kept + 64


@pytest.mark.row("A-31", "B-45")
def test_events_bundles_and_graphs_are_collected(device: sycl.device) -> None:
    q = sycl.queue(device)
    p = sycl.malloc_shared(16, np.int32, q)
    p[:] = 0

    def once() -> None:
        event = q.parallel_for(16, count_up, p)
        q.submit(lambda h: h.depends_on(event)).wait()
        sycl.get_kernel_bundle(q.get_context(), [count_up])
        graph = sycl.ext.oneapi.experimental.command_graph(q)
        graph.add(lambda h: h.parallel_for(16, count_up, p))
        q.ext_oneapi_graph(graph.finalize()).wait()
    for _ in range(20):
        once()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        once()
    gc.collect()
    assert len(gc.get_objects()) - before < 500
    assert 240 == p[0]


@pytest.mark.row("E-37", "F-5")
def test_a_failure_that_was_told_keeps_no_buffer(device: sycl.device) -> None:
    q = sycl.queue(device)

    def failing() -> weakref.ref[sycl.buffer]:
        b = sycl.buffer(np.zeros(8))

        def group(h: sycl.handler) -> None:
            sycl.accessor(b, h, sycl.read_write_host_task)
            h.host_task(lambda: 1 // 0)
        event = q.submit(group)
        with pytest.raises(sycl.exception, match="ZeroDivisionError"):
            event.wait()
        return weakref.ref(b)
    gone = failing()
    q.submit(lambda h: h.host_task(lambda: None)).wait()
    gc.collect()
    assert gone() is None


@pytest.mark.row("A-23", "B-2", "E-37")
def test_objects_go_in_any_order(device: sycl.device) -> None:
    names = ("queue", "buffer", "event", "context", "usm")
    for order in itertools.permutations(names):
        x = np.zeros(32, np.int32)
        context = sycl.context(device)
        queue = sycl.queue(context, device)
        b = sycl.buffer(x)
        event = queue.submit(lambda h, b=b: add_one(h, b))
        usm = sycl.malloc_shared(32, np.int32, queue)
        queue.fill(usm, 2)
        alive: dict[str, Any] = {"queue": queue, "buffer": b, "event": event, "context": context,
                                 "usm": usm}
        del queue, b, event, context, usm
        for name in order:
            del alive[name]
        assert [1] * 32 == x.tolist()


@pytest.mark.row("A-26", "E-37")
def test_objects_go_from_any_thread(device: sycl.device) -> None:
    wrong: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for turn in range(30):
                q = sycl.queue(device)
                x = np.zeros(16, np.int32)
                b = sycl.buffer(x)
                event = q.submit(lambda h, b=b: add_one(h, b))
                ring: list[Any] = [q, b, event]
                ring.append(ring)  # only the collector ends it, in whatever thread it runs
                del q, b, event, ring
                if seed == turn % 8:
                    gc.collect()
        except BaseException as error:  # noqa: BLE001 - told to the main thread
            wrong.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    gc.collect()
    assert not any(t.is_alive() for t in threads)
    assert [] == wrong


def run(program: str | Path, device: sycl.device,
        **more: str) -> subprocess.CompletedProcess[str]:
    """Run a program of its own, or a file of one, on the device; a hang fails the test."""
    name = next(n for n in device_names() if find_device(n) == device)
    given = [str(program)] if isinstance(program, Path) else ["-c", program]
    return subprocess.run(
        [sys.executable, *given], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "UNISYCL_DEVICE": name, **more})


FORK = """
import os, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # Python's, of forks beside threads
import numpy as np
import unisycl as sycl
def one(i, p):
    p[i] = 1
q = sycl.queue()
p = sycl.malloc_shared(64, np.int32, q)
b = sycl.buffer(np.zeros(8))
parts = q.get_device().get_info(sycl.info.device.partition_properties)
if parts:
    part = q.get_device().create_sub_devices(sycl.info.partition_property.partition_equally, 1)[0]
    sycl.queue(part).single_task(lambda: None).wait()
q.parallel_for(64, one, p).wait()
def afresh():
    status = 0
    fresh = sycl.queue()
    mine = sycl.malloc_shared(64, np.int32, fresh)
    fresh.parallel_for(64, one, mine).wait()
    status |= 4 * (mine[:].sum() != 64)
    if parts:
        part = fresh.get_device().create_sub_devices(
            sycl.info.partition_property.partition_equally, 1)[0]
        inner = sycl.queue(part)
        other = sycl.malloc_shared(64, np.int32, inner)
        inner.parallel_for(64, one, other).wait()
        status |= 8 * (other[:].sum() != 64)
    return status
child = os.fork()
if child == 0:
    status = 0
    for old in (lambda: q.parallel_for(64, one, p), lambda: q.wait(),
                lambda: q.submit(lambda h: sycl.accessor(b, h))):
        try:
            old()
        except sycl.exception as error:
            status |= error.code() is not sycl.errc.invalid
        else:
            status |= 2
    try:
        status |= afresh()
    except sycl.exception as error:
        told = sycl.errc.feature_not_supported, sycl.errc.runtime  # refused, or not there
        assert error.code() in told and "forked" in error.what(), error
        status |= 16
    os._exit(status)
_, status = os.waitpid(child, 0)
q.parallel_for(64, one, p).wait()
print(os.waitstatus_to_exitcode(status), p[:].sum())
"""


@pytest.mark.row("A-37")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_starts_afresh(device: sycl.device) -> None:
    with refused(device, sycl.aspect.usm_shared_allocations):
        sycl.malloc_shared(1, np.int32, sycl.queue(device))
    done = run(FORK, device)
    if (done.stdout, done.returncode) == ("16 64\n", 0):
        with refused(device, able=False):  # a driver's threads do not survive a fork
            raise sycl.exception(sycl.errc.feature_not_supported, "the child of a fork may not use "
                                 "what its parent has used")
    assert (done.stdout, done.returncode) == ("0 64\n", 0), done.stderr


EXIT = """
import atexit, sys
import numpy as np
import unisycl as sycl
def one(i, p):
    p[i] = 1
q = sycl.queue()
p = sycl.malloc_shared(1 << 12, np.int32, q)
x = np.zeros(256, np.int32)
b = sycl.buffer(x)
held = sycl.host_accessor(sycl.buffer(8))
event = q.parallel_for(1 << 12, one, p)
q.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 3))
q.submit(lambda h: h.host_task(lambda: None))
graph = sycl.ext.oneapi.experimental.command_graph(q)
graph.add(lambda h: h.parallel_for(16, one, p))
replay = graph.finalize()
q.ext_oneapi_graph(replay)
ring = [q, b, event, graph, replay]
ring.append(ring)
class Late:
    def __del__(self):
        self.q = None
late = Late()
late.q = q
sys.late = late
"""


@pytest.mark.row("A-37", "F-23")
def test_pending_work_and_objects_at_exit_say_nothing(device: sycl.device) -> None:
    with refused(device, sycl.aspect.usm_shared_allocations):
        sycl.malloc_shared(1, np.int32, sycl.queue(device))
    done = run(EXIT, device)
    assert ("", "", 0) == (done.stdout, done.stderr, done.returncode)


LOST = """
import unisycl as sycl
q = sycl.queue()
q.submit(lambda h: h.host_task(lambda: 1 // 0))
"""


@pytest.mark.row("X-4", "A-37")
def test_an_error_nobody_saw_is_reported_at_exit(device: sycl.device) -> None:
    done = run(LOST, device)
    assert 1 == done.returncode
    assert "ZeroDivisionError" in done.stderr
    assert "Exception ignored" not in done.stderr


CHILD = """
import os, sys
import numpy as np
import unisycl as sycl
def one(i, p):
    p[i] = 1
device = sycl.queue().get_device()
q = sycl.queue(device)
p = sycl.malloc_device(64, np.int32, q)
q.parallel_for(64, one, p).wait()
bound = q.bind(64, one, p)
child = os.fork()
if child == 0:
    def told(call):
        try:
            call()
        except sycl.exception as error:
            return f"{error.code().name}: {error.what()}"
        return "done"
    for call in (bound, q.wait, lambda: q.parallel_for(64, one, p)):
        print(told(call))
    mine = np.zeros(64, np.int32)
    print(told(lambda: sycl.queue(device).parallel_for(64, one, mine).wait()))
    cpu = sycl.queue("cpu")
    cpu.parallel_for(64, one, mine).wait()
    print(mine.sum(), flush=True)
    os._exit(0)
os.waitpid(child, 0)
q.parallel_for(64, one, p).wait()
"""


@pytest.mark.row("A-37")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_is_told_what_it_can_do(device: sycl.device) -> None:
    done = run(CHILD, device, UNISYCL_BACKENDS="")
    lines = done.stdout.splitlines()
    assert (done.returncode, len(lines), lines[4]) == (0, 5, "64"), done.stderr
    for line in lines[:3]:
        assert line.startswith("invalid: this object belongs to the process that was forked; in ")
        assert "on the CPU or the host device" in line
        assert "'spawn'" in line
    if lines[3] != "done":  # where a driver's threads do not survive a fork
        assert lines[3].startswith("feature_not_supported: ")
        assert "'spawn'" in lines[3]
        assert "sycl.queue('cpu')" in lines[3]


SPAWN = """
import multiprocessing
import numpy as np
import unisycl as sycl
def one(i, p):
    p[i] = 1
def work(_=None):
    q = sycl.queue()
    mine = np.zeros(64, np.int32)
    q.parallel_for(64, one, mine).wait()
    return int(mine.sum())
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(work(), pool.map(work, [None]))
"""


@pytest.mark.row("A-37")
def test_a_child_that_is_spawned_uses_what_its_parent_uses(
        device: sycl.device, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SPAWN)
    done = run(program, device)
    assert (done.stdout, done.returncode) == ("64 [64]\n", 0), done.stderr


UNWAITED = """
import numpy as np
import unisycl as sycl
q = sycl.queue()
def work(i, p):
    s = np.float32(0)
    for k in range(300):
        s += np.float32(k) * p[i]
    p[i] = s
p = sycl.malloc_device(1 << 15, np.float32, q)
for _ in range(20):
    q.parallel_for(1 << 15, work, p)
b = sycl.buffer(np.ones(1000, np.float32))
q.submit(lambda h: h.fill(sycl.accessor(b, h), 2))
"""


@pytest.mark.row("A-37")
def test_a_program_that_waits_for_nothing_ends_well(
        device: sycl.device, tmp_path: Path) -> None:
    """Threads that wait for it are inside drivers then, where Python must not end them."""
    program = tmp_path / "program.py"
    program.write_text(UNWAITED.replace("1 << 15", "16") if device.get_backend().name == "host"
                       else UNWAITED)
    for _ in range(2 if device.get_backend() is sycl.backend.opencl else 1):
        done = run(program, device)
        assert (done.returncode, done.stderr) == (0, "")
