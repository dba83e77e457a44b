"""What the text of a kernel and its compiler have to know of a device.

Non-goals: asking a driver. Invariant: equal targets give equal code.
"""

from __future__ import annotations

from dataclasses import dataclass

WARP = 32
"""The work-items of a sub-group, on every device so far."""
OF_RANGES = 256
"""The most work-items of a work-group that a plain range is cut into: more would leave each fewer
registers than a thread can have."""
STATIC_LOCAL = 32 << 10
"""The bytes of local memory that a kernel may declare for its own arrays. Of the 48 KiB that there
may be in all the rest is for group functions; more has to be asked for at a launch."""


@dataclass(frozen=True, slots=True)
class Target:
    """A device: its compute capability, as (9, 0)."""

    arch: tuple[int, int] = (8, 0)

    @property
    def number(self) -> int:
        """The compute capability as its compiler writes it: 90."""
        return self.arch[0] * 10 + self.arch[1]
