"""Which locals and private arrays nobody reads any more once a loop is over.

Lanes that have left a loop keep their values only for what comes after it: a local that is finished
with the loop may hold anything in them. Non-goals: exact liveness. Invariant: after the end of a
loop that a local is finished with, no run of any statement reads it before the local's home block
is entered anew; so it is with arrays, whose homes are entered once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import shared_arrays
from unisycl.passes.simd.shared_arrays import Held


def finished(body: n.Block, homes: dict[Held, int],
             read: Callable[[n.Stmt], Iterable[n.Local]]) -> dict[Held, set[int]]:
    """Return for each local the loops, by id, that it is finished with.

    ``homes``: for each local the block or loop that holds all its uses, by id (``shapes.homes``).
    ``read``: the locals that the expressions of a statement read.
    """
    out: dict[Held, set[int]] = {}
    arrays = [x for x in homes if isinstance(x, n.Array)]
    reads = _Reads(read, memories=bool(arrays))
    for loop, path in _loops(body, ()):
        places = {step.key: k for k, step in enumerate(path)}
        held: list[Held] = [*visit.assigned((loop,)), *arrays]
        for local in held:
            start = places.get(homes.get(local, -1))
            if start is None or any(step.again for step in path[start + 1:]):
                continue
            if not any(reads.last(step.block).get(local, -1) > step.at for step in path[start:]):
                out.setdefault(local, set()).add(id(loop))
    return out


class _Step(NamedTuple):
    """A block or loop on the way: its id, its statements, which leads on; is it a loop?"""

    key: int
    block: n.Block
    at: int
    again: bool


def _loops(block: n.Block, path: tuple[_Step, ...]) -> Iterator[tuple[n.Stmt, tuple[_Step, ...]]]:
    """Yield every loop with the way to it."""
    for k, stmt in enumerate(block):
        inside = [*visit.blocks(stmt)]
        if not inside:
            continue
        here: tuple[_Step, ...] = (*path, _Step(id(block), block, k, False))
        if isinstance(stmt, n.For | n.While):
            yield stmt, here
            here = (*here, _Step(id(stmt), (), -1, True))
        for inner in inside:
            yield from _loops(inner, here)


class _Reads:
    """Which statement of a block is the last to read a local; each block is looked at once."""

    def __init__(self, read: Callable[[n.Stmt], Iterable[n.Local]], *, memories: bool) -> None:
        self.read = read
        self.memories = memories
        self.known: dict[int, dict[n.Local | n.Base, int]] = {}

    def last(self, block: n.Block) -> dict[n.Local | n.Base, int]:
        """Return the place of the last statement that reads a local, for each that any reads."""
        found = self.known.get(id(block))
        if found is None:
            found = self.known[id(block)] = {}
            for k, stmt in enumerate(block):
                found.update(dict.fromkeys(self.read(stmt), k))
                if self.memories:
                    found.update(dict.fromkeys(shared_arrays.read(stmt), k))
                for inner in visit.blocks(stmt):
                    found.update(dict.fromkeys(self.last(inner), k))
        return found
