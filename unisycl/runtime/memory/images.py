"""The memory of images: pixels with a pitch, in the user's own memory where that is possible.

Ownership, order of use and the end are those of buffers (``buffers``, ``deps``). Non-goals:
formats, accessors. Invariants: a pitch is a whole number of pixels; the bytes between rows are
never written.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unisycl.backends.base import HOST, BoundView, Driver
from unisycl.base.dataclass import dataclass
from unisycl.runtime.memory.allocation import Array
from unisycl.runtime.memory.buffers import BufferMemory


@dataclass(frozen=True, slots=True)
class PixelLayout:
    """Where pixels lie: ``size`` bytes each, ``shape`` with x last, ``pitches`` in pixels."""

    size: int
    shape: tuple[int, ...]
    pitches: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes from the first pixel to the end of the last one."""
        last = sum((e - 1) * p for e, p in zip(self.shape, self.pitches, strict=True))
        return (last + 1) * self.size

    @property
    def strides(self) -> tuple[int, ...]:
        """The pitches in bytes."""
        return tuple(p * self.size for p in self.pitches)

    @property
    def dtype(self) -> np.dtype[Any]:
        """A pixel, as bytes without a meaning."""
        return np.dtype((np.void, self.size))

    def over(self, storage: Array) -> Array:
        """Return the pixels of these bytes as an array over them."""
        return np.ndarray(self.shape, self.dtype, storage, 0, self.strides)


def bytes_of(array: Array, count: int) -> Array:
    """Return so many bytes from an array's first element on, over its memory, gaps included."""
    interface = {**array.__array_interface__, "shape": (count,), "typestr": "|u1", "strides": None,
                 "descr": [("", "|u1")]}
    return np.asarray(_Held(interface, array))


def as_pixels(array: Array, size: int, shape: tuple[int, ...]) -> Array | None:
    """Return an array's elements as pixels of ``size`` bytes; None if they do not make up these.

    Each element may be a pixel, or the array has a last dimension of what makes up one.
    """
    inner = array.shape[len(shape):]
    strides = array.strides[len(shape):]
    if array.shape[:len(shape)] != shape or len(inner) > 1 or (
            math.prod(inner) * array.itemsize != size):
        return None
    if inner and inner[0] > 1 and strides[0] != array.itemsize:
        return None
    pixel = np.dtype((np.void, size))
    interface = {**array.__array_interface__, "shape": shape, "typestr": pixel.str,
                 "strides": array.strides[:len(shape)], "descr": [("", pixel.str)]}
    return np.asarray(_Held(interface, array))


class _Held:
    """Describes memory to NumPy and keeps its owner alive."""

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


class ImageMemory(BufferMemory):
    """The memory of one image; what is written back at the end are its pixels."""

    __slots__ = ("_bound", "_bound_version", "layout")
    noun = "image"

    def __init__(self, layout: PixelLayout, source: Array | None = None, **options: Any) -> None:
        super().__init__(layout.nbytes, source, **options)
        self.layout = layout
        self._bound: BoundView | None = None
        self._bound_version = -1

    def bound(self, driver: Driver | None = None) -> BoundView:
        """Return all pixels as a kernel argument; the same object while nothing changes.

        They lie where the kernels of ``driver`` use them; on the host if there is none.
        """
        if driver is not None and driver.memory != HOST:
            pixels = self.placed(driver)[:self.layout.nbytes].view(self.layout.dtype)
            return BoundView(pixels, 0, self.layout.shape, self.layout.pitches)
        bound = self._bound
        if bound is None or self._bound_version != self.version:
            layout = self.layout
            pixels = self.storage()[:layout.nbytes].view(layout.dtype)
            bound = self._bound = BoundView(pixels, 0, layout.shape, layout.pitches)
            self._bound_version = self.version
        return bound

    def _copy_out(self) -> None:
        target = self.final_array()
        if not isinstance(target, np.ndarray) or not self.write_back or self._storage is None \
                or self._shares_target():
            super()._copy_out()
            return
        layout = self.layout
        pixels = as_pixels(target, layout.size, layout.shape)
        whole = layout.over(self._storage)
        if pixels is not None:
            pixels[...] = whole
        elif target.nbytes < layout.nbytes:  # rows without gaps
            target.reshape(-1).view(np.uint8)[:whole.size * layout.size] = np.frombuffer(
                whole.tobytes(), np.uint8)
        else:
            layout.over(bytes_of(target, layout.nbytes))[...] = whole
