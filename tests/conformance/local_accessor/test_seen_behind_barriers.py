"""What one work-item writes to local memory, the others see behind the barrier."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("D-36")
@pytest.mark.parametrize("size", [1, 2, 4, 100])
@pytest.mark.parametrize("declared", ["accessor", "inside"])
def test_a_cell_that_one_item_writes(queue, size, declared):
    given = np.zeros(24, np.int32)
    given[[5, 14]] = 3, 7
    out = np.zeros(24, np.int32)

    def by_accessor(it, given, out, s):
        x = it.get_global_id(0)
        s[0] = 0
        sycl.group_barrier(it.get_group())
        if given[x]:
            s[0] = given[x]
        sycl.group_barrier(it.get_group())
        out[x] = s[0]

    def inside(it, given, out):
        s = sycl.ext.oneapi.group_local_memory_for_overwrite((np.int32, size), it.get_group())
        by_accessor(it, given, out, s)
    more = [sycl.local_accessor(np.int32, size)] if declared == "accessor" else []
    kernel = by_accessor if more else inside
    with sycl.buffer(given) as source, sycl.buffer(out) as target:
        queue.submit(lambda h: h.parallel_for(
            sycl.nd_range(24, 8), kernel, sycl.accessor(source, h, sycl.read_only),
            sycl.accessor(target, h), *more)).wait_and_throw()
    assert [3] * 8 + [7] * 8 + [0] * 8 == out.tolist()


PROGRAM = """
import numpy as np
import unisycl as sycl
def cell(it, s):
    s[0] = it.get_local_id(0)
    sycl.group_barrier(it.get_group())
    s[1] = s[0]
sycl.queue().parallel_for(sycl.nd_range(8, 8), cell, sycl.local_accessor(np.int32, 37)).wait()
"""


@pytest.mark.row("D-36")
def test_show_prints_the_code_that_runs(device, tmp_path):
    state = device.state
    if not state.name.startswith("opencl"):
        pytest.skip("no C text")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(
        None, [str(Path(sycl.__file__).parents[1]), os.environ.get("PYTHONPATH")])),
           "UNISYCL_DEVICE": state.name}
    found = subprocess.run([sys.executable, "-m", "unisycl", "show", f"{program}:cell", "--stage",
                            "source"], env=env, check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    if device.has(sycl.aspect.cpu):  # the extent that the launch has
        assert "[37]" in found
    else:
        assert "__local int *s" in found
