"""Elements of vectors in memory, each read by itself, in kernels that look who wrote them.

Elsewhere a vec in memory is read whole, by one access, whichever of its elements are asked for.
Checks for races and for unwritten memory would take the others for read. Non-goals: elements in
variables. Invariant: exactly the elements that are asked for are read, each once.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from unisycl.base.dataclass import replace
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.ir import nodes as n

_WATCHING = frozenset(("races", "uninitialised"))


def reads_apart(ctx: Lowering, vector: Any) -> bool:
    """Say whether a vec is in memory, and a kernel looks who wrote what it reads."""
    return vector.place is not None and not _WATCHING.isdisjoint(ctx.shape.checks)


def read_apart(ctx: Lowering, some: Value) -> Value:
    """Return some elements of a vec at hand; a single one is a number, and stays."""
    if isinstance(some, n.Expr):
        return some
    vector: Any = some
    known = {x: ctx.hold(x) for x in dict.fromkeys(vector.items) if isinstance(x, n.Load)}
    if not known:
        return some
    found: Value = replace(vector, items=tuple(known.get(x, x) for x in vector.items), exact=False)
    return found


def chosen(ctx: Lowering, items: Sequence[n.Expr], index: n.Expr, node: ast.AST) -> n.Expr:
    """Read the element that an index names which is known at run time only."""
    span, result = ctx.span(node), n.Local("t", items[0].type)
    last = len(items) - 1
    reading: n.Stmt = n.Assign(result, items[last], span=span)
    for k in range(last - 1, -1, -1):
        reading = n.If(is_at(index, k), (n.Assign(result, items[k], span=span),), (reading,),
                       span=span)
    ctx.emit(reading)
    return n.Read(result.type, result)


def is_at(index: n.Expr, k: int) -> n.Expr:
    """Return whether an index is ``k``."""
    test = coerce.compare("eq", index, coerce.weak_scalar(k))
    assert test is not None
    return coerce.truth(test)
