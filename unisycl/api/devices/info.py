"""The names of everything that can be asked with ``get_info`` (SYCL 2020 App. A).

Non-goals: the answers (each class has a table of them). Invariant: ``info.device.name`` is a
``Descriptor`` that knows whom it may be asked of.
"""

from __future__ import annotations

import difflib
import enum
from dataclasses import dataclass
from typing import Any, NoReturn

from unisycl.base.enums import C_VERSION, backend, info_event_status
from unisycl.base.errors import UsageError, errc

DEVICE = [
    "device_type", "vendor_id", "max_compute_units", "max_work_item_dimensions",
    "max_work_item_sizes", "max_work_group_size", "max_num_sub_groups", "sub_group_sizes",
    "sub_group_independent_forward_progress", "preferred_vector_width_char",
    "preferred_vector_width_short", "preferred_vector_width_int", "preferred_vector_width_long",
    "preferred_vector_width_long_long", "preferred_vector_width_float",
    "preferred_vector_width_double", "preferred_vector_width_half", "native_vector_width_char",
    "native_vector_width_short", "native_vector_width_int", "native_vector_width_long",
    "native_vector_width_long_long", "native_vector_width_float", "native_vector_width_double",
    "native_vector_width_half", "max_clock_frequency", "address_bits", "max_mem_alloc_size",
    "image_support", "max_read_image_args", "max_write_image_args", "image2d_max_width",
    "image2d_max_height", "image3d_max_width", "image3d_max_height", "image3d_max_depth",
    "image_max_buffer_size", "max_samplers", "max_parameter_size", "mem_base_addr_align",
    "half_fp_config", "single_fp_config", "double_fp_config", "global_mem_cache_type",
    "global_mem_cache_line_size", "global_mem_cache_size", "global_mem_size",
    "max_constant_buffer_size", "max_constant_args", "local_mem_type", "local_mem_size",
    "error_correction_support", "host_unified_memory", "atomic_memory_order_capabilities",
    "atomic_fence_order_capabilities", "atomic_memory_scope_capabilities",
    "atomic_fence_scope_capabilities", "profiling_timer_resolution", "is_endian_little",
    "is_available", "is_compiler_available", "is_linker_available", "execution_capabilities",
    "queue_profiling", "built_in_kernel_ids", "built_in_kernels", "platform", "name", "vendor",
    "driver_version", "profile", "version", "backend_version", "aspects", "extensions",
    "printf_buffer_size", "preferred_interop_user_sync", "parent_device",
    "partition_max_sub_devices", "partition_properties", "partition_affinity_domains",
    "partition_type_property", "partition_type_affinity_domain", "reference_count",
    "image_max_array_size", C_VERSION,
]
PROGRESS = ["forward_progress_guarantee", "work_group_progress_capabilities",
            "sub_group_progress_capabilities", "work_item_progress_capabilities"]
"""Of devices, too; these take scopes (sycl_ext_oneapi_forward_progress)."""
ENQUEUE = ["ext_unisycl_queue_on_device_max_size", "ext_unisycl_native_enqueue"]
"""Of devices, too: commands a launch may enqueue; whether the device starts them itself."""


NAMES: dict[str, list[str]] = {
    "device": [*DEVICE, *PROGRESS, *ENQUEUE],
    "platform": ["name", "vendor", "version", "profile", "extensions"],
    "context": [
        "platform", "devices", "atomic_memory_order_capabilities",
        "atomic_fence_order_capabilities", "atomic_memory_scope_capabilities",
        "atomic_fence_scope_capabilities", "reference_count",
    ],
    "queue": ["context", "device", "reference_count"],
    "event": ["command_execution_status", "reference_count"],
    "kernel": ["num_args", "attributes", "function_name", "context", "reference_count",
               "max_work_item_sizes", "max_work_group_size",
               "max_num_work_groups", "max_sub_group_size", "max_num_sub_groups",
               "max_num_work_group_sync"],
    "kernel_device_specific": [
        "global_work_size", "work_group_size", "compile_work_group_size",
        "preferred_work_group_size_multiple", "private_mem_size", "max_num_sub_groups",
        "compile_num_sub_groups", "max_sub_group_size", "compile_sub_group_size",
    ],
    "event_profiling": ["command_submit", "command_start", "command_end"],
}


@dataclass(frozen=True, slots=True)
class Descriptor:
    """One query of one class."""

    owner: str
    name: str
    arguments: tuple[Any, ...] = ()

    def __getitem__(self, arguments: Any) -> Descriptor:
        """Return the descriptor with what C++ gives it as template arguments."""
        given = arguments if isinstance(arguments, tuple) else (arguments,)
        return Descriptor(self.owner, self.name, given)

    def __repr__(self) -> str:
        inside = ", ".join(getattr(a, "name", str(a)) for a in self.arguments)
        return f"info.{self.owner}.{self.name}" + (f"[{inside}]" if inside else "")


