"""A film through a codec.

A ball flies through noise. The pictures are encoded as H.264 and decoded again; then kernels even
each one out (left half) and find the edges in it (right half). Needs the extra `av`.
"""

import sys

import numpy as np
from PIL import Image

import unisycl as sycl
from unisycl.oneapi import vpl

W, H, FRAMES = 320, 180, 48
q = sycl.queue(sycl.property.queue.in_order())
session = vpl.loader(q).create_session()
encoder = session.create_encoder("h264", W, H, options={"crf": "26"})
decoder = session.create_decoder("h264")
noise = np.random.default_rng(1).normal(0, 8, (FRAMES, H, W)).astype(np.float32)


def draw(at, luma, noise, t):
    y, x = at
    cx, cy = W * t, H * (0.85 - 2.6 * t * (1 - t))
    ball = sycl.exp(-((x - cx) ** 2 + (y - cy) ** 2) / 500)
    stripes = 12 * sycl.sin((x + y) / 9)
    luma[at] = np.uint8(sycl.clamp(60 + stripes + 150 * ball + noise[at], 16, 235))


def edges(at, luma, out):
    y, x = at
    if x < W // 2 or y in (0, H - 1) or x == W - 1:
        out[at] = luma[at]
    else:
        across = np.float32(luma[y, x + 1]) - luma[y, x - 1]
        down = np.float32(luma[y + 1, x]) - luma[y - 1, x]
        out[at] = np.uint8(min(255, 9 * sycl.hypot(across, down)))


def encoded():
    picture = vpl.surface(q, "i420", W, H)
    luma, u, v = picture.array()
    u[:], v[:] = 128, 128
    for k in range(FRAMES):
        q.parallel_for((H, W), draw, luma, noise[k], k / FRAMES).wait()
        yield from encoder.encode(picture)
    yield from encoder.flush()


packets = list(encoded())
pictures = [p for packet in packets for p in decoder.decode(packet)] + decoder.flush()
clean, out, frames = vpl.surface(q, "i420", W, H), np.zeros((H, W), np.uint8), []
for picture in pictures:
    vpl.denoise(picture, clean, strength=20).wait()
    q.parallel_for((H, W), edges, clean.array()[0], out).wait()
    frames.append(Image.fromarray(out.copy()))
frames[0].save(sys.argv[1], format="GIF", save_all=True, append_images=frames[1:], duration=60,
               loop=0)  # a .gif
