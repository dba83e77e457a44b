"""The passes every kernel goes through before a backend sees it, by name and in order.

Non-goals: passes only one target needs. Invariant: ``prepare`` returns IR that means the same.
"""

from __future__ import annotations

from unisycl.ir.nodes import Kernel


def prepare(kernel: Kernel) -> Kernel:
    """Run the target-independent passes."""
    return kernel
