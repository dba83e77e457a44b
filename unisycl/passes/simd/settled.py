"""Elements that a branch writes, and that are written without it, too, get their value by a choice.

``if c: y[i] = a`` and ``else: y[i] = b`` write ``y[i]`` whatever ``c`` is, and so does ``y[i] = b``
with a branch behind it that writes ``y[i]`` again. One store without a mask then stands behind the
branch; without AVX-512 one with a mask takes as long as ten others. Non-goals: elements that some
work-items leave alone; stores in loops. Invariant: exactly the same elements are written, and
nothing is read later than something that it might be.
"""

from __future__ import annotations

from collections.abc import Set

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes.simd import costs
from unisycl.passes.simd.other_names import Names
from unisycl.passes.simd.registers import apart, is_apart, is_whole

_MOST_EXPRESSIONS = 160
"""Of a branch that is there twice, for memories that overlap and for others."""
_PLAIN = (n.Assign, n.Store, n.If, n.For, n.While, n.Scope, n.Break, n.Continue, n.Leave)
_VARYING = (n.Load, n.Read, n.Query, n.Call)


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with stores behind branches in place of those in them."""
    if kernel.checks or kernel.pointed or kernel.index_kind == "single" or not any(
            isinstance(s, n.If) and visit.contains((s,), n.Store)
            for s in visit.statements(kernel.body)):
        return kernel
    body = _Settling(Names(kernel.body), costs.of_data(kernel.body)).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


@dataclass(frozen=True, slots=True)
class _Known:
    """An element with a value in any case: the store, and what holds its value if asked for."""

    place: n.Place
    at: int
    held: n.Local


@dataclass(frozen=True, slots=True)
class _Facts:
    """What a statement does, with all in it: ``plain`` if it has no effects but plain stores.

    ``stored`` are the places it may write, ``always`` those it writes whatever its branches do;
    ``assigned`` the locals it may give a value.
    """

    stmt: n.Stmt
    plain: bool
    stored: dict[n.Place, None]
    always: frozenset[n.Place]
    assigned: frozenset[n.Local]


@dataclass(slots=True)
class _Order:
    """What is read in a branch behind a store: ``read`` are the memories, ``again`` places."""

    read: dict[n.Base, None] = field(default_factory=dict)
    again: list[n.Place] = field(default_factory=list)


class _Settling(visit.Rewriter):
    """Rewrites blocks; ``names`` are other names of locals, ``data`` locals that hold data."""

    def __init__(self, names: Names, data: set[n.Local]) -> None:
        self.names, self.data = names, data
        self.kept: dict[int, _Facts] = {}

    def facts(self, stmt: n.Stmt) -> _Facts:
        """Return what a statement does; looked for once, since branches nest deeply."""
        found = self.kept.get(id(stmt))
        if found is None:
            found = self.kept[id(stmt)] = self.found(stmt)
        return found

    def found(self, stmt: n.Stmt) -> _Facts:
        plain = isinstance(stmt, _PLAIN)
        stored = {self.names.of(stmt.place): None} if isinstance(stmt, n.Store) else {}
        always, assigned = set(stored), set(visit.targets(stmt))
        sides = []
        for block in visit.blocks(stmt):
            inner = [self.facts(s) for s in block]
            plain = plain and all(f.plain for f in inner)
            for each in inner:
                stored |= each.stored
                assigned |= each.assigned
            sides.append({p for f in inner for p in f.always})
        if isinstance(stmt, n.If):
            always |= set.intersection(*sides)
        return _Facts(stmt, plain, stored, frozenset(always), frozenset(assigned))

    def block(self, block: n.Block) -> n.Block:
        """Return a block; an element is known if all that is written since it was is itself."""
        made: list[n.Stmt] = []
        known: _Known | None = None
        for before in block:
            stmt = self.inside(before)
            settled = self.settle(stmt, known) if isinstance(stmt, n.If) else None
            facts = self.facts(stmt)
            if settled is not None and known is not None and known.place in facts.stored:
                self.hold(made, known, stmt)
            made.extend((stmt,) if settled is None else settled)
            last = made[-1]
            if isinstance(last, n.Store):
                place = self.names.of(last.place)
                known = _Known(place, len(made) - 1, n.Local("held", place.type))
            elif not facts.plain or facts.stored:
                known = None
            if known is not None and _moves(known.place, facts.assigned):
                known = None
        return visit.changed(block, made)

    def hold(self, made: list[n.Stmt], known: _Known, stmt: n.Stmt) -> None:
        """Keep what a store wrote in a local; leave the store out if nothing may read it."""
        store = made[known.at]
        assert isinstance(store, n.Store)
        kept = n.Assign(known.held, store.value, span=store.span)
        between = made[known.at + 1:]
        unread = all(isinstance(s, n.Assign) for s in between) and not any(
            isinstance(x, n.Load) for x in visit.all_expressions(tuple(between))) and all(
            self.names.of(x.place) == known.place for x in visit.all_expressions((stmt,))
            if isinstance(x, n.Load)) and [*self.facts(stmt).stored] == [known.place]
        value = n.Read(store.value.type, known.held)
        made[known.at:known.at + 1] = (kept,) if unread else (kept, replace(store, value=value))

    # ---- one branch
    def settle(self, stmt: n.If, known: _Known | None) -> n.Block | None:
        """Return what stands for a branch; None if it stays."""
        places = self.settling(stmt, known)
        if not places:
            return None
        order = _Order()
        self.follow((stmt,), set(), order)
        stay = [p.base for p in self.facts(stmt).stored if p not in places]
        if any(p not in places and p.base not in stay for p in order.again):
            return None
        others = [b for b in dict.fromkeys((*order.read, *stay)) if not isinstance(b, n.Array)]
        mine = [p.base for p in places if not isinstance(p.base, n.Array)]
        if len(mine) > 1:
            others += mine
        if not others or not mine:
            return self.moved(stmt, places, known)
        if not all(is_whole(b) for b in mine) or not all(
                is_whole(b) or is_apart(b) for b in others) \
                or sum(1 for _ in visit.all_expressions((stmt,))) > _MOST_EXPRESSIONS:
            return None
        test = apart(mine, [b for b in others if not is_apart(b)])
        new = self.moved(stmt, places, known)
        return new if test is None else (n.If(test, new, (stmt,), span=stmt.span),)

    def settling(self, stmt: n.If, known: _Known | None) -> list[n.Place]:
        """Return the elements that a branch writes in any case; others are written where it is.

        Each is the one element of its memory that the branch writes.
        """
        facts = self.facts(stmt)
        if not facts.plain or not _stays(stmt) or not any(
                isinstance(x, _VARYING) for x in visit.walk(stmt.cond)):
            return []
        bases = [id(p.base) for p in facts.stored]
        return [p for p in facts.stored if (_is_known(p, known) or p in facts.always)
                and bases.count(id(p.base)) == 1 and self.is_steady(p)
                and not _moves(p, facts.assigned)]

    def is_steady(self, place: n.Place) -> bool:
        """Say whether a place is an element that work-items tell, and that no data tells."""
        asked = [e for x in (*place.index, *(x for x, _ in place.inner)) for e in visit.walk(x)]
        return isinstance(place.base.type, View) and not isinstance(place.base, n.Heap) \
            and any(isinstance(e, n.Read | n.Query) for e in asked) and not any(
            isinstance(e, n.Load | n.Call) or (isinstance(e, n.Read) and e.local in self.data)
            for e in asked)

    def follow(self, block: n.Block, written: set[n.Base], order: _Order) -> None:
        """Note what is read behind a store, in ``written``'s memories or others."""
        for stmt in block:
            for x in visit.expressions(stmt):
                for e in visit.walk(x):
                    if isinstance(e, n.Load) and written:
                        self.note(self.names.of(e.place), written, order)
            if isinstance(stmt, n.Store):
                written.add(stmt.place.base)
            sides = [set(written) for _ in visit.blocks(stmt)]
            for inner, side in zip(visit.blocks(stmt), sides, strict=True):
                self.follow(inner, side, order)
            written.update(*sides)

    def note(self, place: n.Place, written: set[n.Base], order: _Order) -> None:
        if place.base in written:
            order.again.append(place)
        if written - {place.base}:
            order.read[place.base] = None

    def moved(self, stmt: n.If, places: list[n.Place], known: _Known | None) -> n.Block:
        """Return a branch that gives locals values, and the stores behind it."""
        accs = {p: n.Local("settled", p.type) for p in places}

        def swap(x: n.Expr) -> n.Expr:
            acc = accs.get(self.names.of(x.place)) if isinstance(x, n.Load) else None
            return x if acc is None else n.Read(x.type, acc)

        def inside(one: n.Stmt) -> n.Stmt:
            acc = accs.get(self.names.of(one.place)) if isinstance(one, n.Store) else None
            if isinstance(one, n.Store) and acc is not None:
                return n.Assign(acc, one.value, span=one.span)
            return visit.map_blocks(one, lambda b: tuple(map(inside, b)))
        read = [self.names.of(x.place) for x in visit.all_expressions((stmt,))
                if isinstance(x, n.Load)]
        body = tuple(map(inside, visit.rewrite_block((stmt,), swap)))
        before = tuple(
            n.Assign(acc, n.Read(p.type, known.held) if known is not None and known.place == p
                     else n.Load(p.type, p), span=stmt.span)
            for p, acc in accs.items() if _is_known(p, known) or p in read)
        return (*before, *body, *(n.Store(p, n.Read(p.type, acc), span=stmt.span)
                                  for p, acc in accs.items()))


def _is_known(place: n.Place, known: _Known | None) -> bool:
    return known is not None and known.place == place


def _stays(stmt: n.If) -> bool:
    """Say whether nothing jumps out of a branch, and no loop or function in it stores."""
    inner = [s for s in visit.statements((stmt,)) if isinstance(s, n.For | n.While | n.Scope)]
    if any(visit.contains(b, n.Store) for s in inner for b in visit.blocks(s)):
        return False
    scopes = {s.number for s in inner if isinstance(s, n.Scope)}
    if any(isinstance(s, n.Leave) and s.number not in scopes for s in visit.statements((stmt,))):
        return False
    return not _breaks((stmt,))


def _breaks(block: n.Block) -> bool:
    return any(isinstance(s, n.Break | n.Continue) or (
        not isinstance(s, n.For | n.While) and any(map(_breaks, visit.blocks(s))))
        for s in block)


def _moves(place: n.Place, changes: Set[n.Local]) -> bool:
    """Say whether something that an index asks for is among what gets another value."""
    return any(isinstance(e, n.Read) and e.local in changes
               for x in (*place.index, *(x for x, _ in place.inner)) for e in visit.walk(x))
