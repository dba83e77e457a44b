"""Draw algorithms.svg: what some algorithms of oneDPL make of twelve numbers."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import unisycl as sycl
from unisycl.oneapi import dpl

mpl.use("Agg")
from matplotlib import pyplot as plt

queue = sycl.queue("cpu")
x = np.array([3, 3, 7, 1, 1, 1, 8, 4, 4, 2, 6, 5], np.int32)
keys = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3], np.int32)


def in_place(name, *more):
    """Return what an algorithm in place leaves, and how much of it counts."""
    data = x.copy()
    found = getattr(dpl, name)(queue, data, *more)
    return data, found if name in ("unique", "partition") else x.size


def written(name, *more):
    """Return what an algorithm writes, and how much of it counts."""
    out = np.zeros(x.size, np.int32)
    found = getattr(dpl, name)(queue, x, out, *more)
    return out, found if isinstance(found, int) else x.size


sums, of = np.zeros(x.size, np.int32), np.zeros(x.size, np.int32)
count = dpl.reduce_by_segment(queue, keys, x, of, sums)
bins = np.zeros(3, np.uint32)
dpl.histogram(queue, x, 3, 0, 9, bins)
rows = [
    ("x", (x, 12)),
    ("sort(x)", in_place("sort")),
    ("partial_sort(x, 4)", (in_place("partial_sort", 4)[0][:4], 4)),
    ("inclusive_scan(x, out)", written("inclusive_scan")),
    ("adjacent_difference(x, out)", written("adjacent_difference")),
    ("copy_if(x, out, v > 3)", written("copy_if", lambda v: v > 3)),
    ("partition(x, v > 3)", in_place("partition", lambda v: v > 3)),
    ("unique(x)", in_place("unique")),
    ("rotate(x, 3)", in_place("rotate", 3)),
    ("keys", (keys, 12)),
    ("reduce_by_segment(keys, x, ...)", (sums, count)),
    ("histogram(x, 3, 0, 9, out)", (bins, 3)),
]
mpl.rcParams["svg.hashsalt"] = "algorithms"
figure, place = plt.subplots(figsize=(8, 4.6))
for row, (name, (numbers, kept)) in enumerate(rows):
    place.text(-0.3, row + 0.5, name, ha="right", va="center", family="monospace", fontsize=9)
    colour = "Pastel2" if name == "keys" else "YlGnBu"
    for k, number in enumerate(numbers):
        inside = k < kept or name.startswith("partition(")
        shade = mpl.colormaps[colour](int(number) if name == "keys" else number / 60)
        place.add_patch(plt.Rectangle((k, row + 0.08), 0.96, 0.84, lw=0.5, ec="grey",
                                      fc=shade if inside else "white"))
        if inside:
            place.text(k + 0.48, row + 0.5, str(number), ha="center", va="center", fontsize=9)
    if name.startswith("partition("):
        place.plot((kept, kept), (row, row + 1), "k", lw=1.5)
place.set(xlim=(-7, 12.1), ylim=(len(rows), 0))
place.axis("off")
figure.tight_layout(pad=0.2)
figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})
