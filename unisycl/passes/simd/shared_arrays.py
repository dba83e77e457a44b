"""Which private arrays may have one copy for all the lanes of a vector, and where that begins.

A stack of nodes that a sub-group walks together is private memory by the language; where its lanes
write the same numbers to the same places, one copy serves them all. Non-goals: what is stored
(``shapes`` says whether it is alike). Invariant: nothing but loads and stores of whole numbers of
the kernel reaches such an array.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit

Held: TypeAlias = n.Local | n.Array
"""What has a shape: a local, and a private array by all that it holds."""


def candidates(kernel: n.Kernel) -> tuple[n.Array, ...]:
    """Return the private arrays of a kernel that only loads and stores reach.

    Checked kernels keep an array for each lane, as their twins do; so do reductions.
    """
    if kernel.checks or kernel.index_kind not in ("range", "nd_range"):
        return ()
    own = [a for a in kernel.arrays if a.type.space is address_space.private_space]
    if not own:
        return ()
    taken = {x.place.base for x in visit.all_expressions(kernel.body) if isinstance(x, n.Address)}
    for stmt in visit.statements(kernel.body):
        if isinstance(stmt, n.Atomic):
            taken.add(stmt.place.base)
    return tuple(a for a in own if a not in taken)


def read(stmt: n.Stmt) -> Iterable[n.Base]:
    """Return the memories that a statement's own expressions, or the statement, read."""
    found = [x.place.base for e in visit.expressions(stmt) for x in visit.walk(e)
             if isinstance(x, n.Load)]
    if isinstance(stmt, n.LoadMany):
        found.append(stmt.place.base)
    return found


def stored(stmt: n.Stmt) -> Iterable[n.Base]:
    """Return the memory that a statement itself stores to."""
    return (stmt.place.base,) if isinstance(stmt, n.Store | n.StoreMany) else ()


def homes(body: n.Block, arrays: Iterable[n.Array]) -> dict[Held, int]:
    """Return for each array the innermost block outside of loops that holds all its uses, by id.

    Such a block is entered once: a lane that is off there never sees the array.
    """
    return {array: _home(body, array) for array in arrays}


def _home(block: n.Block, array: n.Array) -> int:
    while True:
        users = [s for s in block if _mentions(s, array)]
        if len(users) != 1 or not isinstance(users[0], n.If | n.Scope) or _itself(users[0], array):
            return id(block)
        inner = [b for b in visit.blocks(users[0]) if any(_mentions(s, array) for s in b)]
        if len(inner) != 1:
            return id(block)
        block = inner[0]


def _mentions(stmt: n.Stmt, array: n.Array) -> bool:
    return any(_itself(s, array) for s in visit.statements((stmt,)))


def _itself(stmt: n.Stmt, array: n.Array) -> bool:
    return array in (*read(stmt), *stored(stmt))
