"""Images as host code and the host device see them: checked reads and writes of colours.

Non-goals: the rules of sampling (``ir.imaging``), who may use an image when (``runtime``).
Invariants: every pixel named by integers is checked; a coordinate whose result the specification
leaves open is refused here rather than answered.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from unisycl.base import geometry
from unisycl.base.dtypes import FLOAT32, UINT32
from unisycl.base.errors import BoundsError, UsageError, errc
from unisycl.base.image_formats import PixelFormat, addressing_mode, image_sampler
from unisycl.ir import imaging
from unisycl.ir.types import ImageView
from unisycl.lang.index.item import item
from unisycl.lang.memory.image_arithmetic import Scalars
from unisycl.lang.numbers.vec import vec_of

Array = np.ndarray[Any, np.dtype[Any]]

_NUMBERS = Scalars()
_AXES = "xyz"


def check_sampler(sampler: image_sampler, form: PixelFormat) -> None:
    """Refuse a sampler whose reads the specification leaves open (SYCL 2020 §4.7.8)."""
    repeats = (addressing_mode.repeat, addressing_mode.mirrored_repeat)
    if sampler.addressing in repeats and not sampler.normalized:
        raise UsageError(errc.invalid, f"addressing_mode.{sampler.addressing.name} needs normalized"
                         " coordinates (SYCL 2020 §4.7.8); use "
                         "coordinate_normalization_mode.normalized, or clamp_to_edge or clamp")
    if sampler.linear and form.kind != "f":
        raise UsageError(errc.invalid, f"pixels of {form} are integers, which "
                         "filtering_mode.linear cannot average; use nearest, or a unorm or float "
                         "format")


def pixel_words(memory: Array, start: int, shape: tuple[int, ...], pitches: tuple[int, ...],
                form: PixelFormat) -> Array:
    """Return the pixels in one-dimensional memory of pixels as words, (*shape, words).

    Args:
        start: the first pixel; pitches: what a step in each dimension spans, in pixels.
    """
    flat, word = memory.view(form.word.numpy), form.word.size
    strides = (*(p * form.size for p in pitches), word)
    return np.ndarray((*shape, form.words), flat.dtype, flat, start * form.size, strides)


class HostImage:
    """An image with the methods of image accessors (SYCL 2020 §4.7.6.13, §4.7.6.14).

    Args:
        words: the pixels from ``pixel_words``, the row of the last dimension along x.
        view: format, mode, colour type and sampler.
        name: what messages call it.
        raw: the user's own object, whose other attributes are this one's.
    """

    __slots__ = ("_color", "_extents", "_index", "_layers", "_name", "_raw", "_sampler", "_sizes",
                 "_view", "_words")

    def __init__(self, words: Array, view: ImageView, name: str = "", raw: object = None) -> None:
        self._words = words
        self._view = view
        self._sampler = view.sampler
        self._layers = view.layered
        self._index: tuple[Any, ...] = ()
        self._color = vec_of(view.color.dtype.numpy, 4)
        self._name = name
        self._raw = raw
        self._extents: tuple[int, ...] = words.shape[-2::-1]
        self._sizes = [FLOAT32.numpy.type(extent) for extent in self._extents]

    # ------------------------------------------------------------------ what accessors have
    def size(self) -> int:
        """Return the number of pixels."""
        return math.prod(self._words.shape[:-1])

    def get_range(self) -> geometry.range:
        """Return the extents along x, y and z."""
        return geometry.range(*self._extents)

    def read(self, coordinates: Any) -> Any:
        """Return the colour at a coordinate: an ``int4``, ``uint4``, ``float4`` or ``half4``."""
        view = self._view
        if not view.mode.reads:
            raise UsageError(errc.accessor, f"'{self._name}' is write-only here and cannot be "
                             "read; make the accessor read_only")
        if self._sampler is not None:
            return self._sample(coordinates, self._sampler)
        words = self._fetch(self._pixel(coordinates))
        with np.errstate(all="ignore"):
            return self._made(imaging.read(_NUMBERS, view.form, words, view.color.dtype))

    def write(self, coordinates: Any, color: Any) -> None:
        """Store a colour: a vec of the accessor's type."""
        view = self._view
        if not view.mode.writes:
            raise UsageError(errc.accessor, f"'{self._name}' is read-only here and cannot be "
                             "written; make the accessor write_only")
        at = self._pixel(coordinates)
        if getattr(color, "_type", None) is not self._color:
            raise UsageError(errc.invalid, f"'{self._name}' takes a {self._color.__name__}, not "
                             f"{_named(color)}; write {self._color.__name__}(...)")
        with np.errstate(all="ignore"):
            words = imaging.encode(_NUMBERS, view.form, list(color), view.color.dtype)
            self._words[at[::-1]] = [_NUMBERS.cast(w, view.form.word) for w in words]

    # ------------------------------------------------------------------ SYCL 1.2 §3.6.4.5
    def __getitem__(self, index: Any) -> Any:
        if self._layers:
            return self._selected(index)
        found = self._index + self._components(index)
        return self.read(found) if len(found) >= len(self._extents) else self._like(found)

    def __setitem__(self, index: Any, color: Any) -> None:
        if self._sampler is not None:
            raise UsageError(errc.accessor, f"'{self._name}' is sampled, and cannot be written")
        self.write(self._index + self._components(index), color)

    def __call__(self, sampler: image_sampler) -> HostImage:
        """Return the image as seen through a sampler."""
        if not isinstance(sampler, image_sampler):
            raise UsageError(errc.invalid, f"'{self._name}' is called with an image_sampler, not "
                             f"with {_named(sampler)}")
        check_sampler(sampler, self._view.form)
        made = self._like(())
        made._sampler = sampler
        return made

    def _like(self, index: tuple[Any, ...]) -> HostImage:
        made = HostImage(self._words, self._view, self._name, self._raw)
        made._sampler, made._layers, made._index = self._sampler, self._layers, index
        return made

    def _selected(self, index: Any) -> Any:
        """Return one image of an array, or a pixel of it if more indices follow."""
        layer, *rest = self._components(index)
        try:
            k = operator.index(layer)
        except TypeError:
            raise UsageError(errc.invalid, f"the images of '{self._name}' are counted by integers, "
                             f"not by {_named(layer)}") from None
        if not 0 <= k < len(self._words):
            raise BoundsError(errc.accessor, f"image {k} of the array '{self._name}' does not "
                              f"exist: valid is 0 to {len(self._words) - 1}")
        made = HostImage(self._words[k], self._view, f"{self._name}[{k}]", self._raw)
        made._sampler, made._layers = self._sampler, False
        return made[tuple(rest)] if rest else made

    # ------------------------------------------------------------------ pixels
    def _made(self, colors: list[Any]) -> Any:
        return self._color._of(colors)

    def _fetch(self, at: Any) -> list[Any]:
        """Return a pixel's words as uint32, in the order of its memory."""
        return list(self._words[tuple(int(i) for i in at[::-1])].astype(UINT32.numpy))

    def _pixel(self, coordinates: Any) -> tuple[int, ...]:
        """Return checked integer coordinates x, y, z."""
        found = self._parts(coordinates)
        extents = self._extents
        try:
            at = tuple(operator.index(x) for x in found)
        except TypeError:
            raise UsageError(errc.invalid, f"'{self._name}' is addressed by integers, not by "
                             f"{_named(coordinates)}; a sampled_image takes floats") from None
        for x, extent, axis in zip(at, extents, _AXES, strict=False):
            if not 0 <= x < extent:
                raise BoundsError(errc.accessor, f"{axis} = {x} is outside the image "
                                  f"'{self._name}': valid is 0 to {extent - 1}")
        return at

    def _sample(self, coordinates: Any, sampler: image_sampler) -> Any:
        view = self._view
        at = [self._coordinate(x, k, sampler) for k, x in enumerate(self._parts(coordinates))]
        with np.errstate(all="ignore"):
            return self._made(imaging.sample(_NUMBERS, view.form, sampler, at, self._sizes,
                                             self._fetch, view.color.dtype))

    def _coordinate(self, x: Any, axis: int, sampler: image_sampler) -> Any:
        """Return a float32 coordinate, or refuse what has no defined result."""
        if not isinstance(x, float | np.floating) or (
                isinstance(x, np.float64) and type(x) is not float):
            raise UsageError(errc.invalid, f"'{self._name}' is sampled at float32 coordinates, not "
                             f"at {_named(x)}; convert it first: np.float32(...)")
        extent = self._extents[axis]
        at = float(x) * (extent if sampler.normalized else 1)
        wrong = "" if math.isfinite(x) else "is not finite"
        if not wrong and sampler.addressing is addressing_mode.none and not 0 <= at < extent:
            wrong = ("is outside it, and its sampler has addressing_mode.none; use clamp_to_edge "
                     "or clamp")
        if wrong:
            raise BoundsError(errc.accessor, f"{_AXES[axis]} = {x} of a read of the image "
                              f"'{self._name}' {wrong}")
        return FLOAT32.numpy.type(x)

    def _parts(self, coordinates: Any) -> list[Any]:
        """Return as many components as the image has dimensions, x first."""
        count = len(self._extents)
        if self._layers:
            raise UsageError(errc.invalid, f"'{self._name}' is an array of images; select one "
                             f"first: {self._name}[i]")
        found = list(self._components(coordinates))
        if len(found) != count and not (count == 3 and len(found) == 4):
            raise UsageError(errc.invalid, f"'{self._name}' has {count} dimension(s); the "
                             f"coordinate {coordinates!r} has {len(found)} component(s)")
        return found[:count]

    @staticmethod
    def _components(coordinates: Any) -> tuple[Any, ...]:
        """Return the components of a vec, an id, an item or a tuple; a number is its own."""
        if isinstance(coordinates, item):
            coordinates = coordinates.get_id()
        if isinstance(coordinates, tuple | geometry.id) or hasattr(coordinates, "_type"):
            return tuple(coordinates)
        return (coordinates,)

    def __getattr__(self, name: str) -> Any:
        raw = None if name.startswith("_") else self._raw
        if raw is None:
            raise AttributeError(f"an image in a kernel has no attribute '{name}'")
        return getattr(raw, name)

    def __repr__(self) -> str:
        extent = " x ".join(map(str, self.get_range()))
        return f"<{self._name or 'image'} {self._view.mode.value}: {extent} of {self._view.form}>"


def _named(value: Any) -> str:
    """Return what a value is, in the user's words."""
    own = getattr(value, "_type", None)
    return f"a {own.__name__}" if own is not None else f"{type(value).__name__} {value!r}"
