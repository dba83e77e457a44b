"""The heat equation on a plate, by a queue over ranks."""

import numpy as np

import unisycl as sycl
from unisycl.ext.unisycl import distr_buffer, distr_queue, neighborhood, one_to_one

q = distr_queue("cpu")


def start(n):
    u = np.zeros((n, n), np.float32)
    u[0] = 100
    return [distr_buffer(u), distr_buffer(u)]


def run(state, steps):
    for _ in range(steps):
        @q.submit
        def step(h):
            u = sycl.accessor(state[0], h, neighborhood(1, 1), sycl.read_only)
            v = sycl.accessor(state[1], h, one_to_one, sycl.write_only)
            n = u.get_range()[0]

            @h.parallel_for((n, n))
            def flow(i):
                r, c = i[0], i[1]
                if 0 < r < n - 1 and 0 < c < n - 1:
                    v[r, c] = u[r, c] + 0.2 * (
                        u[r - 1, c] + u[r + 1, c] + u[r, c - 1] + u[r, c + 1] - 4 * u[r, c])
        state.reverse()
    q.wait()


def result(state):
    return q.gather(state[0], root=0)
