"""Says which checks that were asked for OpenCL devices do not make, and who makes them.

Non-goals: the checks that they do make (``passes``). Invariant: it is said once for a device and
a set of words, and decides about nothing.
"""

from __future__ import annotations

from unisycl.backends.opencl.traits import Traits
from unisycl.base import notices
from unisycl.ir.nodes import Kernel

_WHAT = {"races": "races", "uninitialised": "reads of local and private memory that nobody wrote"}
_told: set[tuple[str, str, tuple[str, ...]]] = set()


def tell(kernel: Kernel, traits: Traits) -> None:
    """Warn of words that a kernel's checks have and an OpenCL device does not look at."""
    words = tuple(w for w in _WHAT if w in kernel.checks)
    key = (traits.platform, traits.name, words)
    if not words or key in _told:
        return
    _told.add(key)
    notices.tell(f"'{traits.name.strip()}' ({traits.platform.strip()}) does not look for "
                 f"{' or '.join(_WHAT[w] for w in words)} (debug: {', '.join(words)}); run kernel "
                 f"'{kernel.name}' on the cpu or host device for that")
