"""What a kernel of the corpus is: operands, the forms it is written in, its reference, its peers.

A family says everything about a kernel in one ``Entry``. Functions for Numba are marked by
``parallel`` and ``inner``, which leave them plain Python everywhere but in Numba's process: so
nothing imports Numba there, and references may call them. Non-goals: processes and tables
(``worker``, ``run``, ``table``). Invariant: operands made twice for one size are equal.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

PLAIN = "CORPUS_PLAIN"  # set to have ours time ``parallel_for`` and not prepared launches
FAST = "CORPUS_FAST"  # set to have ours compiled with -ffast-math, as Numba's are
PEER = "CORPUS_PEER"  # whose process this is, in the environment it is started with

prange: Any = range
_jit: Any = None
if os.environ.get(PEER) == "numba":
    import numba

    prange, _jit = numba.prange, numba.njit
_FAST = {"fastmath": True, "error_model": "numpy", "cache": True}


def parallel(function: Any) -> Any:
    """Mark a function that Numba runs on all threads, fast mathematics allowed."""
    return _jit(parallel=True, **_FAST)(function) if _jit else function


def inner(function: Any) -> Any:
    """Mark a function that those call; kernels of ours may call it, too."""
    return _jit(**_FAST)(function) if _jit else function


@dataclass(frozen=True)
class Nd:
    """An nd_range: global and local sizes, the fastest dimension last."""

    extent: tuple[int, ...]
    local: tuple[int, ...]


@dataclass(frozen=True)
class Local:
    """Local memory among the operands of a step."""

    dtype: Any
    shape: int | tuple[int, ...]

    def nbytes(self) -> int:
        sizes = (self.shape,) if isinstance(self.shape, int) else self.shape
        return math.prod(sizes) * int(np.dtype(self.dtype).itemsize)


class Step:
    """One launch: a kernel (a name, in OpenCL C), an index space, and its arguments in order.

    ``reductions`` are pairs of an array of one element and an operator's name; they start afresh.
    """

    def __init__(self, kernel: Any, space: int | tuple[int, ...] | Nd, *args: Any,
                 reductions: Sequence[tuple[Any, str]] = ()) -> None:
        self.kernel, self.args, self.reductions = kernel, args, reductions
        self.space = (space,) if isinstance(space, int) else space


Operands = Any  # a namespace: arrays and numbers by name
Steps = Callable[[Operands], Sequence[Any]]  # a step, or a function of the queue
Compute = Callable[[Operands], Any]


@dataclass(frozen=True)
class Entry:
    """A kernel, or several that make one piece of work.

    Args:
        name: unique; ``family.name`` serves, too.
        make: operands of a size, the same each time.
        size: what is timed; ``small`` is what is checked (on every device, in tests).
        forms: our launches, by the name of the form; the first is the authors' one.
        reference: the results by name, of fresh operands.
        tolerance: how far results may be off, of their own size plus the results' mean size.
        why: the reason of that tolerance.
        numba: the same on operands in place, as a good user of Numba writes it.
        opencl: launches of kernels in the family's file of OpenCL C; True if the first form's
            kernels stand there under the same names.
        outliers: the share of results that may be off further: where a comparison of rounded
            numbers decides, such as which surface a ray hits.
        twin: of two forms that do the same, the one without a guard and the one with it.
        taichi, warp: what the entry is called in ``taichi_kernels`` and ``warp_kernels``.
    """

    name: str
    make: Callable[[Any], Operands]
    size: Any
    small: Any
    forms: Mapping[str, Steps]
    reference: Callable[[Operands], Mapping[str, Any]]
    tolerance: float = 0.0
    why: str = "whole numbers, or one rounding in each result"
    numba: Compute | None = None
    opencl: Steps | bool = False
    outliers: float = 0.0
    twin: tuple[str, str] | None = None
    taichi: str = ""
    warp: str = ""


ROUNDING32 = 2e-5
"""Some tens of float32 roundings: products may be fused and sums ordered otherwise."""
SUMS32 = 3e-4
"""Sums of hundreds of float32 numbers in another order, or functions within a few ULP."""
ROUNDING64 = 1e-12
"""The same in float64, sums of thousands included."""

Namespace = SimpleNamespace


def mismatch(entry: Entry, found: Operands, wanted: Mapping[str, Any]) -> str:
    """Return what is wrong with results, in one line; nothing if they are right."""
    for name, value in wanted.items():
        want = np.asarray(value)
        got = np.asarray(getattr(found, name)).reshape(want.shape)
        if entry.tolerance == 0:
            wrong = got != want
        else:
            scale = np.abs(want) + np.mean(np.abs(want), dtype=np.float64)
            wrong = ~(np.abs(got - want.astype(np.float64)) <= entry.tolerance * scale)
        count = int(np.count_nonzero(wrong))
        if count > entry.outliers * want.size:
            at = tuple(int(k) for k in np.argwhere(np.atleast_1d(wrong))[0])
            one, other = np.atleast_1d(got)[at], np.atleast_1d(want)[at]
            return (f"{name}: {count} of {want.size} wrong, the first at {at}: "
                    f"{one} instead of {other}")
    return ""


def digest(found: Operands, names: Iterable[str]) -> dict[str, list[float]]:
    """Return two figures for each of some results, which all peers must agree on."""
    figures = {}
    for name in names:
        values = np.asarray(getattr(found, name), np.float64).ravel()
        wave = np.cos(np.arange(values.size) * 0.61803)
        figures[name] = [float(np.mean(np.abs(values))), float(np.mean(values * wave))]
    return figures


def launches(queue: Any, steps: Sequence[Any], *, bound: bool = False) -> Callable[[], None]:
    """Return what submits the steps to an in-order queue and waits for them.

    ``bound`` prepares launches without reductions once, as kernels of OpenCL have their arguments
    set once; else each is a ``parallel_for``.
    """
    import unisycl as sycl  # noqa: PLC0415 - peers' processes do without

    def prepared(step: Any) -> Callable[[], Any]:
        if not isinstance(step, Step):
            return lambda: step(queue)
        space = (sycl.nd_range(step.space.extent, step.space.local) if isinstance(step.space, Nd)
                 else sycl.range(*step.space))
        fresh = sycl.property.reduction.initialize_to_identity()
        args = [sycl.local_accessor(a.dtype, a.shape) if isinstance(a, Local) else a
                for a in step.args]
        sums = [sycl.reduction(out, getattr(sycl, operator), fresh)
                for out, operator in step.reductions]
        kernel = fast(step.kernel) if os.environ.get(FAST) else step.kernel
        if bound and not sums:
            launch: Callable[[], Any] = queue.bind(space, kernel, *args)
            return launch
        return lambda: queue.parallel_for(space, *sums, kernel, *args)

    calls = [prepared(step) for step in steps]

    def run() -> None:
        for call in calls:
            call()
        queue.wait()

    return run


def fast(kernel: Any) -> Any:
    """Return a kernel that rounds as the compiler likes; what is no function stays as it is."""
    import unisycl as sycl  # noqa: PLC0415 - peers' processes do without

    function = inspect.unwrap(kernel)
    if not inspect.isfunction(function):
        return kernel
    options = sycl.ext.oneapi.experimental.build_options("-ffast-math")
    size = getattr(kernel, "reqd_sub_group_size", 0)
    return sycl.kernel(reqd_sub_group_size=size, properties=[options])(function)


def show(entries: Sequence[Entry]) -> None:
    """Check and run each form, so that ``python -m unisycl show FILE:KERNEL`` finds kernels."""
    import unisycl as sycl  # noqa: PLC0415 - peers' processes do without

    queue = sycl.queue(sycl.property.queue.in_order())
    for entry in entries:
        for form, steps in entry.forms.items():
            operands = entry.make(entry.small)
            launches(queue, steps(operands))()
            wrong = mismatch(entry, operands, entry.reference(entry.make(entry.small)))
            print(f"{entry.name}/{form}" if form else entry.name, wrong or "is right")
            launches(queue, steps(entry.make(entry.size)))()
