"""The native thread pool: every unit once, order kept, failures passed on, nothing lost or hung."""

from __future__ import annotations

import ctypes
import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from tests import children
from unisycl.backends.cpu.pool import job as job_module
from unisycl.backends.cpu.pool.job import NativeJob
from unisycl.backends.cpu.pool.pool import HELPERS, NativePool
from unisycl.base.errors import DeviceError

ENTRIES = """
declare i32 @usleep(i32)

define void @nothing(ptr %args, i64 %begin, i64 %end, i64 %worker) {
  ret void
}

; args: one counter for each unit
define void @count(ptr %args, i64 %begin, i64 %end, i64 %worker) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %begin, %entry ], [ %i1, %loop ]
  %cell = getelementptr i64, ptr %args, i64 %i
  %old = atomicrmw add ptr %cell, i64 1 monotonic
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %end
  br i1 %more, label %loop, label %out
out:
  ret void
}

; args: address of a shared clock, place for the tick at which this job ran
define void @tick(ptr %args, i64 %begin, i64 %end, i64 %worker) {
  %clock = load ptr, ptr %args
  %now = atomicrmw add ptr %clock, i64 1 monotonic
  %cell = getelementptr i64, ptr %args, i64 1
  store i64 %now, ptr %cell
  ret void
}

; args: a number; plain (not atomic) loads and stores, so unordered jobs would lose additions
define void @step(ptr %args, i64 %begin, i64 %end, i64 %worker) {
  %v = load i64, ptr %args
  %v1 = add i64 %v, 1
  store i64 %v1, ptr %args
  ret void
}

; args: returns once it is not 0
define void @gate(ptr %args, i64 %begin, i64 %end, i64 %worker) {
entry:
  br label %loop
loop:
  %v = load atomic i64, ptr %args acquire, align 8
  %open = icmp ne i64 %v, 0
  br i1 %open, label %out, label %sleep
sleep:
  %r = call i32 @usleep(i32 200)
  br label %loop
out:
  ret void
}

; args: address of the error cell (put there by the pool), a code, a counter of calls
define void @fail(ptr %args, i64 %begin, i64 %end, i64 %worker) {
  %cell = load ptr, ptr %args
  %codep = getelementptr i64, ptr %args, i64 1
  %code = load i64, ptr %codep
  store atomic i64 %code, ptr %cell monotonic, align 8
  %callsp = getelementptr i64, ptr %args, i64 2
  %old = atomicrmw add ptr %callsp, i64 1 monotonic
  ret void
}

; args: counter of units, counter of clashes, then one cell for each worker id
define void @alone(ptr %args, i64 %begin, i64 %end, i64 %worker) {
  %cells = getelementptr i64, ptr %args, i64 2
  %cell = getelementptr i64, ptr %cells, i64 %worker
  %before = atomicrmw add ptr %cell, i64 1 monotonic
  %clashp = getelementptr i64, ptr %args, i64 1
  %o1 = atomicrmw add ptr %clashp, i64 %before monotonic
  %r = call i32 @usleep(i32 300)
  %n = sub i64 %end, %begin
  %o2 = atomicrmw add ptr %args, i64 %n monotonic
  %o3 = atomicrmw sub ptr %cell, i64 1 monotonic
  ret void
}
"""
PRELUDE = f"""
import ctypes, mmap, os, sys
import llvmlite.binding as llvm
from unisycl.backends.cpu.pool import job as job_module
from unisycl.backends.cpu.pool import pool as pool_module
from unisycl.backends.cpu.pool.pool import NativePool
ENTRIES = {ENTRIES!r}
"""
BUILD = """
llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
engine = llvm.create_mcjit_compiler(
    llvm.parse_assembly(ENTRIES), llvm.Target.from_default_triple().create_target_machine(jit=True))
engine.finalize_object()
"""

Entry = Callable[[str], int]


