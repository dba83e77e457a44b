"""A program of the core alone, run where no extension can be imported: devices by their names.

Prints a line for each: what came out of buffers, local memory, reductions, atomics and USM.
"""

from __future__ import annotations

import sys


class Refused:
    """Finds no module of extensions."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "unisycl.ext" or name.startswith("unisycl.ext."):
            raise ImportError(f"extensions are off: {name}")


if __name__ == "__main__":
    sys.meta_path.insert(0, Refused())

import numpy as np  # noqa: E402

import unisycl as sycl  # noqa: E402
from unisycl.testing.devices import find_device  # noqa: E402

N, GROUP = 32, 8


def buffers(queue: sycl.queue) -> list[int]:
    """Rotate each work-group's values by local memory, and count by an atomic."""
    numbers, count = sycl.buffer(np.arange(N, dtype=np.int32)), sycl.buffer(np.zeros(1, np.int32))

    def command(h: sycl.handler) -> None:
        values = sycl.accessor(numbers, h, sycl.read_write)
        seen = sycl.accessor(count, h, sycl.read_write)
        local = sycl.local_accessor(np.int32, GROUP, h)

        def kernel(it):
            k = it.get_local_id(0)
            local[k] = values[it.get_global_id(0)]
            sycl.group_barrier(it.get_group())
            values[it.get_global_id(0)] = local[(k + 1) % GROUP]
            sycl.atomic_ref(seen, 0, sycl.memory_order.relaxed,
                            sycl.memory_scope.device).fetch_add(1)
        h.parallel_for(sycl.nd_range(N, GROUP), kernel)
    queue.submit(command)
    return [*map(int, numbers.get_host_access()), int(count.get_host_access()[0])]


def memory(queue: sycl.queue) -> list[int]:
    """Sum by a reduction what a command before it wrote, and vectors of a host task."""
    values, total = sycl.malloc_shared(N, np.int32, queue), sycl.malloc_shared(1, np.int32, queue)
    total[0] = 0

    def doubled(i):
        values[i] = 2 * i

    def summed(i, found):
        found += values[i]
    first = queue.parallel_for(N, doubled)
    queue.parallel_for(N, sycl.reduction(total, sycl.plus()), summed, depends_on=first).wait()
    sums: list[int] = []
    queue.submit(lambda h: h.host_task(lambda: sums.append(int(total[0])))).wait()
    sycl.free(values, queue)
    sycl.free(total, queue)
    return [*sums, int(sycl.dot(sycl.float4(1, 2, 3, 4), sycl.float4(1)))]


def told(name: str) -> str:
    """Return what all of it came to on a device."""
    queue = sycl.queue(find_device(name))
    return f"{name} {buffers(queue)} {memory(queue)}"


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(told(argument))
    assert not any(module.startswith("unisycl.ext") for module in sys.modules)
