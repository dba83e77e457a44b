"""The host device as plain Python: debuggers step through kernels, and nothing is compiled."""

from __future__ import annotations

import bdb
import os
import subprocess
import sys
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import unisycl as sycl
from tests import children

HERE = __file__


class Stepper(bdb.Bdb):
    """Steps through everything and notes each line of one function, with its variables."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.seen: list[tuple[int, dict[str, object]]] = []

    def user_line(self, frame: FrameType) -> None:
        if frame.f_code.co_filename == HERE and frame.f_code.co_name == self.name:
            first = frame.f_code.co_firstlineno
            self.seen.append((frame.f_lineno - first, dict(frame.f_locals)))


@pytest.mark.row("K-7", "D-63")
def test_a_debugger_steps_through_a_kernel() -> None:
    queue, out = sycl.queue(sycl.host_selector_v), np.zeros(3, np.int32)

    def kernel(i):  # type: ignore[no-untyped-def]
        double = 2 * i[0]
        out[i] = double
    stepper = Stepper("kernel")
    stepper.runcall(lambda: queue.parallel_for(3, kernel).wait())
    assert [1, 2] * 3 == [line for line, _ in stepper.seen]
    assert [0, 2, 4] == [names["double"] for line, names in stepper.seen if line == 2]
    assert [0, 2, 4] == out.tolist()


@pytest.mark.row("K-7", "D-63")
def test_a_debugger_steps_over_barriers() -> None:
    queue, out = sycl.queue(sycl.host_selector_v), np.zeros(4, np.int32)
    tile = sycl.local_accessor(np.int32, 2)

    def kernel(it, tile):  # type: ignore[no-untyped-def]
        lane = it.get_local_id(0)
        tile[lane] = it.get_global_id(0)
        sycl.group_barrier(it.get_group())
        other = tile[1 - lane]
        out[it.get_global_id(0)] = other
    stepper = Stepper("kernel")
    stepper.runcall(lambda: queue.parallel_for(sycl.nd_range(4, 2), kernel, tile).wait())
    lines = [line for line, _ in stepper.seen]
    assert {1, 2, 3, 4, 5} == set(lines)
    assert [1, 0, 3, 2] == [names["other"] for line, names in stepper.seen if line == 5]
    assert [1, 0, 3, 2] == out.tolist()


PROGRAM = """
import numpy as np, unisycl as sycl
out = np.zeros(2, np.int32)
def kernel(i):
    here = 10 * i[0] + 7
    breakpoint()
    out[i] = here
sycl.queue(sycl.host_selector_v).parallel_for(2, kernel).wait()
print("result", out.tolist())
"""


@pytest.mark.row("K-7", "D-63")
def test_breakpoint_opens_pdb_in_the_work_item(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    typed = "p ('here', here)\nhere = 1\nc\np ('next', here)\nc\n"
    found = children.run([sys.executable, str(program)], capture_output=True, text=True,
                         check=False, input=typed)
    assert found.returncode == 0, found.stderr
    for part in ("('here', 7)", "('next', 17)", "result [1, 17]"):
        assert part in found.stdout


ALONE = """
import sys
sys.modules["llvmlite"] = None  # importing it fails, as where it is not installed
import numpy as np, unisycl as sycl
q = sycl.queue()
assert q.get_device().get_backend() is sycl.backend.host, q.get_device()
assert [sycl.backend.host] == [d.get_backend() for d in sycl.device.get_devices()]
needs = (sycl.aspect.fp16, sycl.aspect.fp64, sycl.aspect.image, sycl.aspect.atomic64)
assert all(q.get_device().has(a) for a in needs)
x = np.arange(8, dtype=np.float16)
total = np.zeros(1, np.float64)
with sycl.buffer(x) as bx, sycl.buffer(total) as bt:
    def group(h):
        a = sycl.accessor(bx, h)
        tile = sycl.local_accessor(np.float16, 4, h)
        def kernel(it, sum_):
            k = it.get_local_id(0)
            tile[k] = sycl.sqrt(a[it.get_global_id(0)] * a[it.get_global_id(0)])
            sycl.group_barrier(it.get_group())
            a[it.get_global_id(0)] = tile[3 - k]
            sum_ += np.float64(sycl.reduce_over_group(it.get_group(), tile[k], sycl.plus))
        h.parallel_for(sycl.nd_range(8, 4), sycl.reduction(bt, h, sycl.plus), kernel)
    q.submit(group)
print(x.tolist(), total[0])
"""


@pytest.mark.row("K-7")
def test_kernels_run_with_no_compiler_installed() -> None:
    found = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True,
                           check=False, env={**os.environ, "UNISYCL_BACKENDS": "cpu,host"})
    assert "[3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0] 112.0\n" == found.stdout, found.stderr
