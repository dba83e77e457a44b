"""Local accessors by the public API (SYCL 2020 §4.7.6.11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unisycl as sycl


def reverse(it, src, dst, tile):
    k = it.get_local_id(0)
    n = it.get_local_range(0)
    tile[k] = src[it.get_global_id(0)]
    sycl.group_barrier(it.get_group())
    dst[it.get_global_id(0)] = tile[n - 1 - k]


@pytest.mark.row("B-32")
def test_a_tile_is_shared_by_the_work_group(queue: sycl.queue) -> None:
    src = sycl.malloc_shared(32, np.int32, queue)
    dst = sycl.malloc_shared(32, np.int32, queue)
    src[:] = np.arange(32)
    tile = sycl.local_accessor(np.int32, 8)
    queue.parallel_for(sycl.nd_range(32, 8), reverse, src, dst, tile).wait()
    assert np.arange(32).reshape(4, 8)[:, ::-1].ravel().tolist() == dst[:].tolist()


@pytest.mark.row("B-32", "F-13", "C-1")
def test_kernels_without_work_groups_have_no_local_memory(queue: sycl.queue) -> None:
    tile = sycl.local_accessor(np.int32, 8)

    def item(i):
        tile[0] = 1

    def single():
        tile[0] = 1
    for launch in (lambda: queue.parallel_for(8, item), lambda: queue.single_task(single)):
        with pytest.raises(sycl.exception) as caught:
            launch()
        assert caught.value.code() == sycl.errc.kernel_argument
    queue.submit(lambda h: None).wait()


@pytest.mark.row("B-32")
def test_too_much_local_memory_is_refused(queue: sycl.queue) -> None:
    most = queue.get_device().get_info(sycl.info.device.local_mem_size)
    p = sycl.malloc_shared(8, np.int32, queue)
    tile = sycl.local_accessor(np.int32, most // 4 + 1)
    with pytest.raises(sycl.exception, match="local memory"):
        queue.parallel_for(sycl.nd_range(8, 8), reverse, p, p, tile)


@pytest.mark.row("B-32")
def test_it_has_sizes_and_nothing_for_the_host(device: sycl.device) -> None:
    tile = sycl.local_accessor(np.float32, (4, 8))
    assert 32 == tile.size()
    assert 128 == tile.byte_size()
    with pytest.raises(sycl.exception, match="only inside a kernel"):
        tile[0]


@pytest.mark.row("B-32")
def test_rows_of_any_length_meet_at_a_barrier(queue: sycl.queue) -> None:
    """Whether memories have rows of one length changes from launch to launch."""
    def turn(it, src, dst, out, tile):
        y, x = it.get_global_id(0), it.get_global_id(1)
        tile[it.get_local_id(0), it.get_local_id(1)] = src[y, x]
        sycl.group_barrier(it.get_group())
        dst[y, x] = tile[it.get_local_id(1), it.get_local_id(0)]
        out[y, x] = src[y, x] + 1

    tile = sycl.local_accessor(np.int32, (4, 4))
    for widths in ((8, 8, 8), (8, 9, 8), (9, 9, 8), (8, 9, 9), (10, 9, 8), (8, 8, 8)):
        src, dst, out = (np.arange(8 * w, dtype=np.int32).reshape(8, w) for w in widths)
        blocks = src[:, :8].reshape(2, 4, 2, 4).transpose(0, 3, 2, 1).reshape(8, 8)
        with sycl.buffer(src) as a, sycl.buffer(dst) as b, sycl.buffer(out) as c:
            def group(h: sycl.handler, a=a, b=b, c=c) -> None:
                views = [sycl.accessor(m, h) for m in (a, b, c)]
                h.parallel_for(sycl.nd_range((8, 8), (4, 4)), turn, *views, tile)
            queue.submit(group)
        np.testing.assert_array_equal(blocks, dst[:, :8])
        np.testing.assert_array_equal(src[:, :8] + 1, out[:, :8])


@pytest.mark.row("B-32")
def test_it_has_up_to_three_dimensions_and_none(queue: sycl.queue) -> None:
    out = np.zeros((8, 4), np.int32)

    def kernel(it, one, line, plane, cube):
        k, g = it.get_local_id(0), it.get_global_id(0)
        if k == 0:
            one[()] = 7
        line[k], plane[k, 1], cube[1, k, 2] = g, g + 10, g + 100
        sycl.group_barrier(it.get_group())
        out[g, 0] = one[()]
        out[g, 1] = line[3 - k]
        out[g, 2] = plane[3 - k, 1]
        out[g, 3] = cube[1, 3 - k, 2]
    queue.parallel_for(sycl.nd_range(8, 4), kernel, sycl.local_accessor(np.int32),
                       *(sycl.local_accessor(np.int32, e) for e in (4, (4, 2), (2, 4, 3)))).wait()
    other = np.arange(8).reshape(2, 4)[:, ::-1].ravel()
    assert out.tolist() == [[7, o, o + 10, o + 100] for o in other.tolist()]


@dataclass(eq=False)
class Cells:
    at: Any

    def put(self, k, value):
        self.at[k] = value

    def get(self, k):
        return self.at[k]


@pytest.mark.part("B-32")
def test_methods_of_a_record_use_the_memory_that_it_holds(queue):
    """Memory of a group is one, by whatever path a kernel comes to it."""
    def k(it, out, cells):
        i = it.get_local_id(0)
        cells.put(i, i + 1)
        sycl.group_barrier(it.get_group())
        out[i] = cells.get(7 - i) + 10 * cells.at[i]

    i, out = np.arange(8), np.zeros(8, np.int64)
    cells = Cells(sycl.local_accessor(np.int64, 8))
    queue.parallel_for(sycl.nd_range(8, 8), k, out, cells).wait()
    assert out.tolist() == (8 - i + 10 * (i + 1)).tolist()


def sizes(it, out, tile):
    k = it.get_local_id(0)
    tile[k] = it.get_global_id(0)
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = tile[it.get_local_range(0) - 1 - k] + 100 * len(tile)


@pytest.mark.part
def test_launches_that_come_again_have_the_sizes_they_are_given(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(8, np.int32, queue)
    tiles = [sycl.local_accessor(np.int32, n) for n in (4, 6)]
    space = sycl.nd_range(8, 4)
    for k in range(6):
        queue.parallel_for(space, sizes, out, tiles[k // 2 % 2]).wait()
        want = np.arange(8).reshape(2, 4)[:, ::-1].ravel() + 100 * (4, 6)[k // 2 % 2]
        assert want.tolist() == out[:].tolist()


@pytest.mark.part
def test_groups_that_come_again_have_the_sizes_they_are_given(queue: sycl.queue) -> None:
    given = np.zeros(8, np.int32)
    with sycl.buffer(given) as buffer:
        for n in (4, 4, 6, 6, 4, 5):
            def group(h: sycl.handler, n: int = n) -> None:
                out = sycl.accessor(buffer, h, sycl.read_write)
                h.parallel_for(sycl.nd_range(8, 4), sizes, out,
                               sycl.local_accessor(np.int32, n, h))
            queue.submit(group).wait()
            with sycl.host_accessor(buffer, sycl.read_only) as seen:
                want = np.arange(8).reshape(2, 4)[:, ::-1].ravel() + 100 * n
                assert want.tolist() == list(seen)


@pytest.mark.part
def test_one_of_another_group_is_refused_however_often(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(8, np.int32, queue)
    kept = []

    def first(h: sycl.handler) -> None:
        kept.append(sycl.local_accessor(np.int32, 4, h))
        h.parallel_for(sycl.nd_range(8, 4), sizes, out, kept[0])

    queue.submit(first).wait()
    for _ in range(3):
        with pytest.raises(sycl.exception, match="outside its command group"):
            queue.submit(lambda h: h.parallel_for(sycl.nd_range(8, 4), sizes, out, kept[0]))
        with pytest.raises(sycl.exception, match="outside its command group"):
            queue.parallel_for(sycl.nd_range(8, 4), sizes, out, kept[0])
