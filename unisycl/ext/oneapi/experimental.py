"""Public: oneAPI's experimental extensions: graphs, sorting, device globals, parts of sub-groups.

Non-goals: stability of the names; they follow the extension's text. Invariant: nothing here is part
of the core.
"""

from unisycl.api.accessor import work_group_memory
from unisycl.api.command_graph import command_graph, executable_graph
from unisycl.api.command_graph import graph_node as node
from unisycl.api.device_global import (
    device_global,
    device_image_scope,
    device_image_scope_key,
    host_access,
    host_access_enum,
    host_access_key,
    host_access_none,
    host_access_read,
    host_access_read_write,
    host_access_write,
    implement_in_csr,
    implement_in_csr_key,
    implement_in_csr_off,
    implement_in_csr_on,
    init_mode,
    init_mode_enum,
    init_mode_key,
    init_mode_reprogram,
    init_mode_reset,
)
from unisycl.api.dynamic_command_group import dynamic_command_group
from unisycl.api.dynamic_parameter import dynamic_parameter
from unisycl.api.enqueue import (
    barrier,
    copy,
    execute_graph,
    fill,
    launch_config,
    mem_advise,
    memcpy,
    memset,
    nd_launch,
    parallel_for,
    partial_barrier,
    prefetch,
    prefetch_type,
    single_task,
    submit,
    submit_with_event,
)
from unisycl.api.khr_info import experimental_info as info
from unisycl.api.profiling_tag import submit_profiling_tag
from unisycl.api.properties import property
from unisycl.api.source_bundle import (
    build,
    create_kernel_bundle_from_source,
    is_source_kernel_bundle_supported,
    save_log,
)
from unisycl.api.source_options import include_files, registered_kernel_names
from unisycl.base.architecture import architecture
from unisycl.base.enums import (
    input_data_placement,
    node_type,
    output_data_placement,
    queue_state,
    sorting_order,
    source_language,
)
from unisycl.base.geometry import auto_range
from unisycl.base.progress import (
    execution_scope,
    forward_progress_guarantee,
    sub_group_progress,
    work_group_progress,
    work_item_progress,
)
from unisycl.ext.oneapi import this_kernel
from unisycl.lang import default_sorters, radix_sorters
from unisycl.lang.build_options import build_options
from unisycl.lang.fragments import chunk, fragment, tangle
from unisycl.lang.group_traits import is_fixed_topology_group, is_user_constructed_group
from unisycl.lang.kernel import nd_range_kernel, properties_tag, single_task_kernel
from unisycl.lang.kernel_properties import (
    device_has,
    properties,
    sub_group_size,
    work_group_size,
    work_group_size_hint,
)
from unisycl.lang.load_store import (
    contiguous_memory,
    data_placement_blocked,
    data_placement_enum,
    data_placement_striped,
    full_group,
    group_load,
    group_store,
    native_local_block_io,
)
from unisycl.lang.math import (
    ceil,
    cos,
    exp,
    exp2,
    exp10,
    fabs,
    floor,
    fma,
    fmax,
    fmin,
    isnan,
    log,
    log2,
    log10,
    rint,
    rsqrt,
    sin,
    sqrt,
    trunc,
)
from unisycl.lang.partitions import (
    binary_partition,
    chunked_partition,
    entangle,
    get_ballot_group,
    get_fixed_size_group,
    get_opportunistic_group,
    get_tangle_group,
)
from unisycl.lang.root_group import get_root_group, root_group, use_root_sync
from unisycl.lang.scratch import get_work_group_scratch_memory, work_group_scratch_size
from unisycl.lang.sorting import (
    group_with_scratchpad,
    joint_sort,
    sort_key_value_over_group,
    sort_over_group,
    sorter,
)
from unisycl.lang.target import architecture_is, if_architecture_is, if_device_has

ballot_group = opportunistic_group = fragment
"""The older names of ``fragment``, by how one was made."""
fixed_size_group = chunk
"""The older name of ``chunk``."""
tangle_group = tangle
"""The older name of ``tangle``."""

__all__ = [
    "architecture",
    "architecture_is",
    "auto_range",
    "ballot_group",
    "barrier",
    "binary_partition",
    "build",
    "build_options",
    "ceil",
    "chunk",
    "chunked_partition",
    "command_graph",
    "contiguous_memory",
    "copy",
    "cos",
    "create_kernel_bundle_from_source",
    "data_placement_blocked",
    "data_placement_enum",
    "data_placement_striped",
    "default_sorters",
    "device_global",
    "device_has",
    "device_image_scope",
    "device_image_scope_key",
    "dynamic_command_group",
    "dynamic_parameter",
    "entangle",
    "executable_graph",
    "execute_graph",
    "execution_scope",
    "exp",
    "exp2",
    "exp10",
    "fabs",
    "fill",
    "fixed_size_group",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "forward_progress_guarantee",
    "fragment",
    "full_group",
    "get_ballot_group",
    "get_fixed_size_group",
    "get_opportunistic_group",
    "get_root_group",
    "get_tangle_group",
    "get_work_group_scratch_memory",
    "group_load",
    "group_store",
    "group_with_scratchpad",
    "host_access",
    "host_access_enum",
    "host_access_key",
    "host_access_none",
    "host_access_read",
    "host_access_read_write",
    "host_access_write",
    "if_architecture_is",
    "if_device_has",
    "implement_in_csr",
    "implement_in_csr_key",
    "implement_in_csr_off",
    "implement_in_csr_on",
    "include_files",
    "info",
    "init_mode",
    "init_mode_enum",
    "init_mode_key",
    "init_mode_reprogram",
    "init_mode_reset",
    "input_data_placement",
    "is_fixed_topology_group",
    "is_source_kernel_bundle_supported",
    "is_user_constructed_group",
    "isnan",
    "joint_sort",
    "launch_config",
    "log",
    "log2",
    "log10",
    "mem_advise",
    "memcpy",
    "memset",
    "native_local_block_io",
    "nd_launch",
    "nd_range_kernel",
    "node",
    "node_type",
    "opportunistic_group",
    "output_data_placement",
    "parallel_for",
    "partial_barrier",
    "prefetch",
    "prefetch_type",
    "properties",
    "properties_tag",
    "property",
    "queue_state",
    "radix_sorters",
    "registered_kernel_names",
    "rint",
    "root_group",
    "rsqrt",
    "save_log",
    "sin",
    "single_task",
    "single_task_kernel",
    "sort_key_value_over_group",
    "sort_over_group",
    "sorter",
    "sorting_order",
    "source_language",
    "sqrt",
    "sub_group_progress",
    "sub_group_size",
    "submit",
    "submit_profiling_tag",
    "submit_with_event",
    "tangle",
    "tangle_group",
    "this_kernel",
    "trunc",
    "use_root_sync",
    "work_group_memory",
    "work_group_progress",
    "work_group_scratch_size",
    "work_group_size",
    "work_group_size_hint",
    "work_item_progress",
]
