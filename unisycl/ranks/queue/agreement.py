"""Do all ranks submit the same? What each has submitted, and where the ranks first differ.

Non-goals: preventing it. Invariant: two ranks with one digest have submitted the same commands in
the same order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from unisycl.base.errors import DeviceError, errc
from unisycl.ranks.links.link import Link

EVERY = 32
_KEPT = 200


class Agreement:
    """What one rank has submitted.

    Args:
        link: the ranks, over a link that nothing else uses.
        debug: whether ranks compare every few commands, and not only where they meet anyway.
    """

    def __init__(self, link: Link, *, debug: bool) -> None:
        self.link, self.debug = link, debug
        self.count = 0
        self._digest = hashlib.blake2b(digest_size=16)
        self._recent: list[str] = []

    def note(self, text: str) -> None:
        """Take note of a command; compare with other ranks now and then."""
        self.count += 1
        self._digest.update(text.encode())
        self._digest.update(b"\n")
        self._recent.append(text)
        if len(self._recent) > 2 * _KEPT:
            del self._recent[:_KEPT]
        if self.debug and self.count % EVERY == 0:
            self.compare()

    def compare(self) -> None:
        """Compare with all ranks; raises on each of them where they differ."""
        if self.link.size == 1:
            return
        mine = f"{self.count} {self._digest.hexdigest()}"
        told = [t.decode() for t in self.link.exchange(mine.encode())]
        if len(set(told)) == 1:
            return
        first = self.count - len(self._recent)
        lists = [t.decode().split("\n") for t in self.link.exchange(
            "\n".join([str(first), *self._recent]).encode())]
        raise DeviceError(errc.invalid, f"{self.link.called()}: ranks have submitted different "
                          f"commands: {_where([_numbered(x) for x in lists])}; every rank runs the "
                          "same program, and submits the same commands in the same order")


def _numbered(told: Sequence[str]) -> dict[int, str]:
    first = int(told[0])
    return {first + k: text for k, text in enumerate(told[1:])}


def _where(told: Sequence[dict[int, str]]) -> str:
    """Return in words where lists of commands first differ."""
    for number in sorted(set().union(*told)):
        known: dict[str, list[int]] = {}
        for rank, commands in enumerate(told):
            known.setdefault(commands.get(number, "nothing more"), []).append(rank)
        if len(known) > 1:
            parts = [f"rank{'s' * (len(r) > 1)} {', '.join(map(str, r))}: {text}"
                     for text, r in known.items()]
            return f"command {number + 1} is on " + "; on ".join(parts)
    return "in commands further back than are remembered"
