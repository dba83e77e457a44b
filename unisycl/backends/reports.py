"""What running kernels tell Python: text to print, and conditions that did not hold.

A report has the number of a place in the kernel and the bits of its values. Non-goals: how reports
come from a device. Invariant: an error while a report is taken is the error of the launch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import Launch, kernel_error
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import DeviceError, errc
from unisycl.base.spans import Span
from unisycl.base.value_text import Part, Shown, render
from unisycl.ir import nodes as n
from unisycl.ir import shadow_words
from unisycl.ir.types import Scalar
from unisycl.process.callers import origin
from unisycl.process.standard_output import Lines, write

FAILED = 1
"""What the function returns, and the code a command fails with, when something went wrong."""


@dataclass(frozen=True, slots=True)
class Watched:
    """An access that is watched: whose memory it is, and what it does there.

    ``made`` is where the kernel declares the memory; ``local`` is the size of work-groups, () if
    there are none; ``slot`` is how many numbers a group's items have, ``extent`` the size of the
    work-item loop. ``anywhere``: it lies where a pointer in memory leads. ``member`` is what of an
    element it is, "" if that is all of it.
    """

    name: str
    made: Span | None
    writes: bool
    atomic: bool
    local: tuple[int, ...]
    ndim: int
    slot: int
    extent: tuple[int, ...]
    anywhere: bool
    member: str

    def place(self, index: str, values: Sequence[Any]) -> str:
        """Return what the number is called."""
        if self.anywhere:
            return f"the number at {int(values[0]):#x}"
        return f"{self.name}[{index}]{self.member}"

    def other(self, before: shadow_words.Before, extent: Sequence[int], offset: Sequence[int],
              group: bool) -> str:
        """Return who made an access that was noted here, of all items or groups."""
        if self.local or not self.slot:
            return f"work-item {_id(before.item(extent, offset, self.local))}" if self.ndim else \
                "this task"
        number, place = divmod(before.number, self.slot)
        whole = f"group {_id(shadow_words.unravel(number, extent))}"
        if group:
            return f"work-{whole}"
        where = shadow_words.unravel(place, self.extent or (self.slot,))
        return f"work-item {_id(where)} of {whole}"

    @property
    def verb(self) -> str:
        """What this work-item does."""
        return "accesses atomically" if self.atomic else "writes" if self.writes else "reads"


@dataclass(frozen=True, slots=True)
class Site:
    """One place in a kernel that reports: how its values are spelt, and their types.

    ``kind`` is print, stream, end (of a work-item with a stream), check, fresh or race. Cells
    begin with the stream and the work-item's number for a stream, and with ``ids`` numbers for a
    check: global, local and group ids, or those there are; of a race the other access's word, the
    global range and the offset follow. ``facts`` are those of a fresh or a race. ``group``: it
    runs once for a work-group.
    """

    kind: str
    parts: tuple[Part, ...]
    types: tuple[Scalar, ...]
    span: Span | None = None
    ids: tuple[int, ...] = ()
    group: bool = False
    facts: Watched | None = None


def spelling(pieces: Sequence[str | Shown | n.Expr],
             ) -> tuple[tuple[Part, ...], tuple[n.Expr, ...]]:
    """Return the parts of a text and the values they show, each with a part that spells it."""
    parts: list[Part] = []
    values, due = [], 0
    for piece in pieces:
        if not isinstance(piece, n.Expr):
            parts.append(piece)
            due = piece.count if isinstance(piece, Shown) else 0
            continue
        if due:
            due -= 1
        else:
            parts.append(Shown("str"))
        values.append(piece)
    return tuple(parts), tuple(values)


def id_names(index_kind: str, *, in_group: bool) -> tuple[str, ...]:
    """Return the queries that say which work-item of a kernel it is; none for a single task."""
    if index_kind == "work_group":
        return ("group_id",) if in_group else ("logical_id", "group_id")
    return {"single": (), "range": ("global_id",)}.get(
        index_kind, ("global_id", "local_id", "group_id"))


class Report:
    """What one launch has reported so far. Reports are taken one after another."""

    __slots__ = ("__weakref__", "_failure", "_kernel", "_launch", "_lines", "_sites")

    def __init__(self, kernel: str, sites: tuple[Site, ...], launch: Launch | None = None) -> None:
        self._kernel = kernel
        self._launch = launch
        self._sites = sites
        self._lines = Lines()
        self._failure: BaseException | None = None

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
                raise kernel_error(self._kernel, whose(site, cells), site.span, said)
            case "fresh" | "race":
                raise self._watched(site, cells)
            case "stream":
                self._lines.put(cells[0], (site.group, cells[1]), site.parts,
                                _values(site.types, cells, 2))
            case "end":
                self._lines.end(cells[0], (site.group, cells[1]))
            case _:
                write(render(site.parts, _values(site.types, cells, 0)))

    def _watched(self, site: Site, cells: Any) -> DeviceError:
        """Return the error of an access that races, or of a read of what nobody wrote."""
        facts, at = site.facts, sum(site.ids)
        assert facts is not None
        if site.kind == "fresh":
            index = self._named(site, cells, at)
            made = f", made at {facts.made.file.name}:{facts.made.line}" if facts.made else \
                self._made(facts.name)
            what = f"reads {index}{made}, which nobody has written: "
            return kernel_error(self._kernel, whose(site, cells), site.span, (
                f"this work-item {what}fresh memory has no initial value; write it first, on "
                "every path"))
        ndim = facts.ndim
        index = self._named(site, cells, at + 1 + 2 * ndim)
        word, extent, offset = cells[at], *(
            [cells[at + 1 + k * ndim + d] for d in range(ndim)] for k in (0, 1))
        before = shadow_words.Before(word)
        other = self._sites[before.site] if before.site < len(self._sites) else site
        place = f" at {other.span.file.name}:{other.span.line}" if other.span else ""
        them = (other.facts or facts).other(before, extent, offset, other.group)
        did = f"an atomic operation of {them}" if before.atomic else them
        this = "work-group" if site.group else "work-item"
        return kernel_error(self._kernel, whose(site, cells), site.span, (
            f"data race: this {this} {facts.verb} {index}, which {did} has "
            f"{'written' if before.writes else 'read'}{place}, and nothing orders the two; "
            f"{shadow_words.way_out(facts.atomic and before.atomic)}"))

    def _made(self, name: str) -> str:
        """Return where the program made the memory of a parameter, as a part of a text."""
        if self._launch is None:
            return ""
        params = self._launch.executable.kernel.params
        return next((origin(raw) for param, raw in zip(params, self._launch.raw, strict=False)
                     if param.name == name), "")

    def _named(self, site: Site, cells: Any, at: int) -> str:
        """Return what the number at a site is called."""
        assert site.facts is not None
        values = list(_values(site.types, cells, at))
        return site.facts.place(render(site.parts, iter(values)), values)

    @property
    def failed(self) -> bool:
        """Say whether the launch must fail."""
        return self._failure is not None

    def error(self, code: int = FAILED) -> BaseException:
        """Return the error of a launch that failed."""
        found = self._failure
        if isinstance(found, DeviceError):
            return found
        made = DeviceError(errc.runtime, f"kernel '{self._kernel}' could not print: "
                           f"{type(found).__name__}: {found}")
        made.__cause__ = found
        return made


def _id(numbers: Sequence[int]) -> str:
    return f"id({', '.join(map(str, numbers))})"


def _values(types: tuple[Scalar, ...], cells: Any, at: int) -> Iterator[Any]:
    """Return values from their bits: Python's own numbers where the kernel's were."""
    for k, type in enumerate(types):
        raw = int(cells[at + k]).to_bytes(8, "little")[:type.dtype.size]
        value = np.frombuffer(raw, type.dtype.numpy)[0]
        yield value.item() if type.weak or type.dtype.kind == "b" else value


def whose(site: Site, cells: Any) -> str:
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
