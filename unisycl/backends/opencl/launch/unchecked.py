"""Says which checks that were asked for OpenCL devices do not make, and who makes them.

Non-goals: the checks that they do make (``passes``). Invariant: it is said once for a device and
a word, and decides about nothing.
"""

from __future__ import annotations

from unisycl.backends.opencl.discovery.traits import Traits
from unisycl.ir.nodes import Kernel
from unisycl.process import notices

_told: set[tuple[str, str, str, tuple[str, ...]]] = set()


def tell(kernel: Kernel, traits: Traits, left: tuple[str, ...]) -> None:
    """Warn of words that a kernel's checks have and an OpenCL device does not look at.

    ``left``: the names of memory whose reads it does not check.
    """
    if "races" in kernel.checks:
        _tell(kernel, traits, "races", ())
    if "uninitialised" in kernel.checks and left:
        _tell(kernel, traits, "uninitialised", left)


def _tell(kernel: Kernel, traits: Traits, word: str, left: tuple[str, ...]) -> None:
    key = (traits.platform, traits.name, word, left)
    if key in _told:
        return
    _told.add(key)
    what = f"reads of what nobody wrote in {', '.join(left)}" if left else word
    notices.tell(f"'{traits.name.strip()}' ({traits.platform.strip()}) does not look for {what} "
                 f"(debug: {word}); run kernel '{kernel.name}' on the cpu or host device for that")
