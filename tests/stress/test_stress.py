"""The stress programs, briefly; docs/stress.md has what they reached when run for long."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BRIEF = {
    "graphs": ("--seconds", "2"),
    "threads": ("--count", "1600"),
    "failures": ("--seconds", "2"),
    "interrupts": ("--seconds", "2"),
    "moments": ("--seconds", "3"),
    "lifetimes": ("--count", "1500"),
    "endings": ("--count", "2"),
    "losses": ("--seconds", "4"),
}


@pytest.mark.parametrize("name", BRIEF)
def test_a_brief_run_finds_nothing_wrong(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", f"tests.stress.{name}", *BRIEF[name]], cwd=ROOT,
        capture_output=True, text=True, timeout=300, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert " 0 wrong" in done.stdout
