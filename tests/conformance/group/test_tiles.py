"""Tiles of matrices are copied to local memory, whatever they are aligned to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.examples import gemm
from unisycl.testing.refusal import PREFIX

ml_dtypes = pytest.importorskip("ml_dtypes")
tiles = sycl.ext.unisycl.tiles
ext = sycl.ext.oneapi.experimental
mx = ext.matrix


@pytest.mark.part("M-4")
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_tiles_are_those_of_the_matrix(queue, dtype):
    if dtype == "float64" and not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip(PREFIX + dtype)
    x = np.arange(64 * 80).reshape(64, 80).astype(dtype)
    for first, there, stages in ((0, 32, 3), (80, 48, 2), (3, 33, 2)):
        count = (x.size - first) // (16 * 80)
        out = sycl.malloc_device(count * 16 * 32, x.dtype, queue)
        memory = sycl.malloc_device(x.size, x.dtype, queue)
        queue.memcpy(memory, x.reshape(-1)).wait()

        def kernel(it, memory, out, first=first, there=there, stages=stages, count=count):
            whole = it.get_group()
            own = sycl.ext.oneapi.group_local_memory_for_overwrite((dtype, 3 * 16 * 48), whole)
            at, source = sycl.multi_ptr(own), sycl.multi_ptr(memory) + first
            for s in range(stages - 1):
                if s < count:
                    tiles.copy_tile(whole, at + s * 768, source + s * 1280, (16, 32), (there, 80))
                tiles.end_batch()
            for k in range(count):
                tiles.await_tiles(whole, 0)
                coming = k + stages - 1
                if coming < count:
                    tiles.copy_tile(whole, at + coming % stages * 768, source + coming * 1280,
                                    (16, 32), (there, 80))
                tiles.end_batch()
                for e in range(it.get_local_id(0), 512, 32):
                    out[k * 512 + e] = own[k % stages * 768 + e // 32 * there + e % 32]
        queue.parallel_for(sycl.nd_range((32,), (32,)), kernel, memory, out).wait()
        found = np.empty(count * 512, x.dtype)
        queue.memcpy(found, out).wait()
        want = x.reshape(-1)[first:first + count * 1280].reshape(count, 16, 80)[:, :, :32]
        np.testing.assert_array_equal(found, want.reshape(-1))
        sycl.free(out, queue)
        sycl.free(memory, queue)


@pytest.mark.part("M-4")
@pytest.mark.parametrize("tile", [gemm.bf16, gemm.tf32, gemm.groups, gemm.tf32_groups,
                                  gemm.int8_groups])
def test_the_example_multiplies(queue, tile):
    if queue.get_device().get_info(sycl.info.device.local_mem_size) < 128 << 10:
        pytest.skip("the tiles of the example take more local memory")
    if queue.get_device().get_backend() is sycl.backend.host:
        pytest.skip("takes long on the host device")
    m, n, k = 2 * tile.rows, tile.cols, 5 * tile.depth
    rng = np.random.default_rng(3)
    x, y = (rng.integers(-3, 4, shape).astype(tile.stored) for shape in ((m, k), (k, n)))
    a, b, columns = (sycl.malloc_device(z.size, z.dtype, queue) for z in (x, y, y))
    sums = getattr(tile, "sum", np.float32)
    c = sycl.malloc_device(m * n, sums, queue)
    queue.memcpy(a, x.reshape(-1)).wait()
    queue.memcpy(b, y.reshape(-1)).wait()
    if getattr(tile, "order", None) is mx.layout.col_major:
        gemm.turn(queue, b, columns, k, n).wait()
        b, columns = columns, b
    gemm.launch(queue, tile, gemm.kernel_of(tile), a, b, c, shape=(m, n, k)).wait()
    found = np.empty((m, n), sums)
    queue.memcpy(found.reshape(-1), c).wait()
    np.testing.assert_array_equal(found, x.astype(np.float32) @ y.astype(np.float32))
    for memory in (a, b, c, columns):
        sycl.free(memory, queue)


class small:
    """Tiles of one sub-group."""

    element = ml_dtypes.bfloat16
    rows, cols, stages = 64, 64, 2


@pytest.mark.part("M-4")
def test_a_small_group_multiplies_as_a_whole(queue):
    about = sycl.ext.oneapi.experimental.info.device
    size = queue.get_device().get_info(about.ext_unisycl_matrix_sub_group_size)

    def kernel(it, a, b, c):
        whole = it.get_group()
        p = tiles.group_product(whole, small)
        tiles.load_stage(whole, p, 0, a, b, (128, 72))
        tiles.finish_stage(whole, p)
        for k in range(2):
            tiles.await_stages(whole, p, 0)
            tiles.multiply_stage(whole, p, k)
            if k == 0:
                tiles.load_stage(whole, p, 1, sycl.multi_ptr(a) + 64, sycl.multi_ptr(b) + 64 * 72,
                                 (128, 72))
            tiles.finish_stage(whole, p)
        tiles.store_product(whole, p, c, 66)
    rng = np.random.default_rng(6)
    x = rng.integers(-3, 4, (64, 128)).astype(small.element)
    y = rng.integers(-3, 4, (128, 72)).astype(small.element)
    a, b = (sycl.malloc_device(z.size, z.dtype, queue) for z in (x, y))
    c = sycl.malloc_device(64 * 66, np.float32, queue)
    queue.fill(c, np.float32(0), 64 * 66).wait()
    queue.memcpy(a, x.reshape(-1)).wait()
    queue.memcpy(b, y.reshape(-1)).wait()
    queue.parallel_for(sycl.nd_range((size,), (size,)), kernel, a, b, c).wait()
    found = np.empty(64 * 66, np.float32)
    queue.memcpy(found, c).wait()
    np.testing.assert_array_equal(found.reshape(64, 66)[:, :64],
                                  x.astype(np.float32) @ y.astype(np.float32)[:, :64])
    with pytest.raises(sycl.KernelError, match="work-groups of 1 sub-groups"):
        queue.parallel_for(sycl.nd_range((2 * size,), (2 * size,)),
                           lambda it: tiles.group_product(it.get_group(), small))
    for memory in (a, b, c):
        sycl.free(memory, queue)


class wide:
    """Tiles that some hardware multiplies as a whole."""

    element: Any = ml_dtypes.bfloat16
    rows, cols, stages = 64, 256, 2


def wide_of(T: Any) -> Any:
    """Return such tiles of other elements."""
    return type(getattr(T, "__name__", str(T)), (wide,), {"element": T})


def check_along(queue, tile, order, shapes):
    """Multiply two tiles' height of rows along each depth twice, and compare with NumPy."""
    stored = np.dtype(np.float32 if tile.element is mx.precision.tf32 else tile.element)
    sums = np.int32 if stored.kind in "iu" else np.float32
    items = tile.cols // 64 * queue.get_device().get_info(
        ext.info.device.ext_unisycl_matrix_sub_group_size)

    def kernel(it, a, b, c, number, depth, left, right):
        whole = it.get_group()
        p = tiles.group_product(whole, tile, order)
        for _ in range(2):
            tiles.multiply_along(whole, p, sycl.multi_ptr(a) + number, b, (left, right), depth)
        tiles.store_product(whole, p, sycl.multi_ptr(c) + it.get_group(0) * 64 * tile.cols,
                            tile.cols)
    rng = np.random.default_rng(8)
    for turn, (depth, left, right) in enumerate(shapes):
        low = 0 if stored == np.uint8 else -3
        columns = order is mx.layout.col_major
        x = rng.integers(low, 4, (64, left)).astype(stored)
        y = rng.integers(low, 4, (tile.cols if columns else max(depth, 1), right)).astype(stored)
        at = turn % 2 * 16
        a = sycl.malloc_device(x.size + at, x.dtype, queue)
        b = sycl.malloc_device(y.size, y.dtype, queue)
        c = sycl.malloc_device(2 * 64 * tile.cols, sums, queue)
        queue.memcpy(a, np.concatenate([x.reshape(-1)[:at], x.reshape(-1)])).wait()
        queue.memcpy(b, y.reshape(-1)).wait()
        queue.parallel_for(sycl.nd_range((2 * items,), (items,)), kernel, a, b, c, at, depth, left,
                           right).wait()
        found = np.empty(2 * 64 * tile.cols, sums)
        queue.memcpy(found, c).wait()
        other = y[:, :depth].T if columns else y[:depth, :tile.cols]
        want = 2 * (x[:, :depth].astype(np.float64) @ other.astype(np.float64))
        np.testing.assert_array_equal(found.reshape(2, 64, tile.cols), np.stack([want, want]))
        for memory in (a, b, c):
            sycl.free(memory, queue)


