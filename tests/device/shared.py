"""What memory that host and kernels share costs on an OpenCL device: python -m tests.device.shared.

    python -m tests.device.shared [DEVICE] [FLOATS]

Prints the kinds of USM the device has, TB/s of a copying kernel over device and over shared memory
in chains of ten, and the time of one round from the host to a kernel and back, of which the kernel
itself takes next to nothing. Non-goals: judging.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import unisycl as sycl

_TURNS = 5


def double(i: Any, p: Any, q: Any) -> None:
    """Read one array and write the other."""
    q[i] = p[i] * 2


def chain(q: sycl.queue, count: int, p: Any, r: Any) -> float:
    """Return the seconds that one of ten kernels in a row takes, the best of some turns."""
    best = float("inf")
    for _ in range(_TURNS):
        start = time.perf_counter()
        for _ in range(10):
            q.parallel_for(count, double, p, r)
        q.wait()
        best = min(best, time.perf_counter() - start)
    return best / 10


def round_trip(q: sycl.queue, count: int, p: Any) -> float:
    """Return the seconds from the host's writing an element to its seeing what a kernel stored."""
    best = float("inf")
    for turn in range(_TURNS):
        p[0] = turn
        start = time.perf_counter()
        q.parallel_for(1, double, p, p).wait()
        seen = float(p[0])
        best = min(best, time.perf_counter() - start)
        assert 2 * turn == seen, f"{seen} was stored, not {2 * turn}"
    return best


def main() -> None:
    """Measure one device."""
    name = sys.argv[1] if len(sys.argv) > 1 else "opencl"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 26
    device = next(d for d in sycl.device.get_devices()
                  if d.get_backend() is sycl.backend.opencl) if name == "opencl" else (
        sycl.device(name))
    print(device.get_info(sycl.info.device.name))
    print("aspects:", ", ".join(sorted(
        a.name for a in device.get_info(sycl.info.device.aspects) if "usm" in a.name)))
    q = sycl.queue(device, sycl.property.queue.in_order())
    kinds = [sycl.usm.alloc.device, sycl.usm.alloc.shared, sycl.usm.alloc.host]
    for kind in kinds:
        try:
            p, r = (sycl.malloc(count, np.float32, q, kind) for _ in range(2))
        except sycl.exception as error:
            print(f"{kind.name}: {error.what()}")
            continue
        q.fill(p, np.float32(1), count).wait()
        seconds = chain(q, count, p, r)
        print(f"{kind.name}: a kernel over {4 * count >> 20} MiB {seconds * 1e3:.3f} ms, "
              f"{8 * count / seconds / 1e12:.3f} TB/s, chains of ten with their wait")
        if kind is not sycl.usm.alloc.device:
            for size in (1, 1 << 18, count):
                one = sycl.malloc(size, np.float32, q, kind)
                one[:] = 0
                seconds = round_trip(q, size, one)
                print(f"{kind.name}: one round over {4 * size} bytes {seconds * 1e6:.0f} us")
    q.wait()


if __name__ == "__main__":
    main()
