"""What code may ask about where it runs: as a kernel, or as plain Python.

These are the analogues of the preprocessor's names of SYCL 2020 §5.6 and SYCL 1.2 §5.4. Non-goals:
what a device can do. Invariant: in kernels the answers are compile-time constants, so only the
branch that is taken is compiled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from unisycl.base.architecture import Target

F = TypeVar("F", bound=Callable[..., Any])


class _Thread(threading.local):
    """Whether this thread is inside a kernel on the host device."""

    inside = False
    fast_math = False
    device: Target | None = None
    plain = False  # inside, and nobody is told of accesses
    watch: Any = None  # who is told of accesses to records, vectors and private arrays


here = _Thread()
"""What the calling thread is in; read by what runs at every step of a kernel."""


@contextmanager
def inside_kernel(*, fast_math: bool = False, device: Target | None = None,
                  watch: Any = None) -> Iterator[None]:
    """What runs in the block is device code (the host device says so)."""
    before = here.inside, here.fast_math, here.device, here.watch, here.plain
    here.inside, here.fast_math, here.device, here.watch = True, fast_math, device, watch
    here.plain = watch is None
    try:
        yield
    finally:
        here.inside, here.fast_math, here.device, here.watch, here.plain = before


def this_device() -> Target | None:
    """Return the device whose kernel is running in this thread; None outside kernels."""
    return here.device


def device_only() -> bool:
    """Say whether this is a kernel, on any device (``__SYCL_DEVICE_ONLY__``, SYCL 2020 §5.6).

    Example:
        >>> device_only()
        False
    """
    return here.inside


def target_spir() -> bool:
    """Say whether the kernel is compiled to SPIR (``__SYCL_TARGET_SPIR__``): it is not."""
    return False


def single_source() -> bool:
    """Say whether host and kernels are one source (``__SYCL_SINGLE_SOURCE__``): they are."""
    return True


def fast_relaxed_math() -> bool:
    """Say whether the kernel is compiled with relaxed mathematics (``__FAST_RELAXED_MATH__``)."""
    return here.fast_math


def SYCL_EXTERNAL(function: F) -> F:
    """Mark a function that kernels of other modules call (SYCL 2020 §5.10.1); none needs it."""
    return function