@pytest.fixture(scope="module")
def entry() -> Entry:
    """Addresses of the functions above."""
    names: dict[str, Any] = {"llvm": llvm, "ENTRIES": ENTRIES}
    exec(BUILD, names)  # noqa: S102
    engine = names["engine"]
    return lambda name: int(engine.get_function_address(name))


@pytest.fixture(scope="module", params=[1, 2, 5])
def pool(request: pytest.FixtureRequest) -> Iterator[NativePool]:
    made = NativePool(request.param)
    yield made
    assert made.stop(10)


@pytest.fixture
def gate() -> Iterator[ctypes.c_int64]:
    """A cell that jobs of entry `gate` wait for; open at the end of the test."""
    cell = ctypes.c_int64(0)
    yield cell
    cell.value = 1


def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    text = PRELUDE + BUILD + textwrap.dedent(program)
    return children.run([sys.executable, "-c", text, *arguments], check=False, timeout=300,
                        capture_output=True, text=True)


@pytest.mark.parametrize("units", [1, 2, 3, 7, 64, 1000, 4097])
@pytest.mark.parametrize("grain", [1, 2, 3, 64, 5000])
def test_every_unit_runs_exactly_once(pool: NativePool, entry: Entry, units: int,
                                      grain: int) -> None:
    for _ in range(5):
        counts = np.zeros(units, np.int64)
        job = pool.submit(entry("count"), counts.ctypes.data, units, grain, (), counts)
        assert job.wait(30)
        assert job.error() is None
        assert counts.tolist() == [1] * units


def test_every_unit_runs_once_when_nobody_helps(pool: NativePool, entry: Entry) -> None:
    for units in range(1, 200):
        counts = np.zeros(units, np.int64)
        job = pool.submit(entry("count"), counts.ctypes.data, units, 3, (), counts)
        assert job.wait(30, assist=False)
        assert counts.tolist() == [1] * units


def test_a_job_without_units_ends_after_its_dependencies(pool: NativePool, entry: Entry,
                                                         gate: ctypes.c_int64) -> None:
    first = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    point = pool.submit(entry("nothing"), 0, 0, 1, (first,))
    assert not point.wait(0.02)
    gate.value = 1
    assert point.wait(30)
    assert first.done()
    assert pool.submit(0, 0, 0).done()


