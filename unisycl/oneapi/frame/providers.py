"""Who does the work of a library's routines on a queue: a table, looked up by device and precision.

A provider serves some routines of a library, for some types, on some devices. Which one is asked is
decided by a stated order: a library of the device's own, our kernels on the device, a library of
the host that is ordered in the queue. Non-goals: the routines; what providers are installed.
Invariants: nothing is loaded before it is asked for, and once; who serves is told, never passed off
as another; a routine that nobody serves is refused by name, with what one would have to install.
"""

from __future__ import annotations

import contextlib
import contextvars
import enum
import importlib
import importlib.util
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.oneapi.frame.promises import Promise, promise_of
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.frame.table import ROWS, Row


class Place(enum.IntEnum):
    """Where the work is done, in the order in which providers are asked."""

    device = 0
    """By a library made for the device; on the processor, any library of the host."""
    kernels = 1
    """By kernels of ours, on the device."""
    host = 2
    """By a library of the host, ordered in the queue of another device."""


class Served(Protocol):
    """What the module of a provider offers, by its function ``load``."""

    def version(self) -> str:
        """Return what it calls itself."""

    def serves(self, device: sycl.device) -> bool:
        """Say whether it works on a device's memory, or with it."""

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what does the work of a routine for a type; None if it has none."""


@dataclass(eq=False)
class provider:
    """One provider, as ``provider_of`` returns it.

    Args:
        row: its line of the table.
        served: its routines.
        place: where it does its work for the queue that was asked about.
    """

    row: Row
    served: Any = field(repr=False)
    place: Place

    @property
    def name(self) -> str:
        """What it is called, as ``using`` takes it."""
        return self.row.name

    @property
    def promise(self) -> Promise:
        """What it promises of its results: ``same`` bits when, and in which ``precision``."""
        return promise_of(self.row.library, self.row.name)

    def __str__(self) -> str:
        where = {Place.device: "the device's own library", Place.kernels: "our kernels",
                 Place.host: "a library of the host, behind the device's queue"}[self.place]
        return f"{self.row.name} ({self.served.version()}), {where}"


class _Loaded:
    """What became of each row: loaded once, when it is first asked for."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._found: dict[Row, Any] = {}
        self._why: dict[Row, str] = {}

    def get(self, row: Row) -> Any:
        """Return a provider's routines; None if it cannot be had here, see ``why``."""
        with self._lock:
            if row not in self._found:
                self._found[row] = self._load(row)
            return self._found[row]

    def _load(self, row: Row) -> Any:
        absent = [p for p in row.needs if importlib.util.find_spec(p) is None]
        if absent:
            self._why[row] = f"{absent[0]} is not installed"
            return None
        try:
            return importlib.import_module(row.module).load(row.name)
        except (ImportError, OSError, AttributeError, LookupError, ValueError) as error:
            self._why[row] = str(error)
            return None

    def why(self, row: Row) -> str:
        """Return why a provider cannot be had; '' if it can."""
        return "" if self.get(row) is not None else self._why.get(row, "it does not load")

    def forget(self) -> None:
        """Look again, as a process does that starts."""
        with self._lock:
            self._found.clear()
            self._why.clear()


LOADED = _Loaded()
_CHOICE: contextvars.ContextVar[dict[str, str]] = contextvars.ContextVar("providers")
_KNOWN: dict[Any, provider | None] = {}


@contextlib.contextmanager
def using(library: str, name: str) -> Iterator[None]:
    """Have one provider serve a library inside a ``with`` statement, and no other.

    Args:
        library: as ``"mkl.blas"``.
        name: as ``provider_of`` calls it.
    """
    rows = rows_of(library)
    if name not in [r.name for r in rows]:
        refuse("using", f"{library} has no provider '{name}'; it has "
               + ", ".join(r.name for r in rows))
    token = _CHOICE.set({**_CHOICE.get({}), library: name})
    try:
        yield
    finally:
        _CHOICE.reset(token)


def chosen(library: str) -> str:
    """Return the provider that ``using`` asks for; '' if it is left open."""
    return _CHOICE.get({}).get(library, "")


def is_chosen() -> bool:
    """Say whether ``using`` asks for any provider."""
    return bool(_CHOICE.get(None))


