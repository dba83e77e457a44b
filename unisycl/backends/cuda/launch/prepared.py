"""Launches that are repeated: the driver's arguments made once, as ctypes has them.

Non-goals: launches that are made anew each time (``executable``). Invariant: the arguments of a
``Prepared`` never change, so any thread may launch it.
"""

from __future__ import annotations

import ctypes
from typing import Any

from unisycl.backends.base import Launch
from unisycl.backends.cuda.commands.lanes import Lane, Told
from unisycl.backends.cuda.launch.executable import CuExecutable, Plan
from unisycl.backends.device.scratch import NOTHING


class Prepared:
    """What a repeated launch hands to the driver, and all that it uses."""

    __slots__ = ("_known", "_pack", "_rest", "_values", "executable", "told")

    def __init__(self, executable: CuExecutable, launch: Launch, plan: Plan, told: Told) -> None:
        signature = executable.main.signature
        self.executable = executable
        self.told = told
        self._values = launch.values
        self._pack = signature.pack(launch, NOTHING)
        self._rest = (executable.main.handle, *plan.sizes,
                      ctypes.c_uint(executable.launch_sizes(launch)))
        self._known: tuple[Lane | None, tuple[Any, ...]] = None, ()

    def arguments(self, lane: Lane) -> tuple[Any, ...]:
        """Return the arguments of ``cuLaunchKernel`` for a stream."""
        known = self._known
        if known[0] is not lane:
            known = self._known = lane, (*self._rest, lane.stream, self._pack.pointers, None)
        return known[1]
