"""What NumPy does silently: wrapped sums, lossy conversions, division by zero, births of NaN."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told
from unisycl.backends.host import driver
from unisycl.process import notices

checked = sycl.kernel(debug="numbers")


@checked
def adding(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] + y[i]


@checked
def multiplying(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] * y[i] - 5


@checked
def dividing(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] % (y[i] - 300)


@checked
def narrowing(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = np.int8(y[i] - 290 + i[0] * 40)


@checked
def to_integer(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = np.int32(f[i])


@checked
def not_a_number(i: Any, x: Any, y: Any, f: Any) -> None:
    f[i] = f[i] - f[i]


@checked
def a_function(i: Any, x: Any, y: Any, f: Any) -> None:
    f[i] = sycl.sqrt(1 - f[i])


@checked
def guarded(i: Any, x: Any, y: Any, f: Any) -> None:
    x[i] = x[i] // (y[i] - 300) if y[i] != 300 else 0
    if f[i] < 100:
        x[i] = np.int32(f[i])


@checked
def stepping_down(i: Any, x: Any, y: Any, f: Any) -> None:
    """How turns are counted may wrap."""
    for j in range(10, 0, -(1 + i[0] % 3)):
        x[i] = j


@pytest.mark.part("Q-7")
def test_the_host_device_says_once_that_it_does_not_look(
        monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder) -> None:
    monkeypatch.setattr(driver, "_told", set())
    monkeypatch.setattr(notices, "tell", warnings.warn)
    warnings.simplefilter("always")
    x, f = np.full(8, 2**31 - 1, np.int32), np.zeros(8, np.float32)
    for kernel in (adding, multiplying):
        found = told(sycl.device(sycl.host_selector_v), lambda q, k=kernel: q.parallel_for(
            8, k, x, np.ones(8, np.int32), f))
        assert found == ""
    (one,) = (w for w in recwarn.list if "does not look for" in str(w.message))
    assert "look for division, nan, narrowing, overflow (debug: division, nan, " in str(one.message)
    assert "run kernel 'adding' on another device for that" in str(one.message)


@pytest.mark.row("Q-7")
@pytest.mark.parametrize(("kernel", "item", "text"), [
    (adding, 0, "2147483647 + 300 does not fit int32, and wraps to -2147483349"),
    (multiplying, 0, "2147483647 * 300 does not fit int32, and wraps to -300"),
    (dividing, 0, "2147483647 % 0: an integer is divided by zero"),
    (narrowing, 3, "130 does not fit int8, and becomes -126"),
    (to_integer, 5, "inf does not fit int32, and becomes"),
    (not_a_number, 5, "inf - inf is not a number"),
    (a_function, 5, "sqrt(-inf) is not a number"),
    (guarded, -1, ""),
    (stepping_down, -1, ""),
], ids=lambda v: getattr(v, "__name__", ""))
def test_the_first_item_and_the_line_are_told(
        device: sycl.device, kernel: Any, item: int, text: str) -> None:
    if device.get_backend() is sycl.backend.host:
        pytest.skip("Python's and NumPy's own rules hold on the host device")
    x, y = np.full(8, 2**31 - 1, np.int32), np.full(8, 300, np.int32)
    f = np.zeros(8, np.float32)
    f[5] = np.inf
    found = told(device, lambda q: q.parallel_for(8, kernel, x, y, f))
    if item < 0:
        assert found == ""
        return
    line = {"not_a_number": "f[i] =", "a_function": "f[i] ="}.get(kernel.__name__, "x[i] =")
    whose = f"kernel '{kernel.__name__}' failed in work-item id({item})"
    assert f"{whose} at {place(kernel, line)}: {text}" in found
