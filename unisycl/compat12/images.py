"""``image`` and ``sampler`` in SYCL 1.2's spelling (§3.6.2, §3.6.4.5, §3.6.6).

Non-goals: images of OpenCL and OpenGL. Invariant: an image made here is an ``unsampled_image``; its
accessors are those of SYCL 2020, which know subscripts and samplers as well.
"""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np

from unisycl.api.devices.context import context
from unisycl.api.images import image as images
from unisycl.api.images.image_accessor import (
    host_unsampled_image_accessor,
    unsampled_image_accessor,
)
from unisycl.api.images.image_window import Asked
from unisycl.base import geometry as geo
from unisycl.base.enums import NATIVE_OF_12
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.foreign_objects import is_native
from unisycl.base.image_formats import (
    addressing_mode,
    coordinate_normalization_mode,
    filtering_mode,
    image_channel_order,
    image_channel_type,
    image_sampler,
)
from unisycl.base.tracebacks import ends_at_call
from unisycl.compat12.devices import device, retained
from unisycl.compat12.graphics import Shared, refuse
from unisycl.compat12.groups import acquire, current
from unisycl.compat12.modes import mode, target
from unisycl.compat12.storages import Attachment, storage

# OpenCL's numbers (CL/cl.h), which SYCL 1.2 has in its constructors, from the first one on.
_FIRST_ORDER, _FIRST_TYPE = 0x10B0, 0x10D0
_ORDERS = ("r a rg ra rgb rgba bgra argb intensity luminance rx rgx rgbx - - - - srgba sbgra abgr")
_TYPES = ("snorm_int8 snorm_int16 unorm_int8 unorm_int16 unorm_short_565 unorm_short_555 "
          "unorm_int_101010 signed_int8 signed_int16 signed_int32 unsigned_int8 unsigned_int16 "
          "unsigned_int32 fp16 fp32")


_FIRST_ADDRESSING, _FIRST_FILTER = 0x1130, 0x1140
_ADDRESSING = " ".join(f"SYCL_SAMPLER_ADDRESS_{name}" for name in (
    "NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT"))
_FILTERS = "SYCL_SAMPLER_FILTER_NEAREST SYCL_SAMPLER_FILTER_LINEAR"


