"""Spheres, traced.

A ray a pixel, three spheres over a floor, shadows and mirrors. Functions are called by kernels
like any other; tuples come back.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import unisycl as sycl

ROWS, COLUMNS = 450, 800
SPHERES = ((-1.1, 0.0, 4.0, 1.0), (1.1, -0.2, 3.4, 0.8), (0.1, -0.6, 2.4, 0.4))
q = sycl.queue()
picture = sycl.malloc_shared((ROWS, COLUMNS, 3), np.float32, q)


def nearest(ox, oy, oz, dx, dy, dz):
    best, nx, ny, nz = np.float32(1e9), np.float32(0), np.float32(0), np.float32(0)
    if dy < -1e-4:
        best, ny = (-1.0 - oy) / dy, np.float32(1)
    for cx, cy, cz, radius in SPHERES:
        x, y, z = ox - cx, oy - cy, oz - cz
        b = x * dx + y * dy + z * dz
        inside = b * b - (x * x + y * y + z * z - radius * radius)
        if inside > 0:
            t = -b - sycl.sqrt(inside)
            if 1e-3 < t < best:
                best = t
                nx, ny, nz = (x + t * dx) / radius, (y + t * dy) / radius, (z + t * dz) / radius
    return best, nx, ny, nz


def trace(at):
    dx = (np.float32(at[1]) - COLUMNS / 2) / ROWS
    dy, dz = (ROWS / 2 - np.float32(at[0])) / ROWS, np.float32(1)
    length = sycl.rsqrt(dx * dx + dy * dy + dz * dz)
    dx, dy, dz = dx * length, dy * length, dz * length
    x = y = z = light = np.float32(0)
    share = np.float32(1)
    for _ in range(4):
        far, nx, ny, nz = nearest(x, y, z, dx, dy, dz)
        if far > 1e8:
            light += share * (0.6 + 0.4 * dy)
            break
        x, y, z = x + far * dx, y + far * dy, z + far * dz
        shadow, _, _, _ = nearest(x, y, z, np.float32(0.5), np.float32(0.7), np.float32(-0.51))
        lit = np.float32(0) if shadow < 1e8 else 0.5 * nx + 0.7 * ny - 0.51 * nz
        light += share * 0.5 * (0.1 + max(lit, 0.0))
        share *= 0.5
        turn = 2 * (dx * nx + dy * ny + dz * nz)
        dx, dy, dz = dx - turn * nx, dy - turn * ny, dz - turn * nz
    for channel in range(3):
        picture[at[0], at[1], channel] = sycl.clamp(light * (0.8 + 0.1 * channel), 0.0, 1.0)


q.parallel_for((ROWS, COLUMNS), trace).wait()
plt.imsave(sys.argv[1], picture[:])
