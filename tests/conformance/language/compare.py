"""Run a kernel on a device and as plain Python over the same data, and compare."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import unisycl as sycl


def agree(queue: sycl.queue, build: Callable[..., Callable[[int], None]], count: int,
          **arrays: np.ndarray) -> None:
    """Assert that a kernel leaves in its arrays what CPython leaves there.

    ``build`` takes the arrays by name and returns the kernel as a closure over them.
    """
    expected = {k: v.copy() for k, v in arrays.items()}
    found = {k: v.copy() for k, v in arrays.items()}
    kernel = build(**expected)
    with np.errstate(all="ignore"):
        for i in range(count):
            kernel(i)
    queue.parallel_for(count, build(**found)).wait()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name, strict=True)


def ints(*shape: int) -> np.ndarray:
    """Return an array of zeros to put integers in."""
    return np.zeros(shape, np.int64)
