"""Contexts by the public API (SYCL 2020 §4.6.3)."""

from __future__ import annotations

import pytest

import unisycl as sycl


@pytest.mark.row("A-17", "F-9")
def test_forms_and_refusals(device: sycl.device) -> None:
    for made in (sycl.context(device), sycl.context([device]), sycl.context(device.get_platform()),
                 sycl.context(device, lambda errors: None)):
        assert device in made.get_devices()
        assert device.get_platform() == made.get_platform()
        assert device.get_backend() == made.get_backend()
    with pytest.raises(sycl.exception) as caught:
        sycl.context([])
    assert sycl.errc.invalid == caught.value.code()
    platforms = sycl.platform.get_platforms()
    if len(platforms) > 1:
        with pytest.raises(sycl.exception, match="one platform"):
            sycl.context([p.get_devices()[0] for p in platforms])


@pytest.mark.row("A-18")
def test_capabilities_are_common_to_the_devices(device: sycl.device) -> None:
    context = sycl.context(device)
    for name in ("atomic_memory_order_capabilities", "atomic_fence_scope_capabilities"):
        common = context.get_info(getattr(sycl.info.context, name))
        assert set(common) <= set(device.get_info(getattr(sycl.info.device, name)))


@pytest.mark.row("A-31")
def test_two_contexts_of_one_device_differ(device: sycl.device) -> None:
    one = sycl.context(device)
    assert one == one.__copy__()
    assert one != sycl.context(device)
