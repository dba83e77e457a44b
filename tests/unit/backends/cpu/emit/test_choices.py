"""The code of tuples that are indexed at run time: loads, and no chains of selects."""

from __future__ import annotations

import re

import numpy as np
import pytest

from unisycl.backends.cpu.making import text_of
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

NUMBERS = tuple(k * 0.37 for k in range(20))
VALUES = tuple(np.float32(k) for k in range(20))
out, row = np.zeros(64, np.float32), np.zeros(128, np.float32)
which = np.zeros(64, np.int32)


def code(function: object, *args: object) -> str:
    kernel = specialize(function, "range", 1, args).kernel
    return text_of(kernel, Key(edge=False, small=True, stream=False, units=0))[0].text()


@pytest.mark.parametrize("table", [NUMBERS, VALUES])
def test_an_index_that_lanes_share_is_one_scalar_load(table: tuple[float, ...]) -> None:
    def by_loop(i, n):  # type: ignore[no-untyped-def]
        for j in range(n):
            out[i] += table[j] * row[i + j]

    def by_argument(i, n):  # type: ignore[no-untyped-def]
        out[i] = table[n] * row[i]
    for text in (code(by_loop, 20), code(by_argument, 3)):
        assert "gather" not in text
        assert not re.findall(r"= select .*(float|double) ", text)
        assert re.findall(r"= load (float|double), ptr", text)


def test_a_loop_over_a_tuple_is_unrolled_wholly() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        for j in range(20):
            out[i] += NUMBERS[j] * row[i + j]
    text = code(kernel)
    assert "@table" not in text
    products = len(re.findall(r"= (?:fmul <|call .*@llvm\.fma\.)", text))
    assert products
    assert products % 20 == 0


@pytest.mark.parametrize("table", [4 * NUMBERS, 4 * VALUES])
def test_an_index_of_each_lane_is_one_gather_or_a_load_each(table: tuple[float, ...]) -> None:
    """AVX2 loads elements of 8 bytes one by one; nowhere there is a choice of all elements.

    Registers do not hold so many (``test_small_tables``).
    """
    def kernel(i):  # type: ignore[no-untyped-def]
        out[i] = table[which[i]]
    text = code(kernel)
    gathers = len(re.findall(r"= call .*masked\.gather", text))
    assert gathers == 1 or (gathers == 0 and "load double, ptr" in text)
    assert len(re.findall(r"= select <", text)) <= 8
