"""The code of loads by lists: gathers, elements one by one, and rows where a list is a run."""

from __future__ import annotations

import numpy as np
import pytest

from unisycl.backends.cpu.compile.target import machine
from unisycl.backends.cpu.making import text_of
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

out, table = (np.zeros(64, np.float32) for _ in range(2))
which = np.zeros(64, np.int32)


def code(function: object) -> str:
    kernel = specialize(function, "range", 1).kernel
    return text_of(kernel, Key(edge=False, small=True, stream=False))[0].text()


def one(i):  # type: ignore[no-untyped-def]
    out[i] = table[which[i]]


def named(i):  # type: ignore[no-untyped-def]
    at = which[i]
    out[i] = table[at]


def shown_too(i):  # type: ignore[no-untyped-def]
    at = which[i]
    out[i] = table[at] + at


def neighbour(i):  # type: ignore[no-untyped-def]
    out[i] = table[which[i]] - table[i]


def computed(i):  # type: ignore[no-untyped-def]
    out[i] = table[which[i] ^ 1]


@pytest.mark.skipif(machine().vector_bits != 256 or not machine().triple.startswith("x86_64"),
                    reason=f"this machine has vectors of {machine().vector_bits} bits")
def test_numbers_of_a_list_that_one_load_asks_for_are_read_one_by_one() -> None:
    gathered = ["masked.gather" in code(f) for f in (one, named, shown_too, computed)]
    assert gathered == [False, False, True, True]


def test_places_beside_what_lanes_read_in_a_row_are_looked_at_first() -> None:
    if machine().vector_bits < 256:
        pytest.skip("vectors of four lanes are not asked")
    looked = ["run" in code(f) and "apart" in code(f) for f in (neighbour, one)]
    assert looked == [True, False]
