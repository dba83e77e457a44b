"""Work-group memory that is no accessor (sycl_ext_oneapi_work_group_memory)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

work_group_memory = sycl.ext.oneapi.experimental.work_group_memory


@pytest.mark.row("M-8")
@pytest.mark.parametrize("captured", [True, False], ids=["captured", "argument"])
def test_a_tile_without_an_accessor(queue: sycl.queue, captured: bool) -> None:
    n, side = 24, 8
    matrix = np.arange(n * n, dtype=np.float32).reshape(n, n)
    result = np.zeros_like(matrix)
    with sycl.buffer(matrix) as source, sycl.buffer(result) as target:
        @queue.submit
        def group(h: sycl.handler) -> None:
            x = sycl.accessor(source, h, sycl.read_only)
            out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
            tile = work_group_memory(np.float32, (side, side + 1), h)

            def turn(it, tile):  # type: ignore[no-untyped-def]
                y, k = it.get_local_id(0), it.get_local_id(1)
                tile[y, k] = x[it.get_global_id()]
                sycl.group_barrier(it.get_group())
                out[it.get_group(1) * side + y, it.get_group(0) * side + k] = tile[k, y]
            space = sycl.nd_range((n, n), (side, side))
            if captured:
                h.parallel_for(space, lambda it: turn(it, tile))
            else:
                h.parallel_for(space, turn, tile)
    assert np.array_equal(matrix.T, result)


@pytest.mark.row("M-8")
def test_one_number_and_pointers(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(12, np.int32, queue)
    one, several = work_group_memory(np.int32), work_group_memory(np.int32, 4)

    def kernel(it, out, one, several):  # type: ignore[no-untyped-def]
        k = it.get_local_id(0)
        if k == 3:
            one[0] = 100 * it.get_group(0)
        p = several.get_multi_ptr()
        (p + k)[0] = k
        sycl.group_barrier(it.get_group())
        out[it.get_global_id(0)] = one[0] + sycl.local_ptr(several)[3 - k]
    queue.parallel_for(sycl.nd_range(12, 4), kernel, out, one, several).wait()
    assert [100 * g + 3 - k for g in range(3) for k in range(4)] == list(out)
    sycl.free(out, queue)


@pytest.mark.row("M-8")
def test_what_it_is_not(queue: sycl.queue) -> None:
    assert sycl.SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY == 1
    made = work_group_memory(np.float32, 8)
    with pytest.raises(sycl.exception, match="only inside a kernel"):
        made[0]

    def kernel(i, tile):  # type: ignore[no-untyped-def]
        tile[0] = 1
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(8, kernel, made)
    assert sycl.errc.kernel_argument == caught.value.code()
    with pytest.raises(sycl.exception, match="work_group_memory") as caught:
        work_group_memory(np.float32, 8, 3)
    assert sycl.errc.invalid == caught.value.code()
    kept = []
    queue.submit(lambda h: kept.append(work_group_memory(np.int32, 4, h)))
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(sycl.nd_range(4, 4), kernel, kept[0])
    assert sycl.errc.accessor == caught.value.code()