class Namespace:
    """The descriptors of one class, as attributes."""

    def __init__(self, owner: str, names: list[str]) -> None:
        self._owner = owner
        self._known = {n: Descriptor(owner, n) for n in names}

    def __getattr__(self, name: str) -> Descriptor:
        try:
            return self.__dict__["_known"][name]  # type: ignore[no-any-return]
        except KeyError:
            close = difflib.get_close_matches(name, self.__dict__.get("_known", {}), n=1)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise AttributeError(f"info.{self.__dict__.get('_owner')} has no '{name}'{hint}"
                                 ) from None

    def __dir__(self) -> list[str]:
        return list(self._known)

    def __repr__(self) -> str:
        return f"info.{self._owner}"


class HasBackendInfo:
    """``get_backend_info`` of the classes that have it (SYCL 2020 §4.5.1.2)."""

    __slots__ = ()

    def get_backend(self) -> backend:
        """Return the backend."""
        raise NotImplementedError

    def get_backend_info(self, what: Any) -> NoReturn:
        """Refuse: no backend so far defines descriptors of its own (SYCL 2020 §4.5.1.2)."""
        raise UsageError(errc.backend_mismatch, f"get_backend_info: the backend "
                         f"'{self.get_backend().name}' defines no {what!r}; use get_info")


def reference_count(native: Any) -> int:
    """Return how often a native object is retained; 1 for what no driver counts (SYCL 1.2.1)."""
    count = getattr(native, "reference_count", None)
    return 1 if count is None else max(1, int(count))


class device_type(enum.Enum):
    """SYCL 2020 §4.6.4.4 ``info::device_type``."""

    cpu = "cpu"
    gpu = "gpu"
    accelerator = "accelerator"
    custom = "custom"
    automatic = "automatic"
    host = "host"
    all = "all"


class partition_property(enum.Enum):
    """SYCL 2020 §4.6.4.4 ``info::partition_property``."""

    no_partition = "no_partition"
    partition_equally = "partition_equally"
    partition_by_counts = "partition_by_counts"
    partition_by_affinity_domain = "partition_by_affinity_domain"


class partition_affinity_domain(enum.Enum):
    """SYCL 2020 §4.6.4.4 ``info::partition_affinity_domain``."""

    not_applicable = "not_applicable"
    numa = "numa"
    L4_cache = "L4_cache"
    L3_cache = "L3_cache"
    L2_cache = "L2_cache"
    L1_cache = "L1_cache"
    next_partitionable = "next_partitionable"


class local_mem_type(enum.Enum):
    """SYCL 2020 §4.6.4.4 ``info::local_mem_type``."""

    none = "none"
    local = "local"
    global_ = "global"


class global_mem_cache_type(enum.Enum):
    """SYCL 2020 §4.6.4.4 ``info::global_mem_cache_type``."""

    none = "none"
    read_only = "read_only"
    read_write = "read_write"


class fp_config(enum.Enum):
    """SYCL 2020 §4.6.4.4 ``info::fp_config``."""

    denorm = "denorm"
    inf_nan = "inf_nan"
    round_to_nearest = "round_to_nearest"
    round_to_zero = "round_to_zero"
    round_to_inf = "round_to_inf"
    fma = "fma"
    correctly_rounded_divide_sqrt = "correctly_rounded_divide_sqrt"
    soft_float = "soft_float"


class execution_capability(enum.Enum):
    """SYCL 2020 §4.6.4.4 ``info::execution_capability``."""

    exec_kernel = "exec_kernel"
    exec_native_kernel = "exec_native_kernel"


class info:
    """Descriptors of queries, such as ``info.device.name`` (SYCL 2020 App. A)."""

    device = Namespace("device", NAMES["device"])
    platform = Namespace("platform", NAMES["platform"])
    context = Namespace("context", NAMES["context"])
    queue = Namespace("queue", NAMES["queue"])
    event = Namespace("event", NAMES["event"])
    kernel = Namespace("kernel", NAMES["kernel"])
    kernel_device_specific = Namespace(
        "kernel_device_specific", NAMES["kernel_device_specific"])
    event_profiling = Namespace("event_profiling", NAMES["event_profiling"])
    device_type = device_type
    event_command_status = info_event_status
    partition_property = partition_property
    partition_affinity_domain = partition_affinity_domain
    local_mem_type = local_mem_type
    global_mem_cache_type = global_mem_cache_type
    fp_config = fp_config
    execution_capability = execution_capability
