"""Buffers, accessors and command groups as users write them."""

from typing import TYPE_CHECKING

import numpy as np

import unisycl as sycl

if TYPE_CHECKING:
    from typing import reveal_type

q = sycl.queue()
x = np.arange(1000, dtype=np.float32)
y = np.ones(1000, np.float32)

with sycl.buffer(x) as bx, sycl.buffer(y) as by:
    reveal_type(bx)  # buffer[float32, Literal[1]]

    @q.submit
    def saxpy_group(h: sycl.handler) -> None:
        X = sycl.accessor(bx, h, sycl.read_only)
        Y = sycl.accessor(by, h, sycl.read_write)
        reveal_type(X.dtype)  # dtype[float32]

        @h.parallel_for(bx.get_range())
        def saxpy(i: sycl.item) -> None:
            Y[i] += 2 * X[i]

    reveal_type(saxpy_group)  # event
    reveal_type(q.submit(lambda h: h.parallel_for(10, lambda i: None)))  # event

with sycl.buffer((64, 64), dtype=np.float64) as grid:
    reveal_type(grid)  # buffer[float64, Literal[2]]

    def group(h: sycl.handler) -> None:
        cells = sycl.accessor(grid, h, sycl.write_only, sycl.no_init)
        tile = sycl.local_accessor(np.int32, (8, 8), h)
        reveal_type(cells)  # accessor[float64, Literal[2]]
        reveal_type(tile)  # local_accessor[int32, Literal[2]]

        def kernel(it: sycl.nd_item) -> None:
            i, j = it.get_global_id(0), it.get_global_id(1)
            tile[it.get_local_id(0), it.get_local_id(1)] = i
            sycl.group_barrier(it.get_group())
            s = 0.0
            for k in range(8):
                s += tile[k, it.get_local_id(1)]
            cells[i, j] = s
        reveal_type(h.parallel_for(sycl.nd_range((64, 64), (8, 8)), kernel))  # None

    done = q.submit(group)
    done.wait()
    with sycl.host_accessor(grid, sycl.read_only) as seen:
        reveal_type(seen)  # host_accessor[float64, Literal[2]]
        reveal_type(seen.get_view())  # ndarray[Any, dtype[float64]]
        print(seen[0, 0], seen.get_view().sum())


def scaled(h: sycl.handler, source: sycl.buffer[np.float32], factor: float) -> None:
    a = sycl.accessor(source, h, sycl.read_write)

    def kernel(i: sycl.item) -> None:
        a[i] *= factor
    h.parallel_for(source.get_range(), kernel)


def use(source: sycl.buffer[np.float32]) -> sycl.event:
    return q.submit(lambda h: scaled(h, source, 2.0))


use(sycl.buffer(x)).wait()
