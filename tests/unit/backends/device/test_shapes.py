"""How plain ranges are cut into work-groups on processors and cards."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.unit.backends.opencl.test_texts import NEW, OLD
from unisycl.backends.device.shapes import local_of_range

NUMBERS = {"max_work_group_size": 8192, "max_compute_units": 4, "native_vector_width_float": 8}
PROCESSOR = replace(OLD, numbers=NUMBERS, item_sizes=(8192, 8192, 8192))
CARD = replace(NEW, numbers=NUMBERS | {"max_work_group_size": 1024}, item_sizes=(1024, 1024, 64))


@pytest.mark.parametrize(("extents", "expected"), [
    ((1 << 24,), (4096,)),
    ((1 << 18,), (1024,)),
    ((1 << 12,), (256,)),
    ((100,), (128,)),
    ((1_000_003,), (4096,)),
    ((4096, 4096), (1, 4096)),
    ((4096, 4098), (1, 256)),
    ((4096, 1024), (4, 1024)),
    ((4095, 1024), (4, 1024)),
    ((1080, 1920), (2, 1920)),
    ((1 << 20, 16), (256, 16)),
    ((1000, 2000, 3), (1, 128, 4)),
    ((1023, 12), (16, 16)),
    ((128, 128, 128), (1, 32, 128)),
    ((3, 5), (1, 8)),
])
def test_work_groups_of_processors_lie_along_the_last_dimension(
        extents: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert expected == local_of_range(extents, PROCESSOR.facts(), large=True)


def test_what_declares_arrays_has_small_groups() -> None:
    assert (256,) == local_of_range((1 << 24,), PROCESSOR.facts())


def test_the_device_limits_work_groups() -> None:
    small = replace(PROCESSOR, numbers=NUMBERS | {"max_work_group_size": 1024})
    assert (1024,) == local_of_range((1 << 24,), small.facts(), large=True)
    tiny = replace(PROCESSOR, numbers=NUMBERS | {"max_work_group_size": 64})
    assert (64,) == local_of_range((1 << 24,), tiny.facts(), large=True)


def test_cards_keep_small_groups() -> None:
    assert (256,) == local_of_range((1 << 24,), CARD.facts(), large=True)
    assert (8, 32) == local_of_range((4096, 4096), CARD.facts(), large=True)


EXTENTS = st.lists(st.integers(1, 1 << 16), min_size=1, max_size=3).map(tuple)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example((11, 33), 1)
@example((7, 17), 1)
@given(EXTENTS, st.integers(1, 256))
def test_most_items_and_all_units_have_work(extents: tuple[int, ...], units: int) -> None:
    device = replace(PROCESSOR, numbers=NUMBERS | {"max_compute_units": units})
    for large, most in ((False, 256), (True, 4096)):
        local = local_of_range(extents, device.facts(), large=large)
        groups = [-(-n // s) for n, s in zip(extents, local, strict=True)]
        idle = 1 - math.prod(extents) / (math.prod(groups) * math.prod(local))
        assert math.prod(local) <= most
        assert math.prod(local) <= 256 or math.prod(groups) >= 32 * units
        assert idle < 1 / 2
