"""What SYCL is told about an OpenCL device: traits as a ``DeviceInfo``.

Non-goals: asking the device. Invariant: an aspect is claimed only if the backend delivers it.
"""

from __future__ import annotations

from typing import Any

from unisycl.backends.base import DeviceInfo
from unisycl.backends.opencl.discovery.traits import (
    ORDER_ACQ_REL,
    ORDER_SEQ_CST,
    SCOPE_DEVICE,
    Traits,
)
from unisycl.backends.opencl.memory.levels import Level, atomics_everywhere, usm_aspects
from unisycl.backends.opencl.text.atomics import modern
from unisycl.backends.opencl.text.dialect import has_sub_groups
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.enums import IMAGES_BY_HANDLE, aspect, backend, memory_order, memory_scope
from unisycl.base.forward_progress import MODELS, Levels
from unisycl.base.image_formats import LARGEST_EXTENT

_DISTANCES = 512


def device_info(traits: Traits, quirks: Quirks, level: Level) -> DeviceInfo:
    """Return the description of a device."""
    sizes = traits.item_sizes[:3]
    return DeviceInfo(
        name=traits.name, backend=backend.opencl, vendor=traits.vendor,
        aspects=_images_too(_aspects(traits, quirks) | usm_aspects(traits, level)),
        driver_version=traits.driver_version, version=_version(traits.version),
        platform=traits.platform,
        max_compute_units=traits.number_of("max_compute_units", 1),
        max_work_group_size=traits.number_of("max_work_group_size", 1),
        max_work_item_sizes=(sizes[2], sizes[1], sizes[0]),
        sub_group_sizes=traits.sub_group_sizes if has_sub_groups(traits) else (1,),
        local_mem_size=traits.number_of("local_mem_size"),
        global_mem_size=traits.number_of("global_mem_size"),
        max_mem_alloc_size=traits.number_of("max_mem_alloc_size"),
        mem_base_addr_align=traits.number_of("mem_base_addr_align", 1024),
        max_parameter_size=_parameters(traits, level),
        units=_units(traits), atomic_orders=_orders(traits), atomic_scopes=_scopes(traits),
        progress=_progress(traits), concurrent_kernels=quirks.concurrent_kernels,
        built_in_kernels=traits.built_in_kernels, details=_details(traits))


def _images_too(known: set[aspect]) -> frozenset[aspect]:
    """Return aspects with those of images by handle, whose kernels follow stored pointers."""
    needed = aspect.usm_shared_allocations, aspect.usm_device_allocations
    return frozenset(known | IMAGES_BY_HANDLE if known.issuperset(needed) else known)


def _parameters(traits: Traits, level: Level) -> int:
    """Return the bytes of parameters a kernel may have.

    Where memory objects have no addresses each comes with a distance, which takes some of them.
    """
    most = traits.number_of("max_parameter_size", 1024)
    return most if level is Level.system or most < 2 * _DISTANCES + 1024 else most - _DISTANCES


def _units(traits: Traits) -> tuple[int, ...]:
    """Return the units a device can be split into; () if it cannot."""
    count = traits.number_of("max_compute_units", 1)
    return tuple(range(count)) if traits.number_of("partition_max_sub_devices") > 1 else ()


def _version(text: str) -> str:
    """Return ``3.0`` of ``OpenCL 3.0 vendor's words``."""
    words = text.split()
    return words[1] if len(words) > 1 else text


def _aspects(traits: Traits, quirks: Quirks) -> set[aspect]:
    out = {aspect[traits.kind], aspect.queue_profiling,
           aspect.ext_oneapi_queue_profiling_tag, aspect.image,
           aspect.ext_oneapi_chunk, aspect.ext_oneapi_fragment, aspect.ext_oneapi_tangle}
    if traits.kind != "custom" and traits.numbers.get("compiler_available") != 0:
        out |= {aspect.online_compiler, aspect.online_linker}
    if traits.has("cl_khr_fp16"):
        out.add(aspect.fp16)
    if traits.has("cl_khr_fp64") or traits.number_of("double_fp_config"):
        out.add(aspect.fp64)
    if traits.has("cl_khr_int64_base_atomics") and traits.has("cl_khr_int64_extended_atomics"):
        out.add(aspect.atomic64)
    if quirks.emulated or "emulation" in traits.platform.lower():
        out.add(aspect.emulated)
    return out


def _orders(traits: Traits) -> tuple[memory_order, ...]:
    """Return the orders of atomics: those reported; OpenCL 1.2 has relaxed ones only."""
    reported = traits.number_of("atomic_memory_capabilities")
    out = [memory_order.relaxed]
    if modern(traits):
        if reported & ORDER_ACQ_REL or traits.c_version < (3, 0):
            out += [memory_order.acquire, memory_order.release, memory_order.acq_rel]
        if reported & ORDER_SEQ_CST or traits.c_version < (3, 0):
            out.append(memory_order.seq_cst)
    return tuple(out)


def _scopes(traits: Traits) -> tuple[memory_scope, ...]:
    reported = traits.number_of("atomic_memory_capabilities")
    out = [memory_scope.work_item, memory_scope.sub_group, memory_scope.work_group]
    if reported & SCOPE_DEVICE or not modern(traits) or traits.c_version < (3, 0):
        out.append(memory_scope.device)
    if atomics_everywhere(traits):
        out.append(memory_scope.system)
    return tuple(out)


def _progress(traits: Traits) -> Levels:
    """What OpenCL promises: nothing, but of sub-groups where the device says so."""
    return MODELS["sub_groups" if _sub_groups_apart(traits) else "weak"]


def _sub_groups_apart(traits: Traits) -> bool:
    """Say whether sub-groups make independent progress: there is a query from OpenCL 2.1 on.

    In OpenCL 2.0 the extension that brings sub-groups requires it.
    """
    name = "sub_group_independent_forward_progress"
    if _version(traits.version) == "2.0" and name not in traits.numbers:
        return traits.has("cl_khr_subgroups")
    return bool(traits.number_of(name))


def _details(traits: Traits) -> dict[str, Any]:
    out: dict[str, Any] = {
        "extensions": sorted(traits.extensions),
        "platform_extensions": sorted(traits.platform_extensions),
        "vendor_id": traits.number_of("vendor_id"), "image_extent": LARGEST_EXTENT,
        "image_read_write": True,
        "backend_version": _version(traits.platform_version),
        "max_clock_frequency": traits.number_of("max_clock_frequency"),
        "address_bits": traits.number_of("address_bits", 64),
        "global_mem_cache_line_size": traits.number_of("global_mem_cacheline_size"),
        "global_mem_cache_size": traits.number_of("global_mem_cache_size"),
        "error_correction_support": bool(traits.number_of("error_correction_support")),
        "profiling_timer_resolution": traits.number_of("profiling_timer_resolution", 1),
        "sub_group_progress": _sub_groups_apart(traits),
        "vector_bytes": 4 * max(1, traits.number_of("native_vector_width_float", 1)),
        "printf_buffer_size": 1 << 20, "profile": "FULL_PROFILE",
        "opencl_c_version": f"OpenCL C {traits.c_version[0]}.{traits.c_version[1]}",
        "execution_capabilities": ["exec_kernel"], "preferred_interop_user_sync": True,
    }
    return out
