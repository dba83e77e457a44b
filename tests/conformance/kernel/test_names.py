"""Things in a kernel may have any name Python allows, those of a device's language among them."""

from __future__ import annotations

import importlib.util
import keyword
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("C-10", "D-11")

# Functions, types, macros and keywords of C's dialects, as opencl-c.h and the specifications
# have them, and of C's library.
NAMES = [*(Path(__file__).parent / "c_names.txt").read_text(encoding="utf-8").split(),
         "int", "float", "signed", "struct", "void", "auto", "restrict", "memcpy", "sinf", "main",
         "int_", "step_", "step__", "gap0"]
CHUNK = 190


def module(path: Path, text: str) -> Any:
    """Return a module of that text, which is kept in a file."""
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_list_is_of_names_that_python_allows() -> None:
    assert len(NAMES) > 500
    assert [] == [n for n in NAMES if not n.isidentifier() or keyword.iskeyword(n)]


@pytest.mark.parametrize("name", [
    "step", "mix", "select", "fast_normalize", "vload2", "convert_int", "as_uint", "vstore_half",
    "atomic_fetch_add", "atomic_flag", "atom_inc", "get_global_id", "get_global_linear_id",
    "work_group_barrier", "sub_group_reduce_add", "async_work_group_copy", "read_imagef", "pipe",
    "enqueue_kernel", "image2d_t", "event_t", "size_t", "uchar", "half", "float4", "M_PI", "NAN",
    "CHAR_BIT", "INT_MAX", "FP_ILOGB0", "CLK_LOCAL_MEM_FENCE", "memory_order_relaxed", "vec_step",
    "kernel", "memcpy", "memset", "malloc", "sinf", "fminf", "main", "printf", "exit", "__sin",
    "_Bool", "_Z3sinf", "gamma", "linux"])
def test_a_kernel_may_be_called_so(queue: sycl.queue, tmp_path: Path, name: str) -> None:
    found = module(tmp_path / "named.py", f"""
import unisycl

def {name}(i, x, out):
    out[i] = unisycl.sin(x[i]) * 0 + x[i] * 3
""")
    x = np.arange(300, dtype=np.float32)
    out = np.zeros(300, np.float32)
    queue.parallel_for(300, getattr(found, name), x, out).wait()
    assert (x * 3 == out).all()


def test_functions_locals_parameters_and_members_may_be_called_so(
        queue: sycl.queue, tmp_path: Path) -> None:
    for at in range(0, len(NAMES), CHUNK):
        names = NAMES[at:at + CHUNK]
        few = names[::12]
        lines = [line for n in few for line in (f"def f_{n}(x):", f"    {n} = x + 1",
                                                f"    return {n}")]
        lines += [f"def kernel(i, out, records, {', '.join(few)}):", "    v = out[i]",
                  *(f"    v += f_{n}({n})" for n in few),
                  *(f"    {n} = v + {k}" for k, n in enumerate(names) if n not in few),
                  *(f"    records[i][{n!r}] += {n}" for n in few),
                  f"    out[i] = {' + '.join(n for n in names if n not in few)}"]
        found = module(tmp_path / f"names_{at}.py", "\n".join(lines) + "\n")
        records = np.zeros(8, [(n, np.int32) for n in few])
        given = [np.int32(k) for k in range(len(few))]
        out = np.arange(8, dtype=np.int32)
        queue.parallel_for(8, found.kernel, out, records, *given).wait()
        v = np.arange(8) + sum(range(len(few))) + len(few)
        rest = [k for k, n in enumerate(names) if n not in few]
        assert (v * len(rest) + sum(rest) == out).all()
        assert all((records[n] == k).all() for k, n in enumerate(few))


def mix(get_global_id, x):
    x[get_global_id] = 1 + get_global_id


def step(i, read_imagef):
    read_imagef[i] = 1 + i


def as_float(i, x):
    get_global_size = 1
    x[i] = get_global_size + i


def atomic_load(convert_int, x):
    x[convert_int] = 1 + convert_int


def work_group_all(i, barrier):
    half = 1 + i
    barrier[i] = half


def test_names_are_not_those_of_the_devices_compiler(queue: sycl.queue) -> None:
    for kernel in (mix, step, as_float, atomic_load, work_group_all):
        x = np.zeros(4, np.int32)
        queue.parallel_for(4, kernel, x).wait()
        assert [1, 2, 3, 4] == x.tolist()
