"""Kernels that are objects with a method ``__call__`` (SYCL 2020 §4.12.1)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl


class Scale:
    """What it has is given to each launch."""

    def __init__(self, out: Any, factor: Any) -> None:
        self.out, self.factor = out, factor

    def __call__(self, i):  # type: ignore[no-untyped-def]
        self.out[i] += i[0] * self.factor


class Counting:
    """It would change itself."""

    def __init__(self) -> None:
        self.x = 0

    def __call__(self, i):  # type: ignore[no-untyped-def]
        self.x = 1


@pytest.mark.row("C-11")
def test_an_object_is_launched_again_elsewhere_and_with_other_fields(device: sycl.device) -> None:
    out = np.zeros(4, np.int32)
    own = Scale(out, 2)
    sycl.queue(device).parallel_for(4, own).wait()
    own.factor = 5
    sycl.queue(device, sycl.property.queue.in_order()).parallel_for(4, own).wait()
    assert [7 * k for k in range(4)] == out.tolist()
    for other in sycl.device.get_devices():
        sycl.queue(other).parallel_for(4, own).wait()
    count = len(sycl.device.get_devices())
    assert [(7 + 5 * count) * k for k in range(4)] == out.tolist()
    sycl.queue(device).parallel_for(4, Scale(out, np.int32(-1))).wait()
    assert [(6 + 5 * count) * k for k in range(4)] == out.tolist()


@pytest.mark.row("C-11")
def test_it_cannot_change_itself(queue: sycl.queue) -> None:
    own = Counting()
    with pytest.raises(sycl.KernelError, match="x") as caught:
        queue.parallel_for(4, own)
    assert f"{__file__}:" in str(caught.value)
    assert "self.x = 1" in str(caught.value)
    assert own.x == 0
