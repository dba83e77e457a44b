"""oneDAL's algorithms beside scikit-learn.

``python -m bench.dal [--device D] [--rounds N] [--quick] [NAMES]``: interleaved; of each the least
wall and processor time of all rounds, and the ratios.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.cluster import DBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC

import unisycl as sycl
from unisycl.oneapi import dal

Pair = tuple[Callable[[], Any], Callable[[], Any]]


def rows(count: int, columns: int, seed: int = 1) -> Any:
    """Return rows around 16 centres."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((16, columns)) * 3
    found = centres[rng.integers(0, 16, count)] + rng.standard_normal((count, columns))
    return found.astype(np.float32)


def k_means(queue: sycl.queue, part: int) -> Pair:
    """Cluster 200,000 rows of 20 columns, 16 clusters, 20 rounds."""
    x = rows(200_000 // part, 20)
    desc = dal.kmeans.descriptor(16, 20)
    peer = KMeans(16, init=x[:16], n_init=1, max_iter=20, tol=0)
    return lambda: dal.train(queue, desc, x, x[:16]), lambda: peer.fit(x)


def neighbours(queue: sycl.queue, part: int) -> Pair:
    """Find the 5 nearest of 50,000 rows of 32 columns, for 20,000."""
    x, asked = rows(50_000 // part, 32), rows(20_000 // part, 32, 2)
    desc = dal.knn.descriptor(5)
    model = dal.train(queue, desc, x).model
    peer = NearestNeighbors(n_neighbors=5, algorithm="brute").fit(x)
    return lambda: dal.infer(queue, desc, model, asked), lambda: peer.kneighbors(asked)


def components(columns: int) -> Callable[[sycl.queue, int], Pair]:
    """Return principal components of 200,000 rows."""
    def pair(queue: sycl.queue, part: int) -> Pair:
        x = rows(200_000 // part, columns)
        return (lambda: dal.train(queue, dal.pca.descriptor(), x)), lambda: PCA().fit(x)
    return pair


def regression(queue: sycl.queue, part: int) -> Pair:
    """Fit a line to 200,000 rows of 20 columns."""
    x = rows(200_000 // part, 20).astype(np.float64)
    y = x @ np.arange(20.0) + 1
    desc, peer = dal.linear_regression.descriptor(), LinearRegression()
    return lambda: dal.train(queue, desc, x, y), lambda: peer.fit(x, y)


def logistic(queue: sycl.queue, part: int) -> Pair:
    """Tell two classes of 100,000 rows of 20 columns apart."""
    x = rows(100_000 // part, 20)
    y = (x[:, 0] + x[:, 1] ** 2 > 4).astype(np.int32)
    desc, peer = dal.logistic_regression.descriptor(), LogisticRegression(tol=1e-6, max_iter=500)
    return lambda: dal.train(queue, desc, x, y), lambda: peer.fit(x, y)


def density(queue: sycl.queue, part: int) -> Pair:
    """Find clusters of 10,000 rows of 10 columns by density."""
    x = rows(10_000 // part, 10)
    desc, peer = dal.dbscan.descriptor(2.5, 5), DBSCAN(eps=2.5, min_samples=5)
    return lambda: dal.compute(queue, desc, x), lambda: peer.fit(x)


def vectors(queue: sycl.queue, part: int) -> Pair:
    """Find support vectors of 3,000 rows of 10 columns, by our solver."""
    x = rows(3000 // part, 10)
    y = (x[:, 0] * x[:, 1] > 0).astype(np.int32)
    desc = dal.svm.descriptor(dal.rbf_kernel.descriptor(3.0))
    peer = SVC(gamma=0.5 / 9)

    def ours() -> Any:
        with dal.using("dal", "kernels"):
            return dal.train(queue, desc, x, y)
    return ours, lambda: peer.fit(x, y)


def forest(queue: sycl.queue, part: int) -> Pair:
    """Grow 50 trees on 10,000 rows of 20 columns."""
    x = rows(10_000 // part, 20)
    y = (x[:, 0] * x[:, 1] > 0).astype(np.int32)
    desc = dal.decision_forest.descriptor(tree_count=50)
    peer = RandomForestClassifier(50, n_jobs=2)
    return lambda: dal.train(queue, desc, x, y), lambda: peer.fit(x, y)


CASES: dict[str, Callable[[sycl.queue, int], Pair]] = {
    "k-means": k_means, "k-NN": neighbours, "PCA-20": components(20), "PCA-100": components(100),
    "linear": regression, "logistic": logistic, "DBSCAN": density, "SVM": vectors,
    "forest": forest}


def measure(name: str, pair: Pair, rounds: int) -> None:
    """Print the least times of both."""
    best = [[float("inf")] * 2 for _ in pair]
    for run in pair:
        run()
    for _ in range(rounds):
        for times, run in zip(best, pair, strict=True):
            time.sleep(0.15)  # threads of the other's libraries spin for a while
            wall, spent = time.perf_counter(), time.process_time()
            run()
            times[0] = min(times[0], time.perf_counter() - wall)
            times[1] = min(times[1], time.process_time() - spent)
    (wall, spent), (peer, other) = best
    print(f"{name:10} ours {wall * 1e3:8.1f} ms (processor {spent * 1e3:8.1f}), scikit-learn "
          f"{peer * 1e3:8.1f} ms ({other * 1e3:8.1f}): {peer / wall:.2f} times as fast, "
          f"{other / spent:.2f} in processor time", flush=True)


def main(given: Sequence[str] | None = None) -> None:
    """Run the cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAMES", help=", ".join(CASES))
    parser.add_argument("--device")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(given)
    queue = sycl.queue(options.device) if options.device else sycl.queue()
    print("on", queue.get_device().get_info(sycl.info.device.name))
    for name in options.names or CASES:
        measure(name, CASES[name](queue, 50 if options.quick else 1),
                1 if options.quick else options.rounds)


if __name__ == "__main__":
    main()
