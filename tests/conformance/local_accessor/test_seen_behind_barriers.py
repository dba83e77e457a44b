"""What one work-item writes to local memory, the others see behind the barrier."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import children


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


PACKED = np.dtype([("flag", np.bool_), ("x", np.float32), ("row", np.int16, (3,))])


@pytest.mark.row("D-36")
def test_elements_that_all_items_share_are_read_behind_each_barrier(queue):
    out, groups = np.zeros((24, 8), np.float32), np.zeros((24, 2), np.float32)

    def kernel(it, out, groups, s, r, v):
        lid, x, group = it.get_local_id(0), it.get_global_id(0), it.get_group_linear_id()
        last, total = it.get_local_range(0) - 1, np.float32(0)
        for turn in range(3):
            s[lid] = lid + turn * 10 + group
            r[lid].x, r[lid].flag = (lid * 2 + turn, lid == turn)
            r[lid].row[1] = turn - lid
            v[lid] = sycl.float4(lid, turn, group, 7)
            sycl.group_barrier(it.get_group())
            if lid == 0:
                s[0], s[last] = s[last], s[0]
            sycl.group_barrier(it.get_group())
            total += s[last] + s[group % 8] * 100
            where = (group + 1) % 5
            out[x, turn] = r[where].x + r[2].row[1] + (50 if r[turn].flag else 0)
            out[x, 3 + turn] = v[where][turn % 2] + v[3].z
            sycl.group_barrier(it.get_group())
        out[x, 6], out[x, 7] = (total, where)
    memories = [sycl.local_accessor(t, 8) for t in (np.float32, PACKED, sycl.float4)]
    queue.parallel_for(sycl.nd_range(24, 8), kernel, out, groups, *memories).wait()
    for x in range(24):
        group = x // 8
        where = (group + 1) % 5
        rows = [[k + turn * 10 + group for k in range(8)] for turn in range(3)]
        for row in rows:
            row[0], row[7] = row[7], row[0]
        want = [where * 2 + turn + turn - 2 + 50 for turn in range(3)]
        want += [(where, turn)[turn % 2] + group for turn in range(3)]
        want += [sum(row[7] + row[group % 8] * 100 for row in rows), where]
        assert want == out[x].tolist(), x


PROGRAM = """
import numpy as np
import unisycl as sycl
def cell(it, s):
    s[0] = it.get_local_id(0)
    sycl.group_barrier(it.get_group())
    s[1] = s[0]
sycl.queue().parallel_for(sycl.nd_range(8, 8), cell, sycl.local_accessor(np.int32, 37)).wait()
"""


@pytest.mark.part("D-36")
def test_show_prints_the_code_that_runs(device, tmp_path):
    state = device.state
    if not state.name.startswith("opencl"):
        pytest.skip("no C text")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(
        None, [str(Path(sycl.__file__).parents[1]), os.environ.get("PYTHONPATH")])),
           "UNISYCL_DEVICE": state.name}
    found = children.run([sys.executable, "-m", "unisycl", "show", f"{program}:cell", "--stage",
                          "source"], env=env, check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    if device.has(sycl.aspect.cpu):  # the extent that the launch has
        assert "[37]" in found
    else:
        assert "__local int *s" in found
