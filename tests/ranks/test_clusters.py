"""Kernels in the workers of other libraries: Dask's processes, Ray's actors."""

from __future__ import annotations

import multiprocessing

import cloudpickle
import numpy as np
import pytest

from unisycl.examples import blocks

VALUES = np.arange(48.0).reshape(6, 8)


def blurred() -> np.ndarray:
    wide = np.pad(VALUES, ((0, 0), (1, 1)), mode="edge")
    return (wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]) / 3


def call(text: bytes) -> np.ndarray:
    function, values = cloudpickle.loads(text)
    return function(values)


@pytest.mark.row("R-9")
def test_workers_of_dask_run_kernels_on_chunks() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        first, second = blocks.by_dask(VALUES, client)
    assert np.array_equal(first, VALUES ** 2)
    assert np.allclose(second, blurred())


@pytest.mark.row("R-9")
def test_an_actor_of_ray_keeps_its_queue() -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False)
    try:
        assert blocks.by_ray(VALUES[1]) == 2 * VALUES[1].sum()
    finally:
        ray.shutdown()


@pytest.mark.row("R-9")
def test_kernels_travel_to_spawned_processes_by_cloudpickle() -> None:
    scale = 3.0

    def tripled(values):
        import unisycl as sycl
        out = np.empty_like(values)

        def kernel(i, x, y):
            y[i] = scale * x[i]
        sycl.queue("cpu").parallel_for(values.shape, kernel, values, out).wait()
        return out
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(call, (cloudpickle.dumps((tripled, VALUES)),))
    assert np.array_equal(found, 3 * VALUES)
