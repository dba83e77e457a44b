"""A photograph as a drawing.

A portrait of Grace Hopper, which Matplotlib brings, through kernels that only their accessors
order: blurred along rows and columns, then ink where Sobel's operator finds an edge.
"""

import sys

import numpy as np
from matplotlib import cbook
from PIL import Image

import unisycl as sycl

with cbook.get_sample_data("grace_hopper.jpg") as file:
    photo = np.asarray(Image.open(file).convert("L"), np.float32) / 255
H, W = photo.shape
q = sycl.queue()
source, rows, smooth, drawn = sycl.buffer(photo), *(
    sycl.buffer(sycl.range(H, W), dtype=np.float32) for _ in range(3))
WEIGHTS = (0.06, 0.24, 0.4, 0.24, 0.06)


def blur(a, b, down, right):
    def kernel(at):
        total = np.float32(0)
        for k in range(5):
            i = min(max(at[0] + (k - 2) * down, 0), H - 1)
            j = min(max(at[1] + (k - 2) * right, 0), W - 1)
            total += np.float32(WEIGHTS[k]) * a[i, j]
        b[at] = total
    return kernel


def ink(a, b):
    def kernel(at):
        i, j = min(max(at[0], 1), H - 2), min(max(at[1], 1), W - 2)
        across = (a[i - 1, j + 1] + 2 * a[i, j + 1] + a[i + 1, j + 1]
                  - a[i - 1, j - 1] - 2 * a[i, j - 1] - a[i + 1, j - 1])
        along = (a[i + 1, j - 1] + 2 * a[i + 1, j] + a[i + 1, j + 1]
                 - a[i - 1, j - 1] - 2 * a[i - 1, j] - a[i - 1, j + 1])
        b[at] = np.clip(np.sqrt(a[at]) + 0.1 - 3 * np.hypot(across, along), 0, 1)
    return kernel


steps = (blur, source, rows, 0, 1), (blur, rows, smooth, 1, 0), (ink, smooth, drawn)
for make, a, b, *how in steps:
    def group(h, make=make, a=a, b=b, how=how):
        read, write = sycl.accessor(a, h, sycl.read_only), sycl.accessor(b, h, sycl.write_only)
        h.parallel_for((H, W), make(read, write, *how))
    q.submit(group)
with sycl.host_accessor(drawn, sycl.read_only) as seen:
    Image.fromarray((np.asarray(seen) * 255).astype(np.uint8)).save(sys.argv[1])
