"""A literal that meets typed integers has their type; what Python has of it alone is told."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
U = np.array([200, 3, 0, 255, 17, 100], np.uint8)


def launched(queue: sycl.queue, what: Callable[..., Any], kind: type) -> np.ndarray[Any, Any]:
    name, literal, found = str(queue.get_device()), 7, np.zeros(U.size, np.int64)

    def kernel(i, u, o):  # type: ignore[no-untyped-def]
        y = 7
        if i % 2 and name != "":  # a kernel for each device: it is told once
            y = u[i]
        z = u[i] if i % 3 else 7
        o[i] = what(y, z, u[i])

    def later(i, u, o):  # type: ignore[no-untyped-def]
        y = u[i]
        for _ in range(i % 3):
            o[i] = what(y, y, u[i])
            if i % 2 and name != "":
                y = 7

    assert literal
    for one in (kernel, later):
        queue.parallel_for(U.size, one, U.astype(kind), found).wait()
    return found


@pytest.mark.parametrize(("what", "kind", "value"), [
    (lambda y, z, u: y * 100, np.uint8, 700), (lambda y, z, u: 5 - z, np.uint32, -2),
    (lambda y, z, u: -y, np.uint16, -7), (lambda y, z, u: ~z, np.uint32, -8),
    (lambda y, z, u: y << 30, np.int32, 7 << 30), (lambda y, z, u: y * z, np.int8, 0)])
def test_what_does_not_fit_is_told(queue: sycl.queue, what: Callable[..., Any], kind: type,
                                   value: int) -> None:
    if not value:
        launched(queue, what, kind)  # 7 * 7 fits an int8
        return
    with pytest.warns(sycl.KernelWarning, match=re.escape(f"Python has {value} of the literal")):
        launched(queue, what, kind)


@pytest.mark.parametrize("what", [
    lambda y, z, u: y + 100, lambda y, z, u: z - 7, lambda y, z, u: y + u,
    lambda y, z, u: (y ^ z) >> 1, lambda y, z, u: y * 2 - z, lambda y, z, u: +y])
def test_what_fits_is_not(queue: sycl.queue, what: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launched(queue, what, np.uint8)
