"""Public: SYCL's ``sycl::khr`` namespace: the extensions that Khronos defines.

Non-goals: what they add to classes (``queue.khr_flush`` stays there). Invariant: a constant
``SYCL_KHR_...`` of ``unisycl`` tells that one is here.
"""

from unisycl.api.devices.khr_info import info
from unisycl.api.queue.enqueue import barrier as command_barrier
from unisycl.api.queue.enqueue import copy, fill, mem_advise, memcpy, memset, prefetch, submit
from unisycl.api.queue.enqueue import partial_barrier as event_barrier
from unisycl.api.queue.enqueue import submit_with_event as submit_tracked
from unisycl.api.queue.khr_commands import (
    enqueue_barrier,
    enqueue_copy,
    enqueue_fill,
    enqueue_mem_advise,
    enqueue_memcpy,
    enqueue_memset,
    enqueue_prefetch,
    enqueue_signal_event,
    enqueue_update_host,
    enqueue_wait_event,
    enqueue_wait_events,
    is_requirement,
    launch,
    launch_grouped,
    launch_grouped_reduce,
    launch_host,
    launch_reduce,
    launch_task,
    make_event,
    requirements,
    signal_event,
    wait_event,
    wait_events,
)
from unisycl.api.queue.khr_commands import enqueue_update_host as update_host
from unisycl.api.queue.khr_properties import (
    empty_properties_t,
    enable_profiling,
    in_order,
    is_property,
    is_property_for,
    is_property_key,
    is_property_key_compile_time,
    is_property_key_for,
    is_property_list_for,
    properties,
)
from unisycl.khr import includes
from unisycl.khr import includes as split_headers
from unisycl.lang.khr import khr as _kernel

work_group = _kernel.work_group
sub_group = _kernel.sub_group
work_item = member_item = _kernel.work_item
get_item = get_member_item = _kernel.get_item
leader_of = _kernel.leader_of
this_nd_item = _kernel.this_nd_item
this_group = _kernel.this_group
this_sub_group = _kernel.this_sub_group
static_addrspace_cast = _kernel.static_addrspace_cast
dynamic_addrspace_cast = _kernel.dynamic_addrspace_cast

__all__ = [
    "command_barrier", "copy", "dynamic_addrspace_cast", "empty_properties_t",
    "enable_profiling", "enqueue_barrier", "enqueue_copy", "enqueue_fill", "enqueue_mem_advise",
    "enqueue_memcpy", "enqueue_memset", "enqueue_prefetch", "enqueue_signal_event",
    "enqueue_update_host", "enqueue_wait_event", "enqueue_wait_events", "event_barrier", "fill",
    "get_item", "get_member_item", "in_order", "includes", "info", "is_property",
    "is_property_for", "is_property_key", "is_property_key_compile_time", "is_property_key_for",
    "is_property_list_for", "is_requirement", "launch", "launch_grouped",
    "launch_grouped_reduce", "launch_host", "launch_reduce", "launch_task", "leader_of",
    "make_event", "mem_advise", "member_item", "memcpy", "memset", "prefetch", "properties",
    "requirements", "signal_event", "split_headers", "static_addrspace_cast", "sub_group",
    "submit", "submit_tracked", "this_group", "this_nd_item", "this_sub_group", "update_host",
    "wait_event", "wait_events", "work_group", "work_item",
]
