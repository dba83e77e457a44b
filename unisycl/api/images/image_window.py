"""What image accessors are asked for: tags, colour types, and what an image allows.

Non-goals: binding to a command group and blocking the host (``image_accessor``). Invariants: an
accessor's colour type is one its format can be read as; a sampled image is only read.
"""

from __future__ import annotations

import math
from typing import Any

from unisycl.api import properties
from unisycl.api.memory.access import Tag
from unisycl.api.properties import HasProperties, Property, property_list
from unisycl.base import geometry as geo
from unisycl.base.dtypes import find_dtype
from unisycl.base.enums import access_mode, target
from unisycl.base.errors import UsageError, errc
from unisycl.base.image_formats import PixelFormat, color_dtypes, image_sampler, image_target
from unisycl.ir.types import ImageView, image_view
from unisycl.lang.memory.image import HostImage, pixel_words
from unisycl.lang.numbers.vec import is_vec_type, vec_of
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Group
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.memory.images import ImageMemory

_WIDE = 1 << 31


class Picture:
    """What image accessors are made over: pixels of a format, perhaps with a sampler."""

    __slots__ = ("form", "memory", "sampler")

    form: PixelFormat
    memory: ImageMemory
    sampler: image_sampler | None

    @property
    def extent(self) -> tuple[int, ...]:
        """The extents, x first."""
        return self.memory.layout.shape[::-1]


class Asked:
    """The arguments of an image accessor's constructor, sorted by what they are."""

    __slots__ = ("color", "group", "mode", "properties", "target")

    def __init__(self, what: str, args: tuple[Any, ...]) -> None:
        self.group: Group | None = None
        self.mode: access_mode | None = None
        self.target = image_target.device
        self.color: Any = None
        given: list[Any] = []
        for arg in args:
            if isinstance(arg, Group):
                self.group = arg
            elif isinstance(arg, Tag):
                self.mode, self.target = arg.mode, image_target[arg.target.name]
            elif isinstance(arg, access_mode):
                self.mode = arg.modern()
                given += [properties.no_init] * arg.discards
            elif isinstance(arg, target | image_target) and arg.name in image_target.__members__:
                self.target = image_target[arg.name]
            elif is_vec_type(arg):
                self.color = arg
            elif isinstance(arg, Property | property_list) or properties.is_property(arg):
                given.append(arg)
            else:
                raise UsageError(errc.invalid, f"{what}: did not expect {arg!r}; give (image, "
                                 "handler[, float4 | half4 | int4 | uint4][, read_only | "
                                 "write_only][, no_init])")
        self.properties = properties.check(properties.flatten(given), what)


class ImageWindow(HasProperties):
    """An image with a mode and a colour type: what all image accessors have in common."""

    __slots__ = ("_properties", "_seen", "_type", "image", "target")

    image: Picture
    target: image_target
    _type: ImageView

    def _setup(self, image: Any, asked: Asked, *, sampled: bool, mode: access_mode,
               array: bool = False) -> None:
        what = type(self).__name__
        if not isinstance(image, Picture) or (image.sampler is not None) is not sampled:
            wanted = "a sampled_image" if sampled else "an unsampled_image"
            raise UsageError(errc.invalid, f"{what}: expected {wanted} first, got "
                             f"{type(image).__name__}")
        image.memory.check_open()
        self._seen: HostImage | None = None
        self.image, self.target, self._properties = image, asked.target, asked.properties
        if mode.writes and image.memory.const:
            raise UsageError(errc.invalid, f"{what}: the image is over a read-only array, so only "
                             "read_only accessors are allowed; make the image from a copy to write")
        if mode is access_mode.read and self.has_property(properties.property.no_init):
            raise UsageError(errc.invalid, f"{what}: no_init and read_only contradict each other; "
                             "drop one of them")
        color = _color(what, image, asked.color)
        layout = image.memory.layout
        if array and len(layout.shape) == 1:
            raise UsageError(errc.invalid, f"{what}: an image of one dimension is no array of "
                             "images")
        self._type = image_view(image.form, len(layout.shape), mode, color, image.sampler,
                                wide=layout.nbytes >= _WIDE, layered=array)

    def _access(self) -> Access:
        memory = self.image.memory
        fresh = self.has_property(properties.property.no_init)
        return Access(memory, 0, memory.nbytes, self.mode, fresh, target[self.target.name])

    def _show(self) -> HostImage:
        """Return the pixels for host code."""
        bound, form = self.image.memory.bound(), self.image.form
        words = pixel_words(bound.memory, bound.offset, bound.shape, bound.pitches, form)
        return HostImage(words, self._type, type(self).__name__)

    def bound_window(self, channel: Channel) -> BoundView:
        """Return the memory of the pixels (internal; ``interop_handle``)."""
        return self.image.memory.bound(channel.driver)

    def _shown(self) -> HostImage:
        raise NotImplementedError

    @property
    def mode(self) -> access_mode:
        """What may be done with the pixels."""
        return self._type.mode

    @property
    def value_type(self) -> Any:
        """The type of a colour: ``float4``, ``half4``, ``int4`` or ``uint4``."""
        return vec_of(self._type.color.dtype.numpy, 4)

    def get_range(self) -> geo.range:
        """Return the extents, x first."""
        return geo.range(*self.image.extent)

    def size(self) -> int:
        """Return the number of pixels."""
        return math.prod(self.image.extent)

    def read(self, coordinates: Any) -> Any:
        """Return the colour at a coordinate (SYCL 2020 §4.7.6.13, §4.7.6.14).

        Args:
            coordinates: x, ``int2`` or ``int4`` for an unsampled image, floats for a sampled one;
                a tuple will do, too.
        """
        return self._shown().read(coordinates)

    def __getitem__(self, index: Any) -> Any:
        return self._shown()[index]

    def __setitem__(self, index: Any, color: Any) -> None:
        self._shown()[index] = color

    def __call__(self, sampler: image_sampler) -> HostImage:
        """Return the image as seen through a sampler (SYCL 1.2 §3.6.4.5)."""
        return self._shown()(sampler)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: object) -> Any:
        return self

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self.image.extent))
        return f"<{type(self).__name__} {self.mode.name}: {extent} of {self.image.form}>"


def _color(what: str, image: Picture, asked: Any) -> Any:
    """Return the colour type asked for, or the format's own; refuse one that does not fit."""
    possible = color_dtypes(image.form)
    if asked is None:
        return possible[0]
    found = find_dtype(asked.element) if getattr(asked, "count", 0) == 4 else None
    if found is None or found not in possible:
        names = " or ".join(vec_of(d.numpy, 4).__name__ for d in possible)
        raise UsageError(errc.invalid, f"{what}: images of format {image.form} are seen as {names},"
                         f" not as {asked.__name__} (SYCL 2020 §4.7.6.1)")
    return found
