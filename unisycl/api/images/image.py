"""Images: pictures of one to three dimensions for kernels (SYCL 2020 §4.7.3).

Non-goals: where the bytes lie (``image_source``, ``runtime.memory.images``), reading and writing
pixels (``image_accessor``). Invariants: extents count x first; an image over an array works on that
array; only pixels are written back, never the bytes between rows.
"""

from __future__ import annotations

import math
import weakref
from typing import Any, Self

import numpy as np

from unisycl.api import properties
from unisycl.api.images.image_accessor import (
    host_sampled_image_accessor,
    host_unsampled_image_accessor,
    sampled_image_accessor,
    unsampled_image_accessor,
)
from unisycl.api.images.image_source import (
    Wanted,
    as_extent,
    as_format,
    as_pitch,
    is_format,
    make_memory,
)
from unisycl.api.images.image_window import Picture
from unisycl.api.memory.allocators import image_allocator
from unisycl.api.memory.closing import Closing
from unisycl.api.memory.shared_ptr import shared_ptr
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.base.image_formats import image_sampler
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.memory.image import check_sampler
from unisycl.runtime.memory.allocation import is_allocator
from unisycl.runtime.memory.images import ImageMemory, as_pixels
from unisycl.runtime.memory.usage import Usage


@ends_at_call
class _Image(Picture, HasProperties, Closing):
    """What both kinds of images have in common."""

    __slots__ = ("__weakref__", "_finalizer", "_properties")
    __kernel_refusal__ = "make an accessor of it in the command group and use that"
    _kind: str
    """What properties call it."""

    def _setup(self, host: Any, rest: list[Any], *, const: bool) -> None:
        what = type(self).__name__
        given = [a for a in rest if isinstance(a, Property | property_list)
                 or properties.is_property(a)]
        self._properties = properties.check(properties.flatten(given), self._kind)
        places = [a for a in rest if not any(a is g for g in given)]
        allocator = places.pop() if places and is_allocator(places[-1]) else None
        if not places:
            raise UsageError(errc.invalid, f"{what}: the format is missing; give (pixels, "
                             "image_format, ...), such as image_format.r32g32b32a32_sfloat for "
                             "four float32 of each pixel")
        self.form = as_format(what, places[0])
        if len(places) > 3:
            raise UsageError(errc.invalid, f"{what}: did not expect {places[3]!r}; give "
                             "([data, ]format[, range[, pitch]][, properties])")
        extent = as_extent(what, places[1]) if len(places) > 1 else None
        pitch = as_pitch(what, places[2], extent) if len(places) > 2 else None
        in_place = self.has_property(properties.property.image.use_host_ptr)
        self.memory = make_memory(host, Wanted(what, self.form, extent, pitch, const, in_place,
                                                allocator))
        self._heed()
        self._finalizer = weakref.finalize(self, self.memory.finalize)

    def _heed(self) -> None:
        """Act on the properties given."""
        kinds = properties.property.image
        if self.has_property(kinds.context_bound):
            bound = self.get_property(kinds.context_bound)
            self.memory.bound_context = bound.get_context().state
        if self.has_property(kinds.use_mutex):
            lock = self.get_property(kinds.use_mutex).get_mutex_ptr()
            self.memory.usage = Usage(lock.acquire, lock.release)

    # ------------------------------------------------------------------ asking
    def get_range(self) -> geo.range:
        """Return the extents, x first (SYCL 2020 §4.7.3.1)."""
        return geo.range(*self.extent)

    def get_pitch(self) -> geo.range:
        """Return the bytes between rows, and between slices in three dimensions."""
        strides = self.memory.layout.strides
        if len(strides) == 1:
            raise UsageError(errc.invalid, "get_pitch: an image of one dimension has no pitch")
        return geo.range(*strides[-2::-1])

    def size(self) -> int:
        """Return the number of pixels."""
        return math.prod(self.extent)

    def byte_size(self) -> int:
        """Return the bytes of the storage, those between rows included."""
        layout = self.memory.layout
        return layout.strides[0] * layout.shape[0]

    def get_count(self) -> int:
        """Return the number of pixels (SYCL 1.2 Table 3.21)."""
        return self.size()

    def get_size(self) -> int:
        """Return the bytes of the storage (SYCL 1.2 Table 3.21)."""
        return self.byte_size()

    def get_allocator(self) -> Any:
        """Return the allocator given, or the default one (SYCL 2020 §4.7.3.1)."""
        given = self.memory.allocator
        return image_allocator() if given is None else given

    def __len__(self) -> int:
        return self.size()

    # ------------------------------------------------------------------ the end
    def close(self) -> None:
        """Wait for the work, write back, and refuse further use; idempotent.

        Raises the error of a command that failed if no handler will see it.
        """
        self.memory.close()

    def _check_open(self) -> None:
        self.memory.check_open()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self.extent))
        state = ", closed" if self.memory.closed else ""
        return f"<{type(self).__name__}: {extent} of {self.form}{state}>"


