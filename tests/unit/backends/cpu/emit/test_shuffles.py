"""Shuffles by the instructions of narrower machines than the one at hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.compile import options
from unisycl.backends.cpu.compile.target import machine

N = 96


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "int32", "float32", "int64",
                                   "float64"])
@pytest.mark.parametrize("lanes", [4, 16, 32])
def test_they_are_right_for_every_vector_width(
        monkeypatch: pytest.MonkeyPatch, bits: int, dtype: str, lanes: int) -> None:
    here = machine()
    if here.vector_bits < bits:
        pytest.skip(f"this machine has vectors of {here.vector_bits} bits")
    monkeypatch.setattr(options, "machine", lambda: replace(here, vector_bits=bits))
    rng = np.random.default_rng(lanes)
    x, to = rng.integers(0, 100, N).astype(dtype), rng.integers(0, lanes, N, np.int32)
    out = np.zeros((2, N), dtype)

    @sycl.kernel(reqd_sub_group_size=lanes)
    def shuffle(it):  # type: ignore[no-untyped-def]
        s, k = it.get_sub_group(), it.get_global_id(0)
        out[0, k] = sycl.select_from_group(s, x[k], to[k])
        out[1, k] = sycl.permute_group_by_xor(s, x[k], int(to[0]))

    sycl.queue(sycl.cpu_selector_v).parallel_for(sycl.nd_range(N, N), shuffle).wait()
    first = np.arange(N) // lanes * lanes
    assert x[first + to].tolist() == out[0].tolist()
    assert x[first + ((np.arange(N) - first) ^ to[0])].tolist() == out[1].tolist()
