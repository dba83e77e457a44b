"""Images of PyOpenCL's that a program made: what they are, and their pixels.

Non-goals: images in kernels, which are memory here. Invariant: pixels come and go as rows that
follow one another, x fastest.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unisycl.backends.opencl.launch.failed_calls import guarded
from unisycl.backends.opencl.session import Session
from unisycl.base.errors import UnsupportedError, errc

_DEPTH = 0x10BD  # CL_DEPTH, which PyOpenCL does not name
_TYPES = {"half_float": "fp16", "float": "fp32"}


class NativePicture:
    """A native image: the names of its channels' order and type, its extents, x first.

    ``layered``: the layers of an array of images are one more dimension, and images over buffers
    are taken as well.
    """

    def __init__(self, session: Session, queue: Any, native: Any, *, layered: bool = False,
                 ) -> None:
        cl, kind = session.cl, native.type
        self._cl, self._queue, self._native = cl, queue, native
        dimensions = {cl.mem_object_type.IMAGE1D: 1, cl.mem_object_type.IMAGE2D: 2,
                      cl.mem_object_type.IMAGE3D: 3}.get(kind)
        layers = 0
        if dimensions is None and layered:
            dimensions = {cl.mem_object_type.IMAGE1D_BUFFER: 1, cl.mem_object_type.IMAGE1D_ARRAY: 1,
                          cl.mem_object_type.IMAGE2D_ARRAY: 2}.get(kind)
            layers = int(native.array_size)
        if dimensions is None:
            name = cl.mem_object_type.to_string(kind, "%d")
            raise UnsupportedError(errc.feature_not_supported, f"the native object is a {name}; "
                                   "images are made of IMAGE1D, IMAGE2D and IMAGE3D")
        self.extent = (native.width, native.height, native.depth)[:dimensions]
        if layers:
            self.extent = (*self.extent, layers)
        found = native.format
        order = cl.channel_order.to_string(found.channel_order, "%d").lower()
        self.order = "depth" if found.channel_order == _DEPTH else order
        type = cl.channel_type.to_string(found.channel_data_type, "%d").lower()
        self.type = _TYPES.get(type, type)
        self._bytes = int(native.element_size) * math.prod(self.extent)

    @guarded("reading an image")
    def read(self) -> np.ndarray[Any, Any]:
        """Return a copy of the pixels' bytes."""
        made = np.empty(self._bytes, np.uint8)
        self._cl._cl._enqueue_read_image(self._queue, self._native, *self._whole(), made)
        return made

    @guarded("writing an image")
    def write(self, contents: Any) -> None:
        """Give the pixels other bytes."""
        given = np.frombuffer(contents, np.uint8)[:self._bytes]
        self._cl._cl._enqueue_write_image(self._queue, self._native, *self._whole(), given)

    def _whole(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return where the pixels begin and how many there are."""
        return (0, 0, 0), (*self.extent, 1, 1)[:3]
