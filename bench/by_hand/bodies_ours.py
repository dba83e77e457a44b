"""Bodies that attract one another, by a queue over ranks."""

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import all as everything
from unisycl.ext.unisycl import distr_buffer, distr_queue, even_split

q = distr_queue("cpu")


def start(n):
    p = np.sin(np.arange(4 * n, dtype=np.float32)).reshape(n, 4)
    return [distr_buffer(p), distr_buffer(p), distr_buffer(np.zeros((n, 4), np.float32))]


def run(state, steps):
    for _ in range(steps):
        @q.submit
        def step(h):
            p = sycl.accessor(state[0], h, everything, sycl.read_only)
            out = sycl.accessor(state[1], h, even_split(), sycl.write_only, sycl.no_init)
            v = sycl.accessor(state[2], h, even_split(), sycl.read_write)
            n = p.get_range()[0]

            @h.parallel_for(n)
            def attract(i):
                me = int(i)
                fx = fy = fz = np.float32(0)
                for j in range(n):
                    dx, dy, dz = p[j, 0] - p[me, 0], p[j, 1] - p[me, 1], p[j, 2] - p[me, 2]
                    d = sycl.rsqrt(dx * dx + dy * dy + dz * dz + np.float32(0.01))
                    f = d * d * d
                    fx += dx * f
                    fy += dy * f
                    fz += dz * f
                v[me, 0] += 1e-4 * fx
                v[me, 1] += 1e-4 * fy
                v[me, 2] += 1e-4 * fz
                for d in range(4):
                    out[me, d] = p[me, d] + v[me, d]
        state[:2] = state[1], state[0]
    q.wait()


def result(state):
    return q.gather(state[0], root=0)
