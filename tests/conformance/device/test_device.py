"""Devices by the public API (SYCL 2020 §4.6.4)."""

from __future__ import annotations

import copy

import pytest

import unisycl as sycl

info = sycl.info.device


@pytest.mark.row("A-4", "X-7", "F-8")
def test_devices_are_listed_in_a_stable_order(device: sycl.device) -> None:
    assert sycl.device.get_devices() == sycl.device.get_devices()
    assert device in sycl.device.get_devices()
    assert [] == sycl.device.get_devices(sycl.info.device_type.host)
    assert sycl.device() in sycl.device.get_devices()
    if not sycl.device.get_devices(sycl.info.device_type.gpu):
        with pytest.raises(sycl.exception) as caught:
            sycl.device(sycl.gpu_selector_v)
        assert sycl.errc.runtime == caught.value.code()


@pytest.mark.row("A-5")
def test_aspects_agree_with_has(device: sycl.device) -> None:
    assert {a for a in sycl.aspect if device.has(a)} == set(device.get_info(info.aspects))
    assert not device.has(sycl.aspect.online_linker) or device.has(sycl.aspect.online_compiler)
    assert device.is_cpu() == device.has(sycl.aspect.cpu)
    assert device.is_gpu() == device.has(sycl.aspect.gpu)
    assert device.is_accelerator() == device.has(sycl.aspect.accelerator)


@pytest.mark.row("A-6")
def test_what_the_environment_can_target(device: sycl.device) -> None:
    devices = sycl.device.get_devices()
    for aspect in sycl.aspect:
        assert any(d.has(aspect) for d in devices) == sycl.any_device_has(aspect)
        assert all(d.has(aspect) for d in devices) == sycl.all_devices_have(aspect)


@pytest.mark.row("A-7", "F-9")
def test_identity(device: sycl.device) -> None:
    for what in (info.name, info.vendor, info.driver_version, info.version, info.backend_version):
        assert isinstance(device.get_info(what), str)
    assert device.get_info(info.name)
    assert device.get_platform() == device.get_info(info.platform)
    assert device.get_info(info.device_type) not in (
        sycl.info.device_type.all, sycl.info.device_type.automatic)
    if device.get_backend() in (sycl.backend.cpu, sycl.backend.host):
        with pytest.raises(sycl.exception) as caught:
            device.get_info(info.profile)
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("A-8")
def test_limits_have_their_minima(device: sycl.device) -> None:
    for what in (info.max_compute_units, info.max_work_group_size, info.max_num_sub_groups):
        assert device.get_info(what) >= 1
    assert device.get_info(info.max_work_item_dimensions) >= 3
    assert 3 == len(tuple(device.get_info(info.max_work_item_sizes)))
    assert device.get_info(info.sub_group_sizes)
    assert device.get_info(info.address_bits) in (32, 64)
    assert device.get_info(info.max_parameter_size) >= 1024
    assert device.get_info(info.max_mem_alloc_size) >= 0


@pytest.mark.row("A-9")
def test_vector_widths_are_zero_where_the_type_is_missing(device: sycl.device) -> None:
    for name, aspect in (("double", sycl.aspect.fp64), ("half", sycl.aspect.fp16)):
        for form in ("preferred", "native"):
            width = device.get_info(getattr(info, f"{form}_vector_width_{name}"))
            assert (width > 0) == device.has(aspect)


@pytest.mark.row("A-10")
def test_memory_has_its_minima(device: sycl.device) -> None:
    assert device.get_info(info.local_mem_size) >= 32 * 1024
    assert device.get_info(info.local_mem_type) is not None
    assert device.get_info(info.mem_base_addr_align) >= 8
    assert device.get_info(info.max_constant_buffer_size) >= 65536
    assert device.get_info(info.max_constant_args) >= 8
    assert isinstance(device.get_info(info.host_unified_memory), bool)


@pytest.mark.row("A-11")
def test_images_are_there_or_the_aspect_is_not(device: sycl.device) -> None:
    has = device.has(sycl.aspect.image)
    assert has == (device.get_info(info.max_read_image_args) >= 128)
    assert has == device.get_info(info.image_support)


@pytest.mark.row("A-12")
def test_floating_point_has_its_minima(device: sycl.device) -> None:
    fp = sycl.info.fp_config
    assert {fp.round_to_nearest, fp.inf_nan} <= set(device.get_info(info.single_fp_config))
    double = set(device.get_info(info.double_fp_config))
    if device.has(sycl.aspect.fp64):
        assert set(fp) - {fp.correctly_rounded_divide_sqrt, fp.soft_float} <= double
    else:
        assert set() == double


@pytest.mark.row("A-13")
def test_atomic_capabilities_are_closed(device: sycl.device) -> None:
    orders = device.get_info(info.atomic_memory_order_capabilities)
    order = sycl.memory_order
    assert order.relaxed in orders
    assert {order.acquire, order.release, order.acq_rel} <= set(orders) or not (
        {order.acquire, order.release, order.acq_rel} & set(orders))
    assert order.acq_rel in device.get_info(info.atomic_fence_order_capabilities)
    scopes = device.get_info(info.atomic_memory_scope_capabilities)
    assert {sycl.memory_scope.sub_group, sycl.memory_scope.work_group} <= set(scopes)
    implied = [s for s in sycl.memory_scope if sycl.memory_scope.sub_group <= s <= max(scopes)]
    assert set(implied) <= set(scopes)


@pytest.mark.row("A-14", "X-8")
def test_every_descriptor_is_answered_or_refused_by_name(device: sycl.device) -> None:
    refused = {"parent_device", "forward_progress_guarantee", "work_group_progress_capabilities",
               "sub_group_progress_capabilities", "work_item_progress_capabilities"}
    if device.get_backend() is not sycl.backend.opencl:
        refused |= {"profile", "execution_capabilities", "preferred_interop_user_sync",
                    "opencl_c_version"}
    for name in dir(info):
        if name in refused:
            with pytest.raises(sycl.exception) as caught:
                device.get_info(getattr(info, name))
            assert sycl.errc.invalid == caught.value.code()
        else:
            device.get_info(getattr(info, name))
    assert device.get_info(info.printf_buffer_size) >= 1 << 20
    assert device.get_info(info.is_available)


@pytest.mark.row("A-31")
def test_copies_are_the_same_device(device: sycl.device) -> None:
    assert device == copy.copy(device)
    assert 1 == len({device, copy.copy(device)})


def _typo() -> None:
    sycl.info.device.nam


@pytest.mark.row("A-7")
def test_a_misspelt_descriptor_gets_a_suggestion(device: sycl.device) -> None:
    with pytest.raises(AttributeError, match="did you mean 'name'"):
        _typo()
    with pytest.raises(sycl.exception, match=r"info\.device"):
        device.get_info(sycl.info.platform.name)
