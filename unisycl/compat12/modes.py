"""``access``: the modes and targets of SYCL 1.2 accessors (§3.6.4.1-2).

Non-goals: accessors. Invariant: every mode maps to one of SYCL 2020, with or without ``no_init``.
"""

from __future__ import annotations

import enum

from unisycl.api.properties import Property, no_init
from unisycl.base.enums import access_mode, fence_space


class mode(enum.Enum):
    """SYCL 1.2 Table 3.25: what an accessor may do."""

    read = "read"
    write = "write"
    read_write = "read_write"
    discard_write = "discard_write"
    discard_read_write = "discard_read_write"
    atomic = "atomic"

    def modern(self) -> tuple[access_mode, list[Property]]:
        """Return the mode of SYCL 2020 and the properties that mean the same."""
        name = self.name.removeprefix("discard_")
        return access_mode[name], [no_init] if name != self.name else []


class target(enum.Enum):
    """SYCL 1.2 Table 3.26: what kind of memory is accessed, and from where."""

    global_buffer = "global_buffer"
    constant_buffer = "constant_buffer"
    local = "local"
    image = "image"
    host_buffer = "host_buffer"
    host_image = "host_image"
    image_array = "image_array"
    cl_buffer = "cl_buffer"
    cl_image = "cl_image"
    cl_gl_buffer = "cl_gl_buffer"
    cl_gl_image = "cl_gl_image"


class access:
    """SYCL 1.2's namespace of modes and targets, with its short forms such as ``access.read``."""

    mode = mode
    target = target
    fence_space = fence_space
    read = mode.read
    write = mode.write
    read_write = mode.read_write
    discard_write = mode.discard_write
    discard_read_write = mode.discard_read_write
    atomic = mode.atomic
    global_buffer = target.global_buffer
    constant_buffer = target.constant_buffer
    local = target.local
    host_buffer = target.host_buffer
    image = target.image
    host_image = target.host_image
    image_array = target.image_array
    cl_buffer = target.cl_buffer
    cl_image = target.cl_image
    cl_gl_buffer = target.cl_gl_buffer
    cl_gl_image = target.cl_gl_image
    global_and_local = fence_space.global_and_local
