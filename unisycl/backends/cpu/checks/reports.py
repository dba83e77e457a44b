"""Calls of compiled code into Python: with the number of the launch, of the place, the values.

Non-goals: calling (``printing``) and what is done then (``backends.reports``). Invariant: the
function takes the GIL itself, so a launch must be waited for without holding it (the pool does).
"""

from __future__ import annotations

import ctypes
import itertools
import weakref
from typing import Any

from unisycl.backends import reports
from unisycl.backends.base import Launch, kernel_error
from unisycl.backends.cpu.checks.asking import Asked

_LOOPS = ("loop", "spin", "lonely")


class Report(reports.Report):
    """What one launch has told so far; compiled code knows its number. The GIL orders calls."""

    __slots__ = ("asked", "number")

    def __init__(self, kernel: str, sites: tuple[reports.Site, ...], launch: Launch) -> None:
        super().__init__(kernel, sites, launch)
        self.asked = Asked() if any(s.kind in _LOOPS for s in sites) else None
        self.number = next(_numbers)
        _live[self.number] = self

    def _do(self, site: reports.Site, cells: Any) -> None:
        if self.asked is not None and site.kind in _LOOPS:
            self.asked.answer(self._kernel, self._sites.index(site), site, cells)
        else:
            super()._do(site, cells)

    def error(self, code: int = reports.FAILED) -> BaseException:
        """Return the error of a launch that failed."""
        if self.asked is not None and self.asked.late and not self.failed:
            return kernel_error(self._kernel, "", None, self.asked.late)
        return super().error(code)


_numbers = itertools.count(1)
_live: weakref.WeakValueDictionary[int, Report] = weakref.WeakValueDictionary()


def _take(launch: int, site: int, cells: Any) -> int:
    report = _live.get(launch)
    return 0 if report is None else report.take(site, cells)


_TAKE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64,
                         ctypes.POINTER(ctypes.c_uint64))(_take)


def callback() -> int:
    """Return the address kernels call."""
    return ctypes.cast(_TAKE, ctypes.c_void_p).value or 0
