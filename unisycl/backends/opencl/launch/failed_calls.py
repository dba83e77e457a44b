"""What is done where a call to OpenCL fails: an error of ours, and nothing is let go of too early.

A device that was lost refuses every call; one that is short of something refuses one, while
commands that it has taken go on. Non-goals: which status is which error (``errors``). Invariants:
PyOpenCL's errors stay in this backend; memory outlives the commands that were given to a device.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from unisycl.backends.opencl.errors import translated
from unisycl.backends.opencl.launch.waiting import INSIDE

_P = ParamSpec("_P")
_R = TypeVar("_R")
_TRIES = 3
_LOST = -36
_LOSSES = frozenset((-2, -4, -5, -6, -33, -34, -36, -9999))


def is_native(error: BaseException) -> bool:
    """Say whether PyOpenCL raised it because of a status."""
    return type(error).__module__.startswith("pyopencl") and hasattr(error, "code")


def is_loss(error: BaseException) -> bool:
    """Say whether a status tells of the device, or of what it is short of, and not of a request."""
    return is_native(error) and error.code in _LOSSES  # type: ignore[attr-defined]


def guarded(what: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Have a function raise our errors for PyOpenCL's; ``what`` names what it does."""
    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def call(*args: _P.args, **more: _P.kwargs) -> _R:
            try:
                return function(*args, **more)
            except Exception as error:
                if is_native(error):
                    raise translated(what, error) from error
                raise
        return call
    return decorate


def status_of(ask: Callable[[], Any]) -> int:
    """Return what has become of a command: 0 complete, less than that its error.

    That nobody can tell once does not mean that it has ended: it is asked again.
    """
    status = _LOST
    for _ in range(_TRIES):
        try:
            return int(ask())
        except Exception as error:  # noqa: BLE001 - the device was lost
            code = getattr(error, "code", None)
            status = -abs(code) if isinstance(code, int) and code else _LOST
    return status


def flush(queue: Any, event: Any, keep: object, what: str) -> None:
    """Have a device begin a command that it has taken, and that uses ``keep``."""
    try:
        queue.flush()
    except Exception as error:  # noqa: BLE001 - once more
        flush_again(queue, event, keep, what, error)


def flush_again(queue: Any, event: Any, keep: object, what: str, error: Exception) -> None:
    """Try again what failed; if it does not help, tell of it and keep what the command uses."""
    for _ in range(_TRIES - 1):
        with contextlib.suppress(Exception):
            queue.flush()
            return
    hold(event, keep)
    raise translated(what, error) from error


def hold(event: Any, keep: object) -> None:
    """Keep what a command uses until it has ended; nobody else knows of it."""
    def wait(event: Any, keep: list[object]) -> None:
        with contextlib.suppress(Exception), INSIDE:  # the program was told of the failure
            event.wait()
        keep.clear()

    threading.Thread(target=wait, args=(event, [keep]), name="unisycl-opencl", daemon=True).start()


def hold_all(queues: Sequence[Any], keep: object) -> None:
    """Keep what a command uses that Ctrl-C cut off, begun or not, until the queues are empty."""
    def wait(keep: list[object]) -> None:
        for queue in queues:
            with contextlib.suppress(Exception), INSIDE:
                queue.finish()
        keep.clear()

    threading.Thread(target=wait, args=([keep],), name="unisycl-opencl", daemon=True).start()
