"""Enumerations that several rooms share, with the specification's spelling.

Non-goals: behaviour. Invariant: names are SYCL 2020's; values have no meaning outside the process.
"""

from __future__ import annotations

import enum


class access_mode(enum.Enum):
    """SYCL 2020 §4.7.6.2: what an accessor may do with the elements."""

    read = "read"
    write = "write"
    read_write = "read_write"
    atomic = "atomic"
    """SYCL 1.2 §3.4, deprecated in SYCL 2020: elements are changed by atomic methods only."""
    discard_write = "discard_write"
    """Deprecated in SYCL 2020: accessors take it as ``write`` and ``no_init``."""
    discard_read_write = "discard_read_write"
    """Deprecated in SYCL 2020: accessors take it as ``read_write`` and ``no_init``."""

    __hash__ = object.__hash__  # a part of many keys; the enum module's takes three times as long

    reads: bool
    writes: bool

    def __init__(self, name: str) -> None:  # asked for at every launch
        self.reads = name not in ("write", "discard_write")
        self.writes = name != "read"

    @property
    def discards(self) -> bool:
        return self in _DISCARDING

    def modern(self) -> access_mode:
        """Return the mode without discarding, which means the same with ``no_init``."""
        return _DISCARDING.get(self, self)


_DISCARDING = {access_mode.discard_write: access_mode.write,
               access_mode.discard_read_write: access_mode.read_write}


class target(enum.Enum):
    """SYCL 2020 §4.7.6.3: where an accessor is used."""

    device = "device"
    host_task = "host_task"
    global_buffer = "device"  # noqa: PIE796 - another name of it
    """Deprecated in SYCL 2020, where it is ``device``."""
    constant_buffer = "constant_buffer"
    """Deprecated in SYCL 2020: accessors take it as ``device``, for reading."""
    local = "local"
    """Deprecated in SYCL 2020: ``local_accessor``."""
    host_buffer = "host_buffer"
    """Deprecated in SYCL 2020: ``host_accessor``."""


class placeholder(enum.Enum):
    """SYCL 2020 §4.7.6.9 ``access::placeholder``, deprecated: accessors take it and ignore it."""

    false_t = False
    true_t = True


class address_space(enum.Enum):
    """SYCL 2020 §4.7.7: the memory regions a kernel can address."""

    global_space = "global"
    local_space = "local"
    private_space = "private"
    constant_space = "constant"
    generic_space = "generic"


class decorated(enum.Enum):
    """SYCL 2020 §4.7.7.1 ``access::decorated``: whether a pointer's type names its space."""

    no = "no"
    yes = "yes"
    legacy = "legacy"


class memory_order(enum.Enum):
    """SYCL 2020 §3.8.3.1."""

    relaxed = "relaxed"
    acquire = "acquire"
    release = "release"
    acq_rel = "acq_rel"
    seq_cst = "seq_cst"


class memory_scope(enum.IntEnum):
    """SYCL 2020 §3.8.3.2, narrowest first."""

    work_item = 0
    sub_group = 1
    work_group = 2
    device = 3
    system = 4


class sorting_order(enum.IntEnum):
    """sycl_ext_oneapi_group_sort: the order in which radix sorters sort."""

    ascending = 0
    descending = 1


class rounding_mode(enum.Enum):
    """SYCL 2020 §4.14.2.5: how a conversion rounds what the new type cannot hold."""

    automatic = "automatic"
    rte = "rte"
    rtz = "rtz"
    rtp = "rtp"
    rtn = "rtn"


class fence_space(enum.Enum):
    """SYCL 1.2 §3.7.1.5 ``access::fence_space``: what ``nd_item.barrier`` orders."""

    local_space = "local"
    global_space = "global"
    global_and_local = "global_and_local"


class access:
    """SYCL's ``sycl::access`` namespace (SYCL 2020 §4.7.6, §4.7.7; SYCL 1.2 §3.6.4, §3.7.1)."""

    mode = access_mode
    target = target
    placeholder = placeholder
    address_space = address_space
    decorated = decorated
    fence_space = fence_space


