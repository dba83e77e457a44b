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


def _call(function: Callable[..., Any], work: Work) -> Case:
    """Return a case that keeps the function and its first operand, for calls with other scalars."""
    case = work.call(function)
    return Case(case.run, case.result, keep=(function, work.args[0]))


def numba(name: str, work: Callable[[], Work]) -> dict[str, Implementation]:
    """Return Numba's implementation, ``prange`` and fastmath: a function of the same operands."""
    def prepare() -> Case:
        kernels = importlib.import_module("bench.peers.numba_kernels")
        return _call(getattr(kernels, name), work())
    return {"numba": Implementation(prepare, ("numba",))}


def taichi(name: str, work: Callable[[], Work]) -> dict[str, Implementation]:
    """Return Taichi's implementation, over NumPy arrays that it uses in place."""
    def prepare() -> Case:
        ti = importlib.import_module("taichi")
        ti.init(arch=ti.cpu, log_level=ti.ERROR)
        kernels = importlib.import_module("bench.peers.taichi_kernels")
        return _call(getattr(kernels, name), work())
    return {"taichi": Implementation(prepare, ("taichi",))}


def _start_warp(work: Work) -> tuple[Any, list[Any]]:
    """Return Warp and the operands as its arrays, over the same memory."""
    wp = importlib.import_module("warp")
    wp.config.quiet = True
    wp.init()
    return wp, [wp.array(a, dtype=wp.dtype_from_numpy(a.dtype), device="cpu", copy=False)
                if isinstance(a, np.ndarray) else a for a in work.args]


def warp(name: str, work: Callable[[], Work], space: tuple[int, ...]) -> dict[str, Implementation]:
    """Return Warp's implementation; its CPU device runs on one thread."""
    def prepare() -> Case:
        given = work()
        wp, inputs = _start_warp(given)
        kernel = getattr(importlib.import_module("bench.peers.warp_kernels"), name)

        def launch(*operands: Any) -> None:
            wp.launch(kernel, space, inputs=operands, device="cpu")

        return Case(lambda: launch(*inputs), given.result, keep=(launch, inputs[0]))
    return {"warp": Implementation(prepare, ("warp",))}


def warp_library(function: Callable[..., Any], work: Callable[[], Work]
                 ) -> dict[str, Implementation]:
    """Return what Warp has ready for the work: ``function(warp, *operands)``."""
    def prepare() -> Case:
        given = work()
        wp, inputs = _start_warp(given)

        def run() -> None:
            function(wp, *inputs)

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