@ends_at_call
class unsampled_image(_Image):
    """An image whose pixels kernels read and write by whole coordinates (SYCL 2020 §4.7.3.1).

    Args:
        source: the data: an array of rows of pixels, (height, width, 4) say, of the format's
            channel type; contiguous memory; a ``shared_ptr``; or left out: the pixels are not
            initialised.
        rest: the format (an ``image_format``, or a tuple of channel order and channel type), the
            range, x first (left out: as the array's shape says), pitches in bytes, an allocator,
            properties.

    The image works on an array in place; its end waits for the work. Example::

        with unisycl.unsampled_image(picture, unisycl.image_format.r8g8b8a8_unorm) as img:
            ...
    """

    __slots__ = ()
    __capture_refusal__ = "make an unsampled_image_accessor in the command group and capture that"
    _kind = "unsampled_image"

    def __init__(self, source: Any, *rest: Any) -> None:
        self.sampler = None
        if is_format(source):
            self._setup(None, [source, *rest], const=False)
        else:
            self._setup(source, list(rest), const=False)

    def get_access(self, *args: Any) -> unsampled_image_accessor:
        """Return ``unsampled_image_accessor(self, *args)``."""
        return unsampled_image_accessor(self, *args)

    def get_host_access(self, *args: Any) -> host_unsampled_image_accessor:
        """Return ``host_unsampled_image_accessor(self, *args)``."""
        return host_unsampled_image_accessor(self, *args)

    def set_final_data(self, target: Any = None) -> None:
        """Say where the pixels go at the end; None: nowhere (SYCL 2020 §4.7.3.1).

        Args:
            target: a writable array, a weak reference to one or to a ``shared_ptr``, or a callable
                that gets the bytes. An array of the image's shape gets its pixels, contiguous
                memory of the image's pitch does too, and smaller memory gets rows that follow one
                another.

        What earlier commands wrote into the source array in place stays written.
        """
        _check_target(target, self.memory)
        self.memory.check_open()
        self.memory.detach()
        self.memory.target = weakref.ref(target) if isinstance(target, shared_ptr) else target

    def set_write_back(self, flag: bool = True) -> None:
        """Allow or cancel writing back at the end (SYCL 2020 §4.7.3.1)."""
        self.memory.check_open()
        if not flag:
            self.memory.detach()
        self.memory.write_back = bool(flag)


@ends_at_call
class sampled_image(_Image):
    """An image that kernels read through a sampler (SYCL 2020 §4.7.3.2).

    Args:
        source: the data, as for ``unsampled_image``; it is never written.
        format: an ``image_format``, or a tuple of channel order and channel type.
        sampler: how coordinates are understood.
        rest: range, pitches in bytes, allocator, properties, as for ``unsampled_image``.
    """

    __slots__ = ()
    __capture_refusal__ = "make a sampled_image_accessor in the command group and capture that"
    _kind = "sampled_image"

    def __init__(self, source: Any, format: Any, sampler: image_sampler, *rest: Any) -> None:
        if source is None:
            raise UsageError(errc.invalid, "sampled_image: it is read-only, so it needs data")
        if not isinstance(sampler, image_sampler):
            raise UsageError(errc.invalid, "sampled_image: expected an image_sampler after the "
                             f"format, got {type(sampler).__name__}")
        self.sampler = sampler
        check_sampler(sampler, as_format("sampled_image", format))
        self._setup(source, [format, *rest], const=True)

    def get_access(self, *args: Any) -> sampled_image_accessor:
        """Return ``sampled_image_accessor(self, *args)``."""
        return sampled_image_accessor(self, *args)

    def get_host_access(self, *args: Any) -> host_sampled_image_accessor:
        """Return ``host_sampled_image_accessor(self, *args)``."""
        return host_sampled_image_accessor(self, *args)


def _check_target(target: Any, memory: ImageMemory) -> None:
    array = target() if isinstance(target, weakref.ref) else target
    if isinstance(array, shared_ptr):
        array = array.get()
    if array is None or callable(array):
        return
    layout = memory.layout
    if not isinstance(array, np.ndarray) or not array.flags.writeable:
        found = "a read-only array" if isinstance(array, np.ndarray) else type(array).__name__
        raise UsageError(errc.invalid, f"set_final_data: got {found}; pass a writable array, a "
                         "weak reference to one, a callable, or None")
    if as_pixels(array, layout.size, layout.shape) is not None:
        return
    least = math.prod(layout.shape) * layout.size
    if not array.flags.c_contiguous or array.nbytes < least:
        raise UsageError(errc.invalid, f"set_final_data: the array must have the image's shape "
                         f"{layout.shape}, or be contiguous and have {least} bytes; it has the "
                         f"shape {array.shape} and {array.nbytes} bytes")
