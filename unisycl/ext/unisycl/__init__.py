"""Public: what unisycl adds to SYCL: user events, times, arrays of USM, queues over all ranks.

Non-goals: anything SYCL has a name for. Invariant: a constant ``SYCL_EXT_UNISYCL_...`` of
``unisycl`` tells that one is here.
"""

from unisycl.api.devices.versions import show_versions
from unisycl.api.graphs.graph_files import load_graph, save_graph
from unisycl.api.memory.usm_like import usm_like
from unisycl.api.queue.completed import as_completed
from unisycl.api.queue.event import command_times
from unisycl.api.queue.mapped_buffer import mapped_buffer
from unisycl.api.queue.measuring import autotune, benchmark, measurement, profile
from unisycl.api.queue.user_event import user_event
from unisycl.base.geometry import non_uniform_nd_range
from unisycl.ext.unisycl import tiles
from unisycl.ext.unisycl.arrays import arange, array, empty, full, linspace, ones, zeros
from unisycl.ext.unisycl.elementwise import vectorize, vectorized
from unisycl.ext.unisycl.result_types import result_type
from unisycl.lang.groups.masks import group_match
from unisycl.lang.kernels.device_queue import (
    create_user_event,
    enqueue_kernel,
    enqueue_marker,
    enqueue_status,
    enqueue_task,
    get_default_queue_size,
    get_kernel_preferred_work_group_size_multiple,
    get_kernel_work_group_size,
    is_valid_event,
    kernel_enqueue_flags,
    ndrange,
    set_user_event_status,
)
from unisycl.lang.kernels.foreign_functions import extern
from unisycl.lang.kernels.target import device_is
from unisycl.lang.library.partitions import value_partition
from unisycl.ranks.graph.mappers import (
    all,
    chunk,
    even_split,
    fixed,
    neighborhood,
    one_to_one,
    slice,
)
from unisycl.ranks.queue.distr_buffer import distr_buffer
from unisycl.ranks.queue.distr_queue import distr_queue
from unisycl.ranks.queue.places import all_ranks, collective, on_rank

__all__ = [
    "all",
    "all_ranks",
    "arange",
    "array",
    "as_completed",
    "autotune",
    "benchmark",
    "chunk",
    "collective",
    "command_times",
    "create_user_event",
    "device_is",
    "distr_buffer",
    "distr_queue",
    "empty",
    "enqueue_kernel",
    "enqueue_marker",
    "enqueue_status",
    "enqueue_task",
    "even_split",
    "extern",
    "fixed",
    "full",
    "get_default_queue_size",
    "get_kernel_preferred_work_group_size_multiple",
    "get_kernel_work_group_size",
    "group_match",
    "is_valid_event",
    "kernel_enqueue_flags",
    "linspace",
    "load_graph",
    "mapped_buffer",
    "measurement",
    "ndrange",
    "neighborhood",
    "non_uniform_nd_range",
    "on_rank",
    "one_to_one",
    "ones",
    "profile",
    "result_type",
    "save_graph",
    "set_user_event_status",
    "show_versions",
    "slice",
    "tiles",
    "user_event",
    "usm_like",
    "value_partition",
    "vectorize",
    "vectorized",
    "zeros",
]
