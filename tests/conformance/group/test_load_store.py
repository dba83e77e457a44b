"""Loads and stores of whole groups (sycl_ext_oneapi_group_load_store): equal to indexing."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.runtime.launch import compiled_kernels

syclex = sycl.ext.oneapi.experimental
blocked, striped = syclex.data_placement_blocked, syclex.data_placement_striped
BOTH = (striped, syclex.contiguous_memory, syclex.full_group)
LISTED = syclex.properties(striped, syclex.full_group)
LOCAL, EACH, GROUPS = 8, 4, 2
N = LOCAL * EACH * GROUPS


def through_registers(it, x, one, by_block, by_stripe, turned):  # type: ignore[no-untyped-def]
    g = it.get_group()
    base = g.get_group_linear_id() * LOCAL * EACH
    mine = sycl.private_array(np.int32, EACH)
    syclex.group_load(g, x[base:base + LOCAL * EACH], mine)
    for k in range(EACH):
        by_block[it.get_global_linear_id(), k] = mine[k]
    syclex.group_store(g, mine, turned[base:base + LOCAL * EACH], BOTH)
    syclex.group_load(g, sycl.multi_ptr(x) + base, mine, BOTH)
    for k in range(EACH):
        by_stripe[it.get_global_linear_id(), k] = mine[k]
    syclex.group_store(g, syclex.group_load(g, x[base:]) + 1000,
                       one[g.get_group_linear_id() * LOCAL:])


@pytest.mark.row("P-6")
def test_blocked_and_striped_elements_of_work_groups(queue: sycl.queue) -> None:
    x = sycl.malloc_shared(N, np.int32, queue)
    one = sycl.malloc_shared(LOCAL * GROUPS, np.int32, queue)
    turned = sycl.malloc_shared(N, np.int32, queue)
    by_block, by_stripe = (sycl.malloc_shared((LOCAL * GROUPS, EACH), np.int32, queue)
                           for _ in range(2))
    x[:] = np.random.default_rng(3).integers(0, 1000, N)
    queue.parallel_for(sycl.nd_range(LOCAL * GROUPS, LOCAL), through_registers, x, one, by_block,
                       by_stripe, turned).wait()
    tiles = x[:].reshape(GROUPS, LOCAL * EACH)
    assert np.array_equal(by_block[:], x[:].reshape(-1, EACH))
    assert np.array_equal(by_stripe[:].reshape(GROUPS, LOCAL, EACH),
                          tiles.reshape(GROUPS, EACH, LOCAL).transpose(0, 2, 1))
    assert np.array_equal(turned[:].reshape(GROUPS, EACH, LOCAL),
                          tiles.reshape(GROUPS, LOCAL, EACH).transpose(0, 2, 1))
    assert np.array_equal(one[:], tiles[:, :LOCAL].reshape(-1) + 1000)


def through_local(it: sycl.nd_item, x, out):  # type: ignore[no-untyped-def]
    sg = it.get_sub_group()
    tile = syclex.get_work_group_scratch_memory(np.float32)
    size = sg.get_local_linear_range()
    first = (it.get_local_linear_id() - sg.get_local_linear_id()) * 2
    pair = sycl.private_array(np.float32, 2)
    syclex.group_load(sg, x[first:first + 2 * size], pair, LISTED)
    syclex.group_store(sg, sycl.float2(pair[0], pair[1]), tile[first:first + 2 * size], blocked)
    syclex.group_load(sg, tile[first:first + 2 * size], pair, blocked)
    syclex.group_store(sg, pair, out[first:first + 2 * size], striped)


@pytest.mark.row("P-6")
def test_sub_groups_exchange_through_local_memory(queue: sycl.queue) -> None:
    x, out = (sycl.malloc_shared(2 * 24, np.float32, queue) for _ in range(2))
    x[:] = np.arange(48)
    queue.parallel_for(sycl.nd_range(24, 24), syclex.properties(
        syclex.work_group_scratch_size(48 * 4)), through_local, x, out).wait()
    assert np.array_equal(out[:], np.arange(48))


@pytest.mark.row("P-6")
def test_striped_loads_are_vector_loads(queue: sycl.queue) -> None:
    def twice(it: sycl.nd_item, x) -> None:  # type: ignore[no-untyped-def]
        mine = sycl.private_array(np.int32, 4)
        sg = it.get_sub_group()
        own = x[4 * (it.get_local_linear_id() - sg.get_local_linear_id()):]
        syclex.group_load(sg, own, mine, striped)
        for k in range(4):
            mine[k] = 3 * mine[k] + 1
        syclex.group_store(sg, mine, own, striped)
    x = sycl.malloc_shared(4 * 16, np.int32, queue)
    x[:] = np.arange(64)
    native = queue.get_device().get_backend() is sycl.backend.cpu
    kernel = sycl.kernel(reqd_sub_group_size=16)(twice) if native else twice
    with compiled_kernels.kernels() as seen:
        queue.parallel_for(sycl.nd_range(16, 16), kernel, x).wait()
    assert x[:].tolist() == [3 * k + 1 for k in range(64)]
    if native:  # the others do not show the code they made
        text = seen[0].llvm_text()
        assert "load <16 x i32>" in text
        assert "gather" not in text


@pytest.mark.row("P-6")
def test_what_cannot_be_filled_is_refused(queue: sycl.queue) -> None:
    def kernel(it: sycl.nd_item, x) -> None:  # type: ignore[no-untyped-def]
        syclex.group_load(it.get_group(), x, sycl.int4(0))
    with pytest.raises(sycl.KernelError) as caught:
        queue.parallel_for(sycl.nd_range(4, 4), kernel, np.zeros(16, np.int32))
    assert "syclex.group_load(it.get_group()" in str(caught.value)
    with pytest.raises(sycl.exception, match="properties of kernels") as refused:
        queue.parallel_for(sycl.nd_range(4, 4), LISTED, kernel, np.zeros(16, np.int32))
    assert refused.value.code() == sycl.errc.invalid
