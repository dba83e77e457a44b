"""Which operands of copies fit."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.api.queue import transfer
from unisycl.runtime.graph.command_group import BoundView
from unisycl.runtime.memory.regions import pitches_of


def view(shape: tuple[int, ...], dtype: type = np.float64, gap: int = 0) -> BoundView:
    pitches = pitches_of(shape)
    if gap:
        pitches = (pitches[0] + gap, *pitches[1:])
    return BoundView(np.zeros(64, dtype), 0, shape, pitches)


def test_equal_shapes_are_taken_as_they_are() -> None:
    a, b = view((2, 3), gap=5), view((2, 3), gap=1)
    assert (a, b) == transfer.fit("copy", a, b, None)


def test_a_contiguous_side_takes_the_others_shape() -> None:
    dst, src = transfer.fit("copy", view((8,)), view((2, 3), gap=5), None)
    assert (2, 3) == dst.shape == src.shape
    dst, src = transfer.fit("copy", view((2, 3), gap=5), view((6,)), None)
    assert (2, 3) == dst.shape == src.shape


@pytest.mark.parametrize(("dst", "src", "count", "text"), [
    (view((5,)), view((6,)), None, "destination has 5"),
    (view((8,)), view((6,)), 7, "source has 6"),
    (view((6,), np.int8), view((6,)), None, "memcpy"),
    (view((3, 2), gap=1), view((2, 3), gap=1), None, "correspond"),
    (view((3, 2), gap=1), view((2, 3)), 2, "not contiguous"), (view((3,)), view((3,)), -1, "-1")])
def test_what_does_not_fit_is_refused(dst, src, count, text) -> None:
    with pytest.raises(sycl.exception, match=text) as caught:
        transfer.fit("copy", dst, src, count)
    assert sycl.errc.invalid == caught.value.code()


def test_bytes() -> None:
    got = transfer.as_bytes("memcpy", "source", view((4,), np.int32), 7)
    assert ((7,), np.dtype(np.uint8)) == (got.shape, got.memory.dtype)
    with pytest.raises(sycl.exception, match="17 bytes"):
        transfer.as_bytes("memcpy", "source", view((4,), np.int32), 17)


def test_a_pattern_takes_the_type_of_the_memory() -> None:
    assert np.int8 is type(transfer.pattern_of("fill", view((3,), np.int8), 3))
    for bad in ("x", 300, None):
        with pytest.raises(sycl.exception, match="no int8"):
            transfer.pattern_of("fill", view((3,), np.int8), bad)


def test_advice_about_strided_arrays_keeps_the_result() -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    spread, whole = np.zeros(8)[::2], np.ones(4)
    with pytest.raises(sycl.exception, match=r"fill: .* array\[\.\.\.\] = new"):
        queue.fill(spread, 1.0)
    with pytest.raises(sycl.exception, match=r"copy: .*pass np\.ascontiguousarray"):
        queue.copy(spread, whole)
