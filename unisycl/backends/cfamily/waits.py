"""Loops that wait for other work-items ask now and then whether a check of one of those failed.

Who failed has left and changes nothing any more, so others would wait for ever. Asked are loops
that only look at memory, and where a kernel requires progress all that have no count. Non-goals:
kernels without checks; other launches. Invariant: whoever learns of a failure leaves as if a check
of its own had failed, but tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import UINT32
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, Scalar
from unisycl.passes.checks import spins

_COUNT = Scalar(UINT32)
_TURNS = 256
"""A question goes to the host's memory, which takes as long as some hundred turns."""


@dataclass(frozen=True, slots=True)
class Failed(n.Expr):
    """Whether a check of this launch failed."""


def run(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel whose waiting loops ask; itself if nobody can fail or wait."""
    if not visit.contains(kernel.body, n.Check):
        return kernel
    asking = _Asking(every=bool(kernel.progress or kernel.waits or kernel.apart))
    body = asking.block(kernel.body)
    if body is kernel.body:
        return kernel
    return replace(kernel, body=(n.Assign(asking.turns, n.Const(_COUNT, 0)), *body))


def is_question(stmt: n.Check) -> bool:
    """Say whether a check asks for those of others."""
    return isinstance(stmt.cond, n.Unary) and isinstance(stmt.cond.x, Failed)


class _Asking(visit.Rewriter):
    def __init__(self, *, every: bool) -> None:
        self.every = every
        self.turns = n.Local("turns", _COUNT)

    def statement(self, stmt: n.Stmt) -> Iterable[n.Stmt]:
        """Put a question at the beginning of each turn but most."""
        inner = self.inside(stmt)
        if isinstance(inner, n.While) and isinstance(stmt, n.While) and (
                self.every or spins.spins(stmt)):
            inner = replace(inner, body=(*self.question(stmt), *inner.body))
        return (inner,)

    def question(self, loop: n.While) -> n.Block:
        """Return statements that count a turn, and ask if it is time."""
        read = n.Read(_COUNT, self.turns)
        low = n.Binary(_COUNT, "and", read, n.Const(_COUNT, _TURNS - 1))
        ask = n.Check(n.Unary(BOOL, "not", Failed(BOOL)), (), span=loop.span)
        return (n.Assign(self.turns, n.Binary(_COUNT, "add", read, n.Const(_COUNT, 1))),
                n.If(n.Compare(BOOL, "eq", low, n.Const(_COUNT, 0)), (ask,)))
