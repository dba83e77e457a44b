"""Kernels that wait for a pipe for ever: Ctrl-C ends the wait, and the program ends soon."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests import children

PRELUDE = """
import atexit
import sys
import numpy as np
import unisycl as sycl
from unisycl.ext.intel import pipe

out = np.zeros(1, np.int32)
atexit.register(lambda: print("found", out[0], flush=True))
first, second = pipe(np.int32, 4), pipe(np.int32, 4)

def reader(out):
    out[0] = first.read()

def writer(n):
    for k in range(n):
        second.write(k)

def late(n, seed):
    x = np.uint32(seed)
    for _ in range(n):
        x = (x * x + np.uint32(12345)) ^ (x >> np.uint32(3))
    first.write(np.int32(x & np.uint32(1)) + 7)

def plain(i, x):
    x[i] += 1

q = sycl.queue("cpu", sycl.property.queue.in_order())
other = sycl.queue("cpu")
"""
ENDS = {
    "one reader": "q.single_task(reader, out)",
    "with commands behind it": """
q.single_task(reader, out)
q.parallel_for(100_000, plain, np.zeros(100_000, np.int32))
q.single_task(reader, out)
""",
    "a reader and a writer": "q.single_task(reader, out); other.single_task(writer, 100)",
    "an error of the program": "q.single_task(reader, out); raise ValueError",
}


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_program_ends_though_kernels_wait_for_ever(text: str) -> None:
    done = children.run([sys.executable, "-c", PRELUDE + text], check=False, timeout=300,
                        capture_output=True, text=True)
    assert "they wait for pipes that nobody" in done.stderr
    assert 1 == done.returncode


def test_a_kernel_that_another_one_will_feed_is_waited_for() -> None:
    text = PRELUDE + "q.single_task(reader, out); other.single_task(late, 600_000_000, 5)"
    done = children.run([sys.executable, "-c", text], check=False, timeout=300,
                        capture_output=True, text=True)
    assert not done.stderr
    assert done.stdout in ("found 7\n", "found 8\n")
    assert 0 == done.returncode


def test_ctrl_c_ends_the_wait_for_a_kernel_that_waits_for_ever() -> None:
    text = PRELUDE + """
q.single_task(reader, out)
try:
    print("waiting", flush=True)
    q.wait()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert "waiting\n" == running.stdout.readline()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=300)
    assert out.startswith("interrupted\n")
    assert "they wait for pipes that nobody" in err
