"""A galaxy of particles.

Every particle feels every other one: all pairs, in each of a few steps. The loop over the others
reads one address for all lanes at a time.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import unisycl as sycl

N, STEPS, DT = 2048, 30, 0.01
q = sycl.queue(sycl.property.queue.in_order())
rng = np.random.default_rng(1)
radius, angle = np.sqrt(rng.random(N)), rng.random(N) * 2 * np.pi
position, velocity, new = (sycl.malloc_shared((N, 2), np.float32, q) for _ in range(3))
position[:] = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
velocity[:] = np.stack([-np.sin(angle), np.cos(angle)], 1) * np.sqrt(radius)[:, None]


@sycl.kernel
def move(i, old, new, velocity):
    x, y = old[i, 0], old[i, 1]
    ax = ay = np.float32(0)
    for j in range(N):
        dx, dy = old[j, 0] - x, old[j, 1] - y
        inverse = sycl.rsqrt(dx * dx + dy * dy + np.float32(0.01))
        weight = inverse * inverse * inverse / N
        ax += weight * dx
        ay += weight * dy
    velocity[i, 0] += DT * ax
    velocity[i, 1] += DT * ay
    new[i, 0] = x + DT * velocity[i, 0]
    new[i, 1] = y + DT * velocity[i, 1]


for _ in range(STEPS):
    q.parallel_for(N, move, position, new, velocity)
    position, new = new, position
q.wait()
plt.figure(figsize=(6, 6), facecolor="black")
plt.axis("off")
plt.scatter(*position[:].T, s=2, c=np.hypot(*velocity[:].T), cmap="inferno")
plt.savefig(sys.argv[1], dpi=100, facecolor="black")
