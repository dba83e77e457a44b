"""The game of life.

Two boards in turn, a torus: `%` has Python's meaning, so that -1 is the last row. The frames
become a moving picture.
"""

import sys

import numpy as np
from PIL import Image

import unisycl as sycl

N, STEPS = 128, 40
q = sycl.queue(sycl.property.queue.in_order())
now, then = (sycl.malloc_shared((N, N), np.uint8, q) for _ in range(2))
now[:] = np.random.default_rng(3).random((N, N)) < 0.3


@sycl.kernel
def step(at, now, then):
    alive = 0
    for i in range(-1, 2):
        for j in range(-1, 2):
            if i != 0 or j != 0:
                alive += now[(at[0] + i) % N, (at[1] + j) % N]
    then[at] = 1 if alive == 3 or (alive == 2 and now[at] == 1) else 0


frames = []
for _ in range(STEPS):
    q.parallel_for((N, N), step, now, then).wait()
    now, then = then, now
    frames.append(Image.fromarray(now[:] * 255).resize((3 * N, 3 * N), Image.Resampling.NEAREST))
frames[0].save(sys.argv[1], format="GIF", save_all=True, append_images=frames[1:], duration=80,
               loop=0)  # a .gif
