"""How many work-groups a launch may have (sycl_khr_max_work_group_queries).

By its older names and forms, too (sycl_khr_max_num_work_groups,
sycl_ext_oneapi_max_work_group_query). Non-goals: how many can make
progress together (``progress_info``). Invariant: a launch within the answer is accepted.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.devices import device_info
from unisycl.api.devices.info import Descriptor, Namespace
from unisycl.base import geometry as geo
from unisycl.base.bindless import PITCH_ALIGN
from unisycl.base.errors import UsageError, errc
from unisycl.base.image_formats import LARGEST_EXTENT
from unisycl.base.matrices import unit_of
from unisycl.runtime.devices.devices import DeviceState

_KHR = ("max_work_group_range", "max_work_group_range_size", "max_num_work_groups_nd_range")
_MATRICES = ("matrix_combinations", "ext_unisycl_matrix_sub_group_size")
_IMAGES = {"image_row_pitch_align": PITCH_ALIGN, "max_image_linear_width": LARGEST_EXTENT,
           "max_image_linear_height": LARGEST_EXTENT, "max_image_linear_row_pitch": 1 << 40,
           "mipmap_max_anisotropy": 1.0}
_EXPERIMENTAL = ("max_work_groups", "max_global_work_groups", *_MATRICES, *_IMAGES)
_QUEUE = ("max_work_item_sizes", "max_work_group_size", "max_num_work_groups",
          "max_sub_group_size", "num_sub_groups", "recommended_num_work_groups")
NAMES = frozenset((*_KHR, *_EXPERIMENTAL))


class _Namespaces:
    """What ``khr::info`` holds: descriptors of devices."""

    device = Namespace("device", list(_KHR))


class _Experimental:
    """What ``ext::oneapi::experimental::info`` holds: descriptors of devices and launches.

    Launch queries are asked of kernels (sycl_ext_oneapi_group_occupancy_queries).
    """

    device = Namespace("device", list(_EXPERIMENTAL))
    kernel = kernel_queue_specific = Namespace("kernel", list(_QUEUE))


info = _Namespaces
experimental_info = _Experimental


def of_device(device: DeviceState, what: Descriptor) -> Any:
    """Answer a descriptor of this extension; dimensions are 3 unless ``[n]`` says otherwise."""
    if what.name in _IMAGES:
        return _IMAGES[what.name]
    if what.name in _MATRICES:
        unit = unit_of(device.info)
        return unit.combinations() if what.name == _MATRICES[0] else unit.sub_group
    known = device.info.details
    reach = (1 << min(62, device_info.answer(device, "address_bits") - 1)) - 1
    most = int(known.get("max_work_groups", reach // max(1, device.info.max_work_group_size)))
    if what.name in ("max_work_group_range_size", "max_global_work_groups"):
        return most
    dimensions = what.arguments[0] if what.arguments else 3
    if dimensions not in (1, 2, 3) or len(what.arguments) > 1:
        raise UsageError(errc.invalid, f"{what.name}: dimensions are 1, 2 or 3, not "
                         f"{what.arguments}")
    each = known.get("max_work_group_range", (most, most, most))[-dimensions:]
    return (geo.range if what.name == "max_work_group_range" else geo.id)(*each)
