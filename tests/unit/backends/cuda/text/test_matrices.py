"""Products, loads and stores of matrices, and copies of tiles, are CUDA C++ that is compiled."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests import cuda_texts
from unisycl.backends.base import DeviceInfo, Geometry
from unisycl.backends.cuda.discovery.info import matrix_unit
from unisycl.backends.cuda.text import compile
from unisycl.backends.cuda.text.target import Target
from unisycl.base.enums import aspect, backend
from unisycl.examples import gemm
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n

ml_dtypes = pytest.importorskip("ml_dtypes")
mx = sycl.ext.oneapi.experimental.matrix
ROW, COLUMN, PACKED = mx.layout.row_major, mx.layout.col_major, mx.layout.ext_intel_packed
BF16, TF32 = ml_dtypes.bfloat16, mx.precision.tf32
PRODUCTS = [(BF16, np.float32, (16, 16, 16)), (BF16, np.float32, (8, 32, 16)),
            (np.float16, np.float16, (64, 24, 32)), (TF32, np.float32, (16, 16, 8)),
            (np.int8, np.int32, (32, 8, 16)), (np.uint8, np.int32, (16, 16, 32)),
            (np.float64, np.float64, (8, 8, 4)), (BF16, np.float32, (8, 8, 16))]


@pytest.fixture(autouse=True)
def _compiler() -> None:
    if why := compile.problem():
        pytest.skip(why)


def device(capability: tuple[int, int]) -> DeviceInfo:
    return DeviceInfo("a card", backend.cuda, frozenset((aspect.fp16, aspect.fp64)),
                      sub_group_sizes=(32,), details={"matrix_unit": matrix_unit(capability)})


def text_of(function: Any, arguments: tuple[Any, ...], items: int,
            capability: tuple[int, int] = (8, 0)) -> tuple[n.Kernel, str]:
    """Return a kernel for a card, and its text."""
    kernel = specialize(function, "nd_range", 1, arguments, (), (items,),
                        device(capability)).kernel
    geometry = Geometry("nd_range", (items,), (items,), (0,))
    return kernel, cuda_texts.text_of(kernel, geometry, Target(capability)).text


def functions(text: str) -> list[str]:
    """Return the names of the functions of matrices and tiles that a text calls."""
    return sorted(set(re.findall(r"\b((?:matrix|tile)_\w+?)_unsigned_int\(", text)))


def multiply(T: Any, kind: Any, shape: tuple[int, int, int], layout: Any, local: bool) -> Any:
    m, k, width = shape[0], shape[2], shape[1]
    stored = np.float32 if T is TF32 else T

    def staged(it: Any, x: Any) -> Any:
        return sycl.ext.oneapi.group_local_memory_for_overwrite((stored, 4096), it.get_group())

    def in_place(it: Any, x: Any) -> Any:
        return x

    where = staged if local else in_place

    def kernel(it: Any, x: Any, y: Any) -> None:
        sg = it.get_sub_group()
        memory = where(it, x)
        a = mx.joint_matrix(sg, T, mx.use.a, m, k, layout)
        b = mx.joint_matrix(sg, T, mx.use.b, k, width, layout)
        c = mx.joint_matrix(sg, kind, mx.use.accumulator, m, width)
        mx.joint_matrix_fill(sg, c, 0)
        mx.joint_matrix_load(sg, a, memory, 64)
        mx.joint_matrix_load(sg, b, memory, 64)
        mx.joint_matrix_mad(sg, c, a, b, c)
        mx.joint_matrix_store(sg, c, y, 64, COLUMN if layout is COLUMN else ROW)
    return kernel


def test_each_product_is_compiled(queue: sycl.queue) -> None:
    for turn, (T, kind, shape) in enumerate(PRODUCTS):
        layout = (ROW, COLUMN, PACKED)[turn % 3]
        stored = np.float32 if T is TF32 else T
        x, y = (sycl.malloc_shared(4096, t, queue) for t in (stored, kind))
        for local in (False, True):
            kernel, text = text_of(multiply(T, kind, shape, layout, local), (x, y), 32)
            assert ("mma.sync" in text) is (shape != (8, 8, 16))
            assert cuda_texts.refusal(kernel, text, 90 if local else 80) == ""
    E4M3 = ml_dtypes.float8_e4m3fn
    x, y = (sycl.malloc_shared(4096, t, queue) for t in (E4M3, np.float32))
    kernel, text = text_of(multiply(E4M3, np.float32, (16, 16, 32), ROW, True), (x, y), 32, (9, 0))
    assert "e4m3.e4m3" in text
    assert cuda_texts.refusal(kernel, text, 90) == ""


def test_older_cards_multiply_by_software(queue: sycl.queue) -> None:
    x, y = (sycl.malloc_shared(4096, t, queue) for t in (np.float16, np.float32))
    function = multiply(np.float16, np.float32, (16, 16, 16), ROW, False)
    kernel, text = text_of(function, (x, y), 32, (7, 5))
    assert functions(text) == []
    assert cuda_texts.refusal(kernel, text, 75) == ""


@pytest.mark.parametrize("tile", [gemm.bf16, gemm.tf32])
def test_the_example_loads_by_one_way_only(queue: sycl.queue, tile: Any) -> None:
    a, b, c = (sycl.malloc_shared(64, t, queue) for t in (tile.stored, tile.stored, np.float32))
    kernel, text = text_of(gemm.kernel_of(tile), (a, b, c, (8192, 8192, 8192)), 256, (9, 0))
    called = functions(text)
    assert sum(name.endswith("_aligned") for name in called) == 4
    assert any(name.startswith("tile_wait_2") for name in called)
    assert cuda_texts.refusal(kernel, text, 90) == ""


def test_work_groups_multiply_by_the_instructions_of_the_card_that_has_them(
        queue: sycl.queue) -> None:
    a, b, c = (sycl.malloc_shared(64, t, queue)
               for t in (BF16, BF16, np.float32))
    arguments = (a, b, c, (8192, 8192, 8192))
    kernel, text = text_of(gemm.kernel_of(gemm.groups), arguments, 256, (9, 0))
    assert "wgmma.mma_async" in text
    assert "cp.async.bulk.tensor.2d" in text
    assert compile.exact("sm_90", text) == "sm_90a"
    assert cuda_texts.refusal(kernel, text, 90) == ""
    kernel, text = text_of(gemm.kernel_of(gemm.groups), arguments, 256, (8, 0))
    assert "wgmma" not in text
    assert "mma.sync" in text
    assert cuda_texts.refusal(kernel, text, 80) == ""


@pytest.mark.parametrize("T", [TF32, np.int8], ids=str)
def test_work_groups_multiply_columns_of_each_type(queue: sycl.queue, T: Any) -> None:
    whole = np.dtype(np.float32 if T is TF32 else T)
    sums = np.int32 if whole.kind in "iu" else np.float32
    x, y = (sycl.malloc_shared(64, t, queue) for t in (whole, sums))
    tile = type("tile", (), {"element": T, "rows": 128, "cols": 256, "stages": 2})
    tiles = sycl.ext.unisycl.tiles

    def kernel(it: Any, a: Any, b: Any, c: Any) -> None:
        group = it.get_group()
        p = tiles.group_product(group, tile, COLUMN)
        tiles.load_stage(group, p, 0, a, b, (4096, 4096))
        tiles.finish_stage(group, p)
        tiles.await_stages(group, p, 0)
        tiles.multiply_stage(group, p, 0)
        tiles.finish_stage(group, p)
        tiles.multiply_along(group, p, a, b, (4096, 4096), 4096)
        tiles.store_product(group, p, c, 4096)
    lowered, text = text_of(kernel, (x, x, y), 256, (9, 0))
    assert text.count("wgmma.mma_async.sync.aligned.m64n256") == 3  # a stage, by copies, by hand
    assert cuda_texts.refusal(lowered, text, 90) == ""


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, BF16, np.float32, np.float64], ids=str)
def test_lines_are_copied_beside_the_work_items(dtype: Any) -> None:
    def kernel(it: Any, x: Any, out: Any, n: Any) -> None:
        tile = sycl.ext.oneapi.group_local_memory_for_overwrite((dtype, 512), it.get_group())
        k = it.get_global_id(0)
        it.wait_for(it.async_work_group_copy(tile, x[n:], 256),
                    it.async_work_group_copy(tile[256:], x, n, 3))
        out[k] = tile[511 - k]
        it.async_work_group_copy(out, tile, 16).wait()

    x = np.zeros(4096, dtype)
    made, text = text_of(kernel, (x, x, np.int32(7)), 64)
    assert {"tile_wait_all_unsigned_int"} <= set(re.findall(r"\btile_wait_all\w+", text))
    size = x.itemsize
    assert re.findall(r"cp\.async\.c[ag]\.shared\.global \[%0\], \[%1\], \d+", text) == [
        f"cp.async.{kind}.shared.global [%0], [%1], {bytes}" for kind, bytes in (
            ("cg", 16), ("ca", max(4, size)), *((("ca", size),) if size >= 4 else ()))]
    assert cuda_texts.refusal(made, text, 80) == ""
    plain = text_of(kernel, (x, x, np.int32(7)), 64, (7, 5))[1]
    assert "cp.async" not in plain


def test_a_strided_array_is_copied_by_the_work_items() -> None:
    def kernel(it: Any, x: Any, out: Any) -> None:
        tile = sycl.ext.oneapi.group_local_memory_for_overwrite((np.int32, 64), it.get_group())
        it.async_work_group_copy(tile, x, 64).wait()
        out[it.get_global_id(0)] = tile[it.get_global_id(0)]

    x = np.zeros(128, np.int32)
    assert "cp.async.c" not in text_of(kernel, (x[::2], x), 64)[1]

@sycl.ext.unisycl.extern("""
__device__ int first_of(int v) { return __shfl_sync(0xffffffffu, v, 0); }
""", sycl.backend.cuda)
def first_of(v: Any) -> Any: ...


def test_loops_that_items_leave_apart_keep_one_meeting() -> None:
    """A meeting that a compiler repeats would be several, and items wait at one each."""
    def apart(it: Any, out: Any, own: Any) -> None:
        x = it.get_global_id(0)
        i = 0
        while i < 1 + own[x]:
            if i == 0:
                sycl.group_barrier(it.get_group())
            i += 1
        for k in range(own[x] + 1):
            if k == 0:
                out[x] += sycl.reduce_over_group(it.get_group(), i, sycl.plus())
        for k in range(own[x] + 1):
            if k == 0:
                out[x] += first_of(it.get_local_id(0))

    def together(it: Any, out: Any, own: Any) -> None:
        x, step = it.get_local_id(0), 32
        while step > 0:
            out[x] += out[x + step]
            sycl.group_barrier(it.get_group())
            step //= 2

    x = np.zeros(128, np.int64)
    made, text = text_of(apart, (x, x), 64)
    assert text.count("#pragma unroll 1\n") == 3
    assert cuda_texts.refusal(made, text, 90) == ""
    assert "#pragma unroll 1\n" not in text_of(together, (x, x), 64)[1]
