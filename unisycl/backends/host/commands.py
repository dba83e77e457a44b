"""What a kernel on the host device used of USM memory, for races between commands.

Non-goals: comparing it with other commands (``footprints``).
"""

from __future__ import annotations

import math
import weakref
from collections import defaultdict

import numpy as np

from unisycl.backends import footprints
from unisycl.backends.base import Launch
from unisycl.backends.footprints import Footprint, Span
from unisycl.backends.host.races import Shared, Watch
from unisycl.passes.checks import watches


def compare(watch: Watch, launch: Launch) -> None:
    """Raise ``DeviceError`` if a launch that has run races with one before it."""
    if launch.order is not None and (watch.shared or launch.reductions):
        footprints.compare(launch.order, f"kernel '{launch.executable.kernel.name}'",
                           launch.where, _footprint(watch, launch))


def _footprint(watch: Watch, launch: Launch) -> Footprint:
    """Return what a launch used, one span for each allocation."""
    places: dict[str, int] = {}
    blocks: dict[int, list[tuple[int, Shared]]] = defaultdict(list)
    for (number, address), used in watch.shared.items():
        blocks[number].append((address, used))
    spans = []
    for numbers in blocks.values():
        low = min(address for address, _ in numbers)
        cell = math.gcd(*(x for address, used in numbers for x in (address - low, used.size)))
        count = max(address + used.size for address, used in numbers) - low
        written, read = (np.zeros(count // cell, np.uint16) for _ in range(2))
        plain = np.zeros(count // cell, np.bool_)
        for address, used in numbers:
            at = slice((address - low) // cell, (address - low + used.size) // cell)
            for where, line in ((written, used.written), (read, used.read)):
                if line:
                    where[at] = places.setdefault(line, len(places) + 1)
            plain[at] = not used.atomic
        first = numbers[0][1]
        block = first.block()
        if block is not None:
            names = {address: used.name for address, used in numbers}
            spans.append(_Named(low, cell, written, read, plain, block, names))
    found = Footprint(list(places), syncs=watches.syncs(launch.executable.kernel))
    found.spans += spans
    found.combine(launch)
    return found


class _Named(Span):
    """A span whose numbers have names by themselves."""

    __slots__ = ("names",)

    def __init__(self, low: int, cell: int, written: footprints.Numbers, read: footprints.Numbers,
                 plain: footprints.Numbers, block: object, names: dict[int, str]) -> None:
        super().__init__(low, cell, written, read, plain, [])
        self.views = [("", None, weakref.ref(block))]
        self.names = names

    def name(self, address: int) -> str:
        """Return what the kernel knows an address by."""
        return self.names.get(address, "memory")