@pytest.mark.part("M-4")
def test_a_group_multiplies_along_any_depth(queue):
    if queue.get_device().get_info(sycl.info.device.local_mem_size) < 96 << 10:
        pytest.skip("the tiles take more local memory")
    # Rows at multiples of 16 bytes and not, depths with a rest, of a part of a tile, and of none.
    shapes = [(70, 75, 257), (3 * 64, 192, 256), (2 * 64 + 21, 152, 264), (5, 8, 256), (0, 8, 256)]
    if queue.get_device().get_backend() is sycl.backend.host:
        check_along(queue, small, mx.layout.row_major, [shapes[3]])
    else:
        check_along(queue, wide, mx.layout.row_major, shapes)


KINDS = [(mx.precision.tf32, True), (np.int8, True), (ml_dtypes.float8_e4m3fn, True),
         (ml_dtypes.bfloat16, True), (np.uint8, False), (mx.precision.tf32, False)]


@pytest.mark.part("M-4")
@pytest.mark.parametrize(("T", "columns"), KINDS, ids=str)
def test_a_group_multiplies_short_elements_by_rows_and_columns(queue, T, columns):
    if queue.get_device().get_info(sycl.info.device.local_mem_size) < 96 << 10:
        pytest.skip("the tiles take more local memory")
    order = mx.layout.col_major if columns else mx.layout.row_major
    # A rest behind several tiles, by rows at multiples of 16 bytes and not.
    shapes = [(300, 304, 320), (133, 135, 261)]
    if queue.get_device().get_backend() is sycl.backend.host:
        tile = type("tile", (small,), {"element": T})
        check_along(queue, tile, order, [(5, 16, 80)])
    else:
        check_along(queue, wide_of(T), order, shapes)


@pytest.mark.part("M-4")
def test_what_a_group_does_not_multiply_is_refused(queue):
    def run(tile, order):
        queue.parallel_for(sycl.nd_range((64,), (64,)),
                           lambda it: tiles.group_product(it.get_group(), tile, order))
    if queue.get_device().get_backend() is sycl.backend.host:
        pytest.skip("the host device runs what it is given")
    with pytest.raises(sycl.KernelError, match="8 or 16 bits or tf32"):
        run(wide_of(np.float64), mx.layout.row_major)
    with pytest.raises(sycl.KernelError, match="a layout of B"):
        run(wide, mx.layout.ext_intel_packed)
