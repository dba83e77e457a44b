"""Which locals nobody reads any more once a loop is over.

Lanes that have left a loop keep their values only for what comes after it: a local that is finished
with the loop may hold anything in them. Non-goals: exact liveness. Invariant: after the end of a
loop that a local is finished with, no run of any statement reads it before the local's home block
is entered anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.ir import nodes as n
from unisycl.ir import visit


def finished(body: n.Block, homes: dict[n.Local, int]) -> dict[n.Local, set[int]]:
    """Return for each local the loops, by id, that it is finished with.

    ``homes``: for each local the block or loop that holds all its uses, by id (``shapes.homes``).
    """
    out: dict[n.Local, set[int]] = {}
    for loop, path in _loops(body, ()):
        places = {key: k for k, (key, _, _) in enumerate(path)}
        read: dict[int, set[n.Local]] = {}
        for local in visit.assigned((loop,)):
            start = places.get(homes.get(local, -1))
            if start is None or any(again for _, _, again in path[start + 1:]):
                continue
            later = read.get(start)
            if later is None:
                later = read[start] = _reads(path[start:])
            if local not in later:
                out.setdefault(local, set()).add(id(loop))
    return out


_Step = tuple[int, n.Block, bool]
"""A block or loop on the way: its id, the statements after the way's next step, is it a loop?"""


def _loops(block: n.Block, path: tuple[_Step, ...]) -> Iterator[tuple[n.Stmt, tuple[_Step, ...]]]:
    """Yield every loop with the way to it."""
    for k, stmt in enumerate(block):
        here: tuple[_Step, ...] = (*path, (id(block), block[k + 1:], False))
        loop = isinstance(stmt, n.For | n.While)
        if loop:
            yield stmt, here
            here = (*here, (id(stmt), (), True))
        for inner in visit.blocks(stmt):
            yield from _loops(inner, here)


def _reads(path: tuple[_Step, ...]) -> set[n.Local]:
    return {x.local for _, rest, _ in path for x in visit.all_expressions(rest)
            if isinstance(x, n.Read)}
