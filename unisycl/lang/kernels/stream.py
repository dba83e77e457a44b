"""``stream``, its manipulators and ``printf`` (SYCL 2020 §4.16, SYCL 1.2 §3.9.10).

Non-goals: how numbers are spelt (``base.value_text``). Invariant: outside a kernel nothing can be
put into a stream; a kernel on the host device is given a ``HostStream`` in place of the user's
object.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from unisycl.base import geometry
from unisycl.base.dtypes import INT64
from unisycl.base.enums import stream_manipulator
from unisycl.base.errors import UsageError, errc
from unisycl.base.value_text import FLOAT, INTEGER, FormatError, Part, Shown, parse_format, render
from unisycl.ir.types import StreamType
from unisycl.lang.index.nd_item import group, h_item, item, nd_item
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.memory.stored_pointers import address_of
from unisycl.lang.memory.views import HostView
from unisycl.process.standard_output import Lines, write

_numbers = itertools.count(1)

flush = stream_manipulator.flush
endl = stream_manipulator.endl
dec = stream_manipulator.dec
hex = stream_manipulator.hex
oct = stream_manipulator.oct
showbase = stream_manipulator.showbase
noshowbase = stream_manipulator.noshowbase
showpos = stream_manipulator.showpos
noshowpos = stream_manipulator.noshowpos
fixed = stream_manipulator.fixed
scientific = stream_manipulator.scientific
hexfloat = stream_manipulator.hexfloat
defaultfloat = stream_manipulator.defaultfloat


class stream_setting:
    """What ``setw`` and ``setprecision`` return: a manipulator with a number."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: int) -> None:
        self.name, self.value = name, value

    def __repr__(self) -> str:
        return f"{self.name}({self.value})"


def setw(width: int) -> stream_setting:
    """Return a manipulator: the next value takes at least ``width`` characters."""
    return stream_setting("setw", operator.index(width))


def setprecision(precision: int) -> stream_setting:
    """Return a manipulator: floats get ``precision`` digits."""
    return stream_setting("setprecision", operator.index(precision))


class stream:
    """Text from kernels (SYCL 2020 §4.16): ``out << "x = " << x << endl``.

    Args:
        total_buffer_size: how many characters a launch is expected to put out.
        work_item_buffer_size: how many one work-item is expected to put out between flushes.
        handler: the command group's handler.
        prop_list: properties; there are none for streams.

    Text of a work-item between two flushes is written as a whole; longer text than announced is
    written all the same. Numbers, strings, ids, ranges, index objects and manipulators can be put
    into it.
    """

    __slots__ = ("__weakref__", "_number", "_sizes")

    def __init__(self, total_buffer_size: int, work_item_buffer_size: int, handler: Any,
                 prop_list: Any = ()) -> None:
        sizes = (operator.index(total_buffer_size), operator.index(work_item_buffer_size))
        if min(sizes) < 0:
            raise UsageError(errc.invalid, f"stream: sizes must not be negative, got {sizes}")
        if not hasattr(handler, "depends_on"):
            raise UsageError(errc.invalid, "stream: the third argument is the command group's "
                             f"handler, got {type(handler).__name__}")
        self._sizes = sizes
        self._number = next(_numbers)

    def __kernel_type__(self) -> StreamType:
        """Return the type kernels see."""
        return StreamType(INT64)

    def __index__(self) -> int:
        return self._number

    __int__ = __index__

    def size(self) -> int:
        """Return the size of the whole buffer, as it was given."""
        return self._sizes[0]

    def work_item_buffer_size(self) -> int:
        """Return the given size of one work-item's buffer."""
        return self._sizes[1]

    get_size = size
    get_work_item_buffer_size = work_item_buffer_size

    def __lshift__(self, value: Any) -> Self:
        """Put a value into the stream; in kernels only."""
        raise UsageError(errc.invalid, "a stream takes text in kernels only; use print() here")

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __repr__(self) -> str:
        return f"stream({self._sizes[0]}, {self._sizes[1]})"


class HostStream:
    """A stream as kernels on the host device see it; ``who`` tells the work-item at hand."""

    __slots__ = ("_lines", "_number", "_who")

    def __init__(self, of: stream, lines: Lines, who: Callable[[], Any]) -> None:
        self._number, self._lines, self._who = int(of), lines, who

    def __lshift__(self, value: Any) -> Self:
        """Put a value into the stream."""
        parts, values = _told(value)
        self._lines.put(self._number, self._who(), parts, iter(values))
        return self

    def end(self) -> None:
        """Write what the work-item at hand has left."""
        self._lines.end(self._number, self._who())


