"""Spots that grow.

Two substances that react and spread (Gray and Scott): a stencil of five points, thousands of
times. Commands of an in-order queue need no waiting between them.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import unisycl as sycl

N, STEPS, FEED, KILL = 256, 4000, 0.037, 0.06
q = sycl.queue(sycl.property.queue.in_order())
u, v, u2, v2 = (sycl.malloc_shared((N, N), np.float32, q) for _ in range(4))
u[:], v[:] = 1, 0
for row, column in np.random.default_rng(5).integers(0, N - 8, (30, 2)):
    v[row:row + 8, column:column + 8] = 0.5


@sycl.kernel
def react(at, u, v, u2, v2):
    i, j = at[0], at[1]
    up, down, left, right = (i - 1) % N, (i + 1) % N, (j - 1) % N, (j + 1) % N
    a, b = u[i, j], v[i, j]
    spread_a = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4 * a
    spread_b = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4 * b
    u2[i, j] = a + 0.21 * spread_a - a * b * b + FEED * (1 - a)
    v2[i, j] = b + 0.105 * spread_b + a * b * b - (FEED + KILL) * b


for _ in range(STEPS):
    q.parallel_for((N, N), react, u, v, u2, v2)
    u, v, u2, v2 = u2, v2, u, v
q.wait()
plt.imsave(sys.argv[1], v[:], cmap="viridis")
