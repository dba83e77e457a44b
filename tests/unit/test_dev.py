"""``dev.py ci``: what must be there, and what it ran without."""

from __future__ import annotations

import pytest

import dev

PLACES = {"cpu": "unisycl cpu", "host": "unisycl host", "opencl": "Intel(R) OpenCL"}
WITHOUT = {"opencl (libpocl.so)": "it cannot build a kernel of one line"}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The commands that would have been run, on a machine with a runtime that compiles nothing."""
    commands: list[tuple[str, ...]] = []

    def run(*command: str) -> int:
        commands.append(command)
        return 0

    def quietly(*command: str, **_: object) -> tuple[int, str]:
        commands.append(command)
        return 0, "passed"
    monkeypatch.setattr(dev, "require", lambda *_: None)
    monkeypatch.setattr(dev, "found_devices", lambda: (PLACES, WITHOUT))
    monkeypatch.setattr(dev, "run", run)
    monkeypatch.setattr(dev, "quietly", quietly)
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
    assert all("opencl" in c and "--device-tests" in c for c in others)


def test_at_night_all_cases_run_and_random_programs(ran: list[tuple[str, ...]]) -> None:
    assert dev.nightly(["--count", "7", "--seconds", "3"]) == 0
    assert not any("--sample" in command for command in ran)
    assert ("-m", "tests.property.fuzz", "--count", "7") in ran
    assert ("-m", "tests.stress.losses", "--seconds", "3") in ran


@pytest.mark.parametrize("failing", ["tests.stress.losses", "tests/conformance"])
def test_a_failure_at_night_is_the_status(ran: list[tuple[str, ...]], failing: str,
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "run", lambda *command: int(failing in command))
    monkeypatch.setattr(dev, "quietly", lambda *command, **_: (int(failing in command), ""))
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
    assert text == "begun\nstopped after 1 s\n"


def test_devices_are_found_with_their_platforms() -> None:
    places, without = dev.found_devices()
    assert ("unisycl cpu", "unisycl host") == (places["cpu"], places["host"])
    assert all(isinstance(why, str) for why in without.values())
