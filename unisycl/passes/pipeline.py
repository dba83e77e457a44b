"""The passes every kernel goes through before a backend sees it, by name and in order.

Non-goals: passes only one target needs. Invariant: ``prepare`` returns IR that means the same.
"""

from __future__ import annotations

from unisycl.base.errors import KernelError
from unisycl.ir.nodes import Kernel
from unisycl.passes import bounds, convergence


def prepare(kernel: Kernel, *, checked: bool = False) -> Kernel:
    """Run the target-independent passes; ``KernelError`` for what a pass finds wrong.

    ``checked``: indices are checked while the kernel runs.
    """
    found = convergence.check(kernel)
    if found:
        raise KernelError(found, kernel.name)
    return bounds.run(kernel) if checked else kernel