class usm_kind(enum.Enum):
    """The kinds of USM allocation (SYCL 2020 §4.8.2); the public name is ``usm.alloc``."""

    host = "host"
    device = "device"
    shared = "shared"
    unknown = "unknown"


class aspect(enum.Enum):
    """SYCL 2020 §4.6.4.5: what a device can do."""

    cpu = "cpu"
    gpu = "gpu"
    accelerator = "accelerator"
    custom = "custom"
    emulated = "emulated"
    host_debuggable = "host_debuggable"
    fp16 = "fp16"
    fp64 = "fp64"
    atomic64 = "atomic64"
    image = "image"
    online_compiler = "online_compiler"
    online_linker = "online_linker"
    queue_profiling = "queue_profiling"
    usm_device_allocations = "usm_device_allocations"
    usm_host_allocations = "usm_host_allocations"
    usm_atomic_host_allocations = "usm_atomic_host_allocations"
    usm_shared_allocations = "usm_shared_allocations"
    usm_atomic_shared_allocations = "usm_atomic_shared_allocations"
    usm_system_allocations = "usm_system_allocations"
    ext_oneapi_chunk = "ext_oneapi_chunk"
    ext_oneapi_fragment = "ext_oneapi_fragment"
    ext_oneapi_tangle = "ext_oneapi_tangle"
    ext_oneapi_queue_profiling_tag = "ext_oneapi_queue_profiling_tag"
    ext_oneapi_virtual_mem = "ext_oneapi_virtual_mem"
    ext_oneapi_ipc_memory = "ext_oneapi_ipc_memory"
    ext_oneapi_async_memory_alloc = "ext_oneapi_async_memory_alloc"
    ext_oneapi_bindless_images = "ext_oneapi_bindless_images"
    ext_oneapi_bindless_images_shared_usm = "ext_oneapi_bindless_images_shared_usm"
    ext_oneapi_bindless_images_1d_usm = "ext_oneapi_bindless_images_1d_usm"
    ext_oneapi_bindless_images_2d_usm = "ext_oneapi_bindless_images_2d_usm"
    ext_oneapi_bindless_sampled_image_fetch_1d_usm = (
        "ext_oneapi_bindless_sampled_image_fetch_1d_usm")
    ext_oneapi_bindless_sampled_image_fetch_1d = "ext_oneapi_bindless_sampled_image_fetch_1d"
    ext_oneapi_bindless_sampled_image_fetch_2d_usm = (
        "ext_oneapi_bindless_sampled_image_fetch_2d_usm")
    ext_oneapi_bindless_sampled_image_fetch_2d = "ext_oneapi_bindless_sampled_image_fetch_2d"
    ext_oneapi_bindless_sampled_image_fetch_3d = "ext_oneapi_bindless_sampled_image_fetch_3d"
    ext_oneapi_mipmap = "ext_oneapi_mipmap"
    ext_oneapi_mipmap_anisotropy = "ext_oneapi_mipmap_anisotropy"
    ext_oneapi_mipmap_level_reference = "ext_oneapi_mipmap_level_reference"
    ext_oneapi_image_array = "ext_oneapi_image_array"
    ext_oneapi_cubemap = "ext_oneapi_cubemap"
    ext_oneapi_cubemap_seamless_filtering = "ext_oneapi_cubemap_seamless_filtering"
    ext_oneapi_external_memory_import = "ext_oneapi_external_memory_import"
    ext_oneapi_external_semaphore_import = "ext_oneapi_external_semaphore_import"
    ext_unisycl_coarse_sampling = "ext_unisycl_coarse_sampling"


IMAGES_BY_HANDLE = frozenset(a for a in aspect if a.name.startswith((
    "ext_oneapi_bindless", "ext_oneapi_mipmap", "ext_oneapi_image_array", "ext_oneapi_cubemap")))
