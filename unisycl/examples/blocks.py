"""Kernels on the chunks of a Dask array, and in an actor of Ray that keeps its queue.

    pip install 'dask[array]' cloudpickle        # ray for the second
    python -m unisycl.examples.blocks

Kernels travel by cloudpickle; a worker compiles one when it first runs it.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

import unisycl as sycl


def blurred(block: Any) -> Any:
    """Return a chunk with each element the mean of itself and its neighbours along rows."""
    q, n = sycl.queue(), block.shape[1]
    source, out = np.require(block, requirements=("C", "A")), np.empty_like(block)

    def mean(i: Any, x: Any, y: Any) -> None:
        c = i[1]
        left, right = max(c - 1, 0), min(c + 1, n - 1)
        y[i] = (x[i[0], left] + x[i] + x[i[0], right]) / 3
    q.parallel_for(source.shape, mean, source, out).wait()
    return out


def squares(block: Any) -> Any:
    """Return the squares of a chunk's elements."""
    out = np.empty(block.shape, block.dtype)
    source = np.require(block, requirements=("C", "A"))  # by a network they come at any address

    def square(i: Any, x: Any, y: Any) -> None:
        y[i] = x[i] * x[i]
    sycl.queue().parallel_for(source.shape, square, source, out).wait()
    return out


def by_dask(values: Any, scheduler: Any = "processes") -> tuple[Any, Any]:
    """Return the squares and the blurred values, computed by Dask's workers on chunks.

    ``scheduler`` may be the ``Client`` of a cluster.
    """
    import dask.array  # noqa: PLC0415 - optional

    array: Any = dask.array
    chunks = array.from_array(values, chunks=(values.shape[0] // 2, values.shape[1] // 2))
    first = chunks.map_blocks(squares, dtype=values.dtype)
    second = chunks.map_overlap(blurred, depth={0: 0, 1: 1}, boundary="nearest",
                                dtype=values.dtype)
    return first.compute(scheduler=scheduler), second.compute(scheduler=scheduler)


class Worker:
    """An actor that keeps its queue and its memory between calls."""

    def __init__(self, n: int) -> None:
        self.queue = sycl.queue()
        self.memory = sycl.malloc_shared(n, self.queue, dtype=np.float64)
        self.memory[:] = 0.0

    def add(self, values: Any) -> float:
        """Add values to the memory; return the sum of it."""
        memory, given = self.memory, np.require(values, requirements=("C", "A"))

        def plus(i: Any, m: Any, x: Any) -> None:
            m[i] += x[i]
        self.queue.parallel_for(len(given), plus, memory, given).wait()
        return float(np.asarray(memory.get_view()).sum())


def by_ray(values: Any) -> float:
    """Return what an actor of Ray sums up over two calls."""
    import ray  # noqa: PLC0415 - optional

    cluster: Any = ray
    actor = cluster.remote(Worker).remote(len(values))
    cluster.get(actor.add.remote(values))
    return float(cluster.get(actor.add.remote(values)))


if __name__ == "__main__":
    numbers = np.arange(64.0).reshape(8, 8)
    if importlib.util.find_spec("dask"):
        print(by_dask(numbers)[1])
    if importlib.util.find_spec("ray"):
        print(by_ray(numbers[0]))
