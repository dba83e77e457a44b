"""How many variants of a kernel a process makes."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu import driver
from unisycl.backends.cpu.variants import ANY, MOST, Key, Versions

KEYS = [Key(*flags, most, units, lines) for *flags, most, units, lines in itertools.product(
    (False, True), (False, True), (False, True), (0, 4, 8), (0, 1), (False, True))]


def right(made: Key, wanted: Key) -> bool:
    """Say whether code for one key is right for launches of another."""
    return (made.edge or made == wanted._replace(stream=made.stream, lines=made.lines)) and (
        wanted.small or not made.small) and made.units in (0, wanted.units) and not (
        made.stream and not wanted.stream) and not (made.lines and not wanted.lines)


@pytest.mark.parametrize("sums", [False, True])
def test_at_most_four_are_made_and_each_is_right_for_its_launches(sums: bool) -> None:
    for seed in range(100):
        chosen = random.Random(seed).choices(KEYS, k=60)
        found = Versions(sums=sums)
        made = [found.picked(key) for key in chosen]
        assert all(map(right, made, chosen))
        assert made == [found.picked(key) for key in chosen]  # a launch keeps its code
        if sums:
            assert [(m.most, m.units) for m in made] == [(k.most, k.units) for k in chosen]
        else:
            assert len(set(made)) <= MOST


def test_the_first_are_as_asked_and_the_last_place_is_for_what_is_always_right() -> None:
    found = Versions()
    rows = [Key(edge=False, small=True, stream=False, most=m) for m in (0, 8, 4)]
    assert [found.picked(key) for key in rows] == rows
    assert not found.try_another(Key(edge=True, small=True, stream=False, most=1))
    assert found.try_another(rows[1])  # it is there
    huge = Key(edge=False, small=False, stream=True)
    assert found.picked(huge, note=False) == found.picked(huge) == ANY
    assert found.picked(rows[0]._replace(stream=True)) == rows[0]


def test_launches_of_many_kinds_share_four_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        queue = sycl.queue(sycl.cpu_selector_v)
    except sycl.exception as error:
        pytest.skip(str(error))

    made: list[Key] = []
    compiled = driver.compile_kernel
    monkeypatch.setattr(driver, "compile_kernel",
                        lambda kernel, key: made.append(key) or compiled(kernel, key))

    def scaled(it, a):  # type: ignore[no-untyped-def]
        a[it] = a[it] * 2 + 1

    shapes = [(3, 64), (5, 7), (5, 1), (1, 1), (3, 9), (70, 3), (2, 33), (64, 16), (1, 100)]
    for shape in shapes:
        a = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
        wanted = a * 2 + 1
        queue.parallel_for(shape, scaled, a).wait()
        np.testing.assert_array_equal(a, wanted)
    assert len(made) == MOST
    assert made[-1] == ANY
