"""Kernels that travel to another process: by name, as functions do, or with their text."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import unisycl as sycl
from tests import children

pytestmark = pytest.mark.row("D-11")

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(
    [str(Path(sycl.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)}
KERNELS = """
import numpy as np
import unisycl as sycl
def helper(x):
    return x * 7
@sycl.kernel(reqd_work_group_size=(2,))
def marked(it, out):
    i = it.get_global_id(0)
    out[i] = helper(i) + 1
def plain(i, out):
    out[i] = helper(i) + 2
def use(work):
    queue = sycl.queue(sycl.host_selector_v)
    out = np.zeros(4, np.int64)
    space = sycl.nd_range(4, 2) if isinstance(work, sycl.kernel) else 4
    queue.parallel_for(space, work, out).wait()
    return out.tolist()
"""
RECEIVER = """
import pickle, sys
use, works = pickle.load(sys.stdin.buffer)
print([use(work) for work in works])
"""
SEEN = "[[1, 8, 15, 22], [2, 9, 16, 23]]\n"


def run(*arguments, **options):
    done = children.run([sys.executable, "-W", "error", *map(str, arguments)], text=True,
                          timeout=300, capture_output=True, env=ENVIRONMENT, check=False, **options)
    return done.stdout + done.stderr


def received(folder, name):
    """Return what a fresh process prints that has nothing but the pickle."""
    with (folder / name).open("rb") as file:
        return run("-c", RECEIVER, cwd=folder, stdin=file)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_kernels_of_the_main_module_and_of_others_in_processes(tmp_path, method):
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "program.py").write_text(KERNELS + f"""
import kernels, multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context({method!r}).Pool(1) as pool:
        print(pool.map(use, [marked, plain]))
        print(pool.map(kernels.use, [kernels.marked, kernels.plain]))
""")
    assert SEEN * 2 == run("program.py", cwd=tmp_path)


def test_cloudpickle_of_what_a_script_defines(tmp_path):
    pytest.importorskip("cloudpickle")
    (tmp_path / "program.py").write_text(KERNELS + """
import cloudpickle
from pathlib import Path
def nested():
    @sycl.kernel
    def inner(it, out):
        out[it.get_global_id(0)] = helper(it.get_global_id(0)) + 2
    return inner
Path("kernels.pickle").write_bytes(cloudpickle.dumps((use, [marked, nested()])))
""")
    assert "" == run("program.py", cwd=tmp_path)
    assert SEEN == received(tmp_path, "kernels.pickle")
    (tmp_path / "program.py").unlink()  # the kernel has its text with it
    assert SEEN == received(tmp_path, "kernels.pickle")


def test_cloudpickle_of_plain_functions_needs_their_file(tmp_path):
    pytest.importorskip("cloudpickle")
    (tmp_path / "program.py").write_text(KERNELS + """
import cloudpickle
from pathlib import Path
Path("kernels.pickle").write_bytes(cloudpickle.dumps((use, [marked, plain])))
Path("plain.pickle").write_bytes(cloudpickle.dumps((use, [plain])))
""")
    assert "" == run("program.py", cwd=tmp_path)
    assert SEEN == received(tmp_path, "kernels.pickle")
    (tmp_path / "program.py").unlink()
    found = received(tmp_path, "plain.pickle")
    assert "K022" in found
    assert "@unisycl.kernel" in found


def test_cloudpickle_of_what_is_typed_or_executed(tmp_path):
    pytest.importorskip("cloudpickle")
    program = KERNELS + """
import cloudpickle
from pathlib import Path
@sycl.kernel
def other(it, out):
    out[it.get_global_id(0)] = helper(it.get_global_id(0)) + 2
Path("kernels.pickle").write_bytes(cloudpickle.dumps((use, [marked, other])))
"""
    assert "" == run("-c", f"import unisycl; unisycl.remember_exec()\nexec({program!r})",
                     cwd=tmp_path)
    assert SEEN == received(tmp_path, "kernels.pickle")
    assert "" == run("-c", program, cwd=tmp_path)
    assert SEEN == received(tmp_path, "kernels.pickle")
