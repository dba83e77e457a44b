"""Rows of several scalars a lane under masks that have registers, by the code for such processors.

A processor without them runs it, too: LLVM puts other instructions in their place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.compile import options
from unisycl.backends.cpu.compile.target import machine

WIDE = 512


@pytest.fixture
def widest(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Have code made for vectors of so many bits."""
    here = machine()
    if "+bmi2" not in here.features.split(","):
        pytest.skip("this processor does not spread bits")

    def use(bits: int) -> None:
        monkeypatch.setattr(options, "machine", lambda: replace(here, vector_bits=bits))
    return use


@pytest.mark.parametrize("bits", [256, WIDE])
@pytest.mark.parametrize("dtype", ["float32", "int32", "float64"])
@pytest.mark.parametrize("pitch", [3, 4, 5])
def test_rows_of_which_three_elements_are_used_are_right(
        widest: Callable[[int], None], bits: int, dtype: str, pitch: int) -> None:
    widest(bits)
    h, w = 5, 71
    rng = np.random.default_rng(pitch)
    p = rng.integers(0, 100, (h, w, pitch)).astype(dtype)
    q = rng.integers(0, 100, (h, w, pitch)).astype(dtype)
    wanted = q.copy()

    @sycl.kernel
    def move(it: Any, p: Any, q: Any, least: Any) -> None:
        y, x = it[0], it[1]
        a, b, c = p[y, x, 0], p[y, x, 1], p[y, x, 2]
        if x > 0 and y + 1 < p.shape[0]:
            a += p[y + 1, x - 1, 0]
            b += p[y + 1, x - 1, 1]
            c += p[y + 1, x - 1, 2]
        if a > least:
            q[y, x, 0] = a
            q[y, x, 1] = b
            q[y, x, 2] = c

    moved = p[..., :3].copy()
    moved[:-1, 1:] += p[1:, :-1, :3]
    on = moved[..., 0] > 90
    wanted[..., :3][on] = moved[on]
    sycl.queue(sycl.cpu_selector_v).parallel_for(
        sycl.range(h, w), move, p, q, p.dtype.type(90)).wait()
    assert q.tolist() == wanted.tolist()


@sycl.kernel
def move_two(i: Any, r: Any, out: Any, on: Any) -> None:
    if on[i] != 0:
        out[i].a, out[i].b = r[i].b, r[i].a + r[i].b


@sycl.kernel
def move_three(i: Any, r: Any, out: Any, on: Any) -> None:
    if on[i] != 0:
        out[i].a, out[i].b, out[i].c = r[i].b, r[i].c, r[i].a + r[i].b + r[i].c


@pytest.mark.parametrize("bits", [256, WIDE])
@pytest.mark.parametrize("members", [2, 3])
@pytest.mark.parametrize("spare", [0, 1, 2])
def test_members_of_records_are_right_under_a_mask(
        widest: Callable[[int], None], bits: int, members: int, spare: int) -> None:
    widest(bits)
    count, n = members + spare, 75
    record = np.dtype([(name, "f4") for name in "abcde"[:count]])
    rng = np.random.default_rng(members)
    p = rng.integers(0, 100, (n, count)).astype("f4")
    on = rng.integers(0, 2, n, np.int32)
    records, out = p.copy().view(record).ravel(), np.zeros(n, record)
    sycl.queue(sycl.cpu_selector_v).parallel_for(
        n, move_two if members == 2 else move_three, records, out, on).wait()
    moved = np.zeros_like(p)
    moved[:, :members - 1] = p[:, 1:members]
    moved[:, members - 1] = p[:, :members].sum(1)
    assert out.view("f4").reshape(n, -1).tolist() == np.where(on[:, None] != 0, moved, 0).tolist()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float16"])
def test_short_elements_that_are_apart_are_read_and_written_without_branches(
        widest: Callable[[int], None], dtype: str) -> None:
    widest(WIDE)
    rng = np.random.default_rng(1)
    a = rng.integers(0, 100, (70, 3)).astype(dtype)
    to = rng.permutation(70).astype(np.int32)
    out, some = np.zeros(70, dtype), np.zeros(70, dtype)

    @sycl.kernel
    def pick(i: Any, a: Any, to: Any, out: Any, some: Any) -> None:
        out[to[i]] = a[i, 1]
        if to[i] % 3 == 0:
            some[to[i]] = a[to[i], 2]

    sycl.queue(sycl.cpu_selector_v).parallel_for(70, pick, a, to, out, some).wait()
    assert out[to].tolist() == a[:, 1].tolist()
    assert some.tolist() == np.where(np.arange(70) % 3 == 0, a[:, 2], 0).tolist()


@pytest.mark.parametrize("bits", [256, WIDE])
def test_lanes_that_are_evenly_apart_are_right_at_both_ends(
        widest: Callable[[int], None], bits: int) -> None:
    widest(bits)
    x = np.arange(400, dtype=np.float32)
    out = np.zeros(133, np.float32)

    @sycl.kernel
    def step(i: Any, x: Any, out: Any, far: Any) -> None:
        at = i - far
        if at >= 0 and at < x.shape[0]:
            out[i] = x[at]

    queue = sycl.queue(sycl.cpu_selector_v)
    for view, far in ((x[::3], 5), (x[::-2], 70), (x[7::3], -20)):
        out[:] = -1
        queue.parallel_for(133, step, view, out, far).wait()
        at = np.arange(133) - far
        inside = (at >= 0) & (at < len(view))
        assert out.tolist() == np.where(inside, view[np.where(inside, at, 0)], -1).tolist()
