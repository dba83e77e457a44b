"""A fractal zoom.

Sixty frames into the Mandelbrot set, each nearer to one point of its edge by a sixth. How fast a
point leaves, with the part of a step that its last distance tells, is its colour.
"""

import sys

import numpy as np
from matplotlib import colormaps
from PIL import Image

import unisycl as sycl

W, H, FRAMES, MOST = 320, 240, 60, 1500
CENTRE = (-0.743643887037151, 0.131825904205330)
q = sycl.queue(sycl.property.queue.in_order())
speed = sycl.malloc_shared((H, W), np.float32, q)


@sycl.kernel
def leave(at, speed, width):
    cx = CENTRE[0] + width * (at[1] - W / 2) / W
    cy = CENTRE[1] + width * (at[0] - H / 2) / W
    x, y, n = 0.0, 0.0, 0
    while n < MOST and x * x + y * y < 1e4:
        x, y = x * x - y * y + cx, 2 * x * y + cy
        n += 1
    part = np.log2(np.log2(x * x + y * y + 2.0) + 1e-9) if n < MOST else 0.0
    speed[at] = n - part if n < MOST else 0.0


frames = []
for k in range(FRAMES):
    leave.launch(q, (H, W), speed, width=3.0 * 0.9**(1.8 * k)).wait()
    shade = (np.log1p(np.maximum(speed[:], 0)) * 1.3) % 2
    colours = colormaps["twilight_shifted"](np.abs(shade - 1)) * (speed[:] > 0)[..., None]
    frames.append(Image.fromarray((colours[..., :3] * 255).astype(np.uint8)).quantize(64))
frames[0].save(sys.argv[1], format="GIF", save_all=True, append_images=frames[1:], duration=70,
               loop=0)  # a .gif
