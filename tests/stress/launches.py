"""Launches without number of the same kernels, by every way: memory stays as it is.

Bare functions, closures made anew, ``@kernel`` objects, bound launches and command groups take
turns on kernels that were compiled before; what a kernel keeps for being compiled (some 80 KiB for
each that lives) is had before the measuring begins. Memory, files and threads are measured.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from tests.stress.run import Run, device_names, handles, resident

FIRST = 2000
ALLOWED_KIB = 4096


def bump(i: Any, p: Any) -> None:
    """A kernel."""
    p[i] += 1


@sycl.kernel
def marked(i: Any, p: Any) -> None:
    """A kernel."""
    p[i] += 1


def ways(q: sycl.queue, p: sycl.usm_pointer) -> list[Callable[[], Any]]:
    """Return what launches a kernel that adds one to each element."""
    array = np.zeros(16, np.int32)
    buffer = sycl.buffer(array)

    def closure() -> Any:
        def fresh(i: Any) -> None:
            p[i] += 1
        return q.parallel_for(16, fresh)

    def group() -> Any:
        def fill(h: sycl.handler) -> None:
            x = sycl.accessor(buffer, h, sycl.read_write)
            h.parallel_for(16, lambda i: bump(i, x))
        q.submit(fill)
        return q.parallel_for(16, bump, p)
    return [lambda: q.parallel_for(16, bump, p), lambda: q.parallel_for(16, marked, p),
            q.bind(16, bump, p), closure, group]


def main(arguments: Sequence[str] | None = None) -> int:
    """Launch until time or count are used up."""
    run = Run("launches", arguments, seconds=60.0)
    q = sycl.queue(device_names()[0])
    p = sycl.malloc_shared(16, np.int32, q)
    q.fill(p, 0).wait()
    launch = ways(q, p)
    before: tuple[int, int] | None = None
    done = 0
    for turn in run.turns():
        launch[turn % len(launch)]()
        done += 1
        if done % 1000 == 0:
            q.wait()
        if done == FIRST:
            gc.collect()
            before = resident(), handles()[0]
    q.wait()
    if p[:].tolist() != [done] * 16:
        run.fail(f"{done} launches left {p[:].tolist()}")
    gc.collect()
    run.counts["launches"] = done
    if before is not None:
        run.counts["KiB more"] = (resident() - before[0]) // 1024
        run.counts["files more"] = handles()[0] - before[1]
        if run.counts["KiB more"] > ALLOWED_KIB or run.counts["files more"] > 0:
            run.fail("launches left something behind")
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
