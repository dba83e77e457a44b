"""The table of a device's answers."""

from __future__ import annotations

import pytest

from tests.unit.runtime.null import state
from unisycl.api.devices.device_info import TABLE, answer, type_of
from unisycl.api.devices.info import DEVICE, ENQUEUE, device_type
from unisycl.base.enums import aspect
from unisycl.base.errors import UsageError


def test_every_descriptor_has_a_row() -> None:
    assert {*DEVICE, *ENQUEUE} - {"platform"} == set(TABLE)


def test_details_of_the_driver_go_before_the_defaults() -> None:
    assert 0 == answer(state(), "max_clock_frequency")
    assert 3000 == answer(state(details={"max_clock_frequency": 3000}), "max_clock_frequency")


def test_widths_follow_the_vector_and_the_aspects() -> None:
    wide = state(details={"vector_bytes": 64}, aspects=frozenset({aspect.fp64}))
    assert (16, 8, 0) == tuple(answer(wide, f"native_vector_width_{k}")
                               for k in ("float", "double", "half"))


def test_a_device_of_no_known_kind_is_custom() -> None:
    assert device_type.custom is type_of(state(aspects=frozenset()))
    assert device_type.gpu is type_of(state(aspects=frozenset({aspect.gpu, aspect.cpu})))


def test_what_a_backend_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="profile"):
        answer(state(), "profile")
