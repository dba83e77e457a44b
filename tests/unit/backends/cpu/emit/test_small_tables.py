"""Elements of small tables, taken from registers by vectors of every width."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu import making
from unisycl.backends.cpu.compile import options
from unisycl.backends.cpu.compile.target import machine
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

N = 101


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "int16"])
def test_numbers_that_a_launch_gives_are_found_by_their_index(
        monkeypatch: pytest.MonkeyPatch, bits: int, dtype: str) -> None:
    here = machine()
    if here.vector_bits < bits:
        pytest.skip(f"this machine has vectors of {here.vector_bits} bits")
    monkeypatch.setattr(options, "machine", lambda: replace(here, vector_bits=bits))
    rng = np.random.default_rng(bits)
    kind = np.dtype(dtype).type
    for count in (7, 16, 33, 70):
        numbers = tuple(kind(x) for x in rng.permutation(count))
        which = rng.integers(-count, count, N, np.int32)
        out = np.zeros(N, dtype)

        @sycl.kernel
        def look(i: Any, out: Any, which: Any, numbers: Any = numbers) -> None:
            if which[i] % 3 != 1:
                out[i] = numbers[which[i]]

        sycl.queue(sycl.cpu_selector_v).parallel_for(N, look, out, which).wait()
        assert out.tolist() == np.where(which % 3 != 1, np.array(numbers)[which], 0).tolist()


def test_numbers_with_others_between_them_are_found() -> None:
    rng = np.random.default_rng(1)
    which, out = rng.integers(0, 7, N, np.int32), np.zeros(N, np.float32)
    pairs = tuple((np.float32(k * k), np.int32(k)) for k in range(7))

    @sycl.kernel
    def look(i: Any, out: Any, which: Any) -> None:
        k = which[i]
        out[i] = pairs[k][0] + np.float32(pairs[6 - k][1])

    sycl.queue(sycl.cpu_selector_v).parallel_for(N, look, out, which).wait()
    assert out.tolist() == (which.astype(np.float32) ** 2 + 6 - which).tolist()


@pytest.mark.parametrize("bits", [256, 512])
def test_a_small_table_is_not_gathered(bits: int) -> None:
    numbers = tuple(np.float32(k) for k in range(2 * bits // 32))
    many = tuple(np.float32(k) for k in range(70))

    def few_of(i: Any, out: Any, which: Any) -> None:
        out[i] = numbers[which[i]]

    def many_of(i: Any, out: Any, which: Any) -> None:
        out[i] = many[which[i]]

    def text(function: Any) -> str:
        arrays = np.zeros(N, np.float32), np.zeros(N, np.int32)
        lowered = specialize(function, "range", 1, arrays).kernel
        with options.compiling_for(replace(machine(), vector_bits=bits)):
            return making.text_of(lowered, Key(edge=True, small=True, stream=False))[0].text()
    if not machine().triple.startswith("x86_64"):
        pytest.skip("registers are permuted on x86-64 only")
    assert "gather" not in text(few_of)
    assert "gather" in text(many_of)
