"""Dimensions of one item are known to have one: ``get_linear_id()`` of a range (n, 1) is linear.

Non-goals: choosing along which dimension lanes go (backends). Invariant: only the sizes of the last
dimensions, which backends promise to be 1, become constants.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit


def run(kernel: n.Kernel, units: int) -> n.Kernel:
    """Return a kernel of a range whose last ``units`` dimensions have one item."""
    first = kernel.ndim - units

    def known(x: n.Expr) -> n.Expr:
        one = isinstance(x, n.Query) and x.name == "global_range" and x.dim >= first
        return n.Const(x.type, 1) if one else x
    body = visit.rewrite_block(kernel.body, known)
    return kernel if body is kernel.body else replace(kernel, body=body)
