"""Programs for any number of ranks: the heat equation, and bodies that attract one another.

    python -m unisycl mpirun -n 4 -m unisycl.examples.ranks heat 1000 100

Each prints how long its steps took, and a sum that does not depend on the number of ranks.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import all as everything
from unisycl.ext.unisycl import distr_buffer, distr_queue, neighborhood, one_to_one


def heat(q: Any, n: int, m: int, steps: int) -> Any:
    """Return the buffer of a plate of n by m after so many steps."""
    u, v = distr_buffer((n, m), np.float32), distr_buffer((n, m), np.float32)

    def start(h: Any) -> None:
        a = sycl.accessor(u, h, one_to_one, sycl.write_only, sycl.no_init)

        @h.parallel_for((n, m))
        def hot_edge(i: Any) -> None:
            a[i] = 100 if i[0] == 0 else 0

    def step(h: Any) -> None:
        a = sycl.accessor(u, h, neighborhood(1, 1), sycl.read_only)
        b = sycl.accessor(v, h, one_to_one, sycl.write_only, sycl.no_init)

        @h.parallel_for((n, m))
        def flow(i: Any) -> None:
            r, c = i[0], i[1]
            if 0 < r < n - 1 and 0 < c < m - 1:
                b[r, c] = a[r, c] + 0.2 * (a[r - 1, c] + a[r + 1, c] + a[r, c - 1] + a[r, c + 1]
                                           - 4 * a[r, c])
            else:
                b[r, c] = a[r, c]

    q.submit(start)
    for _ in range(steps):
        q.submit(step)
        u, v = v, u
    return u


def bodies(q: Any, n: int, steps: int) -> Any:
    """Return the buffer of the places of n bodies after so many steps."""
    k = np.arange(4 * n, dtype=np.float32).reshape(n, 4)
    here, there, speed = distr_buffer(np.sin(k)), distr_buffer((n, 4), np.float32), \
        distr_buffer(np.zeros((n, 4), np.float32))

    def rows(part: Any) -> Any:
        return (part.start[0], part.end[0]), (0, 4)

    def step(h: Any) -> None:
        p = sycl.accessor(here, h, everything, sycl.read_only)
        v = sycl.accessor(speed, h, rows, sycl.read_write)
        out = sycl.accessor(there, h, rows, sycl.write_only, sycl.no_init)

        @h.parallel_for(n)
        def attract(i: Any) -> None:
            me = int(i)
            fx, fy, fz = np.float32(0), np.float32(0), np.float32(0)
            for j in range(n):
                dx, dy, dz = p[j, 0] - p[me, 0], p[j, 1] - p[me, 1], p[j, 2] - p[me, 2]
                d = sycl.rsqrt(dx * dx + dy * dy + dz * dz + np.float32(0.01))
                f = d * d * d
                fx += dx * f
                fy += dy * f
                fz += dz * f
            v[me, 0] += np.float32(1e-4) * fx
            v[me, 1] += np.float32(1e-4) * fy
            v[me, 2] += np.float32(1e-4) * fz
            for d in range(4):
                out[me, d] = p[me, d] + v[me, d]

    for _ in range(steps):
        q.submit(step)
        here, there = there, here
    return here


def main(arguments: list[str]) -> None:
    """Run one of the programs: its name, its size, its steps."""
    what = arguments[0] if arguments else "heat"
    size, steps = (int(x) for x in (arguments[1:] + ["1000", "20"][len(arguments[1:]):]))
    q = distr_queue()

    def run(steps: int) -> Any:
        return heat(q, size, size, steps) if what == "heat" else bodies(q, size, steps)
    run(2)
    q.close()
    begin = time.perf_counter()
    found = run(steps)
    q.close()
    spent = time.perf_counter() - begin
    values = q.gather(found, root=0)
    if values is not None:
        print(f"{what} of {size}, {steps} steps on {q.size} ranks: {spent * 1e3:.1f} ms, sum "
              f"{float(values.sum(dtype=np.float64)):.6f}")


if __name__ == "__main__":
    main(sys.argv[1:])
