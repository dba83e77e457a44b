"""Says which checks that were asked for other devices do not make, and who makes them.

Non-goals: the checks that they do make (``passes``). Invariant: it is said once for a device and
a word, and decides about nothing.
"""

from __future__ import annotations

from unisycl.backends.device.facts import Facts
from unisycl.ir.nodes import Kernel
from unisycl.process import notices

_told: set[tuple[str, str, str, tuple[str, ...]]] = set()


def tell(kernel: Kernel, facts: Facts, left: tuple[str, ...]) -> None:
    """Warn of words that a kernel's checks have and a device does not look at.

    ``left``: the names of memory whose reads it does not check.
    """
    if "races" in kernel.checks:
        _tell(kernel, facts, "races", ())
    if "uninitialised" in kernel.checks and left:
        _tell(kernel, facts, "uninitialised", left)


def _tell(kernel: Kernel, facts: Facts, word: str, left: tuple[str, ...]) -> None:
    key = (facts.platform, facts.name, word, left)
    if key in _told:
        return
    _told.add(key)
    what = f"reads of what nobody wrote in {', '.join(left)}" if left else word
    notices.tell(f"'{facts.name.strip()}' ({facts.platform.strip()}) does not look for {what} "
                 f"(debug: {word}); run kernel '{kernel.name}' on the cpu or host device for that")
