"""Texts that compute in 32 bits, and the launches that get others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda
from unisycl.passes.clike import positions

N = 40


def place(it: Any, out: Any, n: Any) -> None:
    out[it[0] * n + it[1]] = it[0] + n


def total(i: Any, out: Any, n: Any) -> None:
    kept = np.int64(0)
    for k in range(n, n + 3):
        kept += k
    out[i] = kept


def test_positions_and_numbers_are_of_32_bits_where_they_fit(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    p = sycl.malloc_shared(N * N, np.int64, queue)
    for _ in range(4):
        queue.parallel_for((N, N), place, p, N).wait_and_throw()
    want = np.repeat(np.arange(N), N) + N
    assert (p.get_view() == want).all()
    texts = queue.channel.driver._texts._known  # type: ignore[attr-defined]
    assert ["* (int)n + " in text for _, text in texts.values()] == [True]


def round_edges(it: Any, out: Any, n: Any, by: Any) -> None:
    y, x = (it[0] + by) % n, sycl.clamp(it[1] - by, 0, n - 1)
    out[it[0] * n + it[1]] = y * n + x


@pytest.mark.parametrize("by", [2, -3])
def test_places_of_sums_are_sums_of_32_bits_and_signs_have_texts(by: int) -> None:
    fake = FakeCuda(seed=1)
    with installed(fake) as (_, kernels):
        queue = sycl.queue("cuda", sycl.property.queue.in_order())
        p = sycl.malloc_shared(N * N, np.int64, queue)
        i, j = np.indices((N, N))
        for sign in (1, -1, 1):
            queue.parallel_for((N, N), round_edges, p, N, sign * by).wait_and_throw()
            want = (i + sign * by) % N * N + np.clip(j - sign * by, 0, N - 1)
            assert (p.get_view().reshape(N, N) == want).all()
        assert len(kernels.made) == 2
        for made in kernels.made:
            assert "[global_id_0 * (int)n + global_id_1]" in made.text
            assert "mod_long" not in made.text
            assert "limited_int" in made.text


def parts(i: Any, out: Any, given: Any, n: Any) -> None:
    out[i] = given[(i[0] + n - 1) % n] + 100 * given[i[0] // n]


def test_divisors_that_are_not_0_are_divided_by_plainly() -> None:
    fake = FakeCuda(seed=1)
    with installed(fake) as (_, kernels):
        queue = sycl.queue("cuda", sycl.property.queue.in_order())
        p, given = (sycl.malloc_shared(9, np.int32, queue) for _ in range(2))
        given[:] = np.arange(9) + 1
        for n in (4, 1, 0, 5, 0):
            queue.parallel_for(9, parts, p, given, n).wait_and_throw()
            want = [(i + n - 1) % n + 1 + 100 * (i // n + 1) if n else 101 for i in range(9)]
            assert p.get_view().tolist() == want
        plain, rest = (made.text.partition('extern "C"')[2] for made in kernels.made)
        assert "% (unsigned int)(int)n" in plain
        assert "/ (unsigned int)(int)n" in plain
        assert "mod_long_long(" in rest


@pytest.mark.parametrize("n", [7, -7, (1 << 30) - 1, 1 << 30, 1 << 40, -(1 << 30) - 1])
def test_numbers_that_do_not_fit_get_a_text_of_their_own(fake: FakeCuda, n: int) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    p = sycl.malloc_shared(4, np.int64, queue)
    for value in (1, n, 2, n):
        queue.parallel_for(4, total, p, value).wait_and_throw()
        assert p.get_view().tolist() == [3 * value + 3] * 4


def test_large_memory_gets_a_text_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeCuda(seed=1)
    with installed(fake) as (_, kernels):
        queue = sycl.queue("cuda", sycl.property.queue.in_order())
        p = sycl.malloc_shared(N * N, np.int64, queue)
        queue.parallel_for((N, N), place, p, N).wait_and_throw()
        before = len(kernels.made)
        monkeypatch.setattr(positions, "SPAN", N * N)
        queue.parallel_for((N, N), place, p, N + 0).wait_and_throw()
        assert len(kernels.made) == before + 1
        assert "(int)" not in kernels.made[-1].text.partition("{")[2]


def test_local_memory_of_two_dimensions_is_an_array_of_the_text(fake: FakeCuda) -> None:
    queue = sycl.queue("cuda", sycl.property.queue.in_order())
    p = sycl.malloc_shared(64, np.int32, queue)

    def turn(it: Any, out: Any, tile: Any) -> None:
        y, x = it.get_local_id(0), it.get_local_id(1)
        tile[y, x] = y * 8 + x
        sycl.group_barrier(it.get_group())
        out[y * 8 + x] = tile[x, y]

    for shape in ((8, 8), (8, 9), (60, 300)):
        tile = sycl.local_accessor(np.int32, shape)
        queue.parallel_for(sycl.nd_range((8, 8), (8, 8)), turn, p, tile).wait_and_throw()
        assert (p.get_view().reshape(8, 8) == np.arange(64).reshape(8, 8).T).all()
        assert (fake.launches[-1][-1] > 0) == (shape == (60, 300))


def down(i: Any, out: Any) -> None:
    total = np.int64(0)
    for k in range(i[0], -i[0], -2):
        total += k
    out[i] = total


def test_loops_of_32_bits_are_counted_plainly(queue: sycl.queue, fake: FakeCuda) -> None:
    p = sycl.malloc_shared(13, np.int64, queue)
    queue.parallel_for(13, down, p).wait_and_throw()
    assert p.get_view().tolist() == [sum(range(i, -i, -2)) for i in range(13)]
    driver: Any = queue.channel.driver
    assert ["-= 2" in text and "more" not in text for _, text in driver._texts._known.values()] == [
        True]


def test_a_kernel_with_local_memory_of_two_dimensions_is_compiled_once() -> None:
    fake = FakeCuda(seed=1)
    with installed(fake) as (_, kernels):
        queue = sycl.queue("cuda", sycl.property.queue.in_order())
        p = sycl.malloc_shared(64, np.int32, queue)

        def turn(it: Any, out: Any, tile: Any) -> None:
            y, x = it.get_local_id(0), it.get_local_id(1)
            tile[y, x] = y * 8 + x
            sycl.group_barrier(it.get_group())
            out[y * 8 + x] = tile[x, y]

        tile = sycl.local_accessor(np.int32, (8, 8))
        for _ in range(3):
            queue.parallel_for(sycl.nd_range((8, 8), (8, 8)), turn, p, tile).wait_and_throw()
        assert 1 == len(kernels.made)
        assert 1 == fake.calls["cuModuleLoadData"]
    assert fake.misuse == []
