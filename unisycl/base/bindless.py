"""Words of images by handle: descriptions, samplers, codes (sycl_ext_oneapi_bindless_images).

Non-goals: memory and handles (``api.images``), reading (``lang.library.bindless``). Invariants: a
description that was verified has a layout; ``KINDS`` numbers are those that handles hold.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from typing import Any

from unisycl.base import geometry
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import UsageError, errc
from unisycl.base.image_formats import (
    LARGEST_EXTENT,
    addressing_mode,
    coordinate_normalization_mode,
    filtering_mode,
    image_channel_type,
)

MODES = (addressing_mode.none, addressing_mode.clamp_to_edge, addressing_mode.clamp,
         addressing_mode.repeat, addressing_mode.mirrored_repeat)
"""Addressing modes by the numbers that handles hold."""
CHANNELS = tuple(image_channel_type[name] for name in (
    "fp32", "fp16", "unorm_int8", "unorm_int16", "snorm_int8", "snorm_int16", "unsigned_int8",
    "unsigned_int16", "unsigned_int32", "signed_int8", "signed_int16", "signed_int32"))
"""Channel types by the numbers that handles hold; integers come last."""
FIRST_INTEGER = 6
PITCH_ALIGN = 4
_FACES = 6


class image_type(enum.Enum):
    """What an image by handle is made of."""

    standard = "standard"
    mipmap = "mipmap"
    array = "array"
    cubemap = "cubemap"


class cubemap_filtering_mode(enum.Enum):
    """Whether samples of a cube map are averaged over the edges of its faces."""

    disjointed = "disjointed"
    seamless = "seamless"


def channel_size(kind: image_channel_type) -> int:
    """Return the bytes of a channel."""
    bits = kind.name.lstrip("_abcdefghijklmnopqrstuvwxyz")
    return int(bits) // 8


@dataclass(frozen=True, slots=True)
class Level:
    """One level of an image: extents in pixels, and where its channels begin."""

    width: int
    height: int
    depth: int
    start: int


class image_descriptor:
    """The shape of an image by handle, and what its pixels are made of.

    Args:
        dims: the range, x first; one to three dimensions, those of a layer for arrays and cubes.
        num_channels: 1, 2 or 4; channel_type: what one is.
        type: ``image_type``; num_levels: of mipmaps; array_size: layers of an array.
    """

    __slots__ = ("array_size", "channel_type", "depth", "height", "num_channels", "num_levels",
                 "type", "width")

    def __init__(self, dims: Any = (0,), num_channels: int = 4,
                 channel_type: image_channel_type = image_channel_type.fp32,
                 type: image_type = image_type.standard, num_levels: int = 1,
                 array_size: int = 1) -> None:
        extents = tuple(geometry.as_range(dims))
        self.width, self.height, self.depth = (*extents, 0, 0)[:3]
        self.num_channels = num_channels
        self.channel_type = channel_type
        self.type = type
        self.num_levels = num_levels
        self.array_size = array_size

    # ------------------------------------------------------------------ the extension's
    def get_mip_level_desc(self, level: int) -> image_descriptor:
        """Return the description of one level of a mipmap."""
        if self.type is not image_type.mipmap or not 0 <= level < self.num_levels:
            raise UsageError(errc.invalid, f"get_mip_level_desc: level {level} of an image of type "
                             f"{self.type.name} with {self.num_levels} level(s)")
        extents = [max(1, e >> level) for e in self.extents]
        return image_descriptor(tuple(extents), self.num_channels, self.channel_type)

    def verify(self) -> None:
        """Raise ``errc.invalid`` for what no image can be."""
        why = self._wrong()
        if why:
            raise UsageError(errc.invalid, f"image_descriptor: {why}")

    # ------------------------------------------------------------------ layout
    @property
    def extents(self) -> tuple[int, ...]:
        """Width, height and depth, as many as there are dimensions."""
        return tuple(e for e in (self.width, self.height, self.depth) if e)

    @property
    def layers(self) -> int:
        """How many images of these extents lie one behind the other."""
        return self.array_size if self.type in (image_type.array, image_type.cubemap) else 1

    @property
    def pixel_size(self) -> int:
        """Bytes of a pixel."""
        return self.num_channels * channel_size(self.channel_type)

    def levels(self) -> tuple[Level, ...]:
        """Return the levels, without gaps, positions in channels."""
        found, start = [], 0
        for level in range(self.num_levels):
            sizes = [max(1, e >> level) for e in self.extents]
            width, height, depth = (*sizes, 1, 1)[:3]
            found.append(Level(width, height, depth, start))
            start += math.prod(sizes) * self.num_channels
        return tuple(found)

    @property
    def nbytes(self) -> int:
        """Bytes of all levels and layers, without gaps."""
        pixels = sum(x.width * x.height * x.depth for x in self.levels())
        return pixels * self.layers * self.pixel_size

    def _wrong(self) -> str:
        extents, kind = self.extents, self.type
        if not extents or extents != (self.width, self.height, self.depth)[:len(extents)]:
            return f"a range of ({self.width}, {self.height}, {self.depth}) pixels"
        if max(extents) > LARGEST_EXTENT:
            return f"{max(extents)} pixels along one axis; {LARGEST_EXTENT} are the most"
        if self.num_channels not in (1, 2, 4):
            return f"{self.num_channels} channels; 1, 2 or 4 are possible"
        if self.channel_type not in CHANNELS:
            return (f"channels of {self.channel_type}; possible are "
                    f"{', '.join(c.name for c in CHANNELS)}")
        most = max(extents).bit_length()
        if not 1 <= self.num_levels <= (most if kind is image_type.mipmap else 1):
            return f"{self.num_levels} levels of an image of type {kind.name}, {extents}"
        if kind is image_type.mipmap and self.num_levels < 2:
            return "a mipmap of one level; it has two or more"
        if kind is image_type.cubemap and (len(extents) != 2 or extents[0] != extents[1]
                                           or self.array_size != _FACES):
            return f"a cube map of {self.array_size} faces of {extents}; it has 6 square ones"
        if kind is image_type.array and (len(extents) == 3 or self.array_size < 2):
            return f"an array of {self.array_size} images of {len(extents)} dimensions"
        if kind in (image_type.standard, image_type.mipmap) and self.array_size != 1:
            return f"{self.array_size} layers of an image of type {kind.name}"
        return ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, image_descriptor) and all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self.extents))
        return (f"<image_descriptor {self.type.name}: {extent} of {self.num_channels} "
                f"{self.channel_type.name}>")


def _modes(given: Any) -> tuple[addressing_mode, ...]:
    return (given,) * 3 if isinstance(given, addressing_mode) else tuple(given)


@dataclasses.dataclass
class bindless_image_sampler:
    """How an image by handle is sampled.

    Args:
        addressing: one ``addressing_mode``, or three for x, y and z.
        coordinate: normalized or in pixels; filtering: nearest or linear.
        mipmap_filtering: between levels; the two clamps: the lowest and the highest level read.
        max_anisotropy: 0 or 1: there is no such filter here.
        cubemap_filtering: disjointed: each face for itself.
        ext_unisycl_coarse: the device's own sampler may be used, which places coordinates in steps
            of 1/256 of a pixel (``aspect.ext_unisycl_coarse_sampling``); others sample as ever.
    """

    addressing: Any = addressing_mode.none
    coordinate: coordinate_normalization_mode = coordinate_normalization_mode.unnormalized
    filtering: filtering_mode = filtering_mode.nearest
    mipmap_filtering: Any = filtering_mode.nearest
    min_mipmap_level_clamp: float = 0.0
    max_mipmap_level_clamp: float = 0.0
    max_anisotropy: float = 0.0
    cubemap_filtering: cubemap_filtering_mode = cubemap_filtering_mode.disjointed
    ext_unisycl_coarse: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.mipmap_filtering, cubemap_filtering_mode):
            self.cubemap_filtering = self.mipmap_filtering
            self.mipmap_filtering = filtering_mode.nearest
        self.addressing = _modes(self.addressing)
        if len(self.addressing) != 3 or any(m not in MODES for m in self.addressing):
            raise UsageError(errc.invalid, "bindless_image_sampler: addressing is an "
                             f"addressing_mode or three of them, not {self.addressing!r}")

    def code(self) -> int:
        """Return the number that handles hold: linear, normalized, levels linear, three modes."""
        linear = filtering_mode.linear
        number = (self.filtering is linear) + 2 * (
            self.coordinate is coordinate_normalization_mode.normalized)
        number += 4 * (self.mipmap_filtering is linear)
        for k, mode in enumerate(self.addressing):
            number |= MODES.index(mode) << (3 + 3 * k)
        return number

    def check(self, desc: image_descriptor) -> None:
        """Raise for samples of an image that are not defined, or not to be had here."""
        integers = CHANNELS.index(desc.channel_type) >= FIRST_INTEGER
        normalized = self.coordinate is coordinate_normalization_mode.normalized
        linear = filtering_mode.linear
        repeats = (addressing_mode.repeat, addressing_mode.mirrored_repeat)
        if self.max_anisotropy > 1 or self.cubemap_filtering is cubemap_filtering_mode.seamless:
            raise UsageError(errc.feature_not_supported, "bindless_image_sampler: no device here "
                             "has anisotropic filters (aspect.ext_oneapi_mipmap_anisotropy) or "
                             "seamless ones (aspect.ext_oneapi_cubemap_seamless_filtering)")
        if integers and linear in (self.filtering, self.mipmap_filtering):
            raise UsageError(errc.invalid, f"channels of {desc.channel_type.name} are integers, "
                             "which filtering_mode.linear cannot average; use nearest")
        if not normalized and any(m in repeats for m in self.addressing[:len(desc.extents)]):
            raise UsageError(errc.invalid, "addressing_mode.repeat and mirrored_repeat need "
                             "normalized coordinates (SYCL 2020 §4.7.8)")
        if desc.type is image_type.mipmap and not normalized:
            raise UsageError(errc.invalid, "a mipmap is sampled at normalized coordinates, which "
                             "mean the same on each level")
