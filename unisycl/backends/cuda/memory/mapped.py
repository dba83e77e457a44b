"""Memory of the host's that others allocated, for kernels in place: its pages are pinned.

Arrays share pages, and a page is pinned once: what is pinned in one go is a run, which lasts as
long as anybody's array touches it. Non-goals: memory that the driver allocates (``heap``).
Invariants: the owner is kept as long as kernels may use its memory; an array that touches several
runs is for kernels only, since the driver copies within one.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.backends.cuda.errors import result_name
from unisycl.backends.cuda.memory.arrays import Allocation, UnifiedArray
from unisycl.backends.cuda.session import Session
from unisycl.base.enums import usm_kind
from unisycl.base.errors import UnsupportedError, errc, exception

_PAGE = mmap.PAGESIZE
_PORTABLE_MAPPED, _READ_ONLY = 1 | 2, 8
_KIND = 2  # CU_POINTER_ATTRIBUTE_MEMORY_TYPE
_MOST_APART = 1 << 20
"""Bytes up to which copies wait in pinned memory, so that it does not matter where pages are."""
Bytes = npt.NDArray[np.uint8]


class _Run:
    """Pages that were pinned in one go."""

    __slots__ = ("count", "read_only", "start", "users")

    def __init__(self, start: int, count: int, *, read_only: bool) -> None:
        self.start = start
        self.count = count
        self.read_only = read_only
        self.users = 0


class Mapped:
    """What of the host's memory one session has pinned."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.RLock()  # finalisers come at any time
        self._pages: dict[int, _Run] = {}

    def take(self, memory: Bytes) -> Any:
        """Return bytes for kernels in place, which keep ``memory``; None where the card has none.

        Raises ``errc.feature_not_supported`` where pages cannot be pinned.
        """
        card = self._session.card
        if not (card.number("registers_host") and card.number("own_address")):
            return None
        at = memory.ctypes.data
        first, last = at // _PAGE, (at + max(1, memory.nbytes) - 1) // _PAGE
        writes = memory.flags.writeable
        with self._lock:
            if first not in self._pages and self._known(at) and self._known(
                    at + max(1, memory.nbytes) - 1):
                return _held(memory, lambda gone, memory=memory: None)  # pinned, or managed
            runs, new = self._runs(first, last + 1, writes=writes)
            if len(runs) > 1 and memory.nbytes > _MOST_APART:
                self._drop(new)
                raise _refusal("it shares pages with memory that kernels use already")
            for run in runs:
                run.users += 1
        found = _held(memory, lambda gone: self._release(runs, memory))
        return found if len(runs) == 1 else _plain(found)

    def _known(self, at: int) -> bool:
        """Say whether the driver knows an address of the host's: it gave that memory itself."""
        kind = ctypes.c_uint64()
        with self._session as api:
            return api.attempt("cuPointerGetAttribute", ctypes.byref(kind), _KIND, at) == 0

    def _runs(self, first: int, stop: int, *, writes: bool) -> tuple[list[_Run], list[_Run]]:
        """Return the runs of some pages, and those among them that were pinned now; locked."""
        runs: list[_Run] = []
        new: list[_Run] = []
        page = first
        try:
            while page < stop:
                run = self._pages.get(page)
                if run is None:
                    free = next((p for p in range(page, stop) if p in self._pages), stop)
                    run = self._pin(page, free - page, writes=writes)
                    new.append(run)
                elif run.read_only and writes:
                    raise _refusal("it shares pages with memory that may only be read")
                runs.append(run)
                page = run.start + run.count
        except BaseException:
            self._drop(new)
            raise
        return runs, new

    def _pin(self, page: int, count: int, *, writes: bool) -> _Run:
        card = self._session.card
        ways = [_PORTABLE_MAPPED]
        if not writes and card.number("read_only_pages"):
            ways.append(_PORTABLE_MAPPED | _READ_ONLY)  # of a file, say
        result = 0
        with self._session as api:
            for flags in ways:
                result = api.attempt("cuMemHostRegister_v2", page * _PAGE, count * _PAGE, flags)
                if result == 0:
                    run = _Run(page, count, read_only=bool(flags & _READ_ONLY))
                    self._pages.update(dict.fromkeys(range(page, page + count), run))
                    return run
        raise _refusal(f"pinning its pages gives {result_name(result)}")

    def _drop(self, runs: list[_Run]) -> None:
        """Let go of runs that nobody uses; locked. It raises nothing."""
        session = self._session
        for run in runs:
            for page in range(run.start, run.start + run.count):
                self._pages.pop(page, None)
            if session.is_mine() and session.lost is None:
                with contextlib.suppress(exception), session as api:
                    api.attempt("cuMemHostUnregister", run.start * _PAGE)

    def _release(self, runs: list[_Run], memory: Bytes) -> None:
        """Let go of what one array needs; called by finalisers."""
        with self._lock:
            for run in runs:
                run.users -= 1
            self._drop([run for run in runs if not run.users])


def _held(memory: Bytes, free: Callable[..., None]) -> UnifiedArray:
    """Return bytes as those that the card reaches; ``free`` keeps what they are of."""
    found = Allocation(memory.ctypes.data, memory.nbytes, free, usm_kind.shared).array()
    if not memory.flags.writeable:
        found.flags.writeable = False
    return found


def _plain(found: UnifiedArray) -> Bytes:
    """Return bytes as those of the host, for copies."""
    made: Bytes = np.asarray(found.allocation)
    if not found.flags.writeable:
        made.flags.writeable = False
    return made


def _refusal(why: str) -> UnsupportedError:
    return UnsupportedError(errc.feature_not_supported, "memory of the host cannot be used by "
                            f"kernels in place: {why}; copy it")
