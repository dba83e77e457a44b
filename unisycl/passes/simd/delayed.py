"""Elements that lie together: read at once, and written where the last store of them stands.

``p[3 * i] = x``, ``p[3 * i + 1] = y`` become one store, with what is computed between them before
it. If something is read there that may be the same memory, a test of the memories' ends chooses.
Non-goals: which elements lie together (``interleaved``, ``short_rows``). Invariant: no store moves
over a load that may read what it writes.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.members import Group, Joining, Key
from unisycl.passes.simd.registers import apart, is_apart, is_whole

_MOST_BETWEEN = 48
_MOST_EXPRESSIONS = 240


class Delaying(Joining):
    """Joins stores of one key that follow one another but for assignments."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.settled: list[n.If] = []

    def is_whole(self, place: n.Place, written: set[int]) -> bool:
        """Say whether stores to these offsets of a place's key are worth joining."""
        raise NotImplementedError

    def read(self, group: Group, stmt: n.Stmt) -> n.Stmt:
        """Return the statement that reads a group's elements, which follow one another."""
        type, low = group.place.type, min(group.offsets)
        locals = tuple(n.Local("element", type) for _ in group.offsets)
        for k, local in enumerate(locals):
            group.values[low + k * type.size] = n.Read(type, local)
        return n.LoadMany(locals, self.first(group.place, low), span=stmt.span)

    def inside(self, stmt: n.Stmt) -> n.Stmt:  # type: ignore[override]
        return stmt if any(stmt is s for s in self.settled) else super().inside(stmt)

    def stores(self, block: n.Block) -> list[n.Stmt]:
        """Join stores, with what is computed between them before them."""
        out: list[n.Stmt] = []
        k = 0
        while k < len(block):
            run = self.run_of(block, k)
            if not run:
                out.append(block[k])
            else:
                before = self.before(out)
                out[len(out) - len(before):] = self.joined(before, run)
            k += max(len(run), 1)
        return out

    def before(self, out: list[n.Stmt]) -> n.Block:
        """Return the assignments before a run that read what may be read in it, too."""
        first = len(out)
        for k in range(len(out) - 1, max(len(out) - _MOST_BETWEEN, -1), -1):
            if not isinstance(out[k], n.Assign):
                break
            if any(isinstance(e, n.Load) and self.key(e.place) is not None
                   for x in visit.expressions(out[k]) for e in visit.walk(x)):
                first = k
        return tuple(out[first:])

    def run_of(self, block: n.Block, first: int) -> n.Block:
        """Return the statements from here to the last store of a group; () if here is none."""
        start = block[first]
        key = self.key(start.place) if isinstance(start, n.Store) else None
        if key is None or not isinstance(start, n.Store):
            return ()
        written: set[int] = set()
        used: set[n.Local] = set()
        count = 0
        for k, stmt in enumerate(block[first:first + _MOST_BETWEEN]):
            if isinstance(stmt, n.Store) and self.key(stmt.place) == key \
                    and self.offset(stmt.place) not in written:
                written.add(self.offset(stmt.place))
                used |= _read(stmt)
                if self.is_whole(stmt.place, written):
                    count = k + 1
            elif not isinstance(stmt, n.Assign) or stmt.local in used:
                break
        return block[first:first + count]

    def joined(self, before: n.Block, run: n.Block) -> n.Block:
        """Return one store for those of a run; with a test if what is read may be written."""
        stores = [s for s in run if isinstance(s, n.Store)]
        base, others = stores[0].place.base, self.others(run)
        if others is None or not all(is_apart(b) or (is_whole(b) and is_whole(base))
                                     for b in others):
            return (*before, *run)
        test = apart([base], [b for b in others if not is_apart(b)])
        values = {self.offset(s.place): s.value for s in stores}
        place = self.first(stores[0].place, min(values))
        many = n.StoreMany(place, tuple(values[k] for k in sorted(values)), span=stores[0].span)
        new = (*(s for s in (*before, *run) if isinstance(s, n.Assign)), many)
        if test is None:
            return new
        if sum(1 for _ in visit.all_expressions((*before, *run))) > _MOST_EXPRESSIONS:
            return (*before, *run)
        both = n.If(test, tuple(self.loads([*new])), (*before, *run), span=run[0].span)
        self.settled.append(both)
        return (both,)

    def others(self, run: n.Block) -> list[n.Base] | None:
        """Return the memories that a run reads behind its first store; None: what it wrote."""
        found: list[n.Base] = []
        written: dict[int, None] = {}
        mine: Key | None = None
        for stmt in run:
            every = [e for x in visit.expressions(stmt) for e in visit.walk(x)]
            for x in every if written else ():
                if not isinstance(x, n.Load):
                    continue
                base = x.place.base
                if mine is not None and base is mine[0]:
                    if self.key(x.place) != mine or self.offset(x.place) in written:
                        return None
                elif base not in found:
                    found.append(base)
            if isinstance(stmt, n.Store):
                mine = self.key(stmt.place)
                written[self.offset(stmt.place)] = None
        return found


def _read(stmt: n.Stmt) -> set[n.Local]:
    return {e.local for x in visit.expressions(stmt) for e in visit.walk(x)
            if isinstance(e, n.Read)}
