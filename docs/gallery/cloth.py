"""A cloth over a ball.

Verlet's rule moves positions; then every thread pulls its ends together. Threads that share an end
have different colours, which run one after the other.
"""

import sys

import numpy as np
from matplotlib import pyplot as plt

import unisycl as sycl

N, STEPS, ROUNDS = 80, 220, 12
q = sycl.queue(sycl.property.queue.in_order())
side = np.linspace(-1, 1, N, dtype=np.float32)
start = np.stack([*np.meshgrid(side, side, indexing="ij"), np.full((N, N), 0.8, np.float32)], -1)
now, before = (sycl.malloc_shared((N, N, 3), np.float32, q) for _ in range(2))
now[:] = before[:] = start
REST, RADIUS = np.float32(side[1] - side[0]), np.float32(0.5)


def fall(at, now, before):
    for k in range(3):
        p = now[at[0], at[1], k]
        step, before[at[0], at[1], k] = np.float32(0.99) * (p - before[at[0], at[1], k]), p
        now[at[0], at[1], k] = p + step - (np.float32(0.0004) if k == 2 else np.float32(0.0))


def pull(at, now, colour, down, right):
    i, j = at[0] * (1 + down) + colour * down, at[1] * (1 + right) + colour * right
    if i + down < N and j + right < N:
        length = np.float32(0.0)
        for k in range(3):
            length += (now[i + down, j + right, k] - now[i, j, k]) ** 2
        far = (1 - REST / np.sqrt(length)) / 2
        for k in range(3):
            move = far * (now[i + down, j + right, k] - now[i, j, k])
            now[i, j, k] += move
            now[i + down, j + right, k] -= move


def collide(at, now):
    far = np.sqrt(now[at[0], at[1], 0]**2 + now[at[0], at[1], 1]**2 + now[at[0], at[1], 2]**2)
    if far < RADIUS:
        for k in range(3):
            now[at[0], at[1], k] *= RADIUS / far


for _ in range(STEPS):
    q.parallel_for((N, N), fall, now, before)
    for _ in range(ROUNDS):
        for colour in range(2):
            q.parallel_for((N // 2, N), pull, now, colour, 1, 0)
            q.parallel_for((N, N // 2), pull, now, colour, 0, 1)
    q.parallel_for((N, N), collide, now)
q.wait()
axes = plt.figure(figsize=(6, 5)).add_subplot(projection="3d", box_aspect=(1, 1, 1))
axes.plot_surface(*np.moveaxis(now[:], -1, 0), rcount=N, ccount=N, cmap="coolwarm", linewidth=0)
plt.savefig(sys.argv[1], dpi=100)
