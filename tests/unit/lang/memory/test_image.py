"""Images as host code sees them: what is checked, and in which words it is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unisycl.base import dtypes
from unisycl.base.enums import access_mode
from unisycl.base.errors import BoundsError, UsageError, exception
from unisycl.base.image_formats import (
    addressing_mode,
    coordinate_normalization_mode,
    filtering_mode,
    find_format,
    image_format,
    image_sampler,
)
from unisycl.ir.types import image_view
from unisycl.lang.memory.image import HostImage, pixel_words
from unisycl.lang.numbers.vec import vec_of

float4, float2, int2 = vec_of(np.float32, 4), vec_of(np.float32, 2), vec_of(np.int32, 2)
FORM = find_format(image_format.r8g8b8a8_unorm)
assert FORM is not None


def image(mode: access_mode = access_mode.read_write, sampler: image_sampler | None = None,
          *, layered: bool = False) -> HostImage:
    """Return a picture of 2 x 3 x 4 bytes 0 to 23, x and y extents 3 and 2."""
    assert FORM is not None
    memory = np.arange(24, dtype="u1").view("V4")
    words = pixel_words(memory, 0, (2, 3), (3, 1), FORM)
    return HostImage(words, image_view(FORM, 2, mode, dtypes.FLOAT32, sampler, layered=layered),
                     "img", memory)


def sampler(mode: str, *, normalized: bool) -> image_sampler:
    kind = coordinate_normalization_mode
    return image_sampler(addressing_mode[mode], kind.normalized if normalized
                         else kind.unnormalized, filtering_mode.nearest)


def test_pixels_lie_in_rows_with_x_last() -> None:
    got = image().read(int2(1, 1))
    np.testing.assert_array_equal(list(got), np.arange(16, 20, dtype="f4") / np.float32(255))
    assert image().size() == 6
    assert tuple(image().get_range()) == (3, 2)


def test_a_written_colour_is_read_again() -> None:
    img = image()
    img.write((2, 0), float4(1, 0, np.nan, 7))
    assert list(img.read((2, 0))) == [1, 0, 0, 1]


@pytest.mark.parametrize(("at", "text"), [
    ((3, 0), "x = 3 is outside the image 'img': valid is 0 to 2"), ((0, -1), "y = -1 is outside")])
def test_pixels_outside_are_refused(at: Any, text: str) -> None:
    with pytest.raises(BoundsError, match=text):
        image().read(at)


@pytest.mark.parametrize(("use", "text"), [
    (lambda i: i.read(float2(0, 0)), "addressed by integers, not by a float2"),
    (lambda i: i.read(1), "2 dimension"), (lambda i: i.read((0, 0, 0)), "3 component"),
    (lambda i: i.write((0, 0), 0.5), "takes a float4, not float 0.5"),
    (lambda i: i.write((0, 0), int2(0, 0)), "takes a float4, not a int2"),
    (lambda i: i("linear"), "called with an image_sampler"),
    (lambda i: i(sampler("repeat", normalized=False)), "needs normalized coordinates")])
def test_wrong_types_are_refused(use: Any, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        use(image())


def test_modes_are_kept() -> None:
    with pytest.raises(UsageError, match="write-only here"):
        image(access_mode.write).read((0, 0))
    with pytest.raises(UsageError, match="read-only here"):
        image(access_mode.read).write((0, 0), float4(0))


@pytest.mark.parametrize(("at", "text"), [
    ((0.5, 1), "float32 coordinates, not at int 1"), ((np.float64(0), 0.0), "convert it first"),
    ((np.inf, 0.0), "is not finite"), ((1.0, 0.5), "addressing_mode.none")])
def test_coordinates_without_a_result_are_refused(at: Any, text: str) -> None:
    with pytest.raises(exception, match=text):
        image(access_mode.read, sampler("none", normalized=True)).read(at)


def test_other_attributes_are_those_of_the_users_object() -> None:
    assert image().itemsize == 4
    with pytest.raises(AttributeError):
        image().nonsense  # noqa: B018
    assert repr(image()) == "<img read_write: 3 x 2 of r8g8b8a8_unorm>"


def test_an_array_gives_its_images() -> None:
    rows = image(layered=True)
    assert list(rows[1].read(2)) == list(image().read((2, 1)))
    assert list(rows[1, 2]) == list(rows[1][2])
    rows[0][0] = float4(1)
    assert list(rows[0](sampler("clamp", normalized=False))[-1.0]) == [0, 0, 0, 0]
    with pytest.raises(UsageError, match="select one first"):
        rows.read((0, 0))
    with pytest.raises(BoundsError, match="image 2 of the array 'img' does not exist"):
        rows[2]
