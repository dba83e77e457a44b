"""Public: the names of the core by headers (sycl_khr_includes, sycl_khr_split_headers).

Where C++ writes ``#include <sycl/khr/includes/usm>``, Python writes ``from unisycl.khr.includes
import usm`` and then ``usm.malloc_shared``; ``from unisycl import malloc_shared`` loads as little.
Non-goals: names of C++ alone (``byte``, ``dynamic_extent``). Invariant: a header's names are those
of ``unisycl``, and using one loads no other.
"""

from __future__ import annotations

import importlib
from typing import Any

from unisycl import public_names

_HEADERS: dict[str, str] = {
    "accessor": "accessor local_accessor host_accessor no_init",
    "atomic": "atomic_fence memory_order memory_scope atomic_ref",
    "backend": "backend get_native make_buffer make_context make_device make_event make_kernel "
               "make_kernel_bundle make_platform make_queue make_sampled_image "
               "make_unsampled_image",
    "bit": "bit_cast",
    "buffer": "buffer buffer_allocator",
    "context": "context info",
    "device": "default_selector_v gpu_selector_v accelerator_selector_v cpu_selector_v "
              "aspect_selector device info aspect",
    "event": "event info",
    "exception": "exception exception_list errc error_code error_category make_error_code "
                 "sycl_category is_error_code_enum",
    "functional": "plus multiplies bit_and bit_or bit_xor logical_and logical_or minimum maximum",
    "groups": "group sub_group device_event group_broadcast group_barrier joint_any_of "
              "joint_all_of joint_none_of any_of_group all_of_group none_of_group "
              "shift_group_left shift_group_right permute_group_by_xor select_from_group "
              "joint_reduce reduce_over_group joint_exclusive_scan exclusive_scan_over_group "
              "joint_inclusive_scan inclusive_scan_over_group",
    "handler": "handler",
    "hierarchical_parallelism": "private_memory h_item",
    "image": "unsampled_image sampled_image image_allocator unsampled_image_accessor "
             "sampled_image_accessor host_unsampled_image_accessor host_sampled_image_accessor "
             "no_init addressing_mode filtering_mode coordinate_normalization_mode image_sampler",
    "index_space": "id item nd_item range nd_range",
    "interop_handle": "interop_handle",
    "kernel_bundle": "bundle_state kernel_id kernel device_image kernel_bundle "
                     "get_kernel_bundle has_kernel_bundle compile link build join "
                     "specialization_id info",
    "marray": "marray",
    "math": "native half_precision",
    "multi_ptr": "multi_ptr address_space decorated global_ptr local_ptr private_ptr "
                 "raw_global_ptr raw_local_ptr raw_private_ptr decorated_global_ptr "
                 "decorated_local_ptr decorated_private_ptr address_space_cast",
    "platform": "platform info",
    "property_list": "property_list",
    "queue": "queue property info",
    "reduction": "known_identity has_known_identity reduction property reducer",
    "span": "span",
    "stream": "stream_manipulator flush hex oct dec endl noshowbase showbase noshowpos showpos "
              "fixed scientific hexfloat defaultfloat setprecision setw stream",
    "submit": "queue handler event property info",
    "type_traits": "is_property is_property_of is_device_copyable any_device_has "
                   "all_devices_have",
    "usm": "usm usm_allocator usm_pointer malloc malloc_device malloc_host malloc_shared "
           "aligned_alloc aligned_alloc_device aligned_alloc_host aligned_alloc_shared free "
           "get_pointer_type get_pointer_device",
    "vec": "rounding_mode vec",
}
_HOMES = {"math": ("lang.numbers.math", "lang.numbers.geometric"),
          "marray": ("lang.numbers.marray",),
          "vec": ("lang.numbers.vec",), "functional": ("lang.numbers.function_objects",)}
"""Modules all of whose public names a header has, too."""


class header:
    """The names of one header, as attributes; ``version`` has the constants of features."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __dir__(self) -> list[str]:
        public = importlib.import_module("unisycl")
        if self.__name__ == "version":
            return [n for n in dir(public) if n.startswith("SYCL_")]
        names = {*_HEADERS[self.__name__].split()}
        for home in _HOMES.get(self.__name__, ()):
            names |= {*public_names.of(home)}
        return sorted(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in dir(self):
            raise AttributeError(f"the header '{self.__name__}' has no '{name}'; unisycl has all "
                                 "names")
        return getattr(importlib.import_module("unisycl"), name)

    def __repr__(self) -> str:
        return f"<header {self.__name__}>"


__all__ = [*_HEADERS, "version"]  # noqa: F822, PLE0604 - made by __getattr__


def __getattr__(name: str) -> Any:
    """Return a header."""
    if name not in __all__:
        raise AttributeError(f"sycl/khr/includes has no header '{name}'; there are "
                             f"{', '.join(__all__)}")
    made = globals()[name] = header(name)
    return made


def __dir__() -> list[str]:
    """Return the names of the headers."""
    return [*__all__]
