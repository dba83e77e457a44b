"""USM memory, reductions and events as users write them."""

from typing import TYPE_CHECKING

import numpy as np

import unisycl as sycl

if TYPE_CHECKING:
    from typing import reveal_type

q = sycl.queue(sycl.property.queue.in_order())
n = 1 << 10
a = sycl.malloc_shared(n, np.float32, q)
b = sycl.malloc_shared((4, n), np.int64, q)
reveal_type(b)  # usm_pointer[int64, Literal[2]]
c = sycl.malloc_device(n, np.uint8, q)
v = sycl.malloc_shared(16, sycl.float4, q)
reveal_type(a)  # usm_pointer[float32, Literal[1]]
reveal_type(c)  # usm_pointer[uint8, Literal[1]]
reveal_type(a[0])  # Any
reveal_type(np.asarray(a))  # ndarray[tuple[Any, ...], dtype[float32]]
reveal_type(a.get_view())  # ndarray[Any, dtype[float32]]
a[:] = 1.0


@sycl.kernel
def scale(i: sycl.item, data: sycl.usm_pointer[np.float32], factor: float) -> None:
    data[i] *= factor


@sycl.kernel(reqd_work_group_size=(64,))
def tiled(it: sycl.nd_item, data: sycl.usm_pointer[np.float32],
          tile: sycl.local_accessor[np.float32]) -> None:
    here, place = it.get_local_id(0), it.get_global_id(0)
    reveal_type(here)  # int
    tile[here] = data[place]
    sycl.group_barrier(it.get_group())
    best = tile[0]
    for k in range(1, 64):
        best = max(best, tile[k])
    data[place] = best


first = q.parallel_for(n, scale, a, 3.0)
reveal_type(first)  # event
second = q.parallel_for(sycl.nd_range(n, 64), tiled, a, sycl.local_accessor(np.float32, 64))
third = q.parallel_for(sycl.range(n), [first, second], scale, a, 2.0)
reveal_type(third)  # event
fourth = q.memcpy(c, np.zeros(n, np.uint8), depends_on=[third])
reveal_type(fourth)  # event
total = sycl.malloc_shared(1, np.float32, q)


@q.parallel_for(n, sycl.reduction(total, sycl.plus()))
def add(i: sycl.item, s: sycl.reducer) -> None:
    s += a[i]


reveal_type(add)  # event
again = q.parallel_for(n, sycl.reduction(total, sycl.plus()), lambda i, s: s.combine(a[i]))
reveal_type(again)  # event
reveal_type(q.single_task(lambda: None))  # event
q.wait()
for device in sycl.platform().get_devices():
    print(device.get_info(sycl.info.device.name), device.has(sycl.aspect.fp64))
sycl.free(a, q)
sycl.free(c, q)
try:
    q.wait_and_throw()
except sycl.exception as error:
    print(error.code(), error)