def rows_of(library: str) -> list[Row]:
    """Return the rows of a library, in the order of the table."""
    found = [r for r in ROWS if r.library == library]
    if not found:
        refuse("providers", f"there is no library '{library}'; there are "
               + ", ".join(sorted({r.library for r in ROWS})))
    return found


def _place(row: Row, served: Any, device: sycl.device) -> Place | None:
    if row.kernels:
        return Place.kernels if served.serves(device) else None
    if row.host:
        return Place.device if is_processor(device) else Place.host
    return Place.device if served.serves(device) else None


def is_processor(device: sycl.device) -> bool:
    """Say whether the device is this process's processor, whose memory is the host's."""
    return device.get_backend() in (sycl.backend.cpu, sycl.backend.host)


def ranked(library: str, device: sycl.device) -> list[provider]:
    """Return who can be had for a library on a device, in the order in which they are asked."""
    found = []
    for row in rows_of(library):
        if chosen(library) in ("", row.name):
            served = LOADED.get(row)
            place = None if served is None else _place(row, served, device)
            if place is not None:
                found.append(provider(row, served, place))
    return sorted(found, key=lambda p: p.place)


def find(library: str, routine: str, dtype: npt.DTypeLike,
         device: sycl.device) -> tuple[provider, Callable[..., Any]] | None:
    """Return who serves a routine for a type on a device, and what does the work."""
    kind = np.dtype(dtype)
    key = library, routine, kind, device, chosen(library)
    if key not in _KNOWN:
        _KNOWN[key] = _find(library, routine, kind, device)
    found = _KNOWN[key]
    return None if found is None else (found, found.served.routine(routine, kind))


def _find(library: str, routine: str, kind: np.dtype[Any], device: sycl.device) -> provider | None:
    best: provider | None = None
    for row in rows_of(library):
        if chosen(library) not in ("", row.name):
            continue
        served = LOADED.get(row)
        place = None if served is None else _place(row, served, device)
        if place is None or (best is not None and place >= best.place):
            continue
        if served.routine(routine, kind) is not None:
            best = provider(row, served, place)
    return best


def needed(library: str, routine: str, dtype: npt.DTypeLike,
           device: sycl.device) -> tuple[provider, Callable[..., Any]]:
    """Return what ``find`` does; refuse a routine that nobody serves."""
    found = find(library, routine, dtype, device)
    if found is not None:
        return found
    only = chosen(library)
    rows = [r for r in rows_of(library) if only in ("", r.name)]
    reasons = [f"{r.name}: {LOADED.why(r) or 'does not serve it here'}"
               + (f" ({r.install})" if LOADED.why(r) and r.install else "") for r in rows]
    plain = routine.partition(".")[0]
    raise sycl.UnsupportedError(
        sycl.errc.feature_not_supported, f"{plain}: nobody serves it for {np.dtype(dtype)} on "
        f"'{device.get_info(sycl.info.device.name)}'; " + "; ".join(reasons))


def provider_of(where: Any, library: str, routine: str = "",
                dtype: npt.DTypeLike = np.float32) -> provider:
    """Return who serves a library's routine on a queue.

    Args:
        where: a queue or a device.
        library: as ``"mkl.blas"``.
        routine: as ``"gemm"``; left out, the one that the library is known for.
        dtype: the type of its elements.
    """
    device = where.get_device() if isinstance(where, sycl.queue) else where
    if not isinstance(device, sycl.device):
        refuse("provider_of", f"expected a queue or a device, got {type(where).__name__}")
    return needed(library, routine or rows_of(library)[0].sample, dtype, device)[0]


def available(library: str) -> list[str]:
    """Return the names of the providers of a library that can be had here."""
    return [r.name for r in rows_of(library) if LOADED.get(r) is not None]


def findings() -> list[tuple[str, str]]:
    """Return for each library what there is and what one would gain, for ``doctor``."""
    lines = []
    for library in dict.fromkeys(r.library for r in ROWS):
        rows = rows_of(library)
        here = [f"{r.name} ({LOADED.get(r).version()})" for r in rows if not LOADED.why(r)]
        lines.append((library, ", ".join(here) or "nobody serves it"))
        lines += [("", f"without {r.name}: {LOADED.why(r)}; {r.install or r.gain}"
                   + (f" gives {r.gain}" if r.install else ""))
                  for r in rows if LOADED.why(r) and r.gain]
    return lines
