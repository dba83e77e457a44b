"""Draw dal.png: two half moons, as three algorithms of oneDAL see them."""

from pathlib import Path

import matplotlib as mpl
import numpy as np

import unisycl as sycl
from unisycl.oneapi import dal

mpl.use("Agg")
from matplotlib import pyplot as plt

rng = np.random.default_rng(4)
angle = rng.uniform(0, np.pi, 400)
upper = np.arange(400) < 200
x = np.where(upper[:, None], np.stack([np.cos(angle), np.sin(angle)], 1),
             np.stack([1 - np.cos(angle), 0.4 - np.sin(angle)], 1))
x = (x + 0.09 * rng.standard_normal(x.shape)).astype(np.float32)
queue = sycl.queue()

machine = dal.svm.descriptor(dal.rbf_kernel.descriptor(0.4), c=10)
fitted = dal.train(queue, machine, x, upper.astype(np.int32)).model
side = np.linspace(-1.6, 2.6, 120, dtype=np.float32)
grid = np.stack(np.meshgrid(side, side[::2] * 0.6), -1).reshape(-1, 2)
said = dal.infer(queue, machine, fitted, grid).decision_function

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10, 2.8), sharex=True, sharey=True)
clusters = dal.train(queue, dal.kmeans.descriptor(2), x)
left.scatter(*x.T, c=clusters.responses, s=7, cmap="coolwarm")
left.plot(*clusters.model.centroids.T, "k+", ms=12)
left.set_title("dal.kmeans")
dense = dal.compute(queue, dal.dbscan.descriptor(0.2, 6), x)
middle.scatter(*x.T, c=dense.responses, s=7, cmap="coolwarm")
middle.set_title(f"dal.dbscan: {dense.cluster_count} clusters")
right.contourf(side, side[::2] * 0.6, said.reshape(60, 120), 12, cmap="coolwarm", alpha=0.6)
right.scatter(*x.T, c=upper, s=4, cmap="coolwarm")
right.set_title(f"dal.svm: {len(fitted.support_vectors)} support vectors")
figure.tight_layout()
figure.savefig(Path(__file__).with_suffix(".png"), dpi=80)