def test_worker_ids_are_in_range_and_never_used_twice_at_once(entry: Entry) -> None:
    pool = NativePool(3)
    cells = np.zeros(2 + 3 + HELPERS + 1, np.int64)
    jobs = [pool.submit(entry("alone"), cells.ctypes.data, 20, 1, (), cells) for _ in range(16)]
    threads = [threading.Thread(target=job.wait) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert all(job.done() for job in jobs)
    assert cells[:2].tolist() == [320, 0]
    assert pool.stop(10)


def test_a_helper_that_leaves_early_loses_no_unit(entry: Entry,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "_HELP_NS", 1)
    for threads in (1, 2):
        pool = NativePool(threads)
        for _ in range(200):
            counts = np.zeros(50, np.int64)
            job = pool.submit(entry("count"), counts.ctypes.data, 50, 1, (), counts)
            assert job.wait(30)
            assert counts.tolist() == [1] * 50
        assert pool.stop(10)


def test_a_chain_runs_in_order(pool: NativePool, entry: Entry) -> None:
    total = np.zeros(1, np.int64)
    last: tuple[NativeJob, ...] = ()
    for _ in range(1000):
        last = (pool.submit(entry("step"), total.ctypes.data, 1, 1, last, total),)
    assert last[0].wait(30)
    assert total[0] == 1000


def test_diamonds_join_before_they_go_on(pool: NativePool, entry: Entry) -> None:
    clock = ctypes.c_int64(0)
    for width in (2, 3, 4, 5, 40):
        cells = np.zeros((width + 2, 2), np.int64)
        cells[:, 0] = ctypes.addressof(clock)

        def tick(i: int, deps: Sequence[NativeJob], cells: np.ndarray = cells) -> NativeJob:
            return pool.submit(entry("tick"), cells[i].ctypes.data, 1, 1, deps, cells)

        for _ in range(50):
            top = tick(0, ())
            sides = [tick(1 + i, (top,)) for i in range(width)]
            assert tick(width + 1, sides).wait(30)
            ticks = cells[:, 1]
            assert ticks[0] < ticks[1:].min()
            assert ticks[-1] > ticks[:-1].max()


def test_asking_a_job_for_its_error_lets_go_of_what_it_kept(pool: NativePool,
                                                            entry: Entry) -> None:
    cell = np.zeros(2, np.int64)
    clock = ctypes.c_int64(0)
    cell[0] = ctypes.addressof(clock)
    kept = np.zeros(4)
    gone = weakref.ref(kept)
    job = pool.submit(entry("tick"), cell.ctypes.data, 1, 1, (), kept)
    del kept
    while not job.done():
        time.sleep(0.001)
    assert job.error() is None
    assert gone() is None


@pytest.mark.parametrize("held", [False, True], ids=["running", "held back"])
def test_a_graph_of_a_thousand_jobs_keeps_its_order(pool: NativePool, entry: Entry,
                                                    gate: ctypes.c_int64, held: bool) -> None:
    chance = random.Random(7)
    clock = ctypes.c_int64(0)
    cells = np.zeros((1000, 2), np.int64)
    cells[:, 0] = ctypes.addressof(clock)
    gate.value = not held
    first = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    jobs: list[NativeJob] = []
    befores: list[list[int]] = []
    for i in range(1000):
        before = chance.sample(range(i), min(i, chance.randrange(8)))
        deps = [jobs[b] for b in before] or [first]
        jobs.append(pool.submit(entry("tick"), cells[i].ctypes.data, 1, 1, deps))
        befores.append(before)
    gate.value = 1
    assert all(job.wait(30) for job in jobs)
    assert sorted(cells[:, 1].tolist()) == list(range(1000))
    assert all(cells[b, 1] < cells[i, 1] for i, before in enumerate(befores) for b in before)


def test_the_same_dependency_may_be_given_twice(pool: NativePool, entry: Entry) -> None:
    total = np.zeros(1, np.int64)
    first = pool.submit(entry("step"), total.ctypes.data, 1)
    assert pool.submit(entry("step"), total.ctypes.data, 1, 1, (first, first, first)).wait(30)
    assert total[0] == 2


def test_jobs_of_two_pools_may_depend_on_each_other(pool: NativePool, entry: Entry) -> None:
    other = NativePool(2)
    total = np.zeros(1, np.int64)
    last: tuple[NativeJob, ...] = ()
    for i in range(200):
        where = other if i % 2 else pool
        last = (where.submit(entry("step"), total.ctypes.data, 1, 1, last, total),)
    assert last[0].wait(30)
    assert total[0] == 200
    assert other.stop(10)


def failing(pool: NativePool, entry: Entry, deps: Sequence[NativeJob] = (), units: int = 1,
            **options: Any) -> tuple[NativeJob, Any]:
    args = (ctypes.c_int64 * 3)(0, 41, 0)
    return pool.submit(entry("fail"), args, units, 1, deps, error_at=0, **options), args


def test_a_failed_job_fails_those_that_depend_on_it(pool: NativePool, entry: Entry,
                                                    gate: ctypes.c_int64) -> None:
    first = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    total = np.zeros(1, np.int64)
    bad, _ = failing(pool, entry, (first,))
    last = bad
    for _ in range(5000):
        last = pool.submit(entry("step"), total.ctypes.data, 1, 1, (last,), total)
    other = pool.submit(entry("step"), total.ctypes.data, 1, 1, (first,), total)
    gate.value = 1
    assert last.wait(30)
    assert other.wait(30)
    assert isinstance(bad.error(), DeviceError)
    assert "code 41" in str(bad.error())
    error = last.error()
    assert isinstance(error, DeviceError)
    assert "code 41" in str(error)
    assert error.__cause__ is bad.error()
    assert other.error() is None
    assert total[0] == 1
    late = pool.submit(entry("step"), total.ctypes.data, 1, 1, (other, last))
    assert late.wait(30)
    assert late.error() is not None
    assert total[0] == 1


def test_the_driver_may_word_the_error(pool: NativePool, entry: Entry) -> None:
    job, _ = failing(pool, entry, on_error=lambda code: ValueError(f"row {code}"))
    assert job.wait(30)
    assert repr(job.error()) == "ValueError('row 41')"


def test_an_error_stops_further_chunks(entry: Entry) -> None:
    pool = NativePool(2)
    job, args = failing(pool, entry, units=100_000)
    assert job.wait(30)
    assert job.error() is not None
    assert args[2] <= 3
    assert pool.stop(10)


def test_a_wait_that_runs_out_says_so(pool: NativePool, entry: Entry,
                                      gate: ctypes.c_int64) -> None:
    job = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    while not job.running:  # else the thread that waits could begin it, and wait for itself
        time.sleep(0.001)
    assert not job.done()
    for timeout in (0, -1, 1e-6, 0.02, 0.12):
        began = time.monotonic()
        assert not job.wait(timeout)
        assert time.monotonic() - began >= timeout
    gate.value = 1
    assert job.wait()
    assert job.wait(0)
    assert job.done()


def test_ctrl_c_ends_a_wait(entry: Entry, gate: ctypes.c_int64) -> None:
    pool = NativePool(1)
    job = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))

    def waits() -> None:
        timer.start()
        job.wait(300, assist=False)
    with pytest.raises(KeyboardInterrupt):
        waits()
    timer.join()
    assert not job.done()
    gate.value = 1
    assert job.wait(30)
    assert pool.stop(10)


