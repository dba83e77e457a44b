"""Leave out assignments to locals that nothing asks for any more.

Non-goals: loops and effects, which stay. Invariant: what is stored, and where code goes, is the
same.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit


def run(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel with the assignments that matter; those that reductions see do."""
    asked: dict[n.Local, set[n.Local]] = {}
    todo = {x for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}
    _ask(kernel.body, set(), asked, todo)
    known: set[n.Local] = set()
    while todo:
        local = todo.pop()
        if local not in known:
            known.add(local)
            todo |= asked.get(local, set())
    return replace(kernel, body=_left(kernel.body, known))


def _ask(block: n.Block, around: set[n.Local], asked: dict[n.Local, set[n.Local]],
         roots: set[n.Local]) -> None:
    """Note what each local asks for, and what the effects of a block do."""
    for stmt in block:
        own = _reads(stmt) | around
        if isinstance(stmt, n.Assign):
            asked.setdefault(stmt.local, set()).update(own)
        elif not isinstance(stmt, n.If):
            roots |= own
        for inner in visit.blocks(stmt):
            _ask(inner, own, asked, roots)


def _reads(stmt: n.Stmt) -> set[n.Local]:
    return {x.local for e in visit.expressions(stmt) for x in visit.walk(e)
            if isinstance(x, n.Read)}


def _left(block: n.Block, known: set[n.Local]) -> n.Block:
    out: list[n.Stmt] = []
    for stmt in block:
        match stmt:
            case n.Assign():
                if stmt.local in known:
                    out.append(stmt)
            case n.If():
                then, orelse = _left(stmt.then, known), _left(stmt.orelse, known)
                if then or orelse:
                    out.append(replace(stmt, then=then, orelse=orelse))
            case n.While():
                out.append(replace(stmt, pre=_left(stmt.pre, known), body=_left(stmt.body, known)))
            case n.For() | n.Scope() | n.WorkItems():
                out.append(replace(stmt, body=_left(stmt.body, known)))
            case _:
                out.append(stmt)
    return tuple(out)
