"""A later process finds the code of a kernel without emitting it again."""

from __future__ import annotations

import os
import sys
import textwrap
from pathlib import Path

import unisycl as sycl
from tests import children

PROGRAM = textwrap.dedent("""
    import sys
    import numpy as np
    import unisycl as sycl
    from unisycl.backends.cpu.emit import entry

    built, real = [], entry.build
    entry.build = lambda *a, **k: built.append(a[0].name) or real(*a, **k)

    def scale(i, out, factor):
        total = 0.0
        for k in range(i % 5):
            total += factor
        out[i] = total

    def add(i, s):
        s.combine(values[i])

    values = np.arange(100, dtype=np.int64)
    out, total = np.zeros(100), np.zeros(1, np.int64)
    queue = sycl.queue(sycl.cpu_selector_v)
    queue.parallel_for(100, scale, out, 2.5).wait()
    queue.parallel_for(100, sycl.reduction(total, sycl.plus()), add).wait()
    assert (out == np.arange(100) % 5 * 2.5).all()
    assert total[0] == 4950
    print(sorted(built))
""")


def run(where, program=PROGRAM):
    path = where / "program.py"
    path.write_text(program)
    found = children.run([sys.executable, str(path)], capture_output=True, text=True, timeout=300,
                         check=False, env={**os.environ, "UNISYCL_CACHE": str(where / "cache"),
                              "PYTHONPATH": str(Path(sycl.__file__).parents[1])})
    assert 0 == found.returncode, found.stderr
    return found.stdout.strip()


def test_the_second_process_emits_nothing(tmp_path):
    assert "['add', 'scale']" == run(tmp_path)
    assert "[]" == run(tmp_path)


def test_another_constant_is_another_kernel(tmp_path):
    run(tmp_path)
    assert "['scale']" == run(tmp_path, PROGRAM.replace("% 5", "% 6"))
