"""Addressing, filtering and conversion of pixels, once for every device (OpenCL C §8).

The rules are written over an ``Algebra`` of scalars: numbers on the host device, expressions of the
IR for code. Non-goals: where pixels lie. Invariants: a pixel fetched always lies inside the image,
whatever the coordinate, NaN included; products feed sums through ``fma`` only, so that every device
rounds alike.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import FLOAT16, FLOAT32, INT32, UINT16, UINT32, DType
from unisycl.base.image_formats import Channel, PixelFormat, addressing_mode, image_sampler

V = TypeVar("V")

Fetch: TypeAlias = Callable[[Sequence[V]], Sequence[V]]
"""From int32 pixel coordinates x, y, z inside the image to the pixel's words."""


class Algebra(Protocol[V]):
    """Arithmetic on scalars of one kind; operands of an operation share a type."""

    def const(self, value: float, dtype: DType) -> V:
        """Return a literal."""

    def binary(self, op: str, a: V, b: V) -> V:
        """Return an operation of ``ir.nodes.Binary``."""

    def compare(self, op: str, a: V, b: V) -> V:
        """Return a comparison of ``ir.nodes.Compare``."""

    def select(self, cond: V, a: V, b: V) -> V:
        """Return ``a`` where the condition holds, else ``b``."""

    def cast(self, x: V, dtype: DType) -> V:
        """Return a number converted as C does."""

    def bitcast(self, x: V, dtype: DType) -> V:
        """Return the same bits as another type."""

    def call(self, name: str, *args: V) -> V:
        """Return a builtin of numbers."""

    def keep(self, x: V) -> V:
        """Return a value that will be used more than once."""


@dataclass(frozen=True, slots=True)
class Tap(Generic[V]):
    """A pixel along one axis: where, whether the coordinate meant a pixel, and how much it counts.

    ``inside`` is None where there is no border, ``weight`` where nothing is averaged.
    """

    index: V
    inside: V | None
    weight: V | None


# ---- addressing
def axis(a: Algebra[V], sampler: image_sampler, coordinate: V, extent: V) -> list[Tap[V]]:
    """Return the taps of one axis.

    Args:
        coordinate: float32, as the user gave it; extent: pixels along the axis, float32.
    """
    s = _folded(a, sampler.addressing, coordinate)
    if not sampler.linear:
        u = a.binary("mul", s, extent) if sampler.normalized else s
        return [_tap(a, sampler.addressing, a.keep(a.call("floor", u)), extent, None)]
    half = a.const(-0.5, FLOAT32)
    u = a.keep(a.call("fma", s, extent, half) if sampler.normalized else a.binary("add", s, half))
    low = a.keep(a.call("floor", u))
    part = a.keep(a.binary("sub", u, low))
    one = a.const(1.0, FLOAT32)
    high = a.keep(a.binary("add", low, one))
    return [_tap(a, sampler.addressing, low, extent, a.keep(a.binary("sub", one, part))),
            _tap(a, sampler.addressing, high, extent, part)]


def _folded(a: Algebra[V], mode: addressing_mode, s: V) -> V:
    """Return a normalised coordinate moved into the first image of a pattern that repeats."""
    if mode is addressing_mode.repeat:
        s = a.keep(s)
        return a.binary("sub", s, a.call("floor", s))
    if mode is addressing_mode.mirrored_repeat:
        s = a.keep(s)
        turns = a.call("rint", a.binary("mul", a.const(0.5, FLOAT32), s))
        return a.call("fabs", a.binary("sub", s, a.binary("mul", a.const(2.0, FLOAT32), turns)))
    return s


def _tap(a: Algebra[V], mode: addressing_mode, at: V, extent: V, weight: V | None) -> Tap[V]:
    """Return the tap at a whole coordinate, which may lie outside."""
    last = a.binary("sub", extent, a.const(1.0, FLOAT32))
    zero = a.const(0.0, FLOAT32)
    if mode is addressing_mode.repeat:
        at = a.select(a.compare("lt", at, zero), a.binary("add", at, extent), at)
        at = a.keep(at)
        at = a.select(a.compare("gt", at, last), a.binary("sub", at, extent), at)
    # In this order of operands a NaN becomes 0.
    clamped = a.keep(a.call("min", last, a.call("max", zero, at)))
    inside = a.keep(a.compare("eq", clamped, at)) if mode is addressing_mode.clamp else None
    return Tap(a.keep(a.cast(clamped, INT32)), inside, weight)


