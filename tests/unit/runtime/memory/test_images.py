"""Pixels with a pitch, over memory of any shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unisycl.runtime.memory.images import ImageMemory, PixelLayout, as_pixels, bytes_of

LAYOUT = PixelLayout(4, (3, 5), (8, 1))


def test_a_layout_counts_to_the_end_of_the_last_pixel() -> None:
    assert LAYOUT.nbytes == (2 * 8 + 5) * 4
    assert LAYOUT.strides == (32, 4)
    assert PixelLayout(16, (2, 3, 4), (24, 6, 1)).nbytes == (24 + 12 + 4) * 16


@pytest.mark.parametrize("array", [
    np.zeros((3, 5, 4), "u1"), np.zeros((3, 5), "u4"), np.zeros((3, 9, 4), "u1")[:, 2:7],
    np.zeros((6, 5), "u4")[::2], np.zeros((3, 5, 2), "u2"), np.zeros((3, 5, 1), "f4")])
def test_arrays_of_the_shape_are_pixels_in_place(array: Any) -> None:
    pixels = as_pixels(array, 4, (3, 5))
    assert pixels is not None
    assert pixels.shape == (3, 5)
    assert np.may_share_memory(pixels, array)
    pixels[1, 2] = b"abcd"
    assert array[1, 2].tobytes() == b"abcd"


@pytest.mark.parametrize("array", [
    np.zeros((3, 5, 3), "u1"), np.zeros((3, 5), "u2"), np.zeros((5, 3), "u4"),
    np.zeros((3, 5, 8), "u1")[..., ::2], np.zeros((3, 5, 2, 2), "u1")])
def test_other_arrays_are_not(array: Any) -> None:
    assert as_pixels(array, 4, (3, 5)) is None


def test_read_only_arrays_stay_read_only() -> None:
    array = np.zeros((3, 5), "u4")
    array.flags.writeable = False
    pixels = as_pixels(array, 4, (3, 5))
    assert pixels is not None
    assert not pixels.flags.writeable


def test_the_argument_of_a_launch_is_kept_while_nothing_changes() -> None:
    memory = ImageMemory(LAYOUT)
    bound = memory.bound()
    assert memory.bound() is bound
    assert (bound.shape, bound.pitches, bound.memory.itemsize) == ((3, 5), (8, 1), 4)
    memory.version += 1
    assert memory.bound() is not bound


def test_only_pixels_are_written_back() -> None:
    source = np.arange(3 * 8 * 4, dtype="u1")
    target = np.zeros(3 * 8 * 4, "u1")
    memory = ImageMemory(LAYOUT, bytes_of(source, LAYOUT.nbytes), target=target)
    memory.close()
    expected = source.reshape(3, 32).copy()
    expected[:, 20:] = 0
    np.testing.assert_array_equal(target.reshape(3, 32), expected)
