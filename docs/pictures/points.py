"""Draw points.svg: 400 points of philox4x32x10 and of sobol in the unit square."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl import rng

mpl.use("Agg")
from matplotlib import pyplot as plt

N = 400
queue = sycl.queue("cpu")
mpl.rcParams["svg.hashsalt"] = "points"
figure, places = plt.subplots(1, 2, figsize=(7, 3.5))
for place, engine in zip(places, (rng.philox4x32x10(queue, 7), rng.sobol(queue, 2)), strict=True):
    points = np.zeros(2 * N, np.float32)
    rng.generate(rng.uniform(), engine, points)
    place.plot(points[::2], points[1::2], ".", markersize=3)
    place.set(title=type(engine).__name__, xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=(),
              yticks=())
figure.tight_layout()
figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})
