"""Public: oneTBB's algorithms, task groups, arenas, flow graphs and containers, for host work.

Python functions run on threads, kernels (``@sycl.kernel``) compiled on a queue. Non-goals: work for
devices, which queues and ``unisycl.oneapi.dpl`` do.
"""

from unisycl.oneapi.tbb import flow
from unisycl.oneapi.tbb.arenas import global_control, task_arena, this_task_arena
from unisycl.oneapi.tbb.containers import (
    concurrent_bounded_queue,
    concurrent_hash_map,
    concurrent_priority_queue,
    concurrent_queue,
    concurrent_unordered_map,
    concurrent_unordered_set,
    concurrent_vector,
    user_abort,
)
from unisycl.oneapi.tbb.groups import (
    is_current_task_group_canceling,
    parallel_invoke,
    task_group,
    task_group_context,
    task_group_status,
    task_handle,
)
from unisycl.oneapi.tbb.locals import combinable, enumerable_thread_specific
from unisycl.oneapi.tbb.loops import feeder, parallel_for, parallel_for_each
from unisycl.oneapi.tbb.pipelines import (
    filter,
    filter_mode,
    flow_control,
    items_of,
    make_filter,
    parallel_pipeline,
)
from unisycl.oneapi.tbb.ranges import (
    affinity_partitioner,
    auto_partitioner,
    blocked_range,
    blocked_range2d,
    blocked_range3d,
    simple_partitioner,
    static_partitioner,
)
from unisycl.oneapi.tbb.reductions import (
    parallel_deterministic_reduce,
    parallel_reduce,
    parallel_scan,
    parallel_sort,
)

__all__ = [
    "affinity_partitioner", "auto_partitioner", "blocked_range", "blocked_range2d",
    "blocked_range3d", "combinable", "concurrent_bounded_queue", "concurrent_hash_map",
    "concurrent_priority_queue", "concurrent_queue", "concurrent_unordered_map",
    "concurrent_unordered_set", "concurrent_vector", "enumerable_thread_specific", "feeder",
    "filter", "filter_mode", "flow", "flow_control", "global_control",
    "is_current_task_group_canceling", "items_of", "make_filter", "parallel_deterministic_reduce",
    "parallel_for", "parallel_for_each", "parallel_invoke", "parallel_pipeline",
    "parallel_reduce", "parallel_scan", "parallel_sort", "simple_partitioner",
    "static_partitioner", "task_arena", "task_group", "task_group_context", "task_group_status",
    "task_handle", "this_task_arena", "user_abort",
]
