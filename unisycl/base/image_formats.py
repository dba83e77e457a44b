"""Image formats and samplers: their names, how a pixel lies in memory (SYCL 2020 §4.7.3).

A format is a channel order and a channel type, as in OpenCL; ``image_format`` names the pairs that
every device with images has. Non-goals: arithmetic (``ir.imaging``). Invariant: a ``PixelFormat``
is found by ``find_format`` only, so a pair that no device may have does not exist.
"""

from __future__ import annotations

import dataclasses
import enum
import functools

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import DType

LARGEST_EXTENT = 1 << 24  # up to here float32 coordinates tell pixels apart


class image_channel_order(enum.Enum):
    """SYCL 1.2.1 §4.7.3: which colour components a pixel stores, and in which order."""

    a = "a"
    r = "r"
    rx = "rx"
    rg = "rg"
    rgx = "rgx"
    ra = "ra"
    rgb = "rgb"
    rgbx = "rgbx"
    rgba = "rgba"
    argb = "argb"
    bgra = "bgra"
    abgr = "abgr"
    intensity = "intensity"
    luminance = "luminance"
    srgba = "srgba"
    sbgra = "sbgra"


class image_channel_type(enum.Enum):
    """SYCL 1.2.1 §4.7.3: how one colour component is stored."""

    snorm_int8 = "snorm_int8"
    snorm_int16 = "snorm_int16"
    unorm_int8 = "unorm_int8"
    unorm_int16 = "unorm_int16"
    unorm_short_565 = "unorm_short_565"
    unorm_short_555 = "unorm_short_555"
    unorm_int_101010 = "unorm_int_101010"
    signed_int8 = "signed_int8"
    signed_int16 = "signed_int16"
    signed_int32 = "signed_int32"
    unsigned_int8 = "unsigned_int8"
    unsigned_int16 = "unsigned_int16"
    unsigned_int32 = "unsigned_int32"
    fp16 = "fp16"
    fp32 = "fp32"


class image_format(enum.Enum):
    """SYCL 2020 §4.7.3.1: the formats of images.

    The specification's spellings with the letters in another order are the same members.
    """

    r8g8b8a8_unorm = "r8g8b8a8_unorm"
    r16g16b16a16_unorm = "r16g16b16a16_unorm"
    r8g8b8a8_sint = "r8g8b8a8_sint"
    r16g16b16a16_sint = "r16g16b16a16_sint"
    r32g32b32a32_sint = "r32g32b32a32_sint"
    r8g8b8a8_uint = "r8g8b8a8_uint"
    r16g16b16a16_uint = "r16g16b16a16_uint"
    r32g32b32a32_uint = "r32g32b32a32_uint"
    r16g16b16a16_sfloat = "r16g16b16a16_sfloat"
    r32g32b32a32_sfloat = "r32g32b32a32_sfloat"
    b8g8r8a8_unorm = "b8g8r8a8_unorm"
    r32b32g32a32_sint = "r32g32b32a32_sint"  # noqa: PIE796
    r32b32g32a32_uint = "r32g32b32a32_uint"  # noqa: PIE796
    r16b16g16a16_sfloat = "r16g16b16a16_sfloat"  # noqa: PIE796


class image_target(enum.Enum):
    """SYCL 2020 §4.7.6.13: where an image accessor is used."""

    device = "device"
    host_task = "host_task"


class addressing_mode(enum.Enum):
    """SYCL 2020 §4.7.8: what a coordinate outside the image reads."""

    mirrored_repeat = "mirrored_repeat"
    repeat = "repeat"
    clamp_to_edge = "clamp_to_edge"
    clamp = "clamp"
    none = "none"


class filtering_mode(enum.Enum):
    """SYCL 2020 §4.7.8: the nearest pixel, or a mean of those around the coordinate."""

    nearest = "nearest"
    linear = "linear"


class coordinate_normalization_mode(enum.Enum):
    """SYCL 2020 §4.7.8: coordinates from 0 to 1, or in pixels."""

    normalized = "normalized"
    unnormalized = "unnormalized"


@dataclasses.dataclass(frozen=True, slots=True)
class image_sampler:
    """How a ``sampled_image`` is read (SYCL 2020 §4.7.8); members in the standard's order."""

    addressing: addressing_mode
    coordinate: coordinate_normalization_mode
    filtering: filtering_mode

    @property
    def normalized(self) -> bool:
        """Whether coordinates go from 0 to 1."""
        return self.coordinate is coordinate_normalization_mode.normalized

    @property
    def linear(self) -> bool:
        """Whether pixels are averaged."""
        return self.filtering is filtering_mode.linear


@dataclass(frozen=True, slots=True)
class Channel:
    """One stored component: ``bits`` from bit ``shift`` of word ``word``.

    ``component`` is 0 to 3 for red to alpha. ``coding`` is unorm, snorm, sint, uint, float or srgb.
    """

    component: int
    word: int
    shift: int
    bits: int
    coding: str

    @property
    def largest(self) -> int:
        """The stored number that means 1, or the largest integer."""
        return (1 << (self.bits - (self.coding in ("snorm", "sint")))) - 1


