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

    def quietly(*command: str, **_environment: str) -> tuple[int, str]:
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
    assert ("-m", "pytest", "--device", "cpu", "--device", "host") in ran
    assert all("opencl" in command for command in ran[1:] if "--device-tests" in command)


def test_a_platform_that_must_be_there_and_is_not_fails(
        ran: list[tuple[str, ...]], capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.ci(["--needs", "Intel", "--needs", "Portable"]) == 1
    assert "ci: no device of Portable; found: {'cpu': " in capsys.readouterr().out
    assert [("-m", "unisycl", "doctor")] == ran


def test_devices_are_found_with_their_platforms() -> None:
    places, without = dev.found_devices()
    assert ("unisycl cpu", "unisycl host") == (places["cpu"], places["host"])
    assert all(isinstance(why, str) for why in without.values())
