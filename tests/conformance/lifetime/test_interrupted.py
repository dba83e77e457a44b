"""Ctrl-C and kernels without end: the wait ends, the program ends, and what is done stays done."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import unisycl as sycl
from tests.moments import PATIENCE, until_it_waits

pytestmark = pytest.mark.row("A-37")

PROGRAM = """
import sys, time
import numpy as np
import unisycl as sycl
from unisycl.process import interrupts
interrupts.PATIENCE = 0.2  # of the end of a program, in which kernels without end go on working
q = sycl.queue({device!r})
def endless(i, o):
    while o[i] >= 0:
        o[i] = (o[i] + 1) & 7
def put(i, o):
    o[i] = i + 5
n = {count}
slow, done = sycl.malloc_shared(n, np.int32, q), sycl.malloc_shared(1000, np.int32, q)
q.fill(slow, 1).wait()
q.parallel_for(1000, put, done).wait()
q.fill(done, 0).wait()
before = q.parallel_for(1000, put, done)
{body}
"""
WAITS = {
    "event": "event = q.parallel_for(n, endless, slow); print('go', flush=True)\nevent.wait()",
    "queue": "q.parallel_for(n, endless, slow); print('go', flush=True)\nq.wait()",
    "follower": ("event = q.parallel_for(n, endless, slow)\n"
                 "event = q.parallel_for(1000, put, done, depends_on=[event])\n"
                 "print('go', flush=True)\nevent.wait()"),
}
CAUGHT = """
before.wait()
event = q.parallel_for(n, endless, slow)
print('go', flush=True)
try:
    event.wait()
except KeyboardInterrupt:
    print('caught', int(done[999]), flush=True)
other = sycl.queue({device!r})
other.parallel_for(10, put, sycl.malloc_shared(10, np.int32, other))
sys.exit(3)
"""
ALONE = """
q.parallel_for(n, endless, slow)
print('go', flush=True)
time.sleep(100)
"""


def interrupted(device, body, count):
    """Return the status and what is said when a program is interrupted, once, while it waits."""
    name = device.state.name
    text = PROGRAM.format(device=name, count=count, body=body.replace("{device!r}", repr(name)))
    process = subprocess.Popen(
        [sys.executable, "-c", text], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(
        None, [str(Path(sycl.__file__).parents[1]), os.environ.get("PYTHONPATH")]))})
    try:
        assert process.stdout is not None
        assert "go\n" == process.stdout.readline()
        until_it_waits(process.pid)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, out, errors


def commands(device):
    if device.get_backend() is sycl.backend.host:
        pytest.skip("kernels of the host device run in the thread that submits them")
    return (1, 100_000)


@pytest.mark.parametrize("wait", WAITS)
def test_ctrl_c_ends_the_wait_and_the_program(device, wait):
    for count in commands(device)[: 2 if wait == "event" else 1]:
        status, _, errors = interrupted(device, WAITS[wait], count)
        lines = errors.strip().split("\n")
        assert -signal.SIGINT == status, errors
        assert "KeyboardInterrupt" == lines[-2], errors
        assert "unisycl/runtime" not in errors  # it came where the program waits
        assert lines[-1].startswith("unisycl: the program was interrupted"), errors
        assert "kernel 'endless'" in lines[-1]
        if wait == "follower":
            # Where shared memory goes back to the host behind the endless kernel, the launch before
            # it is among those that have not ended.
            assert re.search(r"[23] command\(s\)", lines[-1]), errors
            assert "kernel 'put'" in lines[-1]


def test_a_program_that_catches_it_ends_with_its_own_status(device):
    for count in commands(device):
        status, out, errors = interrupted(device, CAUGHT, count)
        assert 3 == status, errors
        assert "caught 1004\n" == out
        assert errors.startswith("unisycl: the program was interrupted")
        assert 1 == errors.count("\n"), errors


def test_ctrl_c_elsewhere_ends_a_program_with_a_kernel_without_end(device):
    status, _, errors = interrupted(device, ALONE, commands(device)[1])
    assert -signal.SIGINT == status, errors
    assert "KeyboardInterrupt\nunisycl: the program was interrupted; 1 command(s)" in errors


def test_commands_that_can_end_do(device):
    """A host task and another queue's kernel, queued when Ctrl-C came, still run."""
    commands(device)
    body = """
def later(h):
    h.host_task(lambda: (time.sleep(0.1), print('done', flush=True)))
sycl.queue({device!r}).submit(later)
print('go', flush=True)
time.sleep(100)
"""
    status, out, errors = interrupted(device, body, 1)
    assert (-signal.SIGINT, "done\n") == (status, out)
    assert "abandoned" not in errors
