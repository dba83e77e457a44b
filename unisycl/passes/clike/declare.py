"""Where each local is declared: as far inside as keeps its value as long as Python would.

Non-goals: types and names. Invariant: every mention of a local lies behind its declaration and in
its block; a local that may carry a value from one iteration to the next is declared outside.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from unisycl.ir import nodes as n
from unisycl.ir import visit


@dataclass(slots=True)
class Places:
    """Where declarations stand, by the ids of statements.

    ``first``: which local a statement declares by giving it a value; ``before``: statements that
    come after declarations without a value.
    """

    first: set[tuple[int, n.Local]] = field(default_factory=set)
    before: dict[int, list[n.Local]] = field(default_factory=dict)


def places(block: n.Block, known: frozenset[n.Local] = frozenset()) -> Places:
    """Return where the locals of a block are declared; those in ``known`` already are."""
    found = Places()
    _Planner(found).block(block, set(known))
    return found


class _Planner:
    """Walks the blocks.

    What each statement mentions, what it does so outside its blocks, and what can be declared in
    those is remembered: every block around one asks again.
    """

    def __init__(self, found: Places) -> None:
        self.found = found
        self._all: dict[int, dict[n.Local, None]] = {}
        self._own: dict[int, tuple[dict[n.Local, None], tuple[n.Local, ...]]] = {}
        self._inside: dict[tuple[int, n.Local], bool] = {}

    def mentions(self, stmt: n.Stmt) -> dict[n.Local, None]:
        """Return the locals a statement mentions anywhere, in an order its text decides."""
        known = self._all.get(id(stmt))
        if known is None:
            inner = [m for b in visit.blocks(stmt) for s in b for m in self.mentions(s)]
            read, given = self.own(stmt)
            known = self._all[id(stmt)] = dict.fromkeys((*read, *given, *inner))
        return known

    def own(self, stmt: n.Stmt) -> tuple[dict[n.Local, None], tuple[n.Local, ...]]:
        """Return the locals a statement reads, and those it gives values, outside its blocks."""
        known = self._own.get(id(stmt))
        if known is None:
            read = dict.fromkeys(e.local for x in visit.expressions(stmt) for e in visit.walk(x)
                                 if isinstance(e, n.Read))
            known = self._own[id(stmt)] = read, visit.targets(stmt)
        return known

    def block(self, block: n.Block, known: set[n.Local]) -> None:
        """Place the locals of a block that are not known yet, then those of its blocks."""
        where: dict[n.Local, list[int]] = {}
        for k, stmt in enumerate(block):
            for local in self.mentions(stmt):
                if local not in known:
                    where.setdefault(local, []).append(k)
        here = set(known)
        for local, at in sorted(where.items(), key=lambda w: w[1][0]):
            stmt = block[at[0]]
            if len(at) == 1 and self.inside(stmt, local):
                continue
            here.add(local)
            if self.defines(stmt, local):
                self.found.first.add((id(stmt), local))
            else:
                self.found.before.setdefault(id(stmt), []).append(local)
        for stmt in block:
            heads = {stmt.local} if isinstance(stmt, n.For) else set()
            for inner in visit.blocks(stmt):
                self.block(inner, here | heads)

    def inside(self, stmt: n.Stmt, local: n.Local) -> bool:
        """Say whether a local can be declared in a block of its only statement."""
        key = id(stmt), local
        if key not in self._inside:
            self._inside[key] = self._fits_inside(stmt, local)
        return self._inside[key]

    def _fits_inside(self, stmt: n.Stmt, local: n.Local) -> bool:
        if any(local in mentioned for mentioned in self.own(stmt)):
            return isinstance(stmt, n.For) and counts(stmt) and local is stmt.local
        users = [b for b in visit.blocks(stmt) if any(local in self.mentions(s) for s in b)]
        if len(users) != 1:
            return False
        at = [s for s in users[0] if local in self.mentions(s)]
        if self.defines(at[0], local):
            return True
        return len(at) == 1 and self.inside(at[0], local)

    def defines(self, stmt: n.Stmt, local: n.Local) -> bool:
        """Say whether a statement gives a local its value without looking at it."""
        read, given = self.own(stmt)
        return local in given and local not in read and not isinstance(stmt, n.For)


def counts(stmt: n.For) -> bool:
    """Say whether a loop's variable can be its C counter: the body does not assign it."""
    return stmt.local not in visit.assigned(stmt.body)