IMAGES_BY_HANDLE -= {aspect.ext_oneapi_mipmap_anisotropy,
                     aspect.ext_oneapi_cubemap_seamless_filtering}
"""What a device has of sycl_ext_oneapi_bindless_images whose kernels follow stored pointers."""


class backend(enum.Enum):
    """SYCL 2020 §4.1: the interfaces a device may be reached through."""

    host = "host"
    cpu = "cpu"
    opencl = "opencl"
    cuda = "cuda"


class peer_access(enum.Enum):
    """sycl_ext_oneapi_peer_access: what a device may do with memory of another one."""

    access_supported = "access_supported"
    atomics_supported = "atomics_supported"


C_VERSION = "opencl_c_version"
"""A descriptor of SYCL 1.2.1 that only one backend answers."""
EXTERN_LANGUAGES = {backend.opencl: ("OpenCL C", ".cl"), backend.cuda: ("CUDA C++", ".cu")}
"""What functions are written in that kernels call by name, and how names of its files end."""
NATIVE_OF_12 = backend.opencl
"""The backend whose objects SYCL 1.2 means where it says native."""


class source_language(enum.Enum):
    """sycl_ext_oneapi_kernel_compiler: the language of a text that kernels are compiled from."""

    sycl = "sycl"
    opencl = "opencl"
    spirv = "spirv"
    cuda = "cuda"


class bundle_state(enum.Enum):
    """SYCL 2020 §4.11.3: what has been done to the kernels of a bundle."""

    input = "input"
    object = "object"
    executable = "executable"


class queue_state(enum.Enum):
    """sycl_ext_oneapi_graph: whether a queue runs its commands or records them."""

    executing = "executing"
    recording = "recording"


class input_data_placement(enum.Enum):
    """sycl_ext_oneapi_group_sort: how arrays of a group's work-items lie in the order they have."""

    blocked = "blocked"
    striped = "striped"


class output_data_placement(enum.Enum):
    """sycl_ext_oneapi_group_sort: where the work-items of a group find what was sorted."""

    blocked = "blocked"
    striped = "striped"


class data_placement_enum(enum.Enum):
    """sycl_ext_oneapi_group_load_store: how the elements of work-items lie in memory."""

    blocked = "blocked"
    """Those of one work-item follow one another."""
    striped = "striped"
    """The first ones of all work-items come first, then the second ones."""


class group_memory(enum.Enum):
    """sycl_ext_oneapi_group_load_store: what a program promises; nothing here depends on it."""

    contiguous_memory = "contiguous_memory"
    full_group = "full_group"
    native_local_block_io = "native_local_block_io"


class node_type(enum.Enum):
    """sycl_ext_oneapi_graph: what a node of a graph does."""

    empty = "empty"
    subgraph = "subgraph"
    kernel = "kernel"
    memcpy = "memcpy"
    memset = "memset"
    memfill = "memfill"
    prefetch = "prefetch"
    memadvise = "memadvise"
    ext_oneapi_barrier = "ext_oneapi_barrier"
    host_task = "host_task"
    ext_unisycl_loop = "ext_unisycl_loop"
    ext_unisycl_condition = "ext_unisycl_condition"


class stream_manipulator(enum.Enum):
    """SYCL 2020 §4.16: what changes a stream instead of being written."""

    flush = "flush"
    dec = "dec"
    hex = "hex"
    oct = "oct"
    noshowbase = "noshowbase"
    showbase = "showbase"
    noshowpos = "noshowpos"
    showpos = "showpos"
    endl = "endl"
    fixed = "fixed"
    scientific = "scientific"
    hexfloat = "hexfloat"
    defaultfloat = "defaultfloat"


class info_event_status(enum.Enum):
    """SYCL 2020 §4.6.6.6 ``info::event_command_status``."""

    submitted = "submitted"
    running = "running"
    complete = "complete"
    ext_oneapi_unknown = "unknown"
