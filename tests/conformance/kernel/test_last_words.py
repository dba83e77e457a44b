"""What a process says in the end whose kernel crashed it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import unisycl as sycl
from tests import children

PROGRAM = """
import faulthandler, os, signal, sys
import numpy as np
import unisycl as sycl

def poke(i, p, far):
    p[i + far] = 1

def loop(i, p, far, n):
    for k in range(n):
        p[i + far + 4096 * k] = 1

def tiny():
    q.parallel_for(16, poke, p, FAR).wait()  # tiny

def large():
    q.parallel_for(1 << 20, loop, p, FAR, 3)  # large
    q.wait()

def group():
    @q.submit
    def group(h):
        h.parallel_for(sycl.range(1 << 16), loop, p, FAR, 3)  # group
    q.wait()

def bound():
    q.bind(16, poke, p, FAR)().wait()  # bound

def chained():
    faulthandler.enable()
    tiny()

def cut():
    file = np.memmap(sys.argv[1], np.float32, "w+", shape=1 << 16)
    os.truncate(sys.argv[1], 0)
    q.parallel_for(1 << 16, poke, file, 0).wait()  # cut

def own():
    os.kill(os.getpid(), signal.SIGFPE)

for case in (tiny, large, group, bound, chained, cut, own):
    child = os.fork()
    if child == 0:
        try:
            q, FAR = sycl.queue(sycl.cpu_selector_v), 0
            p = sycl.malloc_shared(1 << 21, np.float32, q)
            tiny(), large()  # nothing wrong so far
            FAR = 1 << 44
            case()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    print(f"== {case.__name__} {-os.waitstatus_to_exitcode(status)}", file=sys.stderr, flush=True)
"""


@pytest.mark.row("Q-9")
def test_a_crash_names_the_kernel_and_where_it_was_submitted(tmp_path: Path) -> None:
    if not any(d.get_backend() is sycl.backend.cpu for d in sycl.device.get_devices()):
        pytest.skip("there is no native CPU device")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")
    done = children.run([sys.executable, "-W", "ignore", str(file), str(tmp_path / "cut")],
                        capture_output=True, text=True, check=False)
    parts, said = {}, []
    for line in done.stderr.splitlines():
        if line.startswith("== "):
            parts[line[3:]] = "\n".join(said)
            said = []
        else:
            said.append(line)
    lines = PROGRAM.splitlines()
    for case, kernel, did in (("tiny", "poke", "submitted"), ("large", "loop", "submitted"),
                              ("group", "loop", "submitted"), ("bound", "poke", "bound")):
        line = next(k for k, text in enumerate(lines, 1) if text.endswith(f"# {case}"))
        told = parts[f"{case} 11"]
        assert f"SIGSEGV (memory access): kernel '{kernel}', " in told, told
        assert f"{did} at {file}:{line}, crashed this process" in told, told
        assert "UNISYCL_DEBUG=1" in told
    line = next(k for k, text in enumerate(lines, 1) if text.endswith("# cut"))
    assert f"SIGBUS (memory access): kernel 'poke', submitted at {file}:{line}" in parts["cut 7"]
    told = parts["chained 11"]  # and those who listened before are told, too
    assert "kernel 'poke'" in told
    assert "Segmentation fault" in told
    assert "in tiny" in told
    assert parts["own 8"] == ""
