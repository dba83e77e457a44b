"""Public: what unisycl adds to SYCL: events that the program completes, maps of buffers.

Non-goals: anything SYCL has a name for. Invariant: a constant ``SYCL_EXT_UNISYCL_...`` of
``unisycl`` tells that one is here.
"""

from unisycl.api.mapped_buffer import mapped_buffer
from unisycl.api.user_event import user_event
from unisycl.base.geometry import non_uniform_nd_range
from unisycl.lang.target import device_is

__all__ = ["device_is", "mapped_buffer", "non_uniform_nd_range", "user_event"]
