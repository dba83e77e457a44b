"""Waves through two slits, as a video.

The wave equation on a grid, three states of it in turn, with a wall that has two openings. Every
fourteenth step is a frame of a moving picture.
"""

import sys

import numpy as np
from matplotlib import colormaps
from PIL import Image

import unisycl as sycl

N, FRAMES, STEPS = 300, 45, 14
q = sycl.queue(sycl.property.queue.in_order())
old, now, new = (sycl.ext.unisycl.zeros((N, N), np.float32, q) for _ in range(3))
damping = sycl.malloc_shared((N, N), np.float32, q)
edge = np.minimum(np.arange(N), N - 1 - np.arange(N))
damping[:] = 1 - 0.08 * np.maximum(0, 1 - np.minimum.outer(edge, edge) / 12) ** 2


@sycl.kernel
def swing(at, old, now, new, damping, time):
    i, j = at[0], at[1]
    slit = abs(i - N // 2 + 26) < 6 or abs(i - N // 2 - 26) < 6
    if i == 0 or j == 0 or i == N - 1 or j == N - 1 or (abs(j - N // 3) < 2 and not slit):
        new[at] = 0
    else:
        around = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4 * now[at]
        new[at] = damping[at] * (2 * now[at] - old[at] + np.float32(0.25) * around)
    if j == 16 and abs(i - N // 2) < N // 2 - 14:
        new[at] = np.sin(np.float32(0.35) * time)


frames = []
for frame in range(FRAMES):
    for step in range(STEPS):
        q.parallel_for((N, N), swing, old, now, new, damping, np.float32(frame * STEPS + step))
        old, now, new = now, new, old
    q.wait()
    image = colormaps["RdBu"](np.asarray(now) * 0.5 + 0.5)[..., :3]
    image[:, N // 3] *= 0.4
    frames.append(Image.fromarray((image * 255).astype(np.uint8)).quantize(48))
frames[0].save(sys.argv[1], format="GIF", save_all=True, append_images=frames[1:], duration=60,
               loop=0)  # a .gif
