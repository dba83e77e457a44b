"""Looking at what a launch has used once it has ended, before those that wait for it go on.

A job of its own behind the launch calls Python. Non-goals: what is looked for (``footprints``).
Invariant: the error of the look is the error of the command.
"""

from __future__ import annotations

import ctypes
import itertools
import struct
from collections.abc import Callable
from typing import Any

from unisycl.backends import footprints
from unisycl.backends.base import Launch
from unisycl.backends.cpu.checks.watching import Words
from unisycl.backends.cpu.executable import CpuExecutable
from unisycl.backends.cpu.pool.job import NativeJob

_ARGS = struct.Struct("<qQ")
_ERROR_AT = 8


class _Look:
    """One launch that is looked at when it has ended."""

    def __init__(self, launch: Launch, words: Words) -> None:
        self.launch, self.words, self.order = launch, words, launch.order
        self.failure: BaseException | None = None

    def run(self) -> bool:
        """Look; say whether all is well."""
        executable: CpuExecutable = self.launch.executable  # type: ignore[assignment]
        places = [f"{s.span.file.name}:{s.span.line}" if s.span else "" for s in executable.sites]
        try:
            footprints.compare(self.order, f"kernel '{executable.kernel.name}'",
                               self.launch.where, self.words.footprint(places))
        except BaseException as error:  # noqa: BLE001 - delivered as the command's own
            self.failure = error
        return self.failure is None

    def error(self, code: int) -> BaseException:
        """Return what the command fails with."""
        assert self.failure is not None
        return self.failure


_numbers = itertools.count(1)
_live: dict[int, _Look] = {}


def _enter(args: int, begin: int, end: int, worker: int) -> None:
    number, error = _ARGS.unpack(ctypes.string_at(args, _ARGS.size))
    look = _live.pop(number, None)
    if look is not None and not look.run():
        ctypes.c_int64.from_address(error).value = 1


_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_int64, ctypes.c_int64,
                          ctypes.c_int64)(_enter)


def look(submit: Callable[..., NativeJob], launch: Launch, words: Any, job: NativeJob) -> NativeJob:
    """Have a launch looked at behind its job; return the job that is its end."""
    if launch.order is None or words is None or not words.shared():
        return job
    number, made = next(_numbers), _Look(launch, words)
    _live[number] = made
    entry = ctypes.cast(_ENTRY, ctypes.c_void_p).value or 0
    last = submit(entry, bytearray(_ARGS.pack(number, 0)), 1, 1, (job,), (made, launch, words),
                  error_at=_ERROR_AT, on_error=made.error, assisted=False)
    last.begun_by = job
    return last
