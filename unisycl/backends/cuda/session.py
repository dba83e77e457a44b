"""The context of one card in this process: its primary one, which all libraries share.

Non-goals: what runs in it. Invariants: a thread that calls the driver has the context current, and
is given back the one that it had, where there are several; a session that is lost says so to
whoever comes next, and calls nothing any more.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from unisycl.backends.cuda.api import Api, handle
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.errors import device_error, is_lasting
from unisycl.base.errors import DeviceError, errc, exception

Call = Callable[..., int]


class _Everywhere:
    """Threads where several cards are: each call brings its context."""

    current = True


class Session:
    """The primary context of a card, retained for as long as the process lives.

    ``alone``: no other card is visible, so that no thread has another context current.
    """

    def __init__(self, api: Api, card: Card, *, alone: bool) -> None:
        self.api = api
        self.card = card
        self.alone = alone
        self.context = api.address("cuDevicePrimaryCtxRetain", card.ordinal)
        self.lost: exception | None = None
        self._handle = handle(self.context)
        self._pid = os.getpid()
        self.mine: Any = threading.local() if alone else _Everywhere()
        """Has ``current`` in threads in which ``launch`` and ``idle`` may be called."""
        self.launch: Call = api.try_launch_prepared if alone else self._pushed(
            api.try_launch_prepared)
        """Launches as the driver's function does, and returns its result."""
        self.idle: Call = api.try_idle if alone else self._pushed(api.try_idle)
        """Says by CUDA's result whether a stream has anything to do."""

    def __enter__(self) -> Api:
        """Have the context current in this thread."""
        if self.lost is not None:
            raise again(self.lost)
        if self.alone:
            if not hasattr(self.mine, "current"):
                self.enter()
        else:
            self.api.call("cuCtxPushCurrent_v2", self.context)
        return self.api

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 frames: TracebackType | None) -> None:
        if not self.alone:
            self.api.attempt("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_uint64()))

    def enter(self) -> None:
        """Make the context current in a thread, for good."""
        result = self.api.try_make_current(self._handle)
        if result:
            raise device_error("cuCtxSetCurrent", result)
        self.mine.current = True

    def _pushed(self, call: Call) -> Call:
        """Return a function that has the context current while it is called."""
        push, pop, own = self.api.try_push, self.api.try_pop, self._handle
        gone = ctypes.byref(ctypes.c_uint64())  # which one it was, nobody asks

        def called(*args: Any) -> int:
            result = push(own)
            if result:
                return int(result)
            result = call(*args)
            pop(gone)
            return int(result)

        return called

    def is_mine(self) -> bool:
        """Say whether this process made it, and not its parent."""
        return os.getpid() == self._pid

    def failed(self, result: int, what: str) -> exception:
        """Return the error of a call; note it where the device is lost by it."""
        error = device_error(what, result)
        if is_lasting(result) and self.lost is None:
            self.lost = error
        return error


def again(lost: exception) -> DeviceError:
    """Return the error of what comes after the loss of a device."""
    made = DeviceError(errc.runtime, "the device does nothing any more in this process, since "
                       f"{lost.what()}; start another process, or use another device")
    made.__cause__ = lost
    return made
