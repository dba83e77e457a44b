"""Kernels that wait for one another, begun as one launch: with the copies that each needs.

Non-goals: which kernels those are (``graph.partners``, ``recorded.joined_nodes``). Invariant: the
copies back come behind all of the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unisycl.backends.base import Completion, Driver, Joins, Launch
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.memory import staging


def together(driver: Driver, launches: Sequence[Launch]) -> Launch:
    """Return one launch of kernels that wait for one another."""
    assert isinstance(driver, Joins), "DeviceInfo.joined_kernels says so"
    return driver.together(launches)


def begin(driver: Driver, launches: Sequence[Launch], native: Sequence[Completion]) -> Completion:
    """Begin kernels at the same time."""
    made = together(driver, launches)
    spans: list[staging.Span] = []
    for one in launches:
        if any(a.start < b.stop and b.start < a.stop and (a.writes or b.writes)
               for a in spans for b in one.staged):
            raise UsageError(errc.invalid, f"kernel '{one.executable.kernel.name}' and one that it "
                             "is launched with, since they may wait for one another in a pipe, are "
                             "given one array of the host's, which one of them writes; each would "
                             "have a copy of its own, so use USM memory")
        spans += one.staged
    if not spans:
        return driver.launch(made, native)
    return staging.launch(driver, replace(made, staged=tuple(spans)), native, driver.launch)
