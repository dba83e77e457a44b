"""Smoke.

Stable fluids on a torus: the field carries itself along, and sixty sweeps of Jacobi's method take
the part out of it that would press the fluid together.
"""

import sys

import numpy as np
from matplotlib import pyplot as plt

import unisycl as sycl

N, STEPS, DT = 256, 160, 0.6
q = sycl.queue(sycl.property.queue.in_order())
u, v, smoke, u1, v1, smoke1, pressure, other = (
    sycl.ext.unisycl.zeros((N, N), np.float32, q) for _ in range(8))


def sample(field, y, x):
    i, j = int(np.floor(y)), int(np.floor(x))
    a, b = y - i, x - j
    top = field[i % N, j % N] * (1 - b) + field[i % N, (j + 1) % N] * b
    low = field[(i + 1) % N, j % N] * (1 - b) + field[(i + 1) % N, (j + 1) % N] * b
    return top * (1 - a) + low * a


def carry(at, field, u, v, out):
    out[at] = sample(field, at[0] - np.float32(DT) * v[at], at[1] - np.float32(DT) * u[at])


def push(at, v, smoke):
    if (at[0] - N + 20) ** 2 + (at[1] - N // 2) ** 2 < 100:
        smoke[at] = 1.0
    v[at] -= np.float32(0.12) * smoke[at] * (1 + np.float32(0.3) * np.sin(np.float32(at[1])))


def relax(at, u, v, old, new):
    i, j = at[0], at[1]
    flow = u[i, (j + 1) % N] - u[i, (j - 1) % N] + v[(i + 1) % N, j] - v[(i - 1) % N, j]
    around = old[i, (j + 1) % N] + old[i, (j - 1) % N] + old[(i + 1) % N, j] + old[(i - 1) % N, j]
    new[at] = (around - flow / 2) / 4


def project(at, u, v, p):
    u[at] -= (p[at[0], (at[1] + 1) % N] - p[at[0], (at[1] - 1) % N]) / 2
    v[at] -= (p[(at[0] + 1) % N, at[1]] - p[(at[0] - 1) % N, at[1]]) / 2


for _ in range(STEPS):
    q.parallel_for((N, N), push, v, smoke)
    for field, out in ((u, u1), (v, v1), (smoke, smoke1)):
        q.parallel_for((N, N), carry, field, u, v, out)
    u, v, smoke, u1, v1, smoke1 = u1, v1, smoke1, u, v, smoke
    for _ in range(30):
        q.parallel_for((N, N), relax, u, v, pressure, other)
        q.parallel_for((N, N), relax, u, v, other, pressure)
    q.parallel_for((N, N), project, u, v, pressure)
q.wait()
plt.imsave(sys.argv[1], np.asarray(smoke), cmap="inferno")
