"""Video processing on a queue: crop, scale, colours, fields, noise, overlays.

Each step is kernels over surfaces. Non-goals: codecs. Invariant: sources are not changed; what is
wrong is refused before anything is submitted.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.vpl import kernels, ratios
from unisycl.oneapi.vpl.errors import invalid_argument, unsupported
from unisycl.oneapi.vpl.formats import from_colours, to_colours
from unisycl.oneapi.vpl.surfaces import surface

Rectangle = tuple[int, int, int, int]


class _Steps:
    """Commands that follow one another."""

    def __init__(self, queue: sycl.queue, after: Any) -> None:
        self.queue, self.after = queue, events_of(after)

    def run(self, space: Any, kernel: Any, *args: Any) -> None:
        """Run a kernel behind the one before it."""
        self.after = [self.queue.parallel_for(space, kernel, *args, depends_on=self.after)]

    def event(self) -> sycl.event:
        """Return the last command's event."""
        return self.after[0] if len(self.after) == 1 else self.queue.ext_oneapi_submit_barrier(
            self.after)


def _axis(first: float, count: float, target: int, limit: int, *, nearest: bool) -> kernels.axis:
    """Return where ``target`` elements come from: the middles of equal parts of a stretch."""
    at = first + (np.arange(target) + 0.5) * (count / target) - 0.5
    low = max(int(np.floor(first)), 0)
    high = min(int(np.ceil(first + count)), limit) - 1
    at = np.clip(np.floor(at + 0.5) if nearest else at, low, max(high, low))
    one = np.minimum(np.floor(at), max(limit - 2, 0)).astype(np.int32)
    return kernels.axis(one, np.minimum(one + 1, limit - 1).astype(np.int32),
                        (at - one).astype(np.float32))


def _check_pair(name: str, source: Any, target: Any) -> None:
    for what, x in (("the source", source), ("the target", target)):
        if not isinstance(x, surface):
            raise invalid_argument(f"{name}: {what} must be a surface, got {type(x).__name__}")
    if any(isinstance(p, np.ndarray) and not p.flags.writeable for p in target.planes):
        raise invalid_argument(f"{name}: the target is a decoded picture, which its decoder may "
                               "still need, or other memory that is only read; process it into a "
                               "surface of your own first")
    for a in source.planes:
        for b in target.planes:
            if np.may_share_memory(np.asarray(a), np.asarray(b)):
                raise invalid_argument(f"{name}: source and target share memory; give another one")


def _same(name: str, source: surface, target: surface) -> None:
    _check_pair(name, source, target)
    if (source.format, source.width, source.height) != (target.format, target.width,
                                                        target.height):
        raise invalid_argument(f"{name}: the target must be as the source, {source!r}; it is "
                               f"{target!r}")


def _window(crop: Any, source: surface) -> Rectangle:
    """Return what is taken of a picture: four whole numbers."""
    found = (0, 0, source.width, source.height) if crop is None else crop
    if not isinstance(found, Sequence | np.ndarray) or len(found) != 4 or not all(
            hasattr(v, "__index__") for v in found):
        raise invalid_argument("process: crop must be left, top, width and height in whole pixels, "
                               f"got {crop!r}")
    left, top, width, height = (int(v) for v in found)
    return left, top, width, height


def _number(name: str, what: str, value: Any, *, whole: bool = False) -> None:
    """Refuse what is no number."""
    right = hasattr(value, "__index__") if whole else isinstance(
        value, float | int | np.floating | np.integer)
    if not right:
        raise invalid_argument(f"{name}: {what} must be a {'whole ' * whole}number, got {value!r}")


