"""Terrain with shadows.

Mountains by eight octaves of value noise, whose lattice is a hash of its place, so that nothing
is stored. Each work-item then walks towards the sun and looks whether a mountain is in the way.
"""

import sys

import numpy as np
from matplotlib import pyplot as plt

import unisycl as sycl

N = 512
q = sycl.queue(sycl.property.queue.in_order())
height, light = (sycl.malloc_shared((N, N), np.float32, q) for _ in range(2))


def lattice(i, j):
    h = np.uint32(i) * np.uint32(374761393) + np.uint32(j) * np.uint32(668265263)
    h = (h ^ (h >> np.uint32(13))) * np.uint32(1274126177)
    return np.float32((h ^ (h >> np.uint32(16))) & np.uint32(0xFFFF)) / np.float32(65535)


def noise(y, x):
    i, j = int(y), int(x)
    a, b = y - i, x - j
    a, b = a * a * (3 - 2 * a), b * b * (3 - 2 * b)
    top = lattice(i, j) * (1 - b) + lattice(i, j + 1) * b
    low = lattice(i + 1, j) * (1 - b) + lattice(i + 1, j + 1) * b
    return top * (1 - a) + low * a


def raise_ground(at, height):
    y, x = np.float32(at[0]) / 128, np.float32(at[1]) / 128
    total, size = np.float32(0), np.float32(1)
    for _ in range(8):
        total += size * np.abs(2 * noise(y, x) - 1)
        y, x, size = 2 * y + 17, 2 * x + 31, size / 2
    height[at] = 1 - total / 2


def shine(at, height, light):
    seen = np.float32(1)
    for step in range(1, 60):
        i, j = at[0] - step, at[1] - step
        if i >= 0 and j >= 0 and height[i, j] > height[at] + np.float32(0.006) * step:
            seen = np.float32(0.35)
    i, j = min(at[0] + 1, N - 1), min(at[1] + 1, N - 1)
    slope = 40 * (height[i, at[1]] - height[at] + height[at[0], j] - height[at])
    light[at] = seen * (np.float32(0.6) + np.float32(0.4) * slope / np.sqrt(1 + slope * slope))


q.parallel_for((N, N), raise_ground, height)
q.parallel_for((N, N), shine, height, light).wait()
colours = plt.get_cmap("gist_earth")(0.25 + 0.75 * np.clip(height[:], 0, 1))[..., :3]
plt.imsave(sys.argv[1], np.clip(colours * light[:][..., None] * 1.3, 0, 1))