def test_several_threads_may_wait_for_one_job(pool: NativePool, entry: Entry,
                                              gate: ctypes.c_int64) -> None:
    job = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    ended: list[bool] = []
    threads = [threading.Thread(target=lambda: ended.append(job.wait(30))) for _ in range(6)]
    for thread in threads:
        thread.start()
    time.sleep(0.05)
    gate.value = 1
    for thread in threads:
        thread.join(30)
    assert ended == [True] * 6


def test_times_are_those_of_the_monotonic_clock(pool: NativePool, entry: Entry) -> None:
    before = time.monotonic_ns()
    first = pool.submit(entry("nothing"), 0, 1)
    second = pool.submit(entry("nothing"), 0, 1, 1, (first,))
    assert second.wait(30)
    times = [before, *first.profile(), *second.profile(), time.monotonic_ns()]
    assert times == sorted(times)


def test_what_a_job_needs_lives_until_it_is_done(pool: NativePool, entry: Entry,
                                                 gate: ctypes.c_int64) -> None:
    counts = np.zeros(100, np.int64)
    alive = weakref.ref(counts)
    address = counts.ctypes.data
    first = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    for _ in range(20):
        pool.submit(entry("count"), address, 100, 7, (first,), counts)
    del counts, first
    gc.collect()
    held = alive()
    assert held is not None
    gate.value = 1
    while pool.pending():
        time.sleep(0.001)
    assert held.tolist() == [20] * 100
    del held
    pool.submit(entry("nothing"), 0, 1).wait(30)
    gc.collect()
    assert alive() is None


def test_eight_threads_may_submit_at_once(pool: NativePool, entry: Entry) -> None:
    total = np.zeros((8, 40), np.int64)
    order = np.zeros(8, np.int64)
    failures: list[BaseException] = []

    def work(row: int) -> None:
        try:
            last: tuple[NativeJob, ...] = ()
            for i in range(300):
                pool.submit(entry("count"), total[row].ctypes.data, 40, 3)
                last = (pool.submit(entry("step"), order[row:].ctypes.data, 1, 1, last),)
                if i % 7 == 0:
                    assert last[0].wait(30)
            assert last[0].wait(30)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(row,)) for row in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    while pool.pending():
        time.sleep(0.001)
    assert failures == []
    assert (total == 300).all()
    assert order.tolist() == [300] * 8


