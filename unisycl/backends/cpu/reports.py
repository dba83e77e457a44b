"""What running kernels tell Python: text to print, and conditions that did not hold.

Compiled code calls one function with the number of the launch, of the place in the kernel and the
bits of the values. Non-goals: calling it (``emit_print``). Invariants: the function takes the GIL
itself, so a launch must be waited for without holding it (the pool does); an error in it is the
error of the launch.
"""

from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from unisycl.backends.base import kernel_error
from unisycl.base.errors import DeviceError, errc
from unisycl.base.output import Lines, write
from unisycl.base.record import dataclass
from unisycl.base.span import Span
from unisycl.base.text import Part, render
from unisycl.ir.types import Scalar

FAILED = 1
"""What the function returns, and the code a command fails with, when something went wrong."""


@dataclass(frozen=True, slots=True)
class Site:
    """One place in a kernel that reports: how its values are spelt, and their types.

    ``kind`` is print, stream, end (of a work-item with a stream) or check. Cells begin with the
    stream and the work-item's number for a stream, and with ``ids`` numbers for a check: global,
    local and group ids, or those there are. ``group``: it runs once for a work-group.
    """

    kind: str
    parts: tuple[Part, ...]
    types: tuple[Scalar, ...]
    span: Span | None = None
    ids: tuple[int, ...] = ()
    group: bool = False


class Report:
    """What one launch has told so far. Callbacks take turns by the GIL."""

    __slots__ = ("__weakref__", "_failure", "_kernel", "_lines", "_sites", "number")

    def __init__(self, kernel: str, sites: tuple[Site, ...]) -> None:
        self._kernel = kernel
        self._sites = sites
        self._lines = Lines()
        self._failure: BaseException | None = None
        self.number = next(_numbers)
        _live[self.number] = self

    def take(self, number: int, cells: Any) -> int:
        """Do what a site is there for; return ``FAILED`` if the command must fail."""
        site = self._sites[number]
        try:
            self._do(site, cells)
        except BaseException as error:  # noqa: BLE001 - delivered as the command's own
            if self._failure is None:
                self._failure = error
            return FAILED
        return 0

    def _do(self, site: Site, cells: Any) -> None:
        match site.kind:
            case "check":
                count = sum(site.ids)
                said = render(site.parts, _values(site.types, cells, count))
                raise kernel_error(self._kernel, _whose(site, cells), site.span, said)
            case "stream":
                self._lines.put(cells[0], (site.group, cells[1]), site.parts,
                                _values(site.types, cells, 2))
            case "end":
                self._lines.end(cells[0], (site.group, cells[1]))
            case _:
                write(render(site.parts, _values(site.types, cells, 0)))

    def error(self, code: int) -> BaseException:
        """Return the error of a launch that failed."""
        found = self._failure
        if isinstance(found, DeviceError):
            return found
        made = DeviceError(errc.runtime, f"kernel '{self._kernel}' could not print: "
                           f"{type(found).__name__}: {found}")
        made.__cause__ = found
        return made


_numbers = itertools.count(1)
_live: weakref.WeakValueDictionary[int, Report] = weakref.WeakValueDictionary()


def _values(types: tuple[Scalar, ...], cells: Any, at: int) -> Iterator[Any]:
    """Return values from their bits: Python's own numbers where the kernel's were."""
    for k, type in enumerate(types):
        raw = int(cells[at + k]).to_bytes(8, "little")[:type.dtype.size]
        value = np.frombuffer(raw, type.dtype.numpy)[0]
        yield value.item() if type.weak or type.dtype.kind == "b" else value


def _whose(site: Site, cells: Any) -> str:
    """Return which work-item a check failed in."""
    numbers = [ctypes.c_int64(cells[k]).value for k in range(sum(site.ids))]
    found, at = [], 0
    for count in site.ids:
        found.append(f"id({', '.join(map(str, numbers[at:at + count]))})")
        at += count
    if not found:
        return ""
    if site.group:
        return f"work-group {found[0]}"
    if len(found) == 2:
        return f"work-item {found[0]} of group {found[1]}"
    where = f"work-item {found[0]}"
    return f"{where} ({found[1]} of group {found[2]})" if len(found) == 3 else where


def _take(launch: int, site: int, cells: Any) -> int:
    report = _live.get(launch)
    return 0 if report is None else report.take(site, cells)


_TAKE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64,
                         ctypes.POINTER(ctypes.c_uint64))(_take)


def callback() -> int:
    """Return the address kernels call."""
    return ctypes.cast(_TAKE, ctypes.c_void_p).value or 0