@ends_at_call
class image(images.unsampled_image):
    """An image (SYCL 1.2 §3.6.2).

    Args:
        source: an array, contiguous memory, a ``storage``, or another image, which is shared; or a
            context that shares with OpenGL.
        order: an ``image_channel_order``, or OpenCL's number of one; after a context the name of
            a renderbuffer, or the target of a texture, or the name of a buffer.
        channel_type: an ``image_channel_type``, or OpenCL's number of one; of a texture its name;
            of a buffer the pair of both, as which its bytes are pixels.
        places: the range, x first (may be left out for an array of pixels), and pitches in bytes;
            of a texture the level.
    The layers of an array of textures are one more dimension.
    """

    __slots__ = ("shared",)
    shared: Shared
    """The object of OpenGL's, of an image that was made of one."""

    def __init__(self, source: Any, order: Any = None, channel_type: Any = None,
                 *places: Any) -> None:
        if isinstance(source, context):
            self._over_graphics(source, order, channel_type, *places)
            return
        if isinstance(source, images.unsampled_image) and order is None:
            for name in ("sampler", "form", "memory", "_properties", "_finalizer"):
                setattr(self, name, getattr(source, name))
            return
        form = (_member(image_channel_order, order, _FIRST_ORDER, _ORDERS),
                _member(image_channel_type, channel_type, _FIRST_TYPE,
                        _TYPES))
        if not isinstance(source, storage):
            super().__init__(source, form, *places)
            return
        if not places or math.prod(geo.as_range(places[0])) != source.get_size():
            raise UsageError(errc.invalid, "image: the storage has "
                             f"{source.get_size()} pixels; give a range of as many")
        data, initial = source.get_host_data(), source.get_initial_data()
        super().__init__(*([] if data is None else [data]), form, *places)
        if initial is not None and initial is not data:
            given = np.ascontiguousarray(initial).reshape(-1).view(np.uint8)
            self.memory.storage()[:given.size] = given
        Attachment(source, self.memory)

    def _over_graphics(self, owner: context, first: int, second: Any = None, *level: int) -> None:
        what = "image: one of an OpenGL object"
        if isinstance(second, tuple):
            self.shared = Shared(what, owner, "buffer", int(first))
            form = (_member(image_channel_order, second[0], _FIRST_ORDER, _ORDERS),
                    _member(image_channel_type, second[1], _FIRST_TYPE, _TYPES))
            pixel = images.unsampled_image(form, geo.range(1)).byte_size()
            super().__init__(form, geo.range(self.shared.native.nbytes // pixel))
            return
        if second is None:
            self.shared = Shared(what, owner, "renderbuffer", int(first))
        else:
            self.shared = Shared(what, owner, "texture", int(first), *(level or (0,)),
                                 int(second))
        extent = self.shared.native.picture.extent
        super().__init__(self.shared.form(), geo.range(*extent))

    def get_gl_info(self) -> int:
        """Return what kind of object of OpenGL's is behind it, by OpenCL's number."""
        return int(self._graphics("get_gl_info").info()[0])

    def get_gl_texture_target(self) -> int:
        """Return the target of the texture behind it (SYCL 1.2 Table 4.10)."""
        return int(self._graphics("get_gl_texture_target").texture()[0])

    def get_gl_mipmap_level(self) -> int:
        """Return the level of the texture behind it (SYCL 1.2 Table 4.10)."""
        return int(self._graphics("get_gl_mipmap_level").texture()[1])

    def _graphics(self, what: str) -> Any:
        if not hasattr(self, "shared"):
            raise UsageError(errc.invalid, f"{what}: this image was not made of an object of "
                             "OpenGL's")
        return self.shared.native

    def get_access(self, *args: Any) -> Any:
        """Return an accessor: ``get_access(mode[, target][, colour type])`` (Table 3.21)."""
        how = next((a for a in args if isinstance(a, mode)), mode.read_write)
        where = next((a for a in args if isinstance(a, target)), target.image)
        rest = [a for a in args if not isinstance(a, mode | target)]
        if where is target.cl_gl_image or hasattr(self, "shared"):
            return shared_accessor(self, how, where, rest)
        return image_accessor(self, how, where, rest)


def _member(names: Any, given: Any, first: int, listed: str) -> Any:
    """Return the member that is given, or that a number of OpenCL's stands for."""
    if isinstance(given, names):
        return given
    number = int(given) - first if hasattr(given, "__index__") else -1
    known = listed.split()
    if not 0 <= number < len(known) or known[number] == "-":
        raise UsageError(errc.invalid, f"expected one of {names.__name__.lstrip('_')}, or the "
                         f"number of one in CL/cl.h, got {given!r}")
    return names[known[number]]


def shared_accessor(source: Any, how: mode, where: target, rest: list[Any]) -> Any:
    """Return an accessor of an image that was made of an object of OpenGL's."""
    if where is not target.cl_gl_image:
        raise UsageError(errc.invalid, f"accessor: target {where.name} does not acquire the object "
                         "of OpenGL's; use cl_gl_image")
    if how is mode.atomic:
        raise UsageError(errc.invalid, "accessor: mode atomic is not for images")
    if not hasattr(source, "shared"):
        refuse("accessor: cl_gl_image", [device._of(current("accessor").channel.device)])
    acquire("accessor", source, how)
    return image_accessor(source, how, target.image, rest)


def image_accessor(source: images.unsampled_image, how: mode, where: target,
                   rest: list[Any]) -> Any:
    """Return an accessor of an image (SYCL 1.2 §3.6.4.5, Table 3.30)."""
    if how is mode.atomic or where not in (target.image, target.host_image, target.image_array):
        raise UsageError(errc.invalid, f"accessor: mode {how.name} with target {where.name} is not "
                         "for images; use read, write or read_write with image, image_array or "
                         "host_image")
    modern, properties = how.modern()
    if where is target.host_image:
        return host_unsampled_image_accessor(source, *rest, modern, *properties)
    return legacy_image_accessor(source, current("get_access"), *rest, modern, *properties,
                                 array=where is target.image_array)


class legacy_image_accessor(unsampled_image_accessor):
    """An accessor that may read and write, where the device's kernels can do both."""

    __slots__ = ()

    def __init__(self, image: Any, *args: Any, array: bool = False) -> None:
        asked = Asked("accessor", args)
        assert asked.mode is not None
        assert asked.group is not None
        info = asked.group.channel.device.info
        if asked.mode.reads and asked.mode.writes and not info.details.get("image_read_write"):
            raise UnsupportedError(errc.feature_not_supported, "accessor: kernels of the device "
                                   f"'{info.name}' cannot read and write one image; use access.read"
                                   " or access.write")
        self._setup(image, asked, sampled=False, mode=asked.mode, array=array)
        self._join(asked.group)


class _Addressing(enum.Enum):
    """SYCL 1.2 §3.6.6."""

    SYCL_SAMPLER_ADDRESS_MIRRORED_REPEAT = "mirrored_repeat"
    SYCL_SAMPLER_ADDRESS_REPEAT = "repeat"
    SYCL_SAMPLER_ADDRESS_CLAMP_TO_EDGE = "clamp_to_edge"
    SYCL_SAMPLER_ADDRESS_CLAMP = "clamp"
    SYCL_SAMPLER_ADDRESS_NONE = "none"


class _Filter(enum.Enum):
    """SYCL 1.2 §3.6.6."""

    SYCL_SAMPLER_FILTER_NEAREST = "nearest"
    SYCL_SAMPLER_FILTER_LINEAR = "linear"


@ends_at_call
class sampler(image_sampler):
    """How an image is read at any coordinate (SYCL 1.2 §3.6.6): ``accessor(sampler)[coordinate]``.

    Args:
        normalized_coords: whether coordinates go from 0 to 1; or, alone, OpenCL's sampler.
        address: one of ``sampler.sampler_addressing_mode``.
        filtering: one of ``sampler.sampler_filter_mode``.
    """

    __slots__ = ("_native",)
    sampler_addressing_mode = _Addressing
    sampler_filter_mode = _Filter
    _native: Any

    def __init__(self, normalized_coords: Any, address: Any = None, filtering: Any = None) -> None:
        native = normalized_coords if is_native(normalized_coords) else None
        if native is not None:
            if not hasattr(native, "normalized_coords"):
                raise UsageError(errc.invalid, "sampler: expected a native Sampler, got "
                                 f"{type(native).__name__}")
            native = retained(native)
            normalized_coords = bool(native.normalized_coords)
            address = _member(_Addressing, native.addressing_mode, _FIRST_ADDRESSING, _ADDRESSING)
            filtering = _member(_Filter, native.filter_mode, _FIRST_FILTER, _FILTERS)
        object.__setattr__(self, "_native", native)
        if not isinstance(address, _Addressing) or not isinstance(
                filtering, _Filter):
            raise UsageError(errc.invalid, "sampler: expected a truth value, a member of "
                             "sampler.sampler_addressing_mode and one of "
                             f"sampler.sampler_filter_mode, got {address!r} and {filtering!r}")
        kinds = coordinate_normalization_mode
        super().__init__(addressing_mode(address.value),
                         kinds.normalized if normalized_coords else kinds.unnormalized,
                         filtering_mode(filtering.value))

    def get(self, where: context | None = None) -> Any:
        """Return OpenCL's sampler, retained for the caller (SYCL 1.2 §2.5.10).

        Args:
            where: the context to make one in, where this sampler was not made of one.
        """
        own = getattr(self, "_native", None)
        if own is not None:
            return retained(own)
        if where is None or where.get_backend() is not NATIVE_OF_12:
            raise UsageError(errc.backend_mismatch, "get: there is no native sampler behind this "
                             "one; give a context of a device that has such objects")
        first = where.state.devices[0]
        return first.driver.native.sampler(
            normalized=self.normalized,
            addressing=_ADDRESSING.split().index(self.get_address().name) + _FIRST_ADDRESSING,
            filtering=_FILTERS.split().index(self.get_filter().name) + _FIRST_FILTER)

    def get_address(self) -> _Addressing:
        """Return how coordinates outside the image are understood."""
        return _Addressing(self.addressing.value)

    def get_filter(self) -> _Filter:
        """Return how pixels are weighed."""
        return _Filter(self.filtering.value)
