"""Launches that are repeated: a kernel object of their own, whose arguments are set once.

Non-goals: launches that are made anew each time (``executable``). Invariant: the arguments of a
``Prepared`` never change, so any thread may enqueue it without a lock.
"""

from __future__ import annotations

from typing import Any

from unisycl.backends.base import Launch
from unisycl.backends.device.facts import Facts
from unisycl.backends.device.scratch import NOTHING
from unisycl.backends.opencl.launch.arguments import setters
from unisycl.backends.opencl.launch.executable import ClExecutable
from unisycl.backends.opencl.session import Session

_MOST = 256
"""So many of one executable have kernel objects; a driver keeps some KiB for each."""


class Prepared:
    """What a repeated launch hands to the driver, and all that it uses."""

    __slots__ = ("executable", "habit", "items", "kernel", "local", "offset", "values", "waits",
                 "what")

    def __init__(self, executable: ClExecutable, launch: Launch, kernel: Any,
                 facts: Facts) -> None:
        shape = executable.shape(launch.geometry, facts)
        self.executable = executable
        self.habit = executable.habit(launch.geometry, facts)
        self.kernel = kernel
        self.items, self.local, self.offset = shape.items, shape.local, shape.offset
        self.values = launch.values
        self.what = executable.what
        self.waits = executable.kernel.waits
        executable.prepared += 1

    def __del__(self) -> None:
        self.executable.prepared -= 1


def prepare(session: Session, executable: ClExecutable, launch: Launch,
            facts: Facts) -> Prepared | None:
    """Return a launch with a kernel object of its own; None where there are too many already."""
    if executable.prepared >= _MOST:
        return None
    kernel = session.cl.Kernel(executable.program, executable.source.name)
    arguments = executable.source.arguments
    for sizes in (True, False):
        for put in setters(session.api, executable.kernel, arguments, sizes=sizes):
            put(kernel, launch, NOTHING)
    return Prepared(executable, launch, kernel, facts)
