"""Copies and fills of rectangles: rows with padding between them (sycl_ext_oneapi_memcpy2d).

A pitch is the width of a whole row, padding included. Non-goals: rectangles of buffers, which
ranged accessors describe. Invariant: no byte outside the rectangle is written, and a rectangle that
its memory does not hold is refused before anything is enqueued.
"""

from __future__ import annotations

import math
from typing import Any

from unisycl.api.queue import transfer
from unisycl.api.queue.image_copies import ImageCommands, ImageShortcuts
from unisycl.base.enums import node_type
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph.command_group import BoundView
from unisycl.runtime.launch import launch


class RectangleCommands(ImageCommands):
    """The commands of a ``handler`` on rectangles."""

    __slots__ = ()

    def ext_oneapi_memcpy2d(self, dest: Any, dest_pitch: int, src: Any, src_pitch: int, width: int,
                            height: int) -> None:
        """Copy rows of bytes between USM memory and arrays.

        Args:
            dest: where to; dest_pitch: how many bytes a row of it has, padding included.
            src: where from; src_pitch: how many bytes a row of it has.
            width: how many bytes of each row are copied; at most either pitch.
            height: how many rows.
        """
        what = "ext_oneapi_memcpy2d"
        self.check_free(what)

        def views() -> tuple[BoundView, BoundView]:
            return (self._window(what, dest, dest_pitch, width, height, in_bytes=True, writes=True),
                    self._window(what, src, src_pitch, width, height, in_bytes=True, writes=False))
        self._transfer(what, node_type.memcpy, views, launch.begin_copy)

    def ext_oneapi_copy2d(self, src: Any, src_pitch: int, dest: Any, dest_pitch: int, width: int,
                          height: int) -> None:
        """Copy rows of elements between USM memory and arrays of one type; all is in elements."""
        what = "ext_oneapi_copy2d"
        self.check_free(what)

        def views() -> tuple[BoundView, BoundView]:
            to, of = (self._window(what, dest, dest_pitch, width, height, writes=True),
                      self._window(what, src, src_pitch, width, height, writes=False))
            return transfer.fit(what, to, of, None)
        self._transfer(what, node_type.memcpy, views, launch.begin_copy)

    def ext_oneapi_memset2d(self, dest: Any, dest_pitch: int, value: int, width: int,
                            height: int) -> None:
        """Write one byte, ``value`` modulo 256, into rows of USM memory; all is in bytes."""
        what = "ext_oneapi_memset2d"
        self.check_free(what)

        def views() -> tuple[BoundView, Any]:
            view = self._window(what, dest, dest_pitch, width, height, in_bytes=True, writes=True)
            return view, transfer.pattern_of(what, view, transfer.as_count(
                what, "the byte to write", value) & 255)
        self._transfer(what, node_type.memset, views, launch.begin_fill)

    def ext_oneapi_fill2d(self, dest: Any, dest_pitch: int, pattern: Any, width: int,
                          height: int) -> None:
        """Write one value into rows of USM memory; all is in elements of the memory's type."""
        what = "ext_oneapi_fill2d"
        self.check_free(what)

        def views() -> tuple[BoundView, Any]:
            view = self._window(what, dest, dest_pitch, width, height, writes=True)
            return view, transfer.pattern_of(what, view, pattern)
        self._transfer(what, node_type.memfill, views, launch.begin_fill)

    def _window(self, what: str, thing: Any, pitch: int, width: int, height: int, *,
                in_bytes: bool = False, writes: bool) -> BoundView:
        """Return the rectangle of an operand; ``errc.invalid`` if it does not hold it."""
        side, unit = "destination" if writes else "source", "bytes" if in_bytes else "elements"
        view = transfer.operand(what, thing, self, self.channel, writes=writes)
        view = transfer.whole_bytes(what, side, view) if in_bytes else transfer.flat(
            what, side, view)
        pitch, width, height = (transfer.as_count(what, noun, x) for noun, x in (
            (f"the pitch of the {side}", pitch), ("the width", width), ("the height", height)))
        if width < 0 or height < 0 or width > pitch:
            raise UsageError(errc.invalid, f"{what}: rows of {width} {unit} do not fit a pitch of "
                             f"{pitch} of the {side}; the width is at most either pitch, and no "
                             "number is negative")
        have, need = math.prod(view.shape), (height - 1) * pitch + width if width * height else 0
        if need > have:
            raise UsageError(errc.invalid, f"{what}: {height} rows of {width} {unit}, {pitch} "
                             f"apart, are {need} {unit}; the {side} has {have}")
        return BoundView(view.memory, view.offset, (height, width), (pitch, 1))


class RectangleShortcuts(ImageShortcuts):
    """The same commands as members of a ``queue``: each a command group of its own."""

    __slots__ = ()

    def ext_oneapi_memcpy2d(self, dest: Any, dest_pitch: int, src: Any, src_pitch: int, width: int,
                            height: int, depends_on: Any = ()) -> Any:
        """Copy rows of bytes between USM memory and arrays; pitches and width are in bytes."""
        return self._command(depends_on, lambda h: h.ext_oneapi_memcpy2d(
            dest, dest_pitch, src, src_pitch, width, height))

    def ext_oneapi_copy2d(self, src: Any, src_pitch: int, dest: Any, dest_pitch: int, width: int,
                          height: int, depends_on: Any = ()) -> Any:
        """Copy rows of elements between USM memory and arrays; all is in elements."""
        return self._command(depends_on, lambda h: h.ext_oneapi_copy2d(
            src, src_pitch, dest, dest_pitch, width, height))

    def ext_oneapi_memset2d(self, dest: Any, dest_pitch: int, value: int, width: int, height: int,
                            depends_on: Any = ()) -> Any:
        """Write one byte into rows of USM memory; pitch and width are in bytes."""
        return self._command(depends_on, lambda h: h.ext_oneapi_memset2d(
            dest, dest_pitch, value, width, height))

    def ext_oneapi_fill2d(self, dest: Any, dest_pitch: int, pattern: Any, width: int, height: int,
                          depends_on: Any = ()) -> Any:
        """Write one value into rows of USM memory; pitch and width are in elements."""
        return self._command(depends_on, lambda h: h.ext_oneapi_fill2d(
            dest, dest_pitch, pattern, width, height))
