"""Branches on what all lanes have alike, though the name that holds it does not stay so.

``k > 0 and row[k - 1] > x`` is ``t = k > 0``, then ``t = row[k - 1] > x`` if ``t`` is true. Where
``k`` is one for all lanes, so is the first value of ``t``, and the branch asks for that value
instead of the name. Non-goals: names asked for anywhere but right behind their assignment.
Invariant: a condition keeps its value.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.shapes import LINEAR, Shapes


def run(kernel: n.Kernel, analysed: Callable[[n.Kernel], Shapes]) -> n.Kernel:
    """Return a kernel whose branches ask for such values; shapes are asked for if any may."""
    if not any(_pairs(kernel.body)):
        return kernel
    body = _Conditions(analysed(kernel)).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _pairs(block: n.Block) -> Iterator[bool]:
    for stmt in visit.statements(block):
        for inner in visit.blocks(stmt):
            yield from (_asks(a, b) for a, b in itertools.pairwise(inner))
    yield from (_asks(a, b) for a, b in itertools.pairwise(block))


def _asks(before: n.Stmt, stmt: n.Stmt) -> bool:
    """Say whether a branch asks for what the statement before it has assigned."""
    return (isinstance(before, n.Assign) and isinstance(stmt, n.If)
            and isinstance(stmt.cond, n.Read) and stmt.cond.local is before.local)


class _Conditions(visit.Rewriter):
    """Rewrites blocks, by the shapes of the kernel as it was."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes

    def block(self, block: n.Block) -> n.Block:
        out: list[n.Stmt] = []
        for stmt in block:
            made = self.inside(stmt)
            if out and isinstance(made, n.If) and _asks(out[-1], made):
                made = self.asked(out[-1], made)
            out.append(made)
        return visit.changed(block, out)

    def asked(self, before: n.Stmt, stmt: n.If) -> n.If:
        """Return a branch that asks for a value, if lanes have that alike and not the name."""
        assert isinstance(before, n.Assign)
        alike = self.shapes.of(before.value).rank < LINEAR <= self.shapes.of(stmt.cond).rank
        reads = any(isinstance(x, n.Read) and x.local is before.local
                    for x in visit.walk(before.value))
        return replace(stmt, cond=before.value) if alike and not reads else stmt
