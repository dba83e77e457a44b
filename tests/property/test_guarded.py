"""Random guarded kernels give what Python gives, on every device."""

from __future__ import annotations

from typing import Any

import pytest

import unisycl as sycl
from tests.property import guarded
from tests.property.guards import program
from tests.sampling import SAMPLE, by_turns
from unisycl.testing import find_device

# What random programs do with their names may be told; what they compute is compared.
pytestmark = pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
SEEDS = range(4 if SAMPLE[0] else 12)


def test_guarded_programs_do_what_python_does(device: sycl.device) -> None:
    for seed in by_turns(device, SEEDS):
        devices = {"it": device}
        assert not guarded.differing(guarded.fitting(program(seed), devices), seed, devices)


def test_a_difference_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """One element of what a device gives is changed."""
    given, devices = guarded.given, {"host": find_device("host")}

    def other(names: dict[str, Any], launch: guarded.Launch, device: sycl.device) -> Any:
        memory = given(names, launch, device)
        memory[2][(0,) * memory[2].ndim] += 1
        return memory
    monkeypatch.setattr(guarded, "given", other)
    told = guarded.differing(program(2), 2, devices)
    assert len(told) == guarded.LAUNCHES
    assert all(line.startswith("host: o[0]: expected ") for line in told)


def test_a_program_depends_on_its_seed_alone() -> None:
    assert program(17) == program(17)
