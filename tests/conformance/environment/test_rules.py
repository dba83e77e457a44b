"""Where the documents differ and one rule was chosen (catalogue section X)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("X-11")
def test_abs_keeps_the_type_and_relations_are_truth_values(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int64, queue)

    def kernel(i, p, x):
        p[0] = sycl.abs(x)
        p[1] = 7 if isinstance(sycl.isequal(1.0, 1.0), (bool, np.bool_)) else 0
        p[2] = 1 if sycl.isless(1.0, 2.0) else 0
    queue.parallel_for(1, kernel, p, np.int32(-5)).wait()
    assert [5, 7, 1] == p[:3].tolist()
    assert np.int32 is type(sycl.abs(np.int32(-5)))
    assert np.uint32 is type(sycl.abs(np.uint32(5)))
    assert type(sycl.isequal(1.0, 1.0)) in (bool, np.bool_)


@dataclasses.dataclass
class Pair:
    scale: float
    shift: np.int32


@pytest.mark.row("X-12")
def test_records_and_dataclasses_cross_and_objects_do_not(queue: sycl.queue) -> None:
    kind = np.dtype([("a", np.int32), ("b", np.float32)])
    p, record = sycl.malloc_shared(4, np.float32, queue), np.zeros(1, kind)[0]
    record["a"], record["b"] = 3, 0.5
    pair = Pair(2.0, np.int32(1))

    def kernel(i, p):
        p[i] = record["a"] + record["b"] + pair.scale * i + pair.shift
    queue.parallel_for(4, kernel, p).wait()
    assert [4.5, 6.5, 8.5, 10.5] == p[:].tolist()
    with pytest.raises(sycl.exception, match="no type"):
        sycl.buffer(np.array([object()]))
    with pytest.raises(sycl.exception) as caught:
        queue.parallel_for(4, kernel, np.array([object()] * 4))
    assert isinstance(caught.value, sycl.KernelError)


def total(memory, count):
    s = np.int32(0)
    for k in range(count):
        s += memory[k]
    return s


@pytest.mark.row("X-15")
def test_one_helper_serves_every_address_space(queue: sycl.queue) -> None:
    data, out = (sycl.malloc_shared(n, np.int32, queue) for n in (8, 3))
    data[:] = range(1, 9)

    def group(h: sycl.handler) -> None:
        tile = sycl.local_accessor(np.int32, 8, h)

        @h.parallel_for(sycl.nd_range(8, 8))
        def kernel(it):
            k = it.get_local_id(0)
            mine = sycl.private_array(np.int32, 8)
            for j in range(8):
                mine[j] = data[j]
            tile[k] = data[k]
            sycl.group_barrier(it.get_group())
            if k == 0:
                out[0] = total(data, 8)
                out[1] = total(tile, 8)
                out[2] = total(mine, 8)
    queue.submit(group).wait()
    assert [36] * 3 == out[:].tolist()
