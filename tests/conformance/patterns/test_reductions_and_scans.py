"""Sums and running sums as the example programs compute them, and the faults of older listings."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.examples import reductions, scans

FORMS = {
    "naive": lambda q, x: reductions.naive(q, x),
    "tree": lambda q, x: reductions.tree(q, x, 64),
    "group": lambda q, x: reductions.group_and_atomic(q, x, 64),
    "built in": lambda q, x: reductions.built_in(q, x),
}


@pytest.mark.row("J-3")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_every_form_adds_up_integers_exactly(queue: sycl.queue, form: str, n: int) -> None:
    values = np.random.default_rng(n).integers(-1000, 1000, n, np.int32)
    assert values.sum(dtype=np.int32) == FORMS[form](queue, values)


@pytest.mark.row("J-3")
@pytest.mark.parametrize("form", FORMS)
def test_every_form_adds_up_floats_within_the_bound(queue: sycl.queue, form: str) -> None:
    values = np.random.default_rng(7).normal(size=1000).astype(np.float32)
    bound = len(values) * np.finfo(np.float32).eps * np.abs(values).sum(dtype=np.float64)
    assert abs(FORMS[form](queue, values) - values.sum(dtype=np.float64)) <= bound


@pytest.mark.row("J-2")
def test_a_tree_covers_what_the_group_size_does_not_divide(queue: sycl.queue) -> None:
    values = np.arange(1000, dtype=np.int32)
    sums = np.full(4, -1, np.int32)
    with sycl.buffer(values) as source, sycl.buffer(sums) as target:
        reductions.submit_tree(queue, source, target, 1000, 256)
    assert [values[k:k + 256].sum() for k in range(0, 1000, 256)] == sums.tolist()
    assert values.sum() == reductions.tree(queue, values, 256)


@pytest.mark.row("J-2")
def test_a_group_size_that_does_not_divide_the_global_size_is_refused(queue: sycl.queue) -> None:
    # As listings often have it: nd_range(n, 256) for any n, with a guard inside the kernel.
    def kernel(it):  # type: ignore[no-untyped-def]
        pass
    with pytest.raises(sycl.exception, match="1000") as caught:
        queue.parallel_for(sycl.nd_range(1000, 256), kernel)
    assert sycl.errc.nd_range == caught.value.code()


@pytest.mark.row("J-4")
@pytest.mark.parametrize("local", [1, 2, 16, 64])
@pytest.mark.parametrize("n", [1, 31, 32, 33, 300])
def test_blocks_are_scanned_in_order(queue: sycl.queue, local: int, n: int) -> None:
    values = np.random.default_rng(n).integers(-9, 10, n, np.int32)
    want = scans.block_sums(values, 2 * local)
    for first in range(0, n, 2 * local):
        block = values[first:first + 2 * local]
        assert np.array_equal(np.cumsum(block), want[first:first + 2 * local])
    assert np.array_equal(want, scans.scan_blocks(queue, values, local))


@pytest.mark.row("J-4")
def test_the_usual_listing_does_not_give_running_sums(queue: sycl.queue) -> None:
    """Elements gid and gid + group size at 2k and 2k + 1: interleaved, and groups overlap."""
    local, n = 8, 16
    values, out = np.arange(1, n + 1, dtype=np.int32), np.zeros(n, np.int32)

    def kernel(it, sums):  # type: ignore[no-untyped-def]
        gid, lane = it.get_global_id(0), it.get_local_id(0)
        sums[2 * lane] = values[gid]
        sums[2 * lane + 1] = values[gid + local]
        sycl.group_barrier(it.get_group())
        step = 1
        while step < 2 * local:
            at = 2 * step * (lane + 1) - 1
            if at < 2 * local:
                sums[at] += sums[at - step]
            sycl.group_barrier(it.get_group())
            step *= 2
        step = local
        while step > 0:
            at = 2 * step * (lane + 1) - 1
            if at + step < 2 * local:
                sums[at + step] += sums[at]
            sycl.group_barrier(it.get_group())
            step //= 2
        out[gid] = sums[2 * lane]
        out[gid + local] = sums[2 * lane + 1]
    tile = sycl.local_accessor(np.int32, 2 * local)
    queue.parallel_for(sycl.nd_range(local, local), kernel, tile).wait()
    mixed = values.reshape(2, local).T.reshape(-1)
    assert np.array_equal(np.cumsum(mixed).reshape(local, 2).T.reshape(-1), out)
    assert not np.array_equal(np.cumsum(values), out)
    assert np.array_equal(np.cumsum(values), scans.scan_blocks(queue, values, local))


def lengths(device: sycl.device) -> list[int]:
    slow = device.has(sycl.aspect.emulated)
    return [1, 2, 63, 64, 65, 1000] if slow else [1, 2, 63, 64, 65, 4095, 4097, 99_991, 1_000_000]


@pytest.mark.row("J-5")
@pytest.mark.parametrize("exclusive", [False, True])
def test_scans_of_any_length(queue: sycl.queue, device: sycl.device, exclusive: bool) -> None:
    for n in lengths(device):
        values = np.random.default_rng(n).integers(-9, 10, n, np.int32)
        want = np.cumsum(values, dtype=np.int32) - (values if exclusive else 0)
        assert np.array_equal(want, scans.scan(queue, values, 64, exclusive)), n


@pytest.mark.row("J-5")
def test_scans_of_floats(queue: sycl.queue) -> None:
    values = np.random.default_rng(3).random(777, np.float32)
    for exclusive in (False, True):
        want = np.cumsum(values, dtype=np.float64) - (values if exclusive else 0)
        np.testing.assert_allclose(scans.scan(queue, values, 32, exclusive), want,
                                   rtol=777 * 1.2e-7)
