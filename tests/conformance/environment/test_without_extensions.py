"""The core does the same whether extensions are there or not (SYCL 2020 §6)."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import unisycl as sycl
from tests.conformance.environment import core_alone
from unisycl.testing import device_names, find_device

ROOT = Path(__file__).parents[3]
OURS = ("cpu", "host")


@cache
def alone(names: tuple[str, ...]) -> list[str]:
    """Return what the program prints in a process that can import no extension."""
    done = subprocess.run(
        [sys.executable, "-m", core_alone.__name__, *names], cwd=ROOT, text=True, timeout=300,
        capture_output=True, check=False)
    assert 0 == done.returncode, done.stderr
    return done.stdout.splitlines()


@pytest.mark.row("M-12")
def test_the_core_does_the_same_without_any_extension(device: sycl.device) -> None:
    name = next(name for name in device_names() if find_device(name) == device)
    assert sycl.ext.oneapi.experimental.command_graph  # they are there, and loaded, in this process
    assert core_alone.told(name) in alone(OURS if name in OURS else (name,))
