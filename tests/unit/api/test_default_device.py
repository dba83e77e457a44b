"""The default device is the native CPU, or the program is told why not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import children

BROKEN = """
from unisycl.backends import registry
registry.BACKENDS["cpu"] = "unisycl.no_such_part:make_driver"
"""
PROGRAM = """
import unisycl as sycl
q = sycl.queue()
q2 = sycl.queue()
print(q.get_device().get_backend().name)
"""


def run(folder: Path, program: str, *options: str, **settings: str
        ) -> subprocess.CompletedProcess[str]:
    file = folder / "program.py"
    file.write_text(program)
    root = str(Path(__file__).parents[3])
    return children.run([sys.executable, *options, str(file)], capture_output=True, text=True,
                        check=False, cwd=folder, env={
        **os.environ, "UNISYCL_DEVICE": "", "UNISYCL_BACKENDS": "cpu,host", "PYTHONPATH": root,
        **settings})


@pytest.mark.parametrize(("cache", "strict"), [
    ("/dev/null/x", False), ("{home}/file", True), ("{home}/foreign", False),
    ("{home}/open", False)])
def test_a_cache_that_cannot_be_used_leaves_the_device(
        tmp_path: Path, cache: str, strict: bool) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "foreign", tmp_path / "foreign" / "unisycl"):
        folder.mkdir()
        (folder / "thesis.bin").write_text("years")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    done = run(tmp_path, PROGRAM, *(["-W", "error"] if strict else []),
               UNISYCL_CACHE=cache.format(home=tmp_path))
    assert (done.stdout, done.returncode) == ("cpu\n", 0), done.stderr
    assert done.stderr.count("kernels are compiled anew in every process") == 1


def test_a_default_device_that_stands_in_for_the_cpu_is_told_once(tmp_path: Path) -> None:
    done = run(tmp_path, BROKEN + PROGRAM)
    assert (done.stdout, done.returncode) == ("host\n", 0), done.stderr
    assert done.stderr.count("RuntimeWarning") == 1
    assert "program.py:6: RuntimeWarning: unisycl: the default device is 'host'" in done.stderr
    assert "ModuleNotFoundError: No module named 'unisycl.no_such_part'" in done.stderr
    assert "UNISYCL_DEVICE=host chooses this device without a warning" in done.stderr


def test_where_warnings_are_errors_it_is_one_each_time(tmp_path: Path) -> None:
    twice = """
import unisycl as sycl
for _ in range(2):
    try:
        sycl.queue()
    except RuntimeWarning as error:
        print("the native CPU cannot be used" in str(error))
print(sycl.queue(sycl.host_selector_v).get_device().get_backend().name)
"""
    done = run(tmp_path, BROKEN + twice, "-W", "error")
    assert done.stdout == "True\nTrue\nhost\n", done.stderr


@pytest.mark.parametrize("settings", [{"UNISYCL_DEVICE": "host"}, {"UNISYCL_BACKENDS": "host"}])
def test_who_asks_for_another_device_is_told_nothing(
        tmp_path: Path, settings: dict[str, str]) -> None:
    done = run(tmp_path, BROKEN + PROGRAM, "-W", "error", **settings)
    assert (done.stdout, done.stderr) == ("host\n", "")
