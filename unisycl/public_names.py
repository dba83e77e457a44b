"""The public names of unisycl, each by the module that has it: the one table of them.

``unisycl/__init__.pyi`` is made from it (``python -m tests.arch.stubs``). Non-goals: loading them.
Invariant: a family that a table of its own lists, such as the builtins, is not listed again here.
"""

from __future__ import annotations

import importlib

NAMES: dict[str, str] = {
    "api.memory.access": (
        "read_only read_only_host_task read_write read_write_host_task write_only "
        "write_only_host_task"
    ),
    "api.memory.accessor": "accessor local_accessor",
    "api.memory.allocators": "buffer_allocator image_allocator usm_allocator",
    "api.queue.bound_kernel": "bound_kernel",
    "api.memory.buffer": "buffer",
    "api.bundles.functions": (
        "build compile get_kernel_bundle has_kernel_bundle is_compatible join link"
    ),
    "api.devices.context": "context",
    "api.devices.device": "all_devices_have any_device_has device platform",
    "api.queue.event": "event",
    "api.memory.exchange": "from_dlpack from_usm_array",
    "api.queue.handler": "handler",
    "api.memory.host_accessor": "host_accessor",
    "api.images.image": "sampled_image unsampled_image",
    "api.images.image_accessor": (
        "host_sampled_image_accessor host_unsampled_image_accessor sampled_image_accessor "
        "unsampled_image_accessor"
    ),
    "api.devices.info": "info",
    "api.interop.native_objects": "get_native interop_handle",
    "api.bundles.kernel_bundle": "device_image kernel_bundle",
    "api.interop.make": (
        "make_buffer make_context make_device make_event make_kernel make_kernel_bundle "
        "make_platform make_queue make_sampled_image make_unsampled_image"
    ),
    "api.bundles.native_kernel": "native_kernel",
    "api.interop.opencl": "opencl",
    "api.properties": "is_property is_property_of no_init property property_list",
    "api.queue.queue": "queue",
    "api.queue.recording": "recording",
    "api.queue.reduction": "reduction span",
    "api.devices.selector": (
        "accelerator_selector_v aspect_selector cpu_selector_v default_selector_v gpu_selector_v "
        "host_selector_v"
    ),
    "api.memory.shared_ptr": "shared_ptr",
    "api.memory.usm": (
        "aligned_alloc aligned_alloc_device aligned_alloc_host aligned_alloc_shared free "
        "get_pointer_device get_pointer_type malloc malloc_device malloc_host malloc_shared usm "
        "usm_pointer"
    ),
    "base.enums": (
        "access access_mode address_space aspect backend bundle_state decorated fence_space "
        "memory_order memory_scope rounding_mode stream_manipulator target"
    ),
    "base.errors": (
        "BuildError DeviceError Diagnostic errc error_category error_code exception "
        "exception_list InternalError is_error_code_enum KernelError KernelWarning "
        "make_error_code sycl_category UnsupportedError UsageError"
    ),
    "process.executed_texts": "remember_exec",
    "base.geometry": "id nd_range range",
    "base.image_formats": (
        "addressing_mode coordinate_normalization_mode filtering_mode image_channel_order "
        "image_channel_type image_format image_sampler image_target"
    ),
    "base.version": "cl_version make_version name_version",
    "lang.memory.atomic": "atomic_fence atomic_ref",
    "lang.numbers.bits": "bit_cast",
    "lang.index.environment": (
        "SYCL_EXTERNAL device_only fast_relaxed_math single_source target_spir"
    ),
    "lang.numbers.function_objects": (
        "bit_and bit_or bit_xor has_known_identity known_identity logical_and logical_or maximum "
        "minimum multiplies plus"
    ),
    "lang.numbers.geometric": "cross",
    "lang.groups.group_functions": (
        "all_of_group any_of_group exclusive_scan_over_group group_barrier group_broadcast "
        "group_reduce group_scan_exclusive group_scan_inclusive inclusive_scan_over_group "
        "none_of_group permute_group_by_xor reduce_over_group select_from_group shift_group_left "
        "shift_group_right"
    ),
    "lang.index.groups": "device_event group h_item private_memory sub_group",
    "lang.index.nd_item": "nd_item",
    "lang.library.joint": (
        "joint_all_of joint_any_of joint_exclusive_scan joint_inclusive_scan joint_none_of "
        "joint_reduce"
    ),
    "lang.kernels.kernel": "device_has kernel",
    "lang.numbers.marray": "marray",
    "lang.memory.views": "private_array",
    "lang.numbers.namespaces": "half_precision native",
    "lang.memory.pointer": (
        "address_space_cast constant_ptr decorated_generic_ptr decorated_global_ptr "
        "decorated_local_ptr decorated_private_ptr global_ptr local_ptr multi_ptr private_ptr "
        "raw_generic_ptr raw_global_ptr raw_local_ptr raw_private_ptr"
    ),
    "lang.index.item": "item",
    "lang.groups.reducer": "reducer",
    "lang.kernels.kernel_id": "get_kernel_id get_kernel_ids kernel_id",
    "lang.kernels.specialization": "kernel_handler specialization_id",
    "lang.kernels.stream": (
        "dec defaultfloat endl fixed flush hex hexfloat noshowbase noshowpos oct printf scientific "
        "setprecision setw showbase showpos stream"
    ),
    "lang.memory.records": "is_device_copyable",
    "lang.index.this": "leader_of this_group this_nd_item this_sub_group",
    "lang.numbers.vec": "vec",
}

FAMILIES: tuple[str, ...] = (
    "base.features", "lang.numbers.vec", "lang.numbers.marray", "lang.numbers.math")
"""Modules that list public names of their own, in ``PUBLIC``."""
PACKAGES = ("compat12", "ext", "khr")
"""Packages below this one that are public, and are loaded when they are first used, too."""


def of(home: str) -> tuple[str, ...]:
    """Return the public names that a module has."""
    own = tuple(NAMES.get(home, "").split())
    return (*own, *importlib.import_module(f"unisycl.{home}").PUBLIC) if home in FAMILIES else own


def homes() -> dict[str, str]:
    """Return the module of every public name; imports those that list families."""
    return {name: home for home in (*NAMES, *FAMILIES) for name in of(home)}
