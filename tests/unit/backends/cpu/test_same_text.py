"""A kernel has the same text in every process: caches and comparisons go by texts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests import children

PROGRAM = """
import sys
from dataclasses import dataclass
import numpy as np
import unisycl as sycl

@dataclass
class body:
    mass: np.float64
    speed: np.float32
    kind: np.int16
    alive: bool

kept = [bytearray(k) for k in range(int(sys.argv[1]))]  # objects get other addresses
out = np.zeros(16)

@sycl.kernel(reqd_sub_group_size=8)
def kernel(it):
    k = it.get_local_id(0)
    mine = body(np.float64(k), np.float32(1), np.int16(k), k > 3)
    first = sycl.group_broadcast(it.get_group(), mine, 2)
    part = sycl.ext.oneapi.experimental.binary_partition(it.get_sub_group(), k % 2 == 0)
    second = sycl.group_broadcast(part, first, 1)
    out[k] = first.mass + second.speed + first.kind + second.alive

sycl.queue("cpu").parallel_for(sycl.nd_range(16, 16), kernel).wait()
"""


def test_entries_of_the_cache_are_called_alike_in_every_process(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    entries = []
    for objects in (0, 999, 5000):
        children.run([sys.executable, str(program), str(objects)], check=True,
                     env={**os.environ, "UNISYCL_CACHE": str(tmp_path / str(objects))})
        entries.append(sorted(p.name for p in (tmp_path / str(objects)).rglob("*") if p.is_file()))
    assert entries[0] == entries[1] == entries[2]