@ends_at_call
def process(source: surface, target: surface, *, crop: Rectangle | None = None,
            scaling: str = "bilinear", depends_on: Any = ()) -> sycl.event:
    """Crop, scale and convert a picture into another one, in one go.

    Args:
        source: the picture; target: where it goes, in its format and size.
        crop: left, top, width and height of what is taken of the source; all if left out.
        scaling: "bilinear" or "nearest".
        depends_on: events to wait for.
    """
    _check_pair("process", source, target)
    if scaling not in ("bilinear", "nearest"):
        raise invalid_argument(f"process: scaling must be bilinear or nearest, got {scaling!r}")
    left, top, width, height = _window(crop, source)
    if left < 0 or top < 0 or width < 1 or height < 1 or left + width > source.width \
            or top + height > source.height:
        raise invalid_argument(f"process: crop {crop} does not lie in {source!r}")
    steps = _Steps(target.queue, depends_on)
    window = (left, top, width, height)
    if target.format.colours and not source.format.colours:
        _to_colours(steps, source, target, window, scaling)
    elif source.format.colours and not target.format.colours:
        if (width, height) != (target.width, target.height):
            between = surface(target.queue, "rgb4", target.width, target.height)
            _planes(steps, source, between, window, scaling)
            source, window = between, (0, 0, target.width, target.height)
        _from_colours(steps, source, target, window)
    else:
        if not source.format.colours and (source.matrix, source.full_range) != (
                target.matrix, target.full_range):
            raise unsupported("process: source and target mean Y, U and V differently; go by rgb")
        _planes(steps, source, target, window, scaling)
    return steps.event()


