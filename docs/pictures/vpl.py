"""Draw vpl.png: a noisy picture, evened out, and with a small copy laid over it."""

from pathlib import Path

import numpy as np
from PIL import Image

import unisycl as sycl
from unisycl.oneapi import vpl

W, H = 240, 136
queue = sycl.queue()
y, x = np.mgrid[0:H, 0:W]
rng = np.random.default_rng(3)
noisy = vpl.surface(queue, "i420", W, H)
luma, u, v = noisy.array()
ring = np.hypot(x - 150, y - 60)
luma[:] = np.clip(120 + 60 * np.sin(ring / 9) * (ring < 70) + rng.normal(0, 14, x.shape), 16, 235)
u[:], v[:] = 128 + 50 * np.sin(x[::2, ::2] / 40), 128 + 50 * np.cos(y[::2, ::2] / 30)

before, clean, laid = (vpl.surface(queue, "rgb4", W, H) for _ in range(3))
small = vpl.surface(queue, "rgb4", W // 3, H // 3)
done = vpl.process(noisy, before)
done = vpl.denoise(before, clean, strength=20, depends_on=done)
done = vpl.process(clean, laid, depends_on=done)
done = vpl.process(clean, small, depends_on=done)
vpl.compose(small, laid, left=8, top=8, alpha=0.9, depends_on=done).wait()
row = np.hstack([s.array()[..., 2::-1] for s in (before, clean, laid)])
Image.fromarray(np.ascontiguousarray(row)).save(Path(__file__).with_suffix(".png"))
