"""Short loops over a kernel's own arrays, marked to be unrolled: their elements become registers.

For compilers that leave such loops as they are: an array that a loop indexes lies in memory, for
each lane of a vector apart. Non-goals: unrolling (the compiler's); loops without such arrays.
Invariant: a mark changes no result.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit

_MOST_TURNS = 16
_MOST_EXPRESSIONS = 1500


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with such loops marked; itself if it has none."""
    if not any(_is_private(a) for a in kernel.arrays):
        return kernel
    body = _Marking().block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _is_private(base: n.Base) -> bool:
    return isinstance(base, n.Array) and base.type.space is address_space.private_space


class _Marking(visit.Rewriter):
    """Marks loops, the outer one of several first."""

    def statement(self, stmt: n.Stmt) -> tuple[n.Stmt, ...]:
        if isinstance(stmt, n.For) and not stmt.controls and _is_short(stmt) and _indexes(stmt):
            stmt = replace(stmt, unroll=True)
        return tuple(super().statement(stmt))


def _indexes(loop: n.For) -> bool:
    """Say whether a place in an array of the kernel's own depends on the loop's turn."""
    followed = {loop.local}
    for s in visit.statements(loop.body):
        if isinstance(s, n.Assign) and _reads(s.value, followed):
            followed.add(s.local)
    return any(_is_private(place.base) and any(_reads(x, followed) for x in place.index)
               for place in _places(loop.body))


def _places(block: n.Block) -> Iterator[n.Place]:
    for s in visit.statements(block):
        if isinstance(s, n.Store):
            yield s.place
    for x in visit.all_expressions(block):
        if isinstance(x, n.Load):
            yield x.place


def _reads(x: n.Expr, locals: set[n.Local]) -> bool:
    return any(isinstance(e, n.Read) and e.local in locals for e in visit.walk(x))


def _is_short(loop: n.For) -> bool:
    """Say whether all turns of a loop, and of those in it, are little enough code."""
    turns = _turns(loop)
    return 0 < turns <= _MOST_TURNS and turns * _size(loop.body) <= _MOST_EXPRESSIONS


def _size(block: n.Block) -> int:
    """Return how many expressions a block is once the loops in it are unrolled."""
    total = 0
    for stmt in block:
        turns = _turns(stmt) if isinstance(stmt, n.For) else 1
        if not turns or isinstance(stmt, n.While | n.Barrier | n.GroupCall):
            return _MOST_EXPRESSIONS + 1
        total += sum(1 for x in visit.expressions(stmt) for _ in visit.walk(x))
        total += turns * sum(map(_size, visit.blocks(stmt)))
    return total


def _turns(loop: n.For) -> int:
    """Return how many turns a loop takes; 0 if that is not known."""
    return len(visit.fixed_turns(loop) or ())
