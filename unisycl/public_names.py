"""The public names of unisycl, each by the module that has it: the one table of them.

``unisycl/__init__.pyi`` is made from it (``python -m tests.arch.stubs``). Non-goals: loading them.
Invariant: a family that a table of its own lists, such as the builtins, is not listed again here.
"""

from __future__ import annotations

import importlib

NAMES: dict[str, str] = {
    "api.access": (
        "read_only read_only_host_task read_write read_write_host_task write_only "
        "write_only_host_task"
    ),
    "api.accessor": "accessor local_accessor",
    "api.allocators": "buffer_allocator image_allocator usm_allocator",
    "api.bound_kernel": "bound_kernel",
    "api.buffer": "buffer",
    "api.bundles": (
        "build compile get_kernel_bundle has_kernel_bundle is_compatible join link"
    ),
    "api.context": "context",
    "api.device": "all_devices_have any_device_has device platform",
    "api.event": "event",
    "api.exchange": "from_dlpack from_usm_array",
    "api.handler": "handler",
    "api.host_accessor": "host_accessor",
    "api.image": "sampled_image unsampled_image",
    "api.image_accessor": (
        "host_sampled_image_accessor host_unsampled_image_accessor sampled_image_accessor "
        "unsampled_image_accessor"
    ),
    "api.info": "info",
    "api.interop": "get_native interop_handle",
    "api.kernel_bundle": "device_image kernel_bundle",
    "api.kernel_id": "get_kernel_id get_kernel_ids kernel_id",
    "api.native": (
        "make_buffer make_context make_device make_event make_kernel make_kernel_bundle "
        "make_platform make_queue make_sampled_image make_unsampled_image"
    ),
    "api.native_kernel": "native_kernel",
    "api.opencl": "opencl",
    "api.properties": "is_property is_property_of no_init property property_list",
    "api.queue": "queue",
    "api.recording": "recording",
    "api.reduction": "reduction span",
    "api.selector": (
        "accelerator_selector_v aspect_selector cpu_selector_v default_selector_v gpu_selector_v "
        "host_selector_v"
    ),
    "api.shared_ptr": "shared_ptr",
    "api.usm": (
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
    "base.executed": "remember_exec",
    "base.geometry": "id nd_range range",
    "base.images": (
        "addressing_mode coordinate_normalization_mode filtering_mode image_channel_order "
        "image_channel_type image_format image_sampler image_target"
    ),
    "base.version": "cl_version make_version name_version",
    "lang.atomic": "atomic_fence atomic_ref",
    "lang.bits": "bit_cast",
    "lang.environment": "SYCL_EXTERNAL device_only fast_relaxed_math single_source target_spir",
    "lang.functions": (
        "bit_and bit_or bit_xor has_known_identity known_identity logical_and logical_or maximum "
        "minimum multiplies plus"
    ),
    "lang.geometric": "cross",
    "lang.group": (
        "all_of_group any_of_group exclusive_scan_over_group group_barrier group_broadcast "
        "group_reduce group_scan_exclusive group_scan_inclusive inclusive_scan_over_group "
        "none_of_group permute_group_by_xor reduce_over_group select_from_group shift_group_left "
        "shift_group_right"
    ),
    "lang.groups": "device_event group h_item private_memory sub_group",
    "lang.item": "nd_item",
    "lang.joint": (
        "joint_all_of joint_any_of joint_exclusive_scan joint_inclusive_scan joint_none_of "
        "joint_reduce"
    ),
    "lang.kernel": "device_has kernel",
    "lang.marray": "marray",
    "lang.memory": "private_array",
    "lang.namespaces": "half_precision native",
    "lang.pointer": (
        "address_space_cast constant_ptr decorated_generic_ptr decorated_global_ptr "
        "decorated_local_ptr decorated_private_ptr global_ptr local_ptr multi_ptr private_ptr "
        "raw_generic_ptr raw_global_ptr raw_local_ptr raw_private_ptr"
    ),
    "lang.range_item": "item",
    "lang.reducer": "reducer",
    "lang.specialization": "kernel_handler specialization_id",
    "lang.stream": (
        "dec defaultfloat endl fixed flush hex hexfloat noshowbase noshowpos oct printf scientific "
        "setprecision setw showbase showpos stream"
    ),
    "lang.struct": "is_device_copyable",
    "lang.this": "leader_of this_group this_nd_item this_sub_group",
    "lang.vec": "vec",
}

FAMILIES: tuple[str, ...] = ("base.features", "lang.vec", "lang.marray", "lang.math")
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
