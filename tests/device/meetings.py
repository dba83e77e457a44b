"""Do two kernels of a card that wait for one another meet? Streams, and branches of a graph.

::

    python -m tests.device.meetings

Each of two kernels, loaded before, tells of itself and waits until the other one did, or 400
million clocks have gone. Printed is how often they did not meet, by the number of work-groups of
64 items. Non-goals: saying that they always will.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

ext: Any = sycl.ext.oneapi.experimental
TURNS = 20
TEXT = """
extern "C" __global__ void meet(int *flags, int me)
{
    volatile int *mine = flags + me, *other = flags + 1 - me;
    const long long begin = clock64();
    if (threadIdx.x == 0) {
        if (blockIdx.x == 0) { *mine = 1; __threadfence(); }
        while (*other == 0 && clock64() - begin < 400000000ll) { }
        if (*other == 0) atomicAdd(flags + 2, 1);
    }
}
"""


def main() -> None:
    """Print how often they miss each other."""
    device = find_device("cuda")
    ordered = sycl.property.queue.in_order()
    first = sycl.queue(device, ordered)
    second = sycl.queue(first.get_context(), device, ordered)
    kernel = ext.build(ext.create_kernel_bundle_from_source(
        first.get_context(), ext.source_language.cuda, TEXT)).ext_oneapi_get_kernel("meet")
    flags = sycl.malloc_device(3, np.int32, first)
    units = device.get_info(sycl.info.device.max_compute_units)

    def submit(where: Any, me: int, groups: int) -> Any:
        def group(h: Any) -> None:
            h.set_args(flags, np.int32(me))
            h.parallel_for(sycl.nd_range(64 * groups, 64), kernel)
        return where.add(group) if hasattr(where, "finalize") else where.submit(group)

    for groups in (1, units // 2, units, 4 * units, 8 * units, 15 * units):
        graph = ext.command_graph(first.get_context(), device)
        for me in range(2):
            submit(graph, me, groups)
        ready = graph.finalize()
        missed = {"two queues": 0, "a graph": 0}
        for way in missed:
            for _ in range(TURNS):
                first.memset(flags, 0, 12).wait_and_throw()
                if way == "a graph":
                    first.ext_oneapi_graph(ready)
                else:
                    submit(first, 0, groups)
                    submit(second, 1, groups)
                first.wait_and_throw()
                second.wait_and_throw()
                got = np.zeros(3, np.int32)
                first.memcpy(got, flags, 12).wait_and_throw()
                missed[way] += int(got[2] != 0)
        print(f"{groups} work-groups each: never met {missed} of {TURNS}", flush=True)


if __name__ == "__main__":
    main()
