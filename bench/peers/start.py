"""Starts Numba, Taichi, Warp and dpnp and hands them a kernel written in their dialect.

Non-goals: the kernels (``numba_kernels``, ``taichi_kernels``, ``warp_kernels``). Invariant: each
library is imported in the process of its own implementation only.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.harness import Case, Implementation, Missing, Work
from bench.peers.icd import register


def numba(name: str, work: Callable[[], Work]) -> dict[str, Implementation]:
    """Return Numba's implementation, ``prange`` and fastmath: a function of the same operands."""
    def prepare() -> Case:
        kernels = importlib.import_module("bench.peers.numba_kernels")
        return work().call(getattr(kernels, name))
    return {"numba": Implementation(prepare, ("numba",))}


def taichi(name: str, work: Callable[[], Work]) -> dict[str, Implementation]:
    """Return Taichi's implementation, over NumPy arrays that it uses in place."""
    def prepare() -> Case:
        ti = importlib.import_module("taichi")
        ti.init(arch=ti.cpu, log_level=ti.ERROR)
        kernels = importlib.import_module("bench.peers.taichi_kernels")
        return work().call(getattr(kernels, name))
    return {"taichi": Implementation(prepare, ("taichi",))}


def warp(name: str, work: Callable[[], Work], space: tuple[int, ...]) -> dict[str, Implementation]:
    """Return Warp's implementation; its CPU device runs on one thread."""
    def prepare() -> Case:
        wp = importlib.import_module("warp")
        wp.config.quiet = True
        wp.init()
        kernels = importlib.import_module("bench.peers.warp_kernels")
        given = work()
        inputs = [wp.array(a, dtype=wp.dtype_from_numpy(a.dtype), device="cpu", copy=False)
                  if isinstance(a, np.ndarray) else a for a in given.args]
        kernel = getattr(kernels, name)

        def run() -> None:
            wp.launch(kernel, space, inputs=inputs, device="cpu")
            wp.synchronize_device("cpu")

        return Case(run, given.result, keep=inputs)
    return {"warp": Implementation(prepare, ("warp",))}


def dpnp(make: Callable[[Any, list[Any]], Callable[[], Any]], work: Callable[[], Work]
         ) -> dict[str, Implementation]:
    """Return dpnp's implementation: ``make(dpnp, operands)`` gives what computes the result."""
    def prepare() -> Case:
        register("intel-opencl")
        np_ = importlib.import_module("dpnp")
        dpctl = importlib.import_module("dpctl")
        if not dpctl.get_devices():
            raise Missing("dpctl finds no device")
        given = work()
        operands = [np_.asarray(a) if isinstance(a, np.ndarray) else a for a in given.args]
        compute = make(np_, operands)
        kept: list[Any] = []

        def run() -> None:
            kept[:] = [compute()]
            kept[0].sycl_queue.wait()

        return Case(run, lambda: np_.asnumpy(kept[0]), keep=operands)
    return {"dpnp": Implementation(prepare, ("dpnp", "dpctl"))}
