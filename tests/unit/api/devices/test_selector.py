"""Ranking devices."""

from __future__ import annotations

import pytest

import unisycl as sycl
from tests.unit.runtime.null import state
from unisycl.api.devices.device import device
from unisycl.api.devices.selector import pick

CPU = device._of(state())
NONE = device._of(state(aspects=frozenset()))


def test_the_first_of_equals_wins_and_negatives_never() -> None:
    assert CPU is pick(lambda d: 0, [CPU, NONE])
    assert NONE is pick(lambda d: -1 if d is CPU else 0, [CPU, NONE])


def test_nothing_to_pick_says_what_there_was() -> None:
    with pytest.raises(sycl.exception, match="gpu_selector_v selects none.*null") as caught:
        pick(sycl.gpu_selector_v, [CPU])
    assert sycl.errc.runtime == caught.value.code()
    with pytest.raises(sycl.exception, match="expected a device selector"):
        pick(b"cpu", [CPU])


def test_aspects_required_and_denied() -> None:
    assert 0 <= sycl.aspect_selector(sycl.aspect.fp64)(CPU)
    assert -1 == sycl.aspect_selector([sycl.aspect.fp64])(NONE)
    assert -1 == sycl.aspect_selector(denied=[sycl.aspect.fp64])(CPU)
