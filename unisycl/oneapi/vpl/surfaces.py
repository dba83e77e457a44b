"""Surfaces: pictures in memory that kernels, NumPy, images and codecs share.

Non-goals: what is done with them. Invariant: the memory belongs to the surface, or to the frame of
a codec that the surface keeps; nothing is copied where the device reaches the host's memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.vpl.errors import invalid_argument, unsupported
from unisycl.oneapi.vpl.formats import MATRICES, Format, format_of
from unisycl.oneapi.vpl.kernels import part, yuv

Array = np.ndarray[Any, Any]


class surface:
    """A picture.

    Args:
        queue: whose kernels work on it.
        format: nv12, i420, p010, i010, rgb or rgb4 (blue, green, red, alpha).
        width, height: in pixels.
        memory: memory to use, of one dimension and as large as is needed; own memory if left out.
        matrix, full_range: how Y, U and V are meant: "bt601" or "bt709", and from 0 to 255 or not.
    """

    def __init__(self, queue: sycl.queue, format: str, width: int, height: int, *,
                 memory: Any = None, matrix: str = "bt601", full_range: bool = False) -> None:
        if not isinstance(queue, sycl.queue):
            raise invalid_argument(f"surface: the first argument is a queue, got "
                                   f"{type(queue).__name__}")
        self.queue, self.format = queue, format_of(format)
        for name, value in (("width", width), ("height", height)):
            if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
                raise invalid_argument(f"surface: {name} must be a whole number of at least 1, got "
                                       f"{value!r}")
        if not self.format.colours and min(width, height) < 2:
            raise invalid_argument(f"surface: {format} needs 2 x 2 pixels at least, got {width} x "
                                   f"{height}")
        if matrix not in list(MATRICES):
            raise invalid_argument(f"surface: matrix must be one of {', '.join(MATRICES)}, got "
                                   f"{matrix!r}")
        self.width, self.height = int(width), int(height)
        self.matrix, self.full_range, self.timestamp = matrix, full_range, 0
        shapes = self.format.planes(self.width, self.height)
        count = sum(rows * columns for rows, columns in shapes)
        if memory is None:
            memory = empty(queue, count, self.format.dtype)
        elif not isinstance(memory, np.ndarray | sycl.usm_pointer):
            raise invalid_argument("surface: memory must be an array or USM memory, got "
                                   f"{type(memory).__name__}")
        elif np.dtype(memory.dtype) != self.format.dtype or _size(memory) != count:
            raise invalid_argument(f"surface: {count} elements of {self.format.dtype} are needed, "
                                   f"the memory has {_size(memory)} of {memory.dtype}")
        elif isinstance(memory, sycl.usm_pointer) and sycl.get_pointer_type(
                memory, queue.get_context()) is sycl.usm.alloc.device:
            raise unsupported("surface: the host does not reach an allocation of the device's; "
                              "give memory of malloc_shared or malloc_host, or none")
        self.memory: Any = memory
        self.pitches = [columns for _, columns in shapes]
        self._kept: Any = None
        first = 0
        self.planes: list[Any] = []
        for rows, columns in shapes:
            self.planes.append(_piece(memory, first, rows * columns))
            first += rows * columns

    @classmethod
    def _over(cls, queue: sycl.queue, found: Format, size: Sequence[int],
              planes: list[Array]) -> surface:
        """Return a surface over planes of a frame, of any pitch."""
        made = cls.__new__(cls)
        made.queue, made.format = queue, found
        made.width, made.height = size
        made.matrix, made.full_range, made.timestamp = "bt601", False, 0
        made.memory = None
        made.pitches = [p.shape[1] for p in planes]
        made.planes = [p.reshape(-1) for p in planes]
        made._kept = None
        return made

    def parts(self) -> list[part]:
        """Return the parts of a pixel as kernels read and write them."""
        top = (1 << self.format.bits) - 1
        return [part(self.planes[p.plane], np.int64(self.pitches[p.plane]), np.int64(p.step),
                     np.int64(p.first), np.int32(self.format.shift), np.int32(top))
                for p in self.format.parts]

    def picture(self) -> yuv:
        """Return Y, U and V as kernels read and write them."""
        return yuv(*self.parts())

    def array(self) -> Any:
        """Return what the host sees: of colours an array (height, width, parts), else the planes.

        Wait first for what was submitted.
        """
        shapes = self.format.planes(self.width, self.height)
        found = [np.asarray(plane).reshape(-1, pitch)[:rows, :columns] for plane, pitch, (
            rows, columns) in zip(self.planes, self.pitches, shapes, strict=True)]
        if self.format.colours:
            return found[0].reshape(self.height, self.width, -1)
        return found

    def image(self) -> Any:
        """Return the memory of a surface of rgb4 as a SYCL image, which is in place."""
        if self.format.name != "rgb4" or self.memory is None:
            raise unsupported(f"image: pixels of {self.format.name} are no image of SYCL's; "
                              "process the surface to rgb4 first")
        return sycl.unsampled_image(
            np.asarray(self.memory).reshape(self.height, self.width, 4),
            sycl.image_format.r8g8b8a8_uint, sycl.range(self.width, self.height))

    def __repr__(self) -> str:
        return f"<surface {self.format.name} {self.width} x {self.height}>"


def _size(memory: Any) -> int:
    return int(memory.size() if callable(memory.size) else memory.size)


def _piece(memory: Any, first: int, count: int) -> Any:
    if isinstance(memory, np.ndarray):
        if not memory.flags.c_contiguous:
            raise invalid_argument("surface: the memory has gaps; give an array without")
        return memory.reshape(-1)[first:first + count]
    view = memory.get_view()
    return np.asarray(view).reshape(-1)[first:first + count]