def test_an_idle_pool_uses_no_processor_time(entry: Entry) -> None:
    pool = NativePool(4)
    assert pool.submit(entry("nothing"), 0, 100).wait(30)
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.05
    assert pool.stop(10)


def test_workers_wake_from_sleep(entry: Entry) -> None:
    pool = NativePool(3, spin_ns=0)
    for _ in range(300):
        counts = np.zeros(9, np.int64)
        assert pool.submit(entry("count"), counts.ctypes.data, 9).wait(30, assist=False)
        assert counts.tolist() == [1] * 9
    assert pool.stop(10)


def test_a_forked_child_gets_fresh_workers(pool: NativePool, entry: Entry,
                                           gate: ctypes.c_int64) -> None:
    ended = pool.submit(entry("nothing"), 0, 1)
    assert ended.wait(30)
    running = pool.submit(entry("gate"), ctypes.addressof(gate), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        code = 1
        try:
            counts = np.zeros(100, np.int64)
            job = pool.submit(entry("count"), counts.ctypes.data, 100, 7, (ended,), counts)
            code = 2 if not job.wait(20) or counts.tolist() != [1] * 100 else 0
            code = code or (0 if running.wait(5) and running.error() is not None else 3)
            late = pool.submit(entry("nothing"), 0, 1, 1, (running,))
            code = code or (0 if late.wait(5) and late.error() is not None else 4)
            code = code or (0 if pool.stop(10) else 5)
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    gate.value = 1
    assert running.wait(30)
    assert running.error() is None


def test_interpreter_exit_completes_what_was_submitted() -> None:
    result = python("""
        import atexit
        total = ctypes.c_int64(0)
        def report():
            print(total.value)
        atexit.register(report)            # runs after the pool's own, registered later
        pool = NativePool(2)
        slow = (ctypes.c_int64 * 16)()
        last = pool.submit(engine.get_function_address("alone"), slow, 200)
        for _ in range(500):
            last = pool.submit(engine.get_function_address("step"), ctypes.addressof(total), 1, 1,
                               (last,))
        del last
        """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "500\n", "")


def test_jobs_submitted_after_the_stop_still_run() -> None:
    result = python("""
        total = ctypes.c_int64(0)
        pool = NativePool(2)
        step = engine.get_function_address("step")
        last = pool.submit(step, ctypes.addressof(total), 1)
        assert pool.stop() and pool.stop()
        for k in range(10):
            last = pool.submit(step, ctypes.addressof(total), 1, 1, (last,), assisted=k % 2 == 0)
            assert last.done()
        print(total.value)
        """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "11\n", "")


def test_an_endless_job_does_not_keep_the_interpreter_from_exiting() -> None:
    result = python("""
        import atexit
        pool = NativePool(2)
        shut = ctypes.c_int64(0)
        first = pool.submit(engine.get_function_address("gate"), ctypes.addressof(shut), 1)
        second = pool.submit(engine.get_function_address("nothing"), 0, 1, 1, (first,))
        atexit.register(pool.stop, 0.2)     # before the pool's own, which waits for longer
        print("over")
        """)
    assert (result.returncode, result.stdout) == (0, "over\n")
    assert "2 commands on the CPU did not end within 0.2 s" in result.stderr


def test_chunks_not_begun_are_dropped_when_time_is_up(entry: Entry) -> None:
    pool = NativePool(2)
    cells = (ctypes.c_int64 * 16)()
    job = pool.submit(entry("alone"), cells, 1_000_000)
    with pytest.warns(RuntimeWarning, match="1 commands on the CPU"):
        assert not pool.stop(0.05)
    assert job.wait(10)
    assert "cut off" in str(job.error())
    with pytest.raises(DeviceError):
        pool.submit(entry("nothing"), 0, 1)