# ---- sampling
def sample(a: Algebra[V], form: PixelFormat, sampler: image_sampler, coordinates: Sequence[V],
           extents: Sequence[V], fetch: Fetch[V], result: DType) -> list[V]:
    """Return the colour at a coordinate, four components of type ``result``.

    Args:
        coordinates: float32 x, y, z, as many as the image has dimensions; extents: float32, too.
        fetch: reads a pixel.
    """
    axes = [axis(a, sampler, c, e) for c, e in zip(coordinates, extents, strict=True)]
    if not sampler.linear:
        (taps,) = itertools.product(*axes)
        inside = _all(a, [t.inside for t in taps])
        words = _inside(a, inside, fetch([t.index for t in taps]))
        return _color(a, form, [decode(a, c, words) for c in form.channels], inside, result)
    total: list[V] = []
    alpha: V | None = None
    one, zero = a.const(1.0, FLOAT32), a.const(0.0, FLOAT32)
    for backwards in itertools.product(*reversed(axes)):
        taps = backwards[::-1]
        weight = _product(a, [t.weight for t in backwards if t.weight is not None])
        inside = _all(a, [t.inside for t in taps])
        words = _inside(a, inside, fetch([t.index for t in taps]))
        parts = [_raw(a, c, words) for c in form.channels]
        total = [_add(a, weight, x, total[k] if total else None) for k, x in enumerate(parts)]
        if inside is not None and form.reads[3] < 0 and not form.solid:
            alpha = _add(a, weight, a.select(inside, one, zero), alpha)
    values = [_scaled(a, c, x) for c, x in zip(form.channels, total, strict=True)]
    return _color(a, form, values, None, result, alpha)


def _product(a: Algebra[V], factors: list[V]) -> V:
    weight = factors[0]
    for factor in factors[1:]:
        weight = a.binary("mul", weight, factor)
    return a.keep(weight)


def _add(a: Algebra[V], weight: V, x: V, total: V | None) -> V:
    return a.keep(a.binary("mul", weight, x) if total is None else a.call("fma", weight, x, total))


def _all(a: Algebra[V], flags: Sequence[V | None]) -> V | None:
    found: V | None = None
    for flag in flags:
        if flag is not None:
            found = flag if found is None else a.binary("and", found, flag)
    return None if found is None else a.keep(found)


def _inside(a: Algebra[V], inside: V | None, words: Sequence[V]) -> Sequence[V]:
    """Return the words of a pixel, or zeros outside: what every format reads as the border."""
    if inside is None:
        return words
    return [a.keep(a.select(inside, w, a.const(0, UINT32))) for w in words]


def read(a: Algebra[V], form: PixelFormat, words: Sequence[V], result: DType) -> list[V]:
    """Return the colour of a pixel, four components of type ``result``."""
    return _color(a, form, [decode(a, c, words) for c in form.channels], None, result)


def _color(a: Algebra[V], form: PixelFormat, values: list[V], inside: V | None, result: DType,
           alpha: V | None = None) -> list[V]:
    """Return red, green, blue and alpha from a format's channels."""
    kind = {"i": INT32, "u": UINT32}.get(form.kind, FLOAT32)
    zero, one = a.const(0, kind), a.const(1, kind)
    if inside is not None and not form.solid:
        alpha = a.select(inside, one, zero)
    out = [values[k] if k >= 0 else zero if c < 3 else one if alpha is None else alpha
           for c, k in enumerate(form.reads)]
    return [a.cast(x, FLOAT16) for x in out] if result is FLOAT16 else out


# ---- one channel
def _bits(a: Algebra[V], c: Channel, words: Sequence[V]) -> V:
    """Return a channel's stored bits as a uint32."""
    x = words[c.word]
    if c.shift:
        x = a.binary("shr", x, a.const(c.shift, UINT32))
    if c.bits + c.shift < 32:
        x = a.binary("and", x, a.const((1 << c.bits) - 1, UINT32))
    return x


def _signed(a: Algebra[V], c: Channel, words: Sequence[V]) -> V:
    """Return a channel's stored number as an int32."""
    x = a.bitcast(words[c.word], INT32)
    left = 32 - c.bits - c.shift
    if left:
        x = a.binary("shl", x, a.const(left, INT32))
    return a.binary("shr", x, a.const(32 - c.bits, INT32)) if c.bits < 32 else x


