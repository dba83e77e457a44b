"""Platforms by the public API (SYCL 2020 §4.6.2)."""

from __future__ import annotations

import pytest

import unisycl as sycl

KIND = sycl.info.device_type


@pytest.mark.row("A-1")
def test_platforms_are_a_fixed_list() -> None:
    assert sycl.platform.get_platforms() == sycl.platform.get_platforms()
    assert sycl.platform() in sycl.platform.get_platforms()
    assert sycl.device().get_platform() == sycl.platform()


@pytest.mark.row("A-2")
def test_a_platform_has_what_all_its_devices_have() -> None:
    for p in sycl.platform.get_platforms():
        devices = p.get_devices()
        for aspect in sycl.aspect:
            assert p.has(aspect) == (bool(devices) and all(d.has(aspect) for d in devices))
        assert p.get_info(sycl.info.platform.name)
        assert isinstance(p.get_info(sycl.info.platform.version), str)
        assert {p.get_backend()} >= {d.get_backend() for d in devices}


@pytest.mark.part("A-1")
def test_the_devices_of_a_platform_are_of_its_backend() -> None:
    for platform in sycl.platform.get_platforms():
        assert {d.get_backend() for d in platform.get_devices()} == {platform.get_backend()}


@pytest.mark.row("A-3")
def test_automatic_is_one_device() -> None:
    for p in sycl.platform.get_platforms():
        assert 1 == len(p.get_devices(KIND.automatic))
        assert all(d in p.get_devices() for d in p.get_devices(KIND.cpu))


@pytest.mark.row("A-31")
def test_equal_platforms_hash_equally() -> None:
    assert 1 == len({sycl.platform(), sycl.platform()})
