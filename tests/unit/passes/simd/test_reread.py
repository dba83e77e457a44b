"""Which loads are left out because their element was read before, and that kernels stay right."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import reread

a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
flags, places = np.zeros(64, np.int32), np.zeros(64, np.int32)


def loads(function: object) -> tuple[int, int]:
    """Return how many loads a kernel has, before and after."""
    kernel = specialize(function, "range", 1).kernel
    before, after = (sum(isinstance(x, n.Load) for x in visit.all_expressions(k.body))
                     for k in (kernel, reread.run(kernel)))
    return before, after


def test_what_a_condition_read_is_not_read_again_under_it() -> None:
    def plain(i):  # type: ignore[no-untyped-def]
        v = a[i]
        if a[i + 1] > v:
            v = a[i + 1]
        b[i] = v

    def guarded(i):  # type: ignore[no-untyped-def]
        v = a[i]
        if i > 0 and a[i - 1] > v:
            v = a[i - 1]
        if i < 63 and flags[i] and a[i + 1] > v:
            v = a[i + 1] + flags[i]
        b[i] = v

    def by_an_index(i):  # type: ignore[no-untyped-def]
        if a[places[i]] > 0:
            b[i] = a[places[i]]
    assert (loads(plain), loads(guarded), loads(by_an_index)) == ((3, 2), (7, 4), (4, 2))


def test_what_may_have_changed_is_read_again() -> None:
    def stored(i):  # type: ignore[no-untyped-def]
        v = a[i]
        b[i] = 1
        if v > 0:
            b[i] = a[i]

    def moved(i):  # type: ignore[no-untyped-def]
        k = i
        v = a[k]
        k += 1
        if v > 0:
            b[i] = a[k]

    def turns(i):  # type: ignore[no-untyped-def]
        v = a[i]
        while a[i] == v:
            if flags[i]:
                b[0] = 1

    def other_side(i):  # type: ignore[no-untyped-def]
        if flags[i] > 2:
            b[i] = a[i]
        if flags[i] < 1:
            b[0] = a[i]

    def set_anew(i):  # type: ignore[no-untyped-def]
        more = i > 2
        if more:
            more = a[i] > 0
        more = i > 1
        if more:
            b[i] = a[i]
    for each in (stored, moved, turns, set_anew):
        before, after = loads(each)
        assert before == after, each
    assert loads(other_side) == (4, 4)


def test_an_own_array_is_not_what_is_written() -> None:
    def own(i):  # type: ignore[no-untyped-def]
        mine = sycl.private_array(np.float32, 3)
        v = a[i]
        mine[flags[i]] = v
        if v > 0:
            b[i] = a[i] + mine[1]
    assert loads(own) == (4, 3)


def _walk(i, lab, out):  # type: ignore[no-untyped-def]
    y, x = i
    h, w = lab.shape
    v = lab[y, x]
    if v >= 0:
        if y > 0 and lab[y - 1, x] > v:
            v = lab[y - 1, x]
        if y < h - 1 and lab[y + 1, x] > v:
            v = lab[y + 1, x]
        if not (x < 1 or lab[y, x - 1] <= v):
            v = lab[y, x - 1]
        last = x < w - 1
        if last:
            last = lab[y, x + 1] > v
        if last:
            v = lab[y, x + 1]
        if x < 3 or lab[y, x - 3] == v or last:
            v += 1
    out[y, x] = v


def _expected(lab: np.ndarray) -> np.ndarray:
    out = np.empty_like(lab)
    for at in np.ndindex(lab.shape):
        _walk(at, lab, out)
    return out


@pytest.mark.parametrize("shape", [(1, 1), (3, 17), (5, 70), (40, 33)])
def test_neighbours_are_the_same_on_every_side(
        device: sycl.device, shape: tuple[int, int]) -> None:
    lab = np.random.default_rng(7).integers(-3, 9, shape).astype(np.int32)
    out = np.full_like(lab, 99)
    sycl.queue(device).parallel_for(shape, _walk, lab, out).wait()
    np.testing.assert_array_equal(out, _expected(lab))
