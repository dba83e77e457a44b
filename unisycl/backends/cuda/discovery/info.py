"""What SYCL is told about a card.

Non-goals: asking it (``card``). Invariant: an aspect is claimed only if the backend delivers it.
"""

from __future__ import annotations

from typing import Any

from unisycl.backends.base import DeviceInfo
from unisycl.backends.cuda.discovery.card import PLATFORM, Card
from unisycl.base.enums import IMAGES_BY_HANDLE, aspect, backend, memory_order, memory_scope
from unisycl.base.forward_progress import MODELS, Levels, strongest
from unisycl.base.image_formats import LARGEST_EXTENT
from unisycl.base.matrices import MatrixUnit, matrix_type

_VENDOR = "NVIDIA Corporation"
_VENDOR_ID = 0x10DE
_PARAMETERS = 4000  # bytes; 4096 are what every version has, some of them for ours


def device_info(card: Card) -> DeviceInfo:
    """Return the description of a card."""
    number = card.number
    major, minor = card.capability
    return DeviceInfo(
        name=card.name, backend=backend.cuda, vendor=_VENDOR, aspects=frozenset(_aspects(card)),
        driver_version=card.driver, version=f"{major}.{minor}", platform=PLATFORM,
        max_compute_units=number("units", 1), max_work_group_size=number("max_threads", 1024),
        max_work_item_sizes=(number("block_z", 64), number("block_y", 1024),
                             number("block_x", 1024)),
        sub_group_sizes=(number("warp", 32),), local_mem_size=number("shared_most", 48 << 10),
        global_mem_size=card.memory, max_mem_alloc_size=card.memory,
        mem_base_addr_align=128, sub_buffers_anywhere=True, max_parameter_size=_PARAMETERS,
        atomic_orders=tuple(memory_order), atomic_scopes=tuple(memory_scope),
        progress=_progress(card), resident_groups=number("units", 1),
        joined_kernels=bool(number("cooperative")), details=_details(card))


def shares(card: Card) -> bool:
    """Say whether host and kernels may use managed memory at the same time."""
    return bool(card.number("managed") and card.number("concurrent_managed"))


def _aspects(card: Card) -> set[aspect]:
    out = {aspect.gpu, aspect.fp16, aspect.fp64, aspect.atomic64, aspect.image,
           aspect.online_compiler, aspect.online_linker, aspect.queue_profiling,
           aspect.ext_oneapi_queue_profiling_tag, aspect.ext_oneapi_chunk,
           aspect.ext_oneapi_fragment, aspect.ext_oneapi_tangle,
           aspect.usm_device_allocations, aspect.usm_host_allocations,
           aspect.usm_shared_allocations, *IMAGES_BY_HANDLE}
    if card.number("host_atomics"):
        out.add(aspect.usm_atomic_host_allocations)
    if card.number("ipc"):
        out.add(aspect.ext_oneapi_ipc_memory)
    if card.number("virtual"):
        out.add(aspect.ext_oneapi_virtual_mem)
    if card.number("texture_pitch"):
        out.add(aspect.ext_unisycl_coarse_sampling)
    if card.number("pools"):
        out.add(aspect.ext_oneapi_async_memory_alloc)
    if shares(card):  # a page is on one side only when somebody changes it
        out.add(aspect.usm_atomic_shared_allocations)
    return out


def _progress(card: Card) -> Levels:
    """What a card gives: items apart, and work-groups together in a cooperative launch.

    The sub-groups of a work-group are there together, and each goes on whatever the others do.
    """
    groups = MODELS["cooperative" if card.number("cooperative") else "occupancy"]
    return strongest(MODELS["items"], MODELS["sub_groups"], groups)


def _details(card: Card) -> dict[str, Any]:
    number = card.number
    return {
        "vendor_id": _VENDOR_ID, "image_extent": LARGEST_EXTENT, "image_read_write": True,
        "backend_version": card.driver, "max_clock_frequency": number("clock") // 1000,
        "address_bits": 64, "global_mem_cache_line_size": 128,
        "global_mem_cache_size": number("l2"), "error_correction_support": bool(number("ecc")),
        "profiling_timer_resolution": 500, "vector_bytes": 4,
        "preferred_work_group_size_multiple": number("warp", 32), "uuid": card.identity,
        "compute_capability": card.capability, "matrix_unit": matrix_unit(card.capability),
    }


def matrix_unit(capability: tuple[int, int]) -> MatrixUnit | None:
    """Return what cards of a compute capability multiply by themselves; None if it is nothing."""
    if capability < (8, 0):
        return None
    t = matrix_type
    bytes = (t.sint8, t.uint8)
    small = (t.e4m3, t.e5m2) if capability >= (8, 9) else ()
    return MatrixUnit(32, (
        (t.bf16, t.bf16, (16, 8, 16)), (t.fp16, t.fp16, (16, 8, 16)),
        (t.tf32, t.tf32, (16, 8, 8)), (t.fp64, t.fp64, (8, 8, 4)),
        *((a, b, (16, 8, 16)) for a in bytes for b in bytes),
        *((a, b, (16, 8, 32)) for a in small for b in small)), copies=True,
        wide=capability == (9, 0))
