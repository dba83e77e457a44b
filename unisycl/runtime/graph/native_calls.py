"""Commands that another library gives: into a queue of the device's own, or done where they begin.

Non-goals: what the library does. Invariant: without a native queue a command begins when all before
it have ended, and has ended when the library returns.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.base import HOST, Completion, Driver
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Begin

Native = Callable[[Any], None]
"""What is called with the device's queue (None where commands are done at once)."""


def takes_native(driver: Driver) -> bool:
    """Say whether a driver has a queue for such commands, or works in the host's memory."""
    return driver.takes_commands or driver.memory == HOST


def works_here(driver: Driver) -> bool:
    """Say whether such commands are done where they begin."""
    return driver.memory == HOST and not driver.takes_commands


def begin_native(driver: Driver, label: str, function: Native) -> Begin:
    """Return how to begin a command of another library's."""
    if driver.takes_commands:
        return lambda deps: driver.native.take(function, deps, label)

    def begin(_: Sequence[Completion]) -> Completion:
        gate = Gate()
        start = time.monotonic_ns()
        gate.owner = threading.get_ident()
        error: BaseException | None = None
        try:
            function(None)
        except Exception as err:  # noqa: BLE001 - kept as the command's error
            error = err
        finally:
            gate.owner = 0
        gate.times, gate.thread = (start, time.monotonic_ns()), threading.get_ident()
        gate.finish(error)
        return gate

    return begin
