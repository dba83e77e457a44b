"""The code of rows: what whole vectors of an interior do without, on any processor."""

from __future__ import annotations

import re

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.making import text_of
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

a, b = (np.zeros(64, np.float32) for _ in range(2))
u, v = (np.zeros((8, 64), np.float32) for _ in range(2))


def code(function: object, ndim: int, *, edge: bool = False, stream: bool = False,
         units: int = 0) -> str:
    kernel = specialize(function, "range", ndim, (64,)).kernel
    return text_of(kernel, Key(edge=edge, small=True, stream=stream, units=units))[0].text()


def inside(text: str) -> str:
    """Return the instructions of whole vectors."""
    found = re.findall(r"^invec\d+:\n(.*?)br label %vec\d+$", text, re.MULTILINE | re.DOTALL)
    assert 1 == len(found)
    return found[0]


def guarded(it, n):
    y, x = it[0], it[1]
    if 0 < x and x < n - 1 and 0 < y and y < n - 1:
        v[y, x] = u[y, x - 1] + u[y, x + 1]


def clamped(it, n):
    y, x = it[0], it[1]
    v[y, x] = u[y, max(x - 1, 0)] + u[y, min(x + 1, n - 1)]


def wrapped(it, n):
    y, x = it[0], it[1]
    v[y, x] = u[y, (x - 1 + n) % n] + u[y, (x + 1) % n]


def by_if(it, n):
    y, x = it[0], it[1]
    left = x - 1 if x > 0 else n - 1
    if x == n - 1:
        right = 0
    else:
        right = x + 1
    v[y, x] = u[y, left] + u[y, right]


@pytest.mark.parametrize("kernel", [guarded, clamped, wrapped, by_if])
@pytest.mark.parametrize("edge", [False, True])
def test_whole_vectors_have_no_masks_and_no_gathers(kernel: object, *, edge: bool) -> None:
    text = inside(code(kernel, 2, edge=edge))
    assert 1 == text.count("  store <")
    assert "llvm.masked" not in text
    assert "icmp" not in text


def test_a_guarded_stream_goes_past_the_caches_inside_alone() -> None:
    def kernel(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            b[i] = a[i]
    text = code(kernel, 1, stream=True)
    assert "nontemporal" in inside(text)
    assert 1 == text.count("nontemporal !1")


@pytest.mark.parametrize("stream", [False, True])
def test_a_body_is_written_twice_at_most(*, stream: bool) -> None:
    def kernel(i, n):  # type: ignore[no-untyped-def]
        if i < n:
            b[i] = a[i] + 77
    text = code(kernel, 1, edge=True, stream=stream)
    assert 2 == len(re.findall(r"= fadd <", text))


def test_a_guard_in_an_nd_range_is_asked_once_for_a_sub_group() -> None:
    def kernel(it, n):  # type: ignore[no-untyped-def]
        i = it.get_global_id(0)
        if i < n:
            b[i] = a[i]
    made = specialize(kernel, "nd_range", 1, (64,), (), (64,)).kernel
    text = text_of(made, Key(edge=False, small=True, stream=False))[0].text()
    found = re.findall(r"^invec\d+:\n(.*?)br label %vecend\d+$", text, re.MULTILINE | re.DOTALL)
    assert 1 == len(found)
    assert "llvm.masked" not in found[0]
    assert 1 == found[0].count("  store <")


def test_lanes_go_down_columns_where_rows_have_one_item() -> None:
    def kernel(it, n):  # type: ignore[no-untyped-def]
        v[it[0], it[1]] = u[it[0], it[1]] * 2
    text = inside(code(kernel, 2, units=1))
    assert "llvm.masked" not in text
    assert 1 == text.count("= load <")
    assert 1 == text.count("  store <")


@pytest.mark.parametrize("edge", [False, True])
def test_rows_that_lanes_go_backwards_are_turned_round(*, edge: bool) -> None:
    def kernel(i, n):  # type: ignore[no-untyped-def]
        b[63 - i] = a[n - i] + a[i]
    text = code(kernel, 1, edge=edge)
    assert "gather" not in text
    assert "scatter" not in text
    assert 1 + edge == len(re.findall(r"= fadd <", text))


def test_places_from_a_list_are_asked_whether_they_are_a_run() -> None:
    zones = np.zeros(64, np.int32)

    def listed(ii, n):  # type: ignore[no-untyped-def]
        i = zones[ii]
        b[ii] = a[i] + a[i + 1]

    def table(ii, n):  # type: ignore[no-untyped-def]
        b[ii] = a[zones[ii]]
    assert 2 == len(re.findall(r"^run\d+:$", code(listed, 1), re.MULTILINE))
    assert not re.findall(r"^run\d+:$", code(table, 1), re.MULTILINE)


def test_rows_whose_vectors_begin_at_lines_have_every_item_once() -> None:
    size = 33000

    def added(i, x, y):  # type: ignore[no-untyped-def]
        y[i] += x[i]

    def columns(i, x, y):  # type: ignore[no-untyped-def]
        for k in range(2):
            y[i + k * size] += x[i] * (k + 1)

    def guarded(i, x, y):  # type: ignore[no-untyped-def]
        if i > 5:
            y[i - 5] += x[i - 1] + x[i]
    queue = sycl.queue(sycl.cpu_selector_v)
    for start in (0, 1, 6, 7):
        x, y = (np.arange(2 * size, dtype=np.float64)[start:][:size + 7] for _ in range(2))
        once = x.copy()
        queue.parallel_for(size + start, added, x, y).wait()
        once[:size + start] += x[:size + start]
        np.testing.assert_array_equal(y, once)
        queue.parallel_for(size + start, guarded, x, y).wait()
        once[1:size + start - 5] += x[5:size + start - 1] + x[6:size + start]
        np.testing.assert_array_equal(y, once)
    x, y = (np.arange(3 * size, dtype=np.float64)[3:] for _ in range(2))
    once = y[:2 * size].reshape(2, size) + x[:size] * [[1], [2]]
    queue.parallel_for(size, columns, x, y).wait()
    np.testing.assert_array_equal(y[:2 * size].reshape(2, size), once)