def _told(value: Any) -> tuple[tuple[Part, ...], tuple[Any, ...]]:
    """Return how a value is put into a stream, and the numbers in it."""
    if isinstance(value, str):
        return (value,), ()
    if isinstance(value, stream_manipulator):
        return (Shown(value.name, 0),), ()
    if isinstance(value, stream_setting):
        return (Shown(value.name),), (value.value,)
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return (Shown("value"),), (value,)
    if value is None or isinstance(value, multi_ptr | HostView):
        return (Shown("pointer"),), (address_of(value),)
    index = next((name for kind, name in _INDEX_CLASSES if isinstance(value, kind)), "")
    if index:
        told: list[Part] = []
        numbers: list[Any] = []
        for literal, method in INDEX_PARTS[index]:
            found = getattr(value, method)() if method else ()
            told += [literal, Shown("set", len(found))] if method else [literal]
            numbers += found
        return tuple(told), tuple(numbers)
    if isinstance(value, geometry.id | geometry.range):
        return (Shown("set", len(value)),), tuple(value)
    try:
        components = tuple(value)
    except TypeError:
        raise UsageError(errc.invalid, f"a stream takes numbers, strings, ids, ranges, index "
                         f"objects and manipulators, not {type(value).__name__}") from None
    return (Shown("list", len(components)),), components


INDEX_PARTS: dict[str, tuple[tuple[str, str], ...]] = {
    "item": (("item(range: ", "get_range"), (", id: ", "get_id"), (")", "")),
    "nd_item": (("nd_item(global_id: ", "get_global_id"), (", local_id: ", "get_local_id"),
                (")", "")),
    "group": (("group(id: ", "get_group_id"), (", group_range: ", "get_group_range"),
              (", local_range: ", "get_local_range"), (")", "")),
    "h_item": (("h_item(global_id: ", "get_global_id"), (", local_id: ", "get_local_id"),
               (")", "")),
    "nd_range": (("nd_range(global_range: ", "get_global_range"),
                 (", local_range: ", "get_local_range"), (", offset: ", "get_offset"), (")", "")),
}
"""Index objects: literal text, and the query shown behind it."""
_INDEX_CLASSES: tuple[tuple[type, str], ...] = (
    (item, "item"), (nd_item, "nd_item"), (group, "group"), (h_item, "h_item"),
    (geometry.nd_range, "nd_range"))


def printf(format: str, *values: Any) -> int:
    """Print values in C's way, as one piece of text; return 0 (SYCL 1.2 §3.9.10).

    ``format`` is a string with directives such as ``%d``, ``%-8.3f``, ``%#x`` and, for vectors of
    n numbers, ``%v4f``. Values without a directive are ignored.
    """
    try:
        parts = parse_format(format)
    except FormatError as error:
        raise UsageError(errc.invalid, f"printf: {error}") from None
    told: list[Part] = []
    numbers: list[Any] = []
    left = [_plain(v) for v in values]
    for part in parts:
        if isinstance(part, str):
            told.append(part)
            continue
        if not left:
            raise UsageError(errc.invalid, f"printf: there is no value for '{part.text}'")
        value = left.pop(0)
        shown = (value,) if part.count == 1 else tuple(map(_plain, value))
        if len(shown) != part.count:
            raise UsageError(errc.invalid, f"printf: '%v{part.count}{part.letter}' takes "
                             f"{part.count} numbers, got {len(shown)}")
        for one in shown:
            _check(part.text, part.letter, one)
        told.append(Shown("printf", part.count, part.text))
        numbers += shown
    write(render(told, iter(numbers)))
    return 0


def _plain(value: Any) -> Any:
    """Return a number for an index object of one dimension."""
    return operator.index(value) if isinstance(value, item) else value


def _check(text: str, letter: str, value: Any) -> None:
    """Refuse a value of another kind than its directive's."""
    whole = isinstance(value, int | np.integer | np.bool_)
    if letter in INTEGER and not whole:
        raise UsageError(errc.invalid, f"printf: '{text}' takes an integer, got {value!r}")
    if letter in FLOAT and not isinstance(value, float | np.floating):
        raise UsageError(errc.invalid, f"printf: '{text}' takes a float, got {value!r}")
    if letter == "s" and not isinstance(value, str):
        raise UsageError(errc.invalid, f"printf: '{text}' takes a string, got {value!r}")
