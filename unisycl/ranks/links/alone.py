"""A rank that is alone: what a program is that nobody started as several.

Non-goals: messages to others. Invariant: every call ends at once.
"""

from __future__ import annotations

import time

import numpy as np

from unisycl.ranks.links import arithmetic, progress
from unisycl.ranks.links.link import Array, Call, Ending, Link, late, unlike


class AloneLink(Link):
    """The one end of a group of one."""

    provider = "one rank"

    def __init__(self, limit: float, rank: int = 0, size: int = 1) -> None:
        super().__init__(rank, size, limit, "alone")
        self._mail: dict[int, list[tuple[Array, Ending, bool, str]]] = {}

    def send(self, to: int, tag: int, data: Array, words: str = "") -> Ending:
        return self._meet(tag, data, words, sends=True)

    def receive(self, source: int, tag: int, data: Array, words: str = "") -> Ending:
        return self._meet(tag, data, words, sends=False)

    def _meet(self, tag: int, data: Array, words: str, *, sends: bool) -> Ending:
        mail, now = self._mail.setdefault(tag, []), time.monotonic()
        if mail and mail[0][2] is not sends:
            array, other, _, others = mail.pop(0)
            made = Ending()
            source, target = (data, array) if sends else (array, data)
            error = None
            if source.nbytes != target.nbytes or words != others:
                sent, wanted = (words, others) if sends else (others, words)
                error = unlike(0, sent, 0, wanted)
            else:
                target.reshape(-1).view(np.uint8)[:] = source.reshape(-1).view(np.uint8)
            other.finish(error)
            made.finish(error)
            return made

        def step() -> None:
            if time.monotonic() > now + self.limit:
                made.finish(late(self, "a message to and from itself", [self.rank]))
        made = Ending(step)
        mail.append((data, made, sends, words))
        progress.add(made)
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
