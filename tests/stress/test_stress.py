"""The stress programs, briefly; docs/dev/stress.md has what they reached when run for long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import children
from unisycl.testing import device_names

ROOT = Path(__file__).parents[2]
BRIEF = {
    "graphs": ("--seconds", "0.5"),
    "threads": ("--count", "300"),
    "failures": ("--seconds", "0.5"),
    "interrupts": ("--seconds", "0.5"),
    "moments": ("--seconds", "0.5"),
    "lifetimes": ("--count", "300"),
    "endings": ("--count", "2"),
    # A stated seed, so that it tries the same each time.
    "losses": ("--seconds", "2", "--seed", "50948987"),
    "launches": ("--count", "1000"),
}
SIGNALS = ("interrupts", "moments", "endings")
"""Programs about signals and the end of a process, each in an interpreter of its own."""


def brief(name: str, **environment: str) -> None:
    run = subprocess.run if name in SIGNALS else children.run
    done = run(
        [sys.executable, "-W", "error", "-m", f"tests.stress.{name}", *BRIEF[name]], cwd=ROOT,
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, **environment})
    assert 0 == done.returncode, done.stdout + done.stderr
    assert " 0 wrong" in done.stdout


@pytest.mark.parametrize("name", BRIEF)
def test_a_brief_run_finds_nothing_wrong(name: str) -> None:
    brief(name)


def test_ctrl_c_leaves_nothing_to_commands_of_opencl_that_were_cut_off() -> None:
    found = [name for name in device_names() if name.startswith("opencl")]
    if not found:
        pytest.skip("no OpenCL device was found")
    brief("interrupts", UNISYCL_DEVICE=found[-1])
