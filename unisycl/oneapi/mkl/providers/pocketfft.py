"""Fourier transforms by pocketfft, as NumPy has it.

Non-goals: threads; one transform runs in one. Invariants: float32 is computed in float32; data of
any strides are transformed where they lie, without copies but for real transforms in place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl.dft.descriptor import Plan


class Pocketfft:
    """The routine ``transform``."""

    def version(self) -> str:
        """Return the library's name."""
        return f"NumPy {np.__version__}'s pocketfft"

    def serves(self, device: sycl.device) -> bool:
        """Say that it works in the host's memory."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what makes the work of a plan."""
        return _work if name.startswith("transform") and dtype.kind == "c" else None


def _work(plan: Plan, backward: bool) -> Callable[..., None]:
    def run(queue: Any, *bound: Any) -> None:
        del queue
        source, target = bound[0].array(), bound[-1].array()
        if plan.real:
            _real(plan, backward, source, target)
        else:
            _complex(plan, backward, source, target)

    return run


def _complex(plan: Plan, backward: bool, source: Any, target: Any) -> None:
    sides = (plan.backward, plan.forward) if backward else (plan.forward, plan.backward)
    x = sides[0].view(source.view(plan.complex_type))
    out = sides[1].view(target.view(plan.complex_type))
    same = plan.inplace and sides[0] != sides[1]
    there = np.empty(out.shape, out.dtype) if same else out
    if x.ndim == 2:  # of one dimension: a third of the way through Python
        if backward:
            np.fft.ifft(x, norm="forward", out=there)
        else:
            np.fft.fft(x, out=there)
    elif backward:
        np.fft.ifftn(x, axes=tuple(range(1, x.ndim)), norm="forward", out=there)
    else:
        np.fft.fftn(x, axes=tuple(range(1, x.ndim)), out=there)
    if same:
        out[...] = there
    _scale(out, plan.scales[backward])


def _real(plan: Plan, backward: bool, source: Any, target: Any) -> None:
    axes = tuple(range(1, 1 + len(plan.lengths)))
    if backward:
        x = plan.backward.view(source.view(plan.complex_type))
        out = plan.forward.view(target.view(plan.dtype))
        out[...] = np.fft.irfftn(x, plan.lengths, axes, norm="forward")
    else:
        x = plan.forward.view(source.view(plan.dtype))
        out = plan.backward.view(target.view(plan.complex_type))
        if plan.inplace:
            out[...] = np.fft.rfftn(x, axes=axes)
        else:
            np.fft.rfftn(x, axes=axes, out=out)
    _scale(out, plan.scales[backward])


def _scale(out: Any, scale: float) -> None:
    if scale != 1:
        out *= out.dtype.type(scale)


def load(name: str) -> Pocketfft:
    """Return the provider."""
    del name
    return Pocketfft()
