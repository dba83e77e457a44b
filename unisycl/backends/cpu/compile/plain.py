"""What the CPU turns a kernel into before anything is decided about it.

Non-goals: passes that need to know the launch. Invariant: every decision about a kernel (lanes,
streams, steps) is made on what this returns, so all of them agree.
"""

from __future__ import annotations

from unisycl.ir.nodes import Kernel
from unisycl.passes import looking, pipeline

_last: list[tuple[Kernel, Kernel]] = []
"""The kernel asked for last, since each step of its compilation asks; kept, so its id stays its."""


def plain(kernel: Kernel) -> Kernel:
    """Return a kernel without images, complex numbers and single accesses to members."""
    for known, found in _last:
        if known is kernel and not looking.is_seen():
            return found
    found = pipeline.run(kernel, "simd", "plain", pipeline.Facts())
    _last[:] = [(kernel, found)]
    return found
