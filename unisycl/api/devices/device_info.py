"""What a device answers to each descriptor: one table from name to function of its state.

Non-goals: finding out (the driver filled ``DeviceInfo``). Invariant: every name of
``info.device`` has a row here, or a row among those that need the object itself (``device``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from unisycl.api.devices.info import (
    device_type,
    execution_capability,
    fp_config,
    global_mem_cache_type,
    local_mem_type,
    partition_affinity_domain,
    partition_property,
    reference_count,
)
from unisycl.base import geometry as geo
from unisycl.base.enums import C_VERSION, aspect, memory_order, memory_scope
from unisycl.base.errors import UsageError, errc
from unisycl.lang.kernels.kernel_id import built_in_id
from unisycl.runtime.devices import partition
from unisycl.runtime.devices.devices import DeviceState

Answer = Callable[[DeviceState], Any]

_ROUNDING = [fp_config.inf_nan, fp_config.round_to_nearest, fp_config.round_to_zero,
             fp_config.round_to_inf, fp_config.fma]
_WIDTHS = {"char": 1, "short": 2, "int": 4, "long": 8, "long_long": 8, "float": 4, "double": 8,
           "half": 2}
_NEEDS = {"double": aspect.fp64, "half": aspect.fp16}


def type_of(device: DeviceState) -> device_type:
    """Return the kind of a device; what is neither CPU, GPU nor accelerator is custom."""
    for kind in (aspect.gpu, aspect.accelerator, aspect.cpu):
        if kind in device.info.aspects:
            return device_type[kind.name]
    return device_type.custom


def _field(name: str) -> Answer:
    return lambda d: getattr(d.info, name)


def _detail(name: str, default: Any) -> Answer:
    return lambda d: d.info.details.get(name, default)


def _is(what: aspect) -> Answer:
    return lambda d: what in d.info.aspects


def _image(least: int) -> Answer:
    return lambda d: least if aspect.image in d.info.aspects else 0


def _extent(least: int) -> Answer:
    """How large an image's dimension may be: what the device says, or what every one must do."""
    return lambda d: d.info.details.get("image_extent", least) \
        if aspect.image in d.info.aspects else 0


def _sizes(dimensions: int) -> Answer:
    return lambda d: geo.id(*d.info.max_work_item_sizes[-dimensions:])


