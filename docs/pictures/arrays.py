"""Draw arrays.png: a function of four numbers, over a row, a column and two numbers."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import unisycl as sycl

mpl.use("Agg")
from matplotlib import pyplot as plt

own = sycl.ext.unisycl


@own.vectorize
def turns(x, y, a, b):
    """Return how many turns a point takes to leave the circle."""
    count = 0
    while x * x + y * y < 4 and count < 120:
        x, y = x * x - y * y + a, 2 * x * y + b
        count += 1
    return count


row = own.linspace(-1.6, 1.6, 480, dtype=np.float32)
column = own.linspace(-1, 1, 300, dtype=np.float32)
x, y = np.asarray(row)[None, :], np.asarray(column)[:, None]
figure, places = plt.subplots(1, 2, figsize=(8, 2.7))
for place, (a, b) in zip(places, ((-0.8, 0.156), (0.285, 0.01)), strict=True):
    found = turns(x, y, np.float32(a), np.float32(b))
    place.imshow(np.asarray(found), cmap="magma", extent=(-1.6, 1.6, -1, 1))
    place.set_title(f"turns(x, y, {a}, {b})", fontsize=10)
    place.set(xticks=(), yticks=())
figure.tight_layout(pad=0.3)
figure.savefig(Path(__file__).with_suffix(".png"), dpi=80)
