"""Copies of images by handle (sycl_ext_oneapi_bindless_images).

Non-goals: conversion of pixels. Invariants: rows of the host lie without gaps; what does not lie
inside both memories is refused before anything is enqueued, and no byte beside it is written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.api.images.bindless import image_mem, image_mem_handle
from unisycl.api.memory.usm import usm_pointer
from unisycl.api.queue import transfer
from unisycl.api.queue.graph_control import ControlCommands
from unisycl.base import geometry
from unisycl.base.bindless import image_descriptor
from unisycl.base.dataclass import dataclass
from unisycl.base.enums import node_type
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph.command_group import BoundView
from unisycl.runtime.graph.tasks import Begin
from unisycl.runtime.launch import launch

_WHAT = "ext_oneapi_copy"
_FORMS = ("(source, memory, desc), (memory, target, desc), (memory, memory, desc), (source, target,"
          " desc, pitch), or the forms with offsets and extents of the extension")
_Box = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Side:
    """One operand: its memory, what it holds as a box of pixels, where the copy begins in it."""

    thing: Any
    extents: _Box
    offset: _Box
    pitch: int


@dataclass(frozen=True, slots=True)
class _Copy:
    """A copy: both operands, the pixels that are copied, and the bytes of one."""

    source: _Side
    target: _Side
    box: _Box
    size: int


def _box(value: Any) -> _Box:
    found = tuple(geometry.as_range(value)) if not isinstance(value, tuple) else value
    return (*(int(x) for x in found), 1, 1)[:3]  # type: ignore[return-value]


def _offset(value: Any) -> _Box:
    found = tuple(value) if hasattr(value, "__iter__") else (value,)
    return (*(int(x) for x in found), 0, 0)[:3]  # type: ignore[return-value]


def _extents(desc: image_descriptor) -> _Box:
    """Return the pixels of a description; layers lie one behind the other."""
    if desc.layers > 1:
        return desc.width, max(desc.height, 1) * desc.layers, 1
    return desc.width, max(desc.height, 1), max(desc.depth, 1)


def _memory(thing: Any) -> Any:
    return thing.get_handle() if isinstance(thing, image_mem) else thing


def _is_box(thing: Any) -> bool:
    return isinstance(thing, geometry.range | geometry.id) or (
        isinstance(thing, tuple) and all(isinstance(x, int) for x in thing))


def parse(given: tuple[Any, ...]) -> _Copy:
    """Return which copy the arguments ask for; ``errc.invalid`` if it is none."""
    args = [_memory(x) for x in given]
    kinds = "".join("d" if isinstance(x, image_descriptor) else "m" if isinstance(
        x, image_mem_handle) else "b" if _is_box(x) else "n" if isinstance(x, int) else "p"
        for x in args)
    match kinds:
        case "pmd" | "mpd" | "mmd":
            source, target, desc = args
            whole = _extents(desc)
            sides = [_Side(x, whole, (0, 0, 0), 0) for x in (source, target)]
            box = whole
        case "ppdn":
            source, target, desc, pitch = args
            box = _extents(desc)
            sides = [_Side(x, box, (0, 0, 0), pitch if isinstance(x, usm_pointer) else 0)
                     for x in (source, target)]
        case "pbbmbdb":
            source, at, extent, target, to, desc, box = args
            sides = [_Side(source, _box(extent), _offset(at), 0),
                     _Side(target, _extents(desc), _offset(to), 0)]
        case "mbdpbbb":
            source, at, desc, target, to, extent, box = args
            sides = [_Side(source, _extents(desc), _offset(at), 0),
                     _Side(target, _box(extent), _offset(to), 0)]
        case "mbdmbdb":
            source, at, desc, target, to, other, box = args
            sides = [_Side(source, _extents(desc), _offset(at), 0),
                     _Side(target, _extents(other), _offset(to), 0)]
        case "pbpbdnbb":
            source, at, target, to, desc, pitch, extent, box = args
            sides = [_Side(x, *((_extents(desc), _offset(o), pitch) if isinstance(x, usm_pointer)
                                else (_box(extent), _offset(o), 0)))
                     for x, o in ((source, at), (target, to))]
        case _:
            raise UsageError(errc.invalid, f"{_WHAT}: expected {_FORMS}, got "
                             f"({', '.join(type(x).__name__ for x in given)})")
    desc.verify()
    for side in sides:
        _check_memory(side, desc)
    return _Copy(sides[0], sides[1], _box(box), desc.pixel_size)


def _check_memory(side: _Side, desc: image_descriptor) -> None:
    if not isinstance(side.thing, image_mem_handle):
        return
    known = side.thing.shape()
    if known.type.name == "mipmap":
        raise UsageError(errc.invalid, f"{_WHAT}: a mipmap is copied level by level; take "
                         "get_mip_level_mem_handle and get_mip_level_desc")
    if side.extents != _extents(known) or known.pixel_size != desc.pixel_size:
        raise UsageError(errc.invalid, f"{_WHAT}: the memory is of {known!r}, the description is "
                         f"{desc!r}")


def _window(side: _Side, copy: _Copy, view: BoundView, noun: str) -> BoundView:
    """Return the pixels of one operand as bytes in three dimensions."""
    size = copy.size
    row = side.pitch or side.extents[0] * size
    slice = row * side.extents[1]
    for k, axis in enumerate("xyz"):
        if side.offset[k] < 0 or side.offset[k] + copy.box[k] > side.extents[k]:
            raise UsageError(errc.invalid, f"{_WHAT}: pixels {side.offset[k]} to "
                             f"{side.offset[k] + copy.box[k] - 1} along {axis} do not lie in the "
                             f"{noun}, which has {side.extents[k]}")
    if row < side.extents[0] * size:
        raise UsageError(errc.invalid, f"{_WHAT}: a pitch of {row} bytes is less than a row of "
                         f"{side.extents[0] * size}")
    x, y, z = side.offset
    start = x * size + y * row + z * slice
    end = (start + (copy.box[0]) * size + (copy.box[1] - 1) * row + (copy.box[2] - 1) * slice)
    if end > view.shape[0]:
        raise UsageError(errc.invalid, f"{_WHAT}: the {noun} has {view.shape[0]} bytes, and the "
                         f"copy ends at byte {end}")
    return BoundView(view.memory, view.offset + start,
                     (copy.box[2], copy.box[1], copy.box[0] * size), (slice, row, 1))


class ImageCommands(ControlCommands):
    """The copy of a ``handler`` between images by handle and other memory."""

    __slots__ = ()

    def _transfer(self, what: str, kind: node_type, views: Callable[[], tuple[BoundView, Any]],
                  begin: Callable[..., Begin]) -> None:
        raise NotImplementedError

    def ext_oneapi_copy(self, *given: Any) -> None:
        """Copy pixels between image memory, USM memory and arrays of the host.

        Args:
            given: ``(source, memory, desc)``, ``(memory, target, desc)``, ``(memory, memory,
                desc)``, ``(source, target, desc, pitch)``; with ranges of pixels for a part:
                ``(source, offset, extent, memory, offset, desc, copied)``, ``(memory, offset, desc,
                target, offset, extent, copied)``, ``(memory, offset, desc, memory, offset, desc,
                copied)`` and ``(source, offset, target, offset, desc, pitch, extent, copied)``.
        """
        self.check_free(_WHAT)
        copy = parse(given)

        def views() -> tuple[BoundView, BoundView]:
            found = []
            for side, writes, noun in ((copy.target, True, "destination"),
                                       (copy.source, False, "source")):
                thing = side.thing.memory if isinstance(
                    side.thing, image_mem_handle) else side.thing
                view = transfer.operand(_WHAT, thing, self, self.channel, writes=writes)
                view = transfer.whole_bytes(_WHAT, noun, view)
                found.append(_window(side, copy, view, noun))
            return found[0], found[1]
        self._transfer(_WHAT, node_type.memcpy, views, launch.begin_copy)


class ImageShortcuts:
    """The same command as a member of a ``queue``."""

    __slots__ = ()

    def _command(self, depends_on: Any, ask: Callable[[Any], None]) -> Any:
        raise NotImplementedError

    def ext_oneapi_copy(self, *given: Any, depends_on: Any = ()) -> Any:
        """Copy pixels between image memory, USM memory and arrays; see ``handler``."""
        return self._command(depends_on, lambda h: h.ext_oneapi_copy(*given))
