"""Random kernels over parts of memory store what plain Python does, on every device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.executed import execute
from tests.property import parts
from tests.sampling import SAMPLE, by_turns

pytestmark = pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
SEEDS = tuple(s for s in range(105, 105 + (4 if SAMPLE[0] else 10))
              if len(parts.SHAPES[s % len(parts.SHAPES)]) == 1)


def zeros(kind: Any, count: int) -> Any:
    """Return what stands for a private array, whose places below 0 count from the end."""
    return np.zeros(count, kind)


def test_programs_over_parts_do_what_python_does(device: sycl.device) -> None:
    for seed in by_turns(device, SEEDS):
        names: dict[str, Any] = {"np": np, "__name__": "parts", "zeros": zeros}
        text = parts.program(seed).replace("sycl.private_array", "zeros")
        execute(text, names, f"<plain parts {seed}>")
        count = parts.SHAPES[seed % len(parts.SHAPES)][0]
        memory = parts.memory(seed, count)
        for x in range(count):
            names["kernel"](x, seed % 50, *memory)
        wanted = [x.ravel().astype(np.int64) for x in (memory[0], *memory[4:])]
        assert np.array_equal(parts.run(seed, device), np.concatenate(wanted)), f"seed {seed}"
