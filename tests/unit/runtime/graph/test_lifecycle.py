"""The end of a process, seen from outside."""

from __future__ import annotations

import subprocess
import sys
import textwrap

PRELUDE = """
import os, sys, threading, time
import numpy as np
import unisycl as sycl
q = sycl.queue(sycl.host_selector_v)
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", PRELUDE + textwrap.dedent(program)],
                          capture_output=True, text=True, timeout=300)


def test_queued_work_completes_at_exit() -> None:
    got = run("""
        q.submit(lambda h: h.host_task(lambda: (time.sleep(0.1), print("ran", flush=True))))
    """)
    assert ("ran\n", 0) == (got.stdout, got.returncode)


def test_an_error_nobody_saw_is_printed_and_fails_the_process() -> None:
    got = run("q.submit(lambda h: h.host_task(lambda: 1 // 0))")
    assert 1 == got.returncode
    assert "ZeroDivisionError" in got.stderr


def test_a_handler_sees_errors_at_exit() -> None:
    got = run("""
        q = sycl.queue(sycl.host_selector_v, lambda errors: print(len(errors), flush=True))
        q.submit(lambda h: h.host_task(lambda: 1 // 0))
    """)
    assert ("1\n", 0) == (got.stdout, got.returncode)


def test_an_open_host_accessor_does_not_hang_the_exit() -> None:
    got = run("""
        b = sycl.buffer(np.zeros(4))
        held = sycl.host_accessor(b)
        def group(h):
            acc = sycl.accessor(b, h, sycl.read_write_host_task)
            h.host_task(lambda: print(acc[0], flush=True))
        q.submit(group)
    """)
    assert ("0.0\n", 0) == (got.stdout, got.returncode)


NO_THREADS = """
import atexit, threading

def ban():
    def start(thread):
        raise RuntimeError("can't create new thread at interpreter shutdown")
    threading.Thread.start = start

a = np.zeros(4)
b = sycl.buffer(a)
held = sycl.host_accessor(b)
other = sycl.queue(sycl.cpu_selector_v)

def kernel(h):
    acc = sycl.accessor(b, h, sycl.read_write)
    @h.parallel_for(4)
    def add(i):
        acc[i] += 1

def task(h):
    acc = sycl.accessor(b, h, sycl.read_write_host_task)
    h.host_task(lambda: print(acc[0], flush=True))

for _ in range(2):
    for queue in (q, other):
        queue.submit(kernel)
        queue.submit(task)
atexit.register(ban)  # the last one is called first
"""


def test_where_python_starts_no_thread_at_its_end_what_waits_completes() -> None:
    """As Python 3.12 does; here on every version."""
    got = run(NO_THREADS)
    assert ("1.0\n2.0\n3.0\n4.0\n", 0, "") == (got.stdout, got.returncode, got.stderr)


def test_a_forked_child_is_told_and_may_start_afresh() -> None:
    got = run("""
        q.submit(lambda h: h.host_task(lambda: None)).wait()
        pid = os.fork()
        if pid == 0:
            try:
                q.submit(lambda h: None)
            except sycl.exception as error:
                print("fork" in str(error), flush=True)
            ran = []
            own = sycl.queue(sycl.host_selector_v)
            own.submit(lambda h: h.host_task(lambda: ran.append(1))).wait()
            print(ran, flush=True)
            sys.exit(0)
        print(os.waitpid(pid, 0)[1], flush=True)
    """)
    assert "True\n[1]\n0\n" == got.stdout


def test_control_c_leaves_a_wait_and_the_queue_goes_on() -> None:
    got = run("""
        import signal
        from tests.moments import until_thread_is_in
        gate = threading.Event()
        event = q.submit(lambda h: h.host_task(gate.wait))
        def interrupt():
            until_thread_is_in("wait")
            os.kill(os.getpid(), signal.SIGINT)
        try:
            threading.Thread(target=interrupt).start()
            event.wait()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        gate.set()
        event.wait()
        print("done", flush=True)
    """)
    assert "interrupted\ndone\n" == got.stdout


def test_many_short_lived_queues_are_let_go() -> None:
    got = run("""
        from unisycl.runtime.graph import lifecycle
        for _ in range(1000):
            sycl.queue(sycl.host_selector_v).submit(lambda h: h.host_task(lambda: None))
        from tests.moments import until
        print(until(lambda: lifecycle.count() <= 2), flush=True)
    """)
    assert "True\n" == got.stdout
