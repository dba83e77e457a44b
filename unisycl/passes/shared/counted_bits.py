"""Loops that count the bits of a number become the one operation that does.

``while x: x &= x - 1; count += 1``, and ``while x: count += x & 1; x >>= 1`` of unsigned numbers:
a processor counts bits in a cycle. Non-goals: loops that do anything else. Invariant: both locals
have the values that the loop leaves in them.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.builtins import BUILTINS


def run(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel without loops that count bits."""
    if not visit.contains(kernel.body, n.While):
        return kernel
    body = _Counting().block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Counting(visit.Rewriter):
    """Puts an operation where a loop counts."""

    def statement(self, stmt: n.Stmt) -> tuple[n.Stmt, ...]:
        found = _counts(stmt) if isinstance(stmt, n.While) else None
        return (self.inside(stmt),) if found is None else found


def _counts(loop: n.While) -> n.Block | None:
    """Return what does the same as a loop; None if it does not count bits."""
    word = _counted(loop.cond)
    steps = [s for s in loop.body if isinstance(s, n.Assign)]
    if word is None or loop.pre or len(steps) != 2 or len(loop.body) != 2:
        return None
    first, second = steps
    step, count = (first, second) if first.local is word else (second, first)
    if step.local is not word or count.local is word \
            or not count.local.type.dtype.is_integer:
        return None
    read = n.Read(word.type, word)
    if _takes_lowest(step.value, word):
        added: n.Expr | None = _added(count)
        if not (isinstance(added, n.Const) and added.value == 1):
            return None
    elif _halves(step.value, word) and count is first:
        added = _added(count)
        if added is None or not _is_last_bit(_bare(added), word):
            return None
    else:
        return None
    ones = n.Call(word.type, BUILTINS["popcount"], (read,))
    kind = count.local.type
    total = n.Binary(kind, "add", n.Read(kind, count.local), n.Cast(kind, ones))
    return (replace(count, value=total), replace(step, value=n.Const(word.type, 0)))


def _bare(x: n.Expr) -> n.Expr:
    while isinstance(x, n.Cast):
        x = x.x
    return x


def _counted(cond: n.Expr) -> n.Local | None:
    """Return the number that a loop goes on for while it is not 0."""
    cond = _bare(cond)
    if isinstance(cond, n.Compare) and cond.op == "ne" and _is(cond.b, 0) \
            and isinstance(cond.a, n.Read) and cond.a.type.dtype.is_integer:
        return cond.a.local
    return None


def _takes_lowest(x: n.Expr, word: n.Local) -> bool:
    """Say whether this is ``word & (word - 1)``."""
    if not isinstance(x, n.Binary) or x.op != "and":
        return False
    a, b = (x.a, x.b) if isinstance(x.a, n.Read) else (x.b, x.a)
    return _reads(a, word) and isinstance(b, n.Binary) and b.op == "sub" \
        and _reads(b.a, word) and _is(b.b, 1)


def _halves(x: n.Expr, word: n.Local) -> bool:
    """Say whether this is ``word >> 1`` of an unsigned number."""
    return isinstance(x, n.Binary) and x.op == "shr" and word.type.dtype.kind == "u" \
        and _reads(x.a, word) and _is(x.b, 1)


def _is_last_bit(x: n.Expr, word: n.Local) -> bool:
    return isinstance(x, n.Binary) and x.op == "and" and (
        (_reads(x.a, word) and _is(x.b, 1)) or (_reads(x.b, word) and _is(x.a, 1)))


def _added(count: n.Assign) -> n.Expr | None:
    """Return what a step adds to its local."""
    x = count.value
    if isinstance(x, n.Binary) and x.op == "add":
        if _reads(x.a, count.local):
            return x.b
        if _reads(x.b, count.local):
            return x.a
    return None


def _reads(x: n.Expr, local: n.Local) -> bool:
    return isinstance(x, n.Read) and x.local is local


def _is(x: n.Expr, value: int) -> bool:
    return isinstance(x, n.Const) and x.value == value