def _raw(a: Algebra[V], c: Channel, words: Sequence[V]) -> V:
    """Return a channel as a float32 that ``_scaled`` takes to its value."""
    match c.coding:
        case "float" if c.bits == 32:
            return a.bitcast(words[c.word], FLOAT32)
        case "float":
            return a.cast(a.bitcast(a.cast(_bits(a, c, words), UINT16), FLOAT16), FLOAT32)
        case "snorm":
            lowest = a.const(-c.largest, INT32)
            return a.cast(a.call("max", lowest, a.keep(_signed(a, c, words))), FLOAT32)
    x = a.cast(a.bitcast(_bits(a, c, words), INT32), FLOAT32)
    return _linear(a, a.keep(a.binary("div", x, a.const(c.largest, FLOAT32)))) \
        if c.coding == "srgb" else x


def _scaled(a: Algebra[V], c: Channel, x: V) -> V:
    if c.coding in ("unorm", "snorm"):
        return a.binary("div", x, a.const(c.largest, FLOAT32))
    return x


def decode(a: Algebra[V], c: Channel, words: Sequence[V]) -> V:
    """Return a channel's value: float32, int32 or uint32 (OpenCL C §8.3)."""
    if c.coding == "sint":
        return a.keep(_signed(a, c, words))
    if c.coding == "uint":
        return a.keep(_bits(a, c, words))
    return a.keep(_scaled(a, c, _raw(a, c, words)))


def encode(a: Algebra[V], form: PixelFormat, color: Sequence[V], given: DType) -> list[V]:
    """Return the words of a pixel from four components of type ``given``, as uint32.

    Integers saturate; fractions round to nearest even; NaN becomes 0 (OpenCL C §8.3).
    """
    words: list[V | None] = [None] * form.words
    for c in form.channels:
        x = _encoded(a, c, color[c.component], given)
        if c.shift:
            x = a.binary("shl", x, a.const(c.shift, UINT32))
        old = words[c.word]
        words[c.word] = x if old is None else a.binary("or", old, x)
    return [a.const(0, UINT32) if w is None else w for w in words]


def _encoded(a: Algebra[V], c: Channel, x: V, given: DType) -> V:
    """Return a component as a channel's bits."""
    if given is FLOAT16 and not (c.coding == "float" and c.bits == 16):
        x = a.cast(x, FLOAT32)
    mask = a.const((1 << c.bits) - 1, UINT32)
    match c.coding:
        case "float" if c.bits == 32:
            return a.bitcast(x, UINT32)
        case "float":
            return a.cast(a.bitcast(a.cast(x, FLOAT16), UINT16), UINT32)
        case "uint":
            return a.call("min", x, mask) if c.bits < 32 else x
        case "sint" if c.bits < 32:
            x = a.call("min", a.const(c.largest, INT32),
                       a.call("max", a.const(-c.largest - 1, INT32), x))
            return a.binary("and", a.bitcast(x, UINT32), mask)
        case "sint":
            return a.bitcast(x, UINT32)
    x = a.keep(x)
    if c.coding == "srgb":
        x = a.keep(_gamma(a, x))
    low = 0.0
    if c.coding == "snorm":
        low = -c.largest - 1.0
        x = a.keep(a.select(a.compare("eq", x, x), x, a.const(0.0, FLOAT32)))
    scaled = a.binary("mul", x, a.const(c.largest, FLOAT32))
    inside = a.call("min", a.const(c.largest, FLOAT32),
                    a.call("max", a.const(low, FLOAT32), scaled))
    bits = a.bitcast(a.cast(a.call("rint", inside), INT32), UINT32)
    return a.binary("and", bits, mask) if c.coding == "snorm" else bits


def _linear(a: Algebra[V], x: V) -> V:
    """Return the linear value of an sRGB component between 0 and 1 (OpenCL C §8.3.5)."""
    def f(v: float) -> V:
        return a.const(v, FLOAT32)
    curve = a.call("pow", a.binary("div", a.binary("add", x, f(0.055)), f(1.055)), f(2.4))
    return a.keep(a.select(a.compare("le", x, f(0.04045)), a.binary("div", x, f(12.92)), curve))


def _gamma(a: Algebra[V], x: V) -> V:
    """Return the sRGB component of a linear value; NaN becomes 0."""
    def f(v: float) -> V:
        return a.const(v, FLOAT32)
    x = a.keep(a.call("min", f(1.0), a.call("max", f(0.0), x)))
    curve = a.call("fma", f(1.055), a.call("pow", x, f(1 / 2.4)), f(-0.055))
    return a.select(a.compare("lt", x, f(0.0031308)), a.binary("mul", f(12.92), x), curve)