@functools.lru_cache(maxsize=32)
def _axes(size: tuple[int, int], window: Rectangle, target: tuple[int, int], scaling: str,
          unit: int) -> kernels.axes:
    """Return where the elements of both axes come from, for luma and for chroma."""
    left, top, width, height = window
    near, found = scaling == "nearest", []
    for half in (1, 2):
        rows, columns = -(-size[1] // half), -(-size[0] // half)
        found += [_axis(top / half, height / half, target[1], rows, nearest=near),
                  _axis(left / half, width / half, target[0], columns, nearest=near)]
    for axis in found:
        axis.weight = np.rint(axis.weight * unit).astype(np.int32)
    down, along, half_down, half_along = found
    return kernels.axes(down, along, half_down, half_along, np.int32(size[0]),
                        np.int32(-(-size[0] // 2)), np.int32(unit))


def _source(steps: _Steps, given: surface) -> kernels.source:
    """Return a picture as its colours are made."""
    planes, pitches = given.planes, given.pitches
    lines = kernels.shifted_line if given.format.shift else kernels.line
    luma = lines(planes[0], np.int64(pitches[0]))
    if given.format.name in ("i420", "i010"):
        return kernels.source(luma, kernels.planar(planes[1], planes[2], np.int64(pitches[1])))
    kind, wide = ((kernels.pairs, np.uint16) if given.format.bits == 8
                  else (kernels.wide_pairs, np.int32))
    words, pitch = planes[1], pitches[1]
    if words.ctypes.data % np.dtype(wide).itemsize or pitch % 2:
        # no kernel reads such words in place: copied behind the commands that write them
        rows, columns = given.format.planes(given.width, given.height)[1]
        words = empty(given.queue, rows * columns, given.format.dtype)
        steps.run((rows, columns), kernels.repack, planes[1], np.int64(pitch), words,
                  np.int64(columns))
        pitch = columns
    return kernels.source(luma, kind(words.view(wide), np.int64(pitch // 2)))


def _to_colours(steps: _Steps, source: surface, target: surface, window: Rectangle,
                scaling: str) -> None:
    ratio = ratios.ratio_of(window[2], target.width)
    if ratio is not None and window[0] % 2 == 0 and target.planes[0].ctypes.data % 2 == 0:
        _by_ratio(steps, source, target, window, ratio, near=scaling == "nearest")
    else:
        _by_rows(steps, source, target, window, scaling)


@functools.lru_cache(maxsize=32)
def _rows(stretch: tuple[float, float], target: int, limit: int, pitch: int, left: int, *,
          near: bool) -> ratios.rows:
    """Return where rows of the target come from, as elements of a plane."""
    axis = _axis(*stretch, target, limit, nearest=near)
    whole = axis.weight >= 1
    one, weight = np.where(whole, axis.second, axis.at), np.where(whole, 0, axis.weight)
    first_of, second_of = (r.astype(np.int64) * pitch + left for r in (one, axis.second))
    part = np.minimum(np.rint(weight * 32768), 32767).astype(np.int16)
    return ratios.rows(first_of, second_of, part)


def _by_ratio(steps: _Steps, source: surface, target: surface, window: Rectangle,
              ratio: tuple[int, int], *, near: bool) -> None:
    """Make colours where so many pixels of a row stand over so many."""
    left, top, _, height = window
    bits, device = source.format.bits, steps.queue.get_device()
    matrix = np.array(to_colours(source.matrix, full=source.full_range, bits=bits))
    factors = matrix[[0, 2, 4, 5, 7]] * (1 << (bits - 8)) * [1 << 14, *[1 << 13] * 4]
    zero = 0 if source.full_range else 16
    m = [*factors, 16 - 32 * zero * factors[0] / (1 << 14)]
    made = _source(steps, source)
    luma = {8: ratios.byte_rows, 10: ratios.low_rows}[bits]
    if source.format.shift:
        luma = ratios.high_rows
    chroma: Any
    if isinstance(made.chroma, kernels.planar):
        chroma = ratios.plane_rows(luma(made.chroma.u), luma(made.chroma.v))
    else:
        kind = ratios.pair_rows if bits == 8 else ratios.wide_pair_rows
        chroma = kind(made.chroma.at)
    down = _rows((top, height), target.height, source.height, source.pitches[0], left, near=near)
    half = _rows((top / 2, height / 2), target.height, (source.height + 1) // 2,
                 int(made.chroma.pitch), left // 2, near=near)
    lanes = device.get_info(sycl.info.device.native_vector_width_short)
    fits = lanes in device.get_info(sycl.info.device.sub_group_sizes)
    four = target.format.name == "rgb4"
    kernel = ratios.to_colours(
        ratio, lanes if fits else 0, four=four, near=near,
        still=not down.weight.any())
    count = target.width // ratio[0]
    steps.run((target.height, count), kernel,
              kernels.source(luma(made.luma.at), chroma), ratios.ways(down, half),
              tuple(np.rint(m).astype(np.int16)), ratios.canvas(
                  target.planes[0].view(np.int16),
                  np.int64(target.width * (4 if four else 3) // 2), np.int64(count - 1)))


def _by_rows(steps: _Steps, source: surface, target: surface, window: Rectangle,
             scaling: str) -> None:
    unit = 128 if source.format.bits == 8 else 64  # so that a blend of two has 16 bits
    way = _axes((source.width, source.height), window, (target.width, target.height), scaling,
                unit)
    matrix = np.array(to_colours(source.matrix, full=source.full_range, bits=source.format.bits))
    matrix[:9] /= unit * unit
    matrix[9:] += 0.5  # colours are cut to whole numbers
    room = kernels.local(*(sycl.local_accessor(np.int32, n) for n in (
        source.width, int(way.half) + 1, target.width + 1)))
    words = target.width * len(target.format.parts) % 4 == 0 and _aligned(target)
    memory = target.planes[0].view(np.int32) if words else target.planes[0]
    four = target.format.name == "rgb4"
    if words:
        kernel = kernels.to_rgb4 if four else kernels.to_rgb
    else:
        kernel = kernels.to_bytes4 if four else kernels.to_bytes
    out = kernels.canvas(memory, np.int64(target.width), matrix.astype(np.float32),
                         _spread(target.width))
    steps.run(sycl.nd_range((target.height, kernels.GROUP), (1, kernels.GROUP)), kernel,
              _source(steps, source), way, out, room)


@functools.lru_cache(maxsize=32)
def _spread(width: int) -> Any:
    """Return in which pixel each word of a row begins, where four pixels take three words."""
    words = np.arange(max(width * 3 // 4, 1), dtype=np.int32)
    return words + words // 3


def _aligned(target: surface) -> bool:
    return bool(target.planes[0].ctypes.data % 4 == 0)


def _from_colours(steps: _Steps, source: surface, target: surface, window: Rectangle) -> None:
    left, top, width, height = window
    matrix = np.array(from_colours(target.matrix, full=target.full_range,
                                   bits=target.format.bits), np.float32)
    parts = source.parts()[:3]
    for p in parts:
        p.first = np.int64(int(p.first) + top * int(p.pitch) + left * int(p.step))
    steps.run(((height + 1) // 2, (width + 1) // 2), kernels.from_rgb, tuple(parts),
              (np.int32(height), np.int32(width)), matrix, target.picture())


def _planes(steps: _Steps, source: surface, target: surface, window: Rectangle,
            scaling: str) -> None:
    left, top, width, height = window
    near, given = scaling == "nearest", source.parts()
    scale = np.float32(2.0 ** (target.format.bits - source.format.bits))
    for k, (out, what) in enumerate(zip(target.parts(), target.format.parts, strict=True)):
        half = 2 if what.halved else 1
        rows, columns = -(-target.height // half), -(-target.width // half)
        if k >= len(given):  # alpha, which the source has not
            steps.run((rows, columns), kernels.constant, np.float32(255), out)
            continue
        down = _axis(top / half, height / half, rows, -(-source.height // half), nearest=near)
        along = _axis(left / half, width / half, columns, -(-source.width // half), nearest=near)
        steps.run((rows, columns), kernels.resize, given[k], down, along, scale, out)


def _each(target: surface) -> list[tuple[int, int]]:
    """Return how many rows and columns each part of a pixel has."""
    sizes = [(target.height, target.width), ((target.height + 1) // 2, (target.width + 1) // 2)]
    return [sizes[p.halved] for p in target.format.parts]


@ends_at_call
def deinterlace(source: surface, target: surface, *, field: str = "top",
                depends_on: Any = ()) -> sycl.event:
    """Make a whole picture of one field: "top" or "bottom"; the other rows lie between its own."""
    _same("deinterlace", source, target)
    if field not in ("top", "bottom"):
        raise invalid_argument(f"deinterlace: field must be top or bottom, got {field!r}")
    steps = _Steps(target.queue, depends_on)
    if source.height < 4:
        raise invalid_argument("deinterlace: a picture of two fields has 4 rows at least")
    for given, out, (rows, columns) in zip(source.parts(), target.parts(), _each(target),
                                           strict=True):
        steps.run((rows, columns), kernels.fields, given, np.int32(rows),
                  np.int32(field == "bottom"), out)
    return steps.event()


@ends_at_call
def denoise(source: surface, target: surface, *, strength: float = 10.0,
            depends_on: Any = ()) -> sycl.event:
    """Even out noise of about ``strength`` of 255, and leave edges."""
    _same("denoise", source, target)
    _number("denoise", "strength", strength)
    if not strength > 0:
        raise invalid_argument(f"denoise: strength must be above 0, got {strength!r}")
    steps = _Steps(target.queue, depends_on)
    factor = np.float32(255 / strength / ((1 << source.format.bits) - 1))
    for given, out, size in zip(source.parts(), target.parts(), _each(target), strict=True):
        steps.run(size, kernels.smooth, given, (np.int32(size[0]), np.int32(size[1])), factor, out)
    return steps.event()


@ends_at_call
def compose(overlay: surface, target: surface, *, left: int = 0, top: int = 0, alpha: float = 1.0,
            depends_on: Any = ()) -> sycl.event:
    """Lay a picture over another one of its format, with its alpha where it has one.

    Args:
        overlay: the picture; target: what it is laid over.
        left, top: where; even where chroma is halved.
        alpha: how far it covers, from 0 to 1.
        depends_on: events to wait for.
    """
    _check_pair("compose", overlay, target)
    if overlay.format != target.format:
        raise invalid_argument(f"compose: {overlay!r} and {target!r} have different formats; "
                               "process one into the other's")
    _number("compose", "left", left, whole=True)
    _number("compose", "top", top, whole=True)
    _number("compose", "alpha", alpha)
    if left < 0 or top < 0 or left + overlay.width > target.width \
            or top + overlay.height > target.height:
        raise invalid_argument(f"compose: {overlay!r} at ({left}, {top}) does not lie in "
                               f"{target!r}")
    if not target.format.colours and (left % 2 or top % 2):
        raise invalid_argument("compose: left and top must be even where chroma is halved, got "
                               f"({left}, {top})")
    if not 0 <= alpha <= 1:
        raise invalid_argument(f"compose: alpha is from 0 to 1, got {alpha!r}")
    steps = _Steps(target.queue, depends_on)
    given = overlay.parts()
    cover = given[3] if len(given) == 4 else None
    for k, (over, out, what) in enumerate(zip(given, target.parts(), target.format.parts,
                                              strict=True)):
        if k == 3:
            continue
        half = 2 if what.halved else 1
        out.first = np.int64(int(out.first) + top // half * int(out.pitch)
                             + left // half * int(out.step))
        steps.run(_each(overlay)[k], kernels.mix, over, cover, np.float32(alpha), out)
    return steps.event()
