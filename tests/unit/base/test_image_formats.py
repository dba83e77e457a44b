"""Formats by name and by channel order and type."""

from __future__ import annotations

import pytest

from unisycl.base.dtypes import FLOAT16, FLOAT32, INT32, UINT32
from unisycl.base.image_formats import (
    addressing_mode,
    color_dtypes,
    coordinate_normalization_mode,
    filtering_mode,
    find_format,
    image_channel_order,
    image_channel_type,
    image_format,
    image_sampler,
)


@pytest.mark.row("B-37")
@pytest.mark.parametrize("name", list(image_format), ids=lambda f: f.name)
def test_every_named_format_is_its_order_and_type(name: image_format) -> None:
    form = find_format(name)
    assert form is not None
    assert str(form) == name.name
    assert form.size == 4 * form.channels[0].bits // 8
    assert find_format((form.order, form.type)) is form


def test_the_specifications_other_spellings_are_the_same_formats() -> None:
    assert image_format["r32b32g32a32_sint"] is image_format.r32g32b32a32_sint
    assert image_format["r16b16g16a16_sfloat"] is image_format.r16g16b16a16_sfloat


@pytest.mark.parametrize(("order", "type"), [
    ("rgb", "unorm_int8"), ("bgra", "fp32"), ("luminance", "signed_int8"), ("srgba", "unorm_int16"),
    ("rgba", "unorm_short_565"),
])
def test_pairs_that_opencl_lacks_do_not_exist(order: str, type: str) -> None:
    assert find_format((image_channel_order[order], image_channel_type[type])) is None


def test_kernels_see_each_kind_of_format_as_its_own_type() -> None:
    seen = []
    for name in ("r8g8b8a8_unorm", "r16g16b16a16_sfloat", "r8g8b8a8_sint", "r32g32b32a32_uint"):
        form = find_format(image_format[name])
        assert form is not None
        seen.append(color_dtypes(form))
    assert seen == [(FLOAT32, FLOAT16), (FLOAT32, FLOAT16), (INT32,), (UINT32,)]


def test_a_sampler_has_the_standards_members_in_order() -> None:
    s = image_sampler(addressing_mode.repeat, coordinate_normalization_mode.normalized,
                      filtering_mode.linear)
    assert (s.addressing, s.coordinate, s.filtering) == (
        addressing_mode.repeat, coordinate_normalization_mode.normalized, filtering_mode.linear)
    assert s == image_sampler(s.addressing, s.coordinate, s.filtering)
