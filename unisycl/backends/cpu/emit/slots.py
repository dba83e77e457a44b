"""How a kernel's argument block is laid out.

Non-goals: packing it (``abi``). Invariant: whoever has the layout needs nothing of the body.
"""

from __future__ import annotations

from unisycl.backends.cpu.abi import REPORT_SLOTS, SLOTS, Layout, slots_of
from unisycl.ir import visit
from unisycl.ir.nodes import Check, Kernel, Print
from unisycl.passes.checks import spins, watches


def layout(kernel: Kernel) -> Layout:
    """Return the layout of a kernel's argument block."""
    at = 3 * kernel.ndim + 1
    starts = []
    for param in kernel.params:
        starts.append(at)
        at += slots_of(param)
    count = at + SLOTS * len(kernel.reducers) + kernel.apart
    count += REPORT_SLOTS * reports(kernel) + watches.wanted(kernel)
    return Layout(kernel.ndim, tuple(starts), at, count)


def reports(kernel: Kernel) -> bool:
    """Say whether a kernel may call back: it prints or checks something, or may never end."""
    return watches.wanted(kernel) or visit.contains(kernel.body, (Print, Check)) or (
        spins.polled(kernel))
