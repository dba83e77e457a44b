"""Descriptors."""

from __future__ import annotations

import pytest

import unisycl as sycl
from unisycl.api.devices.info import NAMES


def test_every_name_is_a_descriptor_of_its_class() -> None:
    for owner, names in NAMES.items():
        namespace = getattr(sycl.info, owner)
        assert sorted(names) == sorted(dir(namespace))
        for name in names:
            assert f"info.{owner}.{name}" == repr(getattr(namespace, name))


def test_a_misspelt_one_gets_a_suggestion() -> None:
    with pytest.raises(AttributeError, match="did you mean 'max_compute_units'"):
        _ = sycl.info.device.max_compute_unit
