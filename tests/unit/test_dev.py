"""``dev.py ci``: what must be there, and what it ran without."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import dev

PLACES = {"cpu": "unisycl cpu", "host": "unisycl host", "opencl": "Intel(R) OpenCL"}
WORDS = {"opencl": "cl_khr_fp64 cl_intel_unified_shared_memory"}
WITHOUT = {"opencl (libpocl.so)": "it cannot build a kernel of one line"}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, ...]]:
    """The commands that would have been run, on a machine with a runtime that compiles nothing."""
    monkeypatch.setattr(dev, "ROWS", tmp_path / "rows")  # this may be a process of CI
    monkeypatch.setattr(dev, "DOCS", tmp_path / "conformance.md")
    commands: list[tuple[str, ...]] = []

    def run(*command: str) -> int:
        commands.append(command)
        return 0

    def together(_: str, jobs: Mapping[str, tuple[tuple[str, ...], object]],
                 options: Sequence[str], *__: object, **___: object) -> list[str]:
        commands.extend(("pytest", *command, *options) for command, _ in jobs.values())
        return []
    monkeypatch.setattr(dev, "require", lambda *_: None)
    monkeypatch.setattr(dev, "found_devices", lambda **_: (PLACES, WITHOUT, WORDS))
    monkeypatch.setattr(dev, "run", run)
    monkeypatch.setattr(dev, "together", together)
    return commands


def test_it_runs_on_what_is_there_and_names_what_is_not(
        ran: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.ci(["--needs", "Intel"]) == 0
    said = capsys.readouterr().out
    assert "ci: on cpu (unisycl cpu), host (unisycl host), opencl (Intel(R) OpenCL)\n" in said
    assert "ci: without opencl (libpocl.so): it cannot build a kernel of one line\n" in said
    tested = [command for command in ran if "pytest" in command]
    assert all("--sample" in command for command in tested)
    ours = [c for c in tested if "cpu" in c and "host" in c]
    assert {"tests/conformance", "tests/unit", "tests/stress"} <= {w for c in ours for w in c}
    others = [c for c in tested if c not in ours]
    assert any("tests/conformance/usm" not in c for c in others)  # all of them, at one level
    for some, whole in ((ours, "tests/conformance"), (others, "tests")):
        (rest,) = [c for c in some if "--ignore=tests/conformance/oneapi" in c]
        left = {w.removeprefix("--ignore=") for w in rest if w.startswith("--ignore=")}
        assert whole in rest
        assert left <= {w for c in some if c is not rest for w in c}  # what one leaves others take
    assert all("opencl" in c and "--device-tests" in c for c in others)


def test_the_page_is_made_of_what_all_processes_left(
        ran: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.conformance(["--from", str(dev.ROWS)]) == 1
    assert "has no run of dev.py ci" in capsys.readouterr().out
    dev.ci([])
    files = [Path(c[c.index("--conformance-json") + 1]) for c in ran if "--conformance-json" in c]
    assert len(files) == len({*files}) == sum("pytest" in c for c in ran) - 4  # levels of memory
    for file in files[1:]:
        file.write_text("{}")
    assert dev.conformance(["--from", str(dev.ROWS)]) == 1
    assert f"has no {files[0].name}\n" in capsys.readouterr().out
    files[0].write_text("{}")
    (dev.ROWS / dev.TURN).unlink()  # as nightly leaves it, which shares nothing
    assert dev.conformance(["--from"]) == 0
    assert ran[-1][:3] == ("-m", "unisycl.testing.joined", str(dev.DOCS))
    assert {*map(str, files)} == {*ran[-1][3:]}  # no other devices are told of beside that page


def test_the_page_is_of_both_turns_where_devices_share_tests(
        ran: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for turn in ("0", "1"):
        dev.ci(["--turn", turn])
        for name in (dev.ROWS / "files").read_text().split():
            (dev.ROWS / name).write_text("{}")
        shutil.copytree(dev.ROWS, tmp_path / turn)
    assert dev.conformance(["--from", str(tmp_path / "0")]) == 1
    assert "at the other turn, too" in capsys.readouterr().out
    assert dev.conformance(["--from", str(tmp_path / "1"), str(tmp_path / "0")]) == 0
    assert {Path(file).parent.name for file in ran[-1][3:]} == {"0", "1"}


def test_at_night_all_cases_run_and_random_programs(ran: list[tuple[str, ...]]) -> None:
    assert dev.nightly(["--count", "7", "--seconds", "3", "--seed", "70"]) == 0
    assert not any("--sample" in command for command in ran)
    assert ("-m", "tests.property.fuzz", "--count", "7", "--seed", "70") in ran
    assert ("-m", "tests.stress.losses", "--seconds", "3") in ran


def test_many_workers_share_programs_and_tell_what_had_no_time(
        ran: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
        capsys: pytest.CaptureFixture[str]) -> None:
    quiet: list[tuple[str, ...]] = []

    def quietly(*command: str, **_: object) -> tuple[int, str]:
        quiet.append(command)
        return int("tests.stress.losses" in command), "said\n"
    monkeypatch.setattr(dev, "quietly", quietly)
    many = ["--workers", "4", "--count", "250", "--seconds", "3"]
    assert dev.nightly([*many, "--seed", "9", "--each", str(tmp_path / "nights")]) == 1
    fuzz = [command[2:] for command in quiet if "tests.property.fuzz" in command]
    assert {("--count", "100", "--seed", "9"), ("--count", "100", "--seed", "109"),
            ("--count", "50", "--seed", "209")} == {*fuzz}
    assert {"tests/conformance/vec", "tests/conformance/usm"} <= {c[-1] for c in quiet}
    said = capsys.readouterr().out
    assert "--seconds 3\nsaid\nstatus 1\n" in said
    assert "nightly: failed: -m tests.stress.losses --seconds 3 of" in said
    quiet.clear()
    assert dev.nightly([*many, "--seed", "10", "--each", str(tmp_path / "nights")]) == 1
    assert [("-m", "tests.stress.losses", "--seconds", "3")] == quiet  # all else had ended well
    assert dev.nightly([*many, "--within", "0"]) == 1
    assert "no time was left\nstatus 1" in capsys.readouterr().out


def test_many_workers_have_shares_of_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(dev, "_forked", lambda _, jobs, __, how, count, ___: asked.append(
        (len(jobs), count)) or ["one"])
    jobs = dev._jobs({})
    assert ["one"] == dev.together("nightly", jobs, (), dev.Run(1.0, workers=30))
    assert [(len(jobs), 30)] == asked


def test_what_ended_well_in_one_night_is_left_out_of_the_next(
        ran: list[tuple[str, ...]], tmp_path: Path) -> None:
    each = tmp_path / "nights"
    arguments = ["--each", str(each), "--seconds", "3"]
    assert dev.nightly(arguments) == 0
    tested = [command for command in ran if "pytest" in command]
    place = "tests/conformance/oneapi/test_dft.py"
    assert {"cpu", "opencl"} == {c[c.index("--device") + 1] for c in tested if place in c}
    assert all(sum(w.startswith("tests/") for w in c) == 1 for c in tested)  # a file each
    assert any("--conformance-json" in c for c in tested)
    told = (each / "files").read_text().split()
    (each / dev.noted(f"cpu and host, oneapi {place}")).touch()
    ran.clear()
    assert dev.nightly(arguments) == 0
    assert not any("tests.stress.losses" in command for command in ran)  # it had ended well
    again = [command for command in ran if "pytest" in command]
    assert [c for c in tested if c not in again] == [
        c for c in tested if "cpu" in c and place in c]
    assert told == (each / "files").read_text().split()  # of all nights


@pytest.mark.parametrize("failing", ["tests.stress.losses", "tests/conformance"])
def test_a_failure_at_night_is_the_status(ran: list[tuple[str, ...]], failing: str,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "run", lambda *command: int(failing in command))
    monkeypatch.setattr(dev, "together", lambda _, jobs, *__, **___: [
        name for name, (command, _) in jobs.items() if failing in command])
    assert dev.nightly([]) == 1


def test_a_platform_that_must_be_there_and_is_not_fails(
        ran: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.ci(["--needs", "Intel", "--needs", "Portable"]) == 1
    assert "ci: no device of Portable; found: {'cpu': " in capsys.readouterr().out
    assert [("-m", "unisycl", "doctor")] == ran


def test_what_hangs_is_ended() -> None:
    status, text = dev.quietly("-c", "import time; print('begun', flush=True); time.sleep(60)",
                               limit=1.0)
    assert status != 0
    assert text.removeprefix("begun\n") == "stopped after 1 s\n"  # it may not have begun


def test_devices_are_found_with_their_platforms() -> None:
    places, without, words = dev.found_devices()
    assert ("unisycl cpu", "unisycl host") == (places["cpu"], places["host"])
    assert all(isinstance(why, str) for why in without.values())
    assert places.keys() == words.keys()


def test_a_level_of_memory_runs_where_the_device_has_what_it_takes() -> None:
    jobs = dev._jobs({"opencl:0": WORDS["opencl"], "opencl:1": "cl_khr_fp64", "cuda": ""})
    command, environment = jobs["opencl:1"]
    assert (command[:4], environment) == (("--device", "opencl:1", "--device-tests", "tests"), {})
    names = list(jobs)
    assert ["opencl:0 UNISYCL_MEMORY=unified", "opencl:0 UNISYCL_MEMORY=fine",
            "opencl:1 UNISYCL_MEMORY=coarse",
            "opencl:0 UNISYCL_MEMORY=separate"] == [name for name in names if "=" in name]
    assert {"cuda", "opencl:0", "opencl:1"} <= set(names)


def test_what_needs_no_conformance_test_is_collected_apart(
        monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[set[str], int]] = []

    def forked(_: str, jobs: Mapping[str, object], *more: object) -> list[str]:
        asked.append(({*jobs}, int(str(more[2]))))
        return [*jobs][:1]
    monkeypatch.setattr(dev, "_forked", forked)
    jobs = dev._jobs({"opencl:0": WORDS["opencl"]})
    failed = dev.together("ci", jobs, (), dev.Run(1.0))
    (apart, some), (whole, more) = sorted(asked, key=lambda one: len(one[0]))
    assert apart == {"all else", "unit tests"}
    assert apart | whole == {*jobs}
    assert some + more == (os.cpu_count() or 1) + 2
    assert {*failed} == {"all else", "cpu and host, oneapi"}
    places = [{w for w in jobs[name][0] if "/" in w and "--" not in w} for name in whole
              if "cpu" in jobs[name][0]]
    left = {w.removeprefix("--ignore=") for w in jobs["cpu and host"][0] if "--ignore" in w}
    assert left == set().union(*places) - {"tests/conformance"}


@pytest.mark.parametrize("written", [True, False])
def test_processes_share_byte_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
                                   written: bool) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", not written)
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "" if written else "1")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "thing.py").write_text("")
    with dev.byte_code() as environment:
        status, text = dev.quietly("-c", "import thing; print(thing.__cached__)", **environment)
        kept = Path(text.strip())
        assert (status, kept.exists()) == (0, True), text
    assert kept.is_relative_to(tmp_path) == kept.exists() == written


def test_what_took_most_processor_time_is_printed() -> None:
    status, text = dev.quietly("-m", "pytest", "-q", "--spent=1", "tests/arch/test_exports.py")
    told = text[text.index("s of processor time, most of it in"):].splitlines()
    assert status == 0
    assert "s tests/arch/test_exports.py::test_" in told[1]
