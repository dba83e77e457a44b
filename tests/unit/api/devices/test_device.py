"""Devices and platforms apart from any backend."""

from __future__ import annotations

import pickle

import pytest

import unisycl as sycl
from tests.unit.runtime.null import state
from unisycl.api.devices.device import device


def test_equality_is_of_the_device_not_the_object() -> None:
    where = state()
    assert device._of(where) == device._of(where)
    assert device._of(where) != device._of(state())
    assert device._of(where) != "null"


def test_a_device_has_a_repr_worth_reading() -> None:
    assert "<device null: null device, 4 compute units>" == repr(device._of(state()))


def test_a_descriptor_of_another_class_is_refused() -> None:
    with pytest.raises(sycl.exception, match=r"info\.platform\.name"):
        device._of(state()).get_info(sycl.info.platform.name)
    with pytest.raises(sycl.exception, match="name") as caught:
        device._of(state()).get_info("name")
    assert caught.value.code() == sycl.errc.invalid


def test_descriptors_can_be_pickled() -> None:
    assert sycl.info.device.name == pickle.loads(pickle.dumps(sycl.info.device.name))
