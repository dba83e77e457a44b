"""``python -m unisycl`` and its commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import unisycl as sycl
from unisycl.__main__ import main
from unisycl.backends import registry
from unisycl.base import settings
from unisycl.process import disk_cache
from unisycl.tools.devices import size_text


def test_without_a_command_the_devices_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    for device in sycl.device.get_devices():
        assert device.get_info(sycl.info.device.name) in text
    assert "[host]" in text
    assert text.count(", default") == 1
    for place in sycl.platform.get_platforms():
        assert f"platform          {place.get_info(sycl.info.platform.name)} " in text
    for label in ("compute units", "sub-group sizes", "work-group limit", "local memory"):
        assert label in text


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"unisycl {sycl.__version__}\n"


def test_the_doctor_runs_a_kernel_on_every_device(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["doctor"])
    text = capsys.readouterr().out
    broken = registry.problems().keys() - registry.absent()  # a runtime that compiles nothing here
    assert (status, ": fails: " in text) == (int(bool(broken)), False), text
    assert all(name in text for name in broken)
    assert text.count("works: 1000 work-items") == len(sycl.device.get_devices())
    for label in ("Python", "numpy", "llvmlite", "LLVM", "processor", "threads"):
        assert f"{label:18}" in text


def test_the_doctor_says_that_there_is_no_default_device(
        capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEVICE", "nosuch")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "the default       fails: " in said
    assert "nosuch" in said
    assert "something is wrong" in said


def test_the_doctor_names_a_setting_that_means_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNISYCL_DEVISE", "cpu")
    monkeypatch.setenv("UNISYCL_SOMETHING_OF_MY_OWN", "1")
    main(["doctor"])
    said = capsys.readouterr().out
    assert "did you mean UNISYCL_DEVICE?" in said
    assert "UNISYCL_SOMETHING_OF_MY_OWN means nothing" in said


def test_the_doctor_lists_all_settings_with_values_and_defaults(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in settings.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("UNISYCL_TIMEOUT", "600")
    monkeypatch.setenv("UNISYCL_TRACEBACK", "ful")
    main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    for name in settings.VARIABLES:
        assert 1 == sum(line.startswith(f"{name} ") for line in lines), name
    assert "UNISYCL_TIMEOUT   600 (not set: kernels may run for ever)" in lines
    assert "UNISYCL_DEBUG     not set: nothing is checked" in lines
    assert "UNISYCL_TRACEBACK ful means nothing; expected full" in lines


@pytest.mark.parametrize(("count", "text"), [
    (100, "100 bytes"), (65536, "64 KiB"), (3 << 29, "1.5 GiB"), (1 << 20, "1 MiB")])
def test_sizes_are_printed_as_people_read_them(count: int, text: str) -> None:
    assert text == size_text(count)


PROGRAM = """
import sys
import numpy as np
import unisycl as sycl

@sycl.kernel
def double_it(i, out):
    out[i] = out[i] * 2

if __name__ == "__main__":
    data = np.ones(int(sys.argv[1]), np.float32)
    queue = sycl.queue(sycl.cpu_selector_v)
    queue.parallel_for(sycl.range(len(data)), double_it, data).wait()
    print("program output")
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program that launches one kernel on the CPU."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize(("stage", "sign"), [
    ("ir", "double_it"), ("llvm", "define "), ("asm", "ret")])
def test_show_prints_a_stage_of_a_kernel_that_the_program_launches(
    program: Path, stage: str, sign: str, capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["show", f"{program}:double_it", "--stage", stage, "100"]) == 0
    out, err = capsys.readouterr()
    assert sign in out
    assert "program output" not in out
    assert "program output" in err