def _width(kind: str) -> Answer:
    """A vector register holds this many elements; 0 where the device lacks the type."""
    def answer(d: DeviceState) -> int:
        need = _NEEDS.get(kind)
        if need is not None and need not in d.info.aspects:
            return 0
        return max(1, int(d.info.details.get("vector_bytes", 4)) // _WIDTHS[kind])
    return answer


def _floats(kind: str, need: aspect | None) -> Answer:
    def answer(d: DeviceState) -> list[fp_config]:
        if need is not None and need not in d.info.aspects:
            return []
        return list(d.info.details.get(f"{kind}_fp_config", [fp_config.denorm, *_ROUNDING]))
    return answer


def _reported(name: str) -> Answer:
    """What only some backends define: the driver's answer where it has one."""
    def answer(d: DeviceState) -> Any:
        if name in d.info.details:
            return d.info.details[name]
        raise UsageError(errc.invalid, f"info.device.{name} is not defined for the backend "
                         f"'{d.info.backend.name}' (SYCL 2020 §4.6.4.4)")
    return answer


def _capabilities(d: DeviceState) -> list[execution_capability]:
    return [execution_capability[c] for c in _reported("execution_capabilities")(d)]


def _orders(name: str) -> Answer:
    return lambda d: [o for o in memory_order if o in d.info.atomic_orders] if name == "atomic" \
        else list(d.info.details.get("fence_orders", memory_order))


def _scopes(name: str) -> Answer:
    return lambda d: [s for s in memory_scope if s in d.info.atomic_scopes] if name == "atomic" \
        else list(d.info.details.get("fence_scopes", memory_scope))


def _aspects(d: DeviceState) -> list[aspect]:
    return [a for a in aspect if a in d.info.aspects]


def _not_root(d: DeviceState) -> Any:
    raise UsageError(errc.invalid, f"'{d.info.name}' is a root device and has no parent")


TABLE: dict[str, Answer] = {
    "device_type": type_of,
    "vendor_id": _detail("vendor_id", 0),
    "name": _field("name"), "vendor": _field("vendor"), "version": _field("version"),
    "driver_version": _field("driver_version"),
    "backend_version": lambda d: d.info.details.get("backend_version", d.info.version),
    "profile": _reported("profile"), C_VERSION: _reported(C_VERSION),
    "execution_capabilities": _capabilities,
    "preferred_interop_user_sync": _reported("preferred_interop_user_sync"),
    "max_compute_units": _field("max_compute_units"),
    "max_work_item_dimensions": lambda d: 3,
    "max_work_item_sizes": _sizes(3),
    "max_work_group_size": _field("max_work_group_size"),
    "max_num_sub_groups": lambda d: max(1, -(-d.info.max_work_group_size
                                             // max(1, min(d.info.sub_group_sizes)))),
    "sub_group_sizes": lambda d: list(d.info.sub_group_sizes),
    "sub_group_independent_forward_progress": _detail("sub_group_progress", False),
    **{f"{p}_vector_width_{k}": _width(k) for p in ("preferred", "native") for k in _WIDTHS},
    "ext_unisycl_queue_on_device_max_size": lambda d: d.info.device_queue_size,
    "ext_unisycl_native_enqueue": lambda d: d.info.native_enqueue,
    "max_clock_frequency": _detail("max_clock_frequency", 0),
    "address_bits": _detail("address_bits", 64 if sys.maxsize > 2**32 else 32),
    "max_mem_alloc_size": lambda d: d.info.max_mem_alloc_size or d.info.global_mem_size,
    "image_support": _is(aspect.image),
    "max_read_image_args": _image(128), "max_write_image_args": _image(8),
    "image2d_max_width": _extent(8192), "image2d_max_height": _extent(8192),
    "image3d_max_width": _extent(2048), "image3d_max_height": _extent(2048),
    "image3d_max_depth": _extent(2048), "image_max_buffer_size": _image(65536),
    "max_samplers": _image(16),
    "max_parameter_size": _field("max_parameter_size"),
    "mem_base_addr_align": _field("mem_base_addr_align"),
    "half_fp_config": _floats("half", aspect.fp16),
    "single_fp_config": _floats("single", None),
    "double_fp_config": _floats("double", aspect.fp64),
    "global_mem_cache_type": _detail("global_mem_cache_type", global_mem_cache_type.read_write),
    "global_mem_cache_line_size": _detail("global_mem_cache_line_size", 64),
    "global_mem_cache_size": _detail("global_mem_cache_size", 0),
    "global_mem_size": _field("global_mem_size"),
    "max_constant_buffer_size": lambda d: max(65536, d.info.max_mem_alloc_size),
    "max_constant_args": lambda d: max(8, d.info.max_parameter_size // 8),
    "local_mem_type": _detail("local_mem_type", local_mem_type.global_),
    "local_mem_size": _field("local_mem_size"),
    "error_correction_support": _detail("error_correction_support", False),
    "host_unified_memory": lambda d: d.driver.memory == "host",
    "atomic_memory_order_capabilities": _orders("atomic"),
    "atomic_fence_order_capabilities": _orders("fence"),
    "atomic_memory_scope_capabilities": _scopes("atomic"),
    "atomic_fence_scope_capabilities": _scopes("fence"),
    "profiling_timer_resolution": _detail("profiling_timer_resolution", 1),
    "is_endian_little": lambda d: sys.byteorder == "little",
    "is_available": lambda d: True,
    "is_compiler_available": _is(aspect.online_compiler),
    "is_linker_available": _is(aspect.online_linker),
    "queue_profiling": _is(aspect.queue_profiling),
    "built_in_kernel_ids": lambda d: [built_in_id._of(n) for n in d.info.built_in_kernels],
    "built_in_kernels": lambda d: list(d.info.built_in_kernels),
    "aspects": _aspects, "extensions": _detail("extensions", []),
    "printf_buffer_size": _detail("printf_buffer_size", 1 << 20),
    "parent_device": _not_root,
    "reference_count": lambda d: reference_count(d.driver.native.device()),
    "image_max_array_size": _image(2048),
    "partition_max_sub_devices": lambda d: len(d.info.units),
    "partition_properties": lambda d: [partition_property[k] for k in partition.kinds(d)],
    "partition_affinity_domains": lambda d: [
        partition_affinity_domain[k] for k in partition.affinity_domains(d)],
    "partition_type_property": lambda d: partition_property[d.split[0]],
    "partition_type_affinity_domain": lambda d: partition_affinity_domain[d.split[1]],
}


def answer(device: DeviceState, name: str) -> Any:
    """Return what a device answers to the descriptor of that name."""
    return TABLE[name](device)
