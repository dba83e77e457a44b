"""Public: how a product of matrices may be computed otherwise than in its own type.

Non-goals: computing. Invariant: what is allowed is never more than a program says.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import unisycl as sycl
from unisycl.oneapi.frame.results import behind
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.blas import table


class compute_mode(enum.Flag):
    """What a routine may do to be faster; joined by ``|`` (``oneapi::mkl::blas::compute_mode``)."""

    unset = 0
    float_to_bf16 = 1
    float_to_bf16x2 = 2
    float_to_bf16x3 = 4
    float_to_tf32 = 8
    complex_3m = 16
    any = 31
    standard = 32
    prefer_alternate = 64
    force_alternate = 128


def split(name: str, count: int, args: tuple[Any, ...], mode: Any,
          dependencies: Any) -> tuple[tuple[Any, ...], compute_mode, Any]:
    """Return a routine's own arguments, the mode and the events that may stand behind them."""
    if len(args) > count and isinstance(args[count], compute_mode) and not mode:
        mode = args[count]
        args = args[:count] + args[count + 1:]
    args, dependencies = behind(args, count, dependencies)
    if not isinstance(mode, compute_mode) or (mode and name not in table.MODES):
        what = f"mode must be a compute_mode, got {mode!r}" if name in table.MODES else (
            "it takes no compute_mode")
        raise names.invalid_argument(f"{name}: {what}")
    forced = compute_mode.force_alternate | compute_mode.prefer_alternate
    if mode & forced and not mode & compute_mode.any:
        raise names.invalid_argument(f"{name}: {mode!r} needs a mode beside it, as float_to_tf32")
    return args, mode, dependencies


def chosen(name: str, mode: compute_mode, letter: str, routine: Any) -> Any:
    """Return what computes in the way that a mode allows; the routine itself, where none does."""
    if not mode & compute_mode.any or mode & compute_mode.standard:
        return routine
    find: Callable[[compute_mode, str], Any] | None = getattr(routine, "alternate", None)
    found = find(mode, letter) if find else None
    if found is None and mode & compute_mode.force_alternate:
        raise sycl.UnsupportedError(
            sycl.errc.feature_not_supported, f"{name}: nobody has {mode & compute_mode.any!r} for "
            "it here; leave out force_alternate")
    return routine if found is None else found