@dataclass(frozen=True, slots=True)
class PixelFormat:
    """One format: its pixel is ``words`` numbers of type ``word`` that hold ``channels``.

    ``reads`` gives for red, green, blue and alpha the channel it comes from, or -1: then it is 0,
    and alpha 1. ``solid``: a missing alpha is 1 outside the image, too (OpenCL C §6.15.15).
    """

    order: image_channel_order
    type: image_channel_type
    word: DType
    words: int
    channels: tuple[Channel, ...]
    reads: tuple[int, ...]
    solid: bool

    @property
    def size(self) -> int:
        """Bytes of a pixel."""
        return self.word.size * self.words

    @property
    def kind(self) -> str:
        """What kernels see: 'f' for floating-point colours, 'i' or 'u' for integers."""
        return {"sint": "i", "uint": "u"}.get(self.channels[0].coding, "f")

    def __str__(self) -> str:
        for name in image_format:
            if find_format(name) == self:
                return name.name
        return f"{self.order.name} {self.type.name}"


_LAYOUTS = {"rx": "r", "rgx": "rg", "rgbx": "rgb", "srgba": "rgba", "sbgra": "bgra",
            "intensity": "r", "luminance": "r"}
_CODINGS = {"snorm": "snorm", "unorm": "unorm", "signed": "sint", "unsigned": "uint"}
_PACKED = {  # bits of each channel, from the lowest; a word of 16 or 32 bits
    "unorm_short_565": (16, {"b": (0, 5), "g": (5, 6), "r": (11, 5)}),
    "unorm_short_555": (16, {"b": (0, 5), "g": (5, 5), "r": (10, 5)}),
    "unorm_int_101010": (32, {"b": (0, 10), "g": (10, 10), "r": (20, 10)}),
}
_BYTES = ("unorm_int8", "snorm_int8", "signed_int8", "unsigned_int8")
_FRACTIONS = ("unorm_int8", "unorm_int16", "snorm_int8", "snorm_int16", "fp16", "fp32")
_ONLY = {  # orders that go with some types only (OpenCL, table of image channel orders)
    "rgb": tuple(_PACKED), "rgbx": tuple(_PACKED), "argb": _BYTES, "bgra": _BYTES, "abgr": _BYTES,
    "intensity": _FRACTIONS, "luminance": _FRACTIONS, "srgba": ("unorm_int8",),
    "sbgra": ("unorm_int8",),
}
_NAMED = {"unorm": "unorm_int", "sint": "signed_int", "uint": "unsigned_int", "sfloat": "fp"}


def find_format(
    spec: image_format | tuple[image_channel_order, image_channel_type],
) -> PixelFormat | None:
    """Return the format of a name or of a channel order and type; None where no device has it."""
    if isinstance(spec, image_format):
        layout, _, coding = spec.name.partition("_")
        bits = "".join(c for c in layout[:3] if c.isdigit())
        order = "".join(c for c in layout if c.isalpha())
        return _make(image_channel_order[order], image_channel_type[_NAMED[coding] + bits])
    return _make(*spec)


@functools.cache
def _make(order: image_channel_order, type: image_channel_type) -> PixelFormat | None:
    only = _ONLY.get(order.name)
    packed = _PACKED.get(type.name)
    if (only is not None and type.name not in only) or (packed and order.name not in (
            "rgb", "rgbx")):
        return None
    letters = _LAYOUTS.get(order.name, order.name)
    if packed:
        width, fields = packed
        word, words = (dtypes.UINT16 if width == 16 else dtypes.UINT32), 1
        channels = tuple(Channel("rgba".index(c), 0, *fields[c], "unorm") for c in letters)
    else:
        coding, bits = _coding(type)
        if order.name.startswith("s"):
            coding = "srgb"
        word, words = _words(bits * len(letters))
        channels = tuple(_channel(c, k, bits, coding, word.bits) for k, c in enumerate(letters))
    return PixelFormat(order, type, word, words, channels, _reads(order.name, letters),
                       order.name in ("r", "rg", "rgb", "luminance"))


def _channel(letter: str, number: int, bits: int, coding: str, width: int) -> Channel:
    """Return the channel of a letter; alpha of sRGB images is linear."""
    at = number * bits
    return Channel("rgba".index(letter), at // width, at % width, bits,
                   "unorm" if coding == "srgb" and letter == "a" else coding)


def _coding(type: image_channel_type) -> tuple[str, int]:
    if type.name.startswith("fp"):
        return "float", int(type.name[2:])
    stem, _, rest = type.name.partition("_int")
    return _CODINGS[stem], int(rest)


def _words(bits: int) -> tuple[DType, int]:
    """Return the widest words, of up to 32 bits, that a pixel is made of."""
    for word in (dtypes.UINT32, dtypes.UINT16):
        if bits % word.bits == 0:
            return word, bits // word.bits
    return dtypes.UINT8, bits // 8


def _reads(order: str, letters: str) -> tuple[int, ...]:
    if order == "intensity":
        return (0, 0, 0, 0)
    if order == "luminance":
        return (0, 0, 0, -1)
    return tuple(letters.find(c) for c in "rgba")


def color_dtypes(format: PixelFormat) -> tuple[DType, ...]:
    """Return the component types a kernel may see a format as, the usual one first.

    SYCL 2020 §4.7.6.1: int4, uint4, float4 or half4; the kind is that of the format.
    """
    return {"i": (dtypes.INT32,), "u": (dtypes.UINT32,)}.get(
        format.kind, (dtypes.FLOAT32, dtypes.FLOAT16))
