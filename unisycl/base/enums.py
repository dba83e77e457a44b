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

    @property
    def reads(self) -> bool:
        return self is not access_mode.write

    @property
    def writes(self) -> bool:
        return self is not access_mode.read


class target(enum.Enum):
    """SYCL 2020 §4.7.6.3: where an accessor is used."""

    device = "device"
    host_task = "host_task"


class address_space(enum.Enum):
    """SYCL 2020 §4.7.7: the memory regions a kernel can address."""

    global_space = "global"
    local_space = "local"
    private_space = "private"
    constant_space = "constant"
    generic_space = "generic"


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


class fence_space(enum.Enum):
    """SYCL 1.2 §3.7.1.5 ``access::fence_space``: what ``nd_item.barrier`` orders."""

    local_space = "local"
    global_space = "global"
    global_and_local = "global_and_local"


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


class backend(enum.Enum):
    """SYCL 2020 §4.1: the interfaces a device may be reached through."""

    host = "host"
    cpu = "cpu"
    opencl = "opencl"
    cuda = "cuda"


class info_event_status(enum.Enum):
    """SYCL 2020 §4.6.6.6 ``info::event_command_status``."""

    submitted = "submitted"
    running = "running"
    complete = "complete"
