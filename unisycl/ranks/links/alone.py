"""A rank that is alone: what a program is that nobody started as several.

Non-goals: messages to others. Invariant: every call ends at once.
"""

from __future__ import annotations

import numpy as np

from unisycl.ranks.links import arithmetic
from unisycl.ranks.links.link import Array, Call, Ending, Link


class AloneLink(Link):
    """The one end of a group of one."""

    provider = "one rank"

    def __init__(self, limit: float, rank: int = 0, size: int = 1) -> None:
        super().__init__(rank, size, limit, "alone")
        self._mail: dict[int, list[tuple[Array, Ending, bool]]] = {}

    def send(self, to: int, tag: int, data: Array) -> Ending:
        return self._meet(tag, data, sends=True)

    def receive(self, source: int, tag: int, data: Array) -> Ending:
        return self._meet(tag, data, sends=False)

    def _meet(self, tag: int, data: Array, *, sends: bool) -> Ending:
        made, mail = Ending(), self._mail.setdefault(tag, [])
        if mail and mail[0][2] is not sends:
            array, other, _ = mail.pop(0)
            source, target = (data, array) if sends else (array, data)
            target.reshape(-1).view(np.uint8)[:] = source.reshape(-1).view(np.uint8)
            other.finish()
            made.finish()
        else:
            mail.append((data, made, sends))
        return made

    def collect(self, call: Call) -> Ending:
        made = Ending()
        call.number = self.number()
        try:
            arithmetic.carry_out([call])
        except Exception as error:  # noqa: BLE001 -- the call's own
            made.finish(error)
        made.finish()
        return made

    def split(self, color: int, key: int) -> AloneLink | None:
        return None if color < 0 else AloneLink(self.limit)
