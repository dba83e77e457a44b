"""Every descriptor of a device: the type of its answer and its minimum (SYCL 2020 §4.6.4.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

info = sycl.info.device
Check = Callable[[Any, sycl.device], bool]


def least(minimum: int) -> Check:
    return lambda v, d: type(v) is int and v >= minimum


def with_image(minimum: int) -> Check:
    return lambda v, d: type(v) is int and (
        v >= minimum if d.has(sycl.aspect.image) else v >= 0)


def text(v: Any, d: sycl.device) -> bool:
    return isinstance(v, str) and bool(v)


def is_bool(v: Any, d: sycl.device) -> bool:
    return isinstance(v, bool)


def mirrors(aspect: sycl.aspect) -> Check:
    return lambda v, d: v is d.has(aspect)


def width(aspect: sycl.aspect | None = None) -> Check:
    return lambda v, d: type(v) is int and (v >= 1) == (aspect is None or d.has(aspect))


def listed(kind: type) -> Check:
    return lambda v, d: isinstance(v, list) and all(isinstance(x, kind) for x in v)


def floats(needed: sycl.aspect | None, *always: str) -> Check:
    fp = sycl.info.fp_config

    def check(v: Any, d: sycl.device) -> bool:
        if needed is not None and not d.has(needed):
            return v == []
        return {fp[a] for a in always} <= set(v) <= set(fp)
    return check


def closed(kind: Any, *minimum: Any) -> Check:
    """A stronger order or wider scope implies all weaker and narrower ones."""
    return lambda v, d: set(minimum) <= set(v) <= set(kind) and len(v) == len(set(v))


order, scope = sycl.memory_order, sycl.memory_scope
DOUBLE = ("denorm", "inf_nan", "round_to_nearest", "round_to_zero", "round_to_inf", "fma")
WIDTHS = {f"{form}_vector_width_{kind}": width(aspect)
          for form in ("preferred", "native") for kind, aspect in {
              "char": None, "short": None, "int": None, "long": None, "long_long": None,
              "float": None, "double": sycl.aspect.fp64, "half": sycl.aspect.fp16}.items()}
MINIMA: dict[str, Check] = {
    "device_type": lambda v, d: v in set(sycl.info.device_type) - {
        sycl.info.device_type.all, sycl.info.device_type.automatic, sycl.info.device_type.host},
    "vendor_id": least(0), "max_compute_units": least(1), "max_work_item_dimensions": least(3),
    "max_work_item_sizes": lambda v, d: len(tuple(v)) == 3 and min(tuple(v)) >= 1,
    "max_work_group_size": least(1), "max_num_sub_groups": least(1),
    "sub_group_sizes": lambda v, d: bool(v) and all(type(n) is int and n >= 1 for n in v),
    "sub_group_independent_forward_progress": is_bool, **WIDTHS,
    "max_clock_frequency": least(0), "address_bits": lambda v, d: v in (32, 64),
    "max_mem_alloc_size": lambda v, d: v >= max(
        d.get_info(info.global_mem_size) // 4, 1 << 20),
    "image_support": mirrors(sycl.aspect.image),
    "max_read_image_args": with_image(128), "max_write_image_args": with_image(8),
    "image2d_max_width": with_image(8192), "image2d_max_height": with_image(8192),
    "image3d_max_width": with_image(2048), "image3d_max_height": with_image(2048),
    "image3d_max_depth": with_image(2048), "image_max_buffer_size": with_image(65536),
    "max_samplers": with_image(16), "max_parameter_size": least(1024),
    "mem_base_addr_align": lambda v, d: v >= 8 and v % 8 == 0,
    "half_fp_config": floats(sycl.aspect.fp16),
    "single_fp_config": floats(None, "round_to_nearest", "inf_nan"),
    "double_fp_config": floats(sycl.aspect.fp64, *DOUBLE),
    "global_mem_cache_type": lambda v, d: v in sycl.info.global_mem_cache_type,
    "global_mem_cache_line_size": least(0), "global_mem_cache_size": least(0),
    "global_mem_size": least(1 << 20), "max_constant_buffer_size": least(65536),
    "max_constant_args": least(8),
    "local_mem_type": lambda v, d: v in (sycl.info.local_mem_type.local,
                                         sycl.info.local_mem_type.global_),
    "local_mem_size": least(32 * 1024), "error_correction_support": is_bool,
    "host_unified_memory": is_bool,
    "atomic_memory_order_capabilities": closed(order, order.relaxed),
    "atomic_fence_order_capabilities": closed(
        order, order.relaxed, order.acquire, order.release, order.acq_rel),
    "atomic_memory_scope_capabilities": closed(scope, scope.sub_group, scope.work_group),
    "atomic_fence_scope_capabilities": closed(
        scope, scope.work_item, scope.sub_group, scope.work_group),
    "profiling_timer_resolution": least(1), "is_endian_little": is_bool, "is_available": is_bool,
    "is_compiler_available": mirrors(sycl.aspect.online_compiler),
    "is_linker_available": mirrors(sycl.aspect.online_linker),
    "queue_profiling": mirrors(sycl.aspect.queue_profiling),
    "built_in_kernel_ids": listed(sycl.kernel_id), "built_in_kernels": listed(str),
    "platform": lambda v, d: isinstance(v, sycl.platform) and d in v.get_devices(),
    "name": text, "vendor": text, "driver_version": text, "version": text,
    "backend_version": text, "aspects": listed(sycl.aspect), "extensions": listed(str),
    "printf_buffer_size": least(1 << 20),
    "partition_max_sub_devices": lambda v, d: 0 <= v <= d.get_info(info.max_compute_units),
    "partition_properties": listed(sycl.info.partition_property),
    "partition_affinity_domains": listed(sycl.info.partition_affinity_domain),
    "partition_type_property": lambda v, d: v == sycl.info.partition_property.no_partition,
    "partition_type_affinity_domain":
        lambda v, d: v == sycl.info.partition_affinity_domain.not_applicable,
    "reference_count": least(1),
    "image_max_array_size": with_image(2048),
    "ext_unisycl_queue_on_device_max_size": least(1),
    "ext_unisycl_native_enqueue": is_bool,
}
ONLY_SOME = {  # defined for some backends only, else errc.invalid
    "profile": lambda v, d: v in ("FULL_PROFILE", "EMBEDDED_PROFILE"),
    "execution_capabilities": listed(sycl.info.execution_capability),
    "preferred_interop_user_sync": is_bool,
    "opencl_c_version": lambda v, d: v.startswith("OpenCL C ")}


@pytest.mark.row("A-7", "A-8", "A-9", "A-10", "A-11", "A-12", "A-13", "A-14", "X-8", "P-10")
@pytest.mark.parametrize("name", sorted(MINIMA))
def test_each_descriptor_has_its_type_and_minimum(device: sycl.device, name: str) -> None:
    found = device.get_info(getattr(info, name))
    assert MINIMA[name](found, device), found


@pytest.mark.row("A-14", "F-9", "P-10")
@pytest.mark.parametrize("name", sorted(ONLY_SOME))
def test_what_only_some_backends_define(device: sycl.device, name: str) -> None:
    if device.get_backend() is not sycl.backend.opencl:
        with pytest.raises(sycl.exception, match=name) as caught:
            device.get_info(getattr(info, name))
        assert sycl.errc.invalid == caught.value.code()
    else:
        assert ONLY_SOME[name](device.get_info(getattr(info, name)), device)


@pytest.mark.row("A-8")
def test_the_tables_name_every_descriptor(device: sycl.device) -> None:
    of_scopes = {name for name in dir(info) if "progress_" in name and "independent" not in name}
    assert {*MINIMA, *ONLY_SOME, "parent_device"} == set(dir(info)) - of_scopes
    for name in of_scopes:
        with pytest.raises(sycl.exception, match="execution_scope"):
            device.get_info(getattr(info, name))


@pytest.mark.row("A-13")
def test_orders_and_scopes_are_closed(device: sycl.device) -> None:
    orders = set(device.get_info(info.atomic_memory_order_capabilities))
    weaker = {order.acquire, order.release, order.acq_rel}
    assert weaker <= orders or not weaker & orders
    assert order.seq_cst not in orders or weaker <= orders
    for name in ("atomic_memory_scope_capabilities", "atomic_fence_scope_capabilities"):
        scopes = set(device.get_info(getattr(info, name)))
        assert {s for s in scope if scope.sub_group <= s <= max(scopes)} <= scopes


@pytest.mark.row("A-12")
def test_denormals_are_as_the_configuration_says(device: sycl.device) -> None:
    x = np.array([1e-30, 1e-10], np.float32)
    out = np.zeros(1, np.float32)
    with sycl.buffer(x) as bx, sycl.buffer(out) as bo:
        @sycl.queue(device).submit
        def group(h: sycl.handler) -> None:
            a, o = sycl.accessor(bx, h, sycl.read_only), sycl.accessor(bo, h, sycl.write_only)

            @h.parallel_for(1)
            def kernel(i):
                o[i] = a[0] * a[1]
    listed_here = sycl.info.fp_config.denorm in device.get_info(info.single_fp_config)
    assert listed_here == (out[0] != 0)


@pytest.mark.part("A-9")
def test_a_vector_of_narrower_numbers_holds_more_of_them(device: sycl.device) -> None:
    if device.get_backend() is not sycl.backend.cpu:
        pytest.skip("only the native CPU promises the widths of its registers")
    widths = [device.get_info(getattr(info, f"native_vector_width_{k}"))
              for k in ("char", "short", "int", "long")]
    assert [8 * widths[3], 4 * widths[3], 2 * widths[3], widths[3]] == widths
    assert widths[3] >= 2


@pytest.mark.row("A-16")
def test_parts_know_how_they_were_made(device: sycl.device) -> None:
    if not device.get_info(info.partition_properties):
        pytest.skip("the device cannot be split")
    equally = sycl.info.partition_property.partition_equally
    part = device.create_sub_devices(equally, 1)[0]
    own = {"partition_type_property", "platform"}
    for name in sorted(set(MINIMA) - own):
        assert MINIMA[name](part.get_info(getattr(info, name)), part), name
    assert equally == part.get_info(info.partition_type_property)
    assert 1 == part.get_info(info.max_compute_units)