def test_explain_says_what_became_of_a_kernel(
    program: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["explain", f"{program}:double_it", "100"]) == 0
    out, err = capsys.readouterr()
    assert "work-items run side by side" in out
    assert "program output" in err
    assert main(["explain", f"{program}:double", "100"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("unisycl explain: ")


@pytest.mark.parametrize(("kernel", "reason"), [
    ("nothing", "expected FILE:KERNEL"),
    ("nowhere.py:kernel", "there is no file 'nowhere.py'"),
    ("{program}:doubleit", "did you mean 'double_it'?"),
])
def test_show_refuses_in_one_line(
    program: Path, kernel: str, reason: str, capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["show", kernel.format(program=program), "10"]) == 2
    err = capsys.readouterr().err
    assert reason in err
    assert "Traceback" not in err


def test_show_reports_a_program_that_fails(
    program: Path, capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["show", f"{program}:double_it", "many"]) == 2
    assert "ValueError" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("command", ["devices", "doctor"])
def test_a_reader_who_has_seen_enough_gets_no_traceback(command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "unisycl", command], stdout=writing, stderr=subprocess.PIPE,
        text=True, check=False, env={**os.environ, "UNISYCL_BACKENDS": "cpu,host",
                                     "PYTHONPATH": str(Path(sycl.__file__).parents[1])})
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_show_names_a_device_that_has_the_stage(
        program: Path, capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch) -> None:
    program.write_text(PROGRAM.replace("sycl.cpu_selector_v", ""))
    monkeypatch.setenv("UNISYCL_DEVICE", "host")
    assert main(["show", f"{program}:double_it", "--stage", "llvm", "8"]) == 2
    said = capsys.readouterr().err
    assert "'cpu' has it: set UNISYCL_DEVICE=cpu if the program takes the default device" in said
    monkeypatch.setenv("UNISYCL_DEVICE", "cpu")
    assert main(["show", f"{program}:double_it", "--stage", "source", "8"]) == 2
    kinds = {d.get_backend().name for d in sycl.device.get_devices()}
    assert ("has it: set UNISYCL_DEVICE=opencl" in capsys.readouterr().err) is ("opencl" in kinds)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with one entry and a file of the user's."""
    where = tmp_path / "cache"
    monkeypatch.setenv("UNISYCL_CACHE", str(where))
    disk_cache.directory.cache_clear()
    disk_cache.save(disk_cache.key_of("kernel"), bytes(984))
    disk_cache.directory.cache_clear()
    (where / "thesis.bin").write_bytes(b"years")
    return where


def test_the_cache_is_told_and_cleared(kept: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache"]) == 0
    assert main(["cache", "info"]) == 0
    text = capsys.readouterr().out
    assert text.count(f"folder            {kept}") == 2
    assert "entries           1, 1 KiB of at most 256 MiB" in text
    assert "other files       1, which unisycl neither reads nor deletes" in text
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == f"{kept}: 1 entries deleted, 1 KiB\n"
    assert sorted(p.name for p in kept.iterdir()) == [disk_cache.MARK, "thesis.bin"]
    assert main(["cache"]) == 0
    assert "entries           0, 0 bytes" in capsys.readouterr().out


@pytest.mark.parametrize(("setting", "status", "why"), [
    ("off", 0, "UNISYCL_CACHE switches it off"), ("/dev/null/x", 1, "no cache directory")])
def test_a_cache_that_is_not_there_is_told(
    setting: str, status: int, why: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("UNISYCL_CACHE", setting)
    assert main(["cache", "clear"]) == status
    assert f"there is no cache: {why}" in capsys.readouterr().err


def test_show_prints_the_ir_behind_a_pass(
        program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for k, name in enumerate(("bounds", "members", "narrow")):  # code that was seen is known
        new = f"out[i] * 2 + {k} if i < 50 else 1"
        program.write_text(PROGRAM.replace("out[i] * 2", new))
        assert main(["show", f"{program}:double_it", "--stage", f"after:{name}", "100"]) == 0
        texts.append(capsys.readouterr().out.replace(f" + {k}", ""))
        assert texts[k].startswith("kernel double_it(")
    assert texts[0] == texts[1] != texts[2]
    assert "int32(" in texts[2]


def test_show_names_the_passes_there_are(
        program: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["show", f"{program}:double_it", "--stage", "after:narow", "100"])
    said = capsys.readouterr().err
    assert "there is no pass 'narow'; did you mean 'narrow'?" in said
    assert "the passes are dead_stores, divergent_barriers, loop_steps" in said
    program.write_text(PROGRAM.replace("out[i] * 2", "out[i] * 7"))
    assert main(["show", f"{program}:double_it", "--stage", "after:positions", "100"]) == 2
    said = capsys.readouterr().err
    assert "does not come by the pass 'positions' on this device, but by: dead_stores" in said
    with pytest.raises(SystemExit):
        main(["show", f"{program}:double_it", "--stage", "iir", "100"])
    assert "the stages are ir, source, llvm, asm and after:PASS" in capsys.readouterr().err
