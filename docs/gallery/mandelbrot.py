"""The Mandelbrot set.

Each work-item counts the steps of one pixel. Neighbours need different numbers of steps: on the
CPU they run in vectors with masks.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

import unisycl as sycl

ROWS, COLUMNS, MOST = 600, 900, 200
q = sycl.queue()
counts = sycl.malloc_shared((ROWS, COLUMNS), np.int32, q)


def mandelbrot(at):
    cx = np.float32(at[1]) * (3.0 / COLUMNS) - 2.0
    cy = np.float32(at[0]) * (2.0 / ROWS) - 1.0
    x, y, n = np.float32(0), np.float32(0), 0
    while n < MOST and x * x + y * y < 4:
        x, y = x * x - y * y + cx, 2 * x * y + cy
        n += 1
    counts[at] = n


q.parallel_for((ROWS, COLUMNS), mandelbrot).wait()
plt.imsave(sys.argv[1], np.log1p(counts[:]), cmap="magma")
