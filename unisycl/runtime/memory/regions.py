"""Typed windows into buffer memory: what a buffer, a sub-buffer or a reinterpretation denotes.

Non-goals: ownership (``buffers``), dependencies (``deps``). Invariant: a region is contiguous bytes
of one memory, seen as a row-major array of one to three dimensions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unisycl.backends.base import HOST, BoundView, Driver
from unisycl.runtime.memory.allocation import Array
from unisycl.runtime.memory.buffers import BufferMemory


def pitches_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the row-major pitches of a shape, in elements."""
    out = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        out[d] = out[d + 1] * shape[d + 1]
    return tuple(out)


class Region:
    """Bytes [start, stop) of a memory as ``shape`` elements of ``dtype``. Caches only."""

    __slots__ = ("__weakref__", "_bound", "_flat", "_placed", "_version", "dtype", "known",
                 "memory", "pitches", "shape", "start", "stop")

    def __init__(self, memory: BufferMemory, dtype: np.dtype[Any], shape: tuple[int, ...],
                 start: int = 0) -> None:
        self.memory = memory
        self.dtype = dtype
        self.shape = shape
        self.pitches = pitches_of(shape)
        self.start = start
        self.stop = start + math.prod(shape) * dtype.itemsize
        self._flat: Array | None = None
        self._bound: BoundView | None = None
        self._placed: dict[str, BoundView] = {}
        self._version = -1
        self.known: dict[int | tuple[int, ...], Any] = {}
        """What accessors of the whole region found out last, by the ids of what they were given."""

    def flat(self) -> Array:
        """Return the elements as a one-dimensional array over the memory itself."""
        flat = self._flat
        if flat is None or self._version != self.memory.version:
            whole = self.memory.storage()
            flat = whole[self.start:self.stop].view(self.dtype)
            self._flat, self._bound, self._version = flat, None, self.memory.version
        return flat

    def bound(self, driver: Driver | None = None) -> BoundView:
        """Return the whole region as a kernel argument; the same object while nothing changes.

        It lies where the kernels of ``driver`` use it; on the host if there is none.
        """
        if driver is not None and driver.memory != HOST:
            return self._bound_elsewhere(driver)
        flat = self.flat()
        bound = self._bound
        if bound is None:
            bound = self._bound = BoundView(flat, 0, self.shape, self.pitches)
        return bound

    def is_bound(self, view: object, driver: Driver) -> bool:
        """Say whether ``bound`` would return this view to a driver."""
        if driver.memory != HOST:
            return self._placed.get(driver.memory) is view
        return self._bound is view and self._version == self.memory.version

    def _bound_elsewhere(self, driver: Driver) -> BoundView:
        bound = self._placed.get(driver.memory)
        if bound is None:
            flat = self.memory.placed(driver)[self.start:self.stop].view(self.dtype)
            bound = self._placed[driver.memory] = BoundView(flat, 0, self.shape, self.pitches)
        return bound

    def window(self, shape: tuple[int, ...], offset: tuple[int, ...],
               driver: Driver | None = None) -> BoundView:
        """Return a box of the region as a kernel argument; its element 0 lies at ``offset``."""
        start = sum(o * p for o, p in zip(offset, self.pitches, strict=True))
        whole = self.bound(driver).memory
        return BoundView(whole, start, shape, self.pitches[:len(shape)])

    def array(self, shape: tuple[int, ...], offset: tuple[int, ...]) -> Array:
        """Return a box of the region as an array over the memory itself."""
        whole = self.flat().reshape(self.shape)
        return whole[tuple(slice(o, o + s) for o, s in zip(offset, shape, strict=True))]
