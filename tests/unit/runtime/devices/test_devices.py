"""Discovery, by fake drivers."""

from __future__ import annotations

import dataclasses

import pytest

from unisycl.backends import registry
from unisycl.backends.null.driver import INFO, NullDriver
from unisycl.base.enums import aspect
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.devices import devices


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> NullDriver:
    gpu = dataclasses.replace(INFO, name="gpu", aspects=frozenset({aspect.gpu}))
    slow = dataclasses.replace(INFO, name="slow", aspects=frozenset({aspect.emulated}))
    driver = NullDriver(infos=(gpu, slow))
    monkeypatch.setattr(registry, "drivers", lambda **_: {"fake": driver})
    monkeypatch.setattr(devices, "_found", devices._Found())
    return driver


def test_devices_are_the_same_objects_every_time(fake: NullDriver) -> None:
    assert devices.all_devices() == devices.all_devices()
    assert ["fake:0", "fake:1"] == [d.name for d in devices.all_devices()]
    first = devices.all_devices()[0]
    assert devices.default_context(first) is devices.default_context(first)


def test_the_fastest_kind_scores_highest(fake: NullDriver) -> None:
    gpu, slow = devices.all_devices()
    assert devices.score(gpu) > devices.score(slow) >= 0


def test_a_device_is_found_by_name(fake: NullDriver) -> None:
    assert "slow" == devices.find("fake:1").info.name
    with pytest.raises(UsageError, match="fake:0, fake:1") as caught:
        devices.find("cpu")
    assert errc.runtime == caught.value.code()


def test_a_missing_aspect_is_named(fake: NullDriver) -> None:
    with pytest.raises(UsageError, match=r"aspect\.fp16") as caught:
        devices.require_aspect(devices.all_devices()[0], aspect.fp16, "half")
    assert errc.feature_not_supported == caught.value.code()
