"""What users do to a program without meaning harm: it is answered, not obeyed blindly."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.executed import execute

pytestmark = pytest.mark.row("F-4")
ROOT = Path(sycl.__file__).parents[1]


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return children.run([sys.executable, *command], env=settings, capture_output=True,
                        text=True, timeout=300, check=False)


@pytest.mark.row("C-34", "F-21")
def test_a_file_edited_before_the_first_launch_is_noticed(
        queue: sycl.queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "edited_kernel.py"
    file.write_text("def kernel(i, p):\n    p[i] = 1.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("edited_kernel")
    file.write_text("def kernel(i, p):\n    p[i] = 2.0\n")
    with pytest.raises(sycl.exception, match="has changed since Python read it"):
        queue.parallel_for(1, module.kernel, np.zeros(1)).wait()


@pytest.mark.parametrize("value", ["abc", "0", "-5"])
def test_a_senseless_number_of_threads_is_said(value: str) -> None:
    found = run("-c", "import unisycl; unisycl.queue()", UNISYCL_THREADS=value)
    assert found.returncode != 0
    assert f"UNISYCL_THREADS={value}" in found.stderr


@pytest.mark.parametrize("command", [("-m", "unisycl"), ("-m", "unisycl.examples.terrain")])
def test_a_device_that_is_not_there_is_one_line(command: tuple[str, ...]) -> None:
    found = run(*command, UNISYCL_DEVICE="foo")
    assert found.returncode == 2
    assert "no device 'foo'" in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_a_number_too_large_for_a_kernel_is_refused(queue: sycl.queue) -> None:
    def kernel(i, p, number):  # type: ignore[no-untyped-def]
        p[i] = number
    with pytest.raises(sycl.exception, match="does not fit"):
        queue.parallel_for(1, kernel, np.zeros(1), 2**70).wait()


def test_a_kernel_nested_too_deeply_is_refused_not_crashed() -> None:
    lines = ["def kernel(i, p):", "    if i == -1:", "        p[i] = 1"]
    for k in range(600):
        lines += [f"    elif i == {k}:", f"        p[i] = {k}"]
    space: dict[str, object] = {}
    execute("\n".join(lines), space)
    queue = sycl.queue(sycl.cpu_selector_v)
    try:
        queue.parallel_for(4, space["kernel"], np.zeros(4)).wait()
    except sycl.exception as error:
        assert "nest" in str(error) or "deep" in str(error)  # noqa: PT017


@pytest.mark.row("D-11")
def test_long_chains_of_elif_compile(queue: sycl.queue) -> None:
    lines = ["def kernel(i, p, n):", "    if n == 0:", "        p[i] = 1"]
    for k in range(1, 220):
        lines += [f"    elif n == {k}:", f"        p[i] = {k} + i"]
    space: dict[str, object] = {}
    execute("\n".join(lines), space)
    p = np.zeros(4)
    queue.parallel_for(4, space["kernel"], p, 217).wait()
    assert [217, 218, 219, 220] == p.tolist()


@pytest.mark.row("D-6")
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_negative_floats_become_unsigned_as_in_numpy(queue: sycl.queue, dtype: type) -> None:
    x = np.array([-2.5, -1.0, -0.5, 0.0, 1.5, 200.7], np.float64)
    out = np.zeros(len(x), dtype)

    def kernel(i):  # type: ignore[no-untyped-def]
        out[i] = x[i]
    queue.parallel_for(len(x), kernel).wait()
    assert np.array_equal(x.astype(np.int64).astype(dtype), out)


def test_calls_that_double_at_every_level_are_refused_in_time() -> None:
    """The front end refuses, whatever the device."""
    lines = ["def f0(x):", "    return x + 1"]
    for k in range(1, 30):
        lines += [f"def f{k}(x):", f"    return f{k - 1}(x) + f{k - 1}(x)"]
    lines += ["def kernel(i, p):", "    p[i] = f29(i)"]
    space: dict[str, object] = {}
    execute("\n".join(lines), space)
    with pytest.raises(sycl.exception, match="5000 calls"):
        sycl.queue("host").parallel_for(4, space["kernel"], np.zeros(4)).wait()
