"""Draw laws.png: how often numbers of nine distributions came, and what formulas say."""

import math
from pathlib import Path

import matplotlib as mpl
import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl import rng

mpl.use("Agg")
from matplotlib import pyplot as plt

N = 200_000
queue = sycl.queue("cpu")
x = np.linspace(-4, 8, 600)
above = np.maximum(x, 1e-9)
k = np.arange(13)
normal = np.exp(-(x - 1) ** 2 / 2) / math.sqrt(2 * math.pi)
laws = [
    ("uniform(-1, 3)", rng.uniform(-1, 3), ((x >= -1) & (x < 3)) / 4),
    ("gaussian(1, 1)", rng.gaussian(1, 1), normal),
    ("lognormal(0, 0.5)", rng.lognormal(0, 0.5), np.where(
        x > 0, np.exp(-2 * np.log(above) ** 2) / (0.5 * above * math.sqrt(2 * math.pi)), 0)),
    ("exponential(0, 1.5)", rng.exponential(0, 1.5), np.where(x > 0, np.exp(-x / 1.5) / 1.5, 0)),
    ("laplace(1, 1)", rng.laplace(1, 1), np.exp(-np.abs(x - 1)) / 2),
    ("weibull(2, 0, 2)", rng.weibull(2, 0, 2), np.where(
        x > 0, x / 2 * np.exp(-(x / 2) ** 2), 0)),
    ("poisson(3)", rng.poisson(3), np.array([math.exp(-3) * 3.0 ** i / math.factorial(i)
                                             for i in k])),
    ("binomial(12, 0.4)", rng.binomial(12, 0.4), np.array(
        [math.comb(12, i) * 0.4 ** i * 0.6 ** (12 - i) for i in k])),
    ("geometric(0.35)", rng.geometric(0.35), 0.35 * 0.65 ** k),
]
figure, places = plt.subplots(3, 3, figsize=(8, 5))
for place, (name, law, density) in zip(places.ravel(), laws, strict=True):
    numbers = np.zeros(N, law.dtype)
    rng.generate(law, rng.philox4x32x10(queue, 2026), numbers)
    if law.dtype.kind == "f":
        counts, edges = np.histogram(numbers, 60, (-4, 8))
        place.bar(edges[:-1], counts / N / (edges[1] - edges[0]), edges[1] - edges[0],
                  align="edge", color="lightsteelblue")
        place.plot(x, density, "k", lw=0.8)
    else:
        place.bar(k, np.bincount(numbers, minlength=13)[:13] / N, 0.8, color="lightsteelblue")
        place.plot(k, density, "k.", ms=4)
    place.set_title(name, fontsize=9)
    place.set(yticks=())
    place.tick_params(labelsize=7)
figure.tight_layout(pad=0.5)
figure.savefig(Path(__file__).with_suffix(".png"), dpi=80)
