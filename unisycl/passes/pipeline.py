"""The passes every kernel goes through before a backend sees it, by name and in order.

Non-goals: passes only one target needs. Invariant: ``prepare`` returns IR that means the same.
"""

from __future__ import annotations

from dataclasses import replace

from unisycl.base.errors import KernelError
from unisycl.ir.nodes import Block, Expr, Kernel
from unisycl.passes.checks import arithmetic, bounds, collectives, divergent_barriers
from unisycl.passes.shared import dead_stores, loop_steps


def never_negative(body: Block, x: Expr) -> bool:
    """Say whether an integer computed in a body is at least 0, whatever the data."""
    return loop_steps.never_negative(x, loop_steps.rising(body))


def prepare(kernel: Kernel, *, rebound: bool = False) -> Kernel:
    """Run the target-independent passes; ``KernelError`` for what a pass finds wrong.

    The checks that its ``checks`` name are written into it. ``rebound``: a name has locals of
    several types, some of which nobody may read.
    """
    if rebound:
        kernel = replace(kernel, body=dead_stores.run(kernel.body))
    found = divergent_barriers.check(kernel)
    if found:
        raise KernelError(found, kernel.name)
    kernel = loop_steps.run(kernel)
    if "divergence" in kernel.checks:
        kernel = collectives.run(kernel)
    kernel = arithmetic.run(kernel)
    return bounds.run(kernel) if "bounds" in kernel.checks else kernel
