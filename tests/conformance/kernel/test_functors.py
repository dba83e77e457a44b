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


class Named:
    """Its members have names that attributes of kernels have."""

    def __init__(self, out: Any, k: int) -> None:
        self.out = self.free = self.traits = self.function = out
        self.fast_math, self.progress, self.plain = 2, k, 3

    def __call__(self, i):  # type: ignore[no-untyped-def]
        self.free[i] += self.fast_math * self.progress + self.plain


@pytest.mark.row("C-11")
def test_members_may_have_the_names_of_attributes(queue: sycl.queue) -> None:
    out = np.zeros(4, np.int32)
    for k in range(3):
        queue.parallel_for(4, Named(out, k)).wait()
    assert out.tolist() == [15] * 4


class Step:
    """What it does is replaced while a program runs."""

    def __init__(self, out: Any) -> None:
        self.out, self.by = out, np.int32(1)

    def __call__(self, i):  # type: ignore[no-untyped-def]
        self.out[i] += self.by


def _twice(self: Any, i: Any) -> None:
    self.out[i] += 2 * self.by


@pytest.mark.row("C-11")
def test_many_launches_of_objects_see_what_changes(queue: sycl.queue) -> None:
    outs = [sycl.malloc_shared(4, np.int32, queue) for _ in range(2)]
    want, kept, call = [0, 0], Step(outs[0]), Step.__call__
    for out in outs:
        out[...] = 0
    try:
        for turn in range(90):
            Step.__call__ = _twice if turn // 30 == 1 else call  # type: ignore[method-assign]
            kept.by, times = np.int32(turn // 4), 1 + (turn // 30 == 1)
            kept.out = outs[turn // 7 % 2]
            queue.parallel_for(4, kept).wait()
            want[turn // 7 % 2] += times * (turn // 4)
            queue.submit(lambda h, t=turn: h.parallel_for(4, Step(outs[t % 2]))).wait()
            want[turn % 2] += times
            assert [np.asarray(out).tolist() for out in outs] == [[w] * 4 for w in want]
    finally:
        Step.__call__ = call  # type: ignore[method-assign]


def sized(it, out):  # type: ignore[no-untyped-def]
    out[it.get_global_id(0)] = it.get_sub_group().get_max_local_range()[0]


@pytest.mark.row("C-11")
def test_attributes_that_change_are_those_of_the_next_launch(queue: sycl.queue) -> None:
    out = np.zeros(64, np.int32)
    sizes = queue.get_device().get_info(sycl.info.device.sub_group_sizes)[-2:]
    marked = sycl.kernel(reqd_sub_group_size=sizes[0])(sized)
    for turn in range(24):
        size = marked.reqd_sub_group_size = sizes[turn // 6 % len(sizes)]
        queue.parallel_for(sycl.nd_range(64, 64), marked, out).wait()
        assert (out == size).all()
