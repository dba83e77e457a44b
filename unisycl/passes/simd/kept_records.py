"""Records that a work-item changes member by member are kept in locals meanwhile.

``p = b[i]``, ``p.vz += g * dt``, ``p.z += p.vz * dt`` names the record in memory: each line reads
and writes it, vectors of lanes number by number, and what was just written is read again. Where
nothing else can be that record, or the ends of the memories show that it is not, its members are
read once, changed in locals, and written at the end. Rows such as ``p[i, 0]``, ``p[i, 1]`` are
records, too. Non-goals: joining accesses (``members``, ``short_rows``), records of a loop's turns.
Invariant: a member is written if and only if the kernel wrote it, and read only where it is there.
"""

from __future__ import annotations

import itertools
from typing import TypeAlias

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, Scalar, Struct, View
from unisycl.passes.simd import registers
from unisycl.passes.simd.other_names import Names

_MOST_EXPRESSIONS = 400
_MOST_BASES = 4
_PLAIN = (n.Assign, n.Store, n.If, n.For, n.While, n.Break, n.Continue)
Key: TypeAlias = tuple[n.Base, tuple[n.Expr, ...]]


def run(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel with records in locals where they may be; itself if it has none."""
    bases = {p for p in kernel.params if registers.is_whole(p) and _has_members(p)}
    if kernel.checks or kernel.pointed or kernel.apart or not any(
            isinstance(s, n.Store) and s.place.base in bases
            for s in visit.statements(kernel.body)):
        return kernel
    body = _Keeping(Names(kernel.body, counters=False), bases).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _has_members(base: n.Param) -> bool:
    kind = base.type
    return isinstance(kind, View) and (isinstance(kind.elem, Struct) or kind.ndim > 1)


@dataclass(slots=True)
class _Member:
    """One number of a record that is kept.

    ``always``: it is reached whenever the block is; ``sure``: it is written then. ``written``
    says whether it was, where that is not sure.
    """

    place: n.Place
    read: bool = False
    stored: bool = False
    always: bool = False
    sure: bool = False
    home: n.Local | None = None
    written: n.Local | None = None


@dataclass(slots=True)
class _Record:
    """The members of one record that a block reaches, by bytes from its first one."""

    first: int
    last: int
    members: dict[int, _Member] = field(default_factory=dict)


class _Keeping(visit.Rewriter):
    """Rewrites blocks; ``bases`` are the memories of records."""

    def __init__(self, names: Names, bases: set[n.Param]) -> None:
        self.names = names
        self.bases = bases

    def block(self, block: n.Block) -> n.Block:
        """Return a block whose records, or those of the blocks in it, are in locals."""
        found = self.chosen(block)
        if not found:
            return super().block(block)
        first = min(r.first for r in found.values())
        last = max(r.last for r in found.values()) + 1
        part = block[first:last]
        kept = self.kept(part, found)
        others = [b for b in _reached(part) if not registers.is_apart(b)]
        test = registers.apart([base for base, _ in found], others)
        middle = kept if test is None else (n.If(test, kept, part, span=part[0].span),)
        return (*super().block(block[:first]), *middle, *self.block(block[last:]))

    # ---- which records
    def key(self, place: n.Place) -> tuple[Key, int] | None:
        """Return the record that a place is in, and where in it; None if it is in none."""
        if place.base not in self.bases or place.inner:
            return None
        named = self.names.of(place)
        kind = place.base.type
        assert isinstance(kind, View)
        if isinstance(kind.elem, Struct):
            return (named.base, named.index), named.offset
        *outer, last = named.index
        if not outer or not isinstance(last, n.Const) or last.value < 0:
            return None
        return (named.base, tuple(outer)), int(last.value) * kind.elem.size

    def chosen(self, block: n.Block) -> dict[Key, _Record]:
        """Return the records of a block that may be kept in locals together."""
        every: dict[Key, _Record] = {}
        for k, stmt in enumerate(block):
            self.note(stmt, k, every)
        found: dict[Key, _Record] = {}
        for key, record in every.items():
            _shorten(key, record)
            if _gains(record) and self.may(block, {**found, key: record}):
                found[key] = record
        return found

    def note(self, stmt: n.Stmt, k: int, every: dict[Key, _Record], *, always: bool = True) -> None:
        """Note what a statement reads and writes of records."""
        now = always and not isinstance(stmt, n.While)
        places = [(x.place, False) for e in visit.expressions(stmt) for x in visit.walk(e)
                  if isinstance(x, n.Load)]
        if isinstance(stmt, n.Store):
            places.append((stmt.place, True))
        for place, stored in places:
            found = self.key(place)
            if found is None:
                continue
            record = every.setdefault(found[0], _Record(k, k))
            record.last = k
            member = record.members.setdefault(found[1], _Member(place))
            member.read |= not stored
            member.stored |= stored
            member.always |= now
            member.sure |= now and stored
        for inner in visit.blocks(stmt):
            for x in inner:
                self.note(x, k, every, always=False)

    def may(self, block: n.Block, found: dict[Key, _Record]) -> bool:
        """Say whether records can be kept from the first access to the last one."""
        part = block[min(r.first for r in found.values()):max(r.last for r in found.values()) + 1]
        inside = list(visit.statements(part))
        reached = _reached(part)
        if not all(isinstance(s, _PLAIN) for s in inside) or _leaves(part) \
                or sum(1 for _ in visit.all_expressions(part)) > _MOST_EXPRESSIONS \
                or any(isinstance(x, n.Address) for x in visit.all_expressions(part)) \
                or not all(registers.is_apart(b) or registers.is_whole(b) for b in reached) \
                or sum(not registers.is_apart(b) for b in reached) > _MOST_BASES:
            return False
        changes = visit.assigned(part)
        for _, index in found:
            asked = [e for x in index for e in visit.walk(x)]
            if any(isinstance(e, n.Load | n.Call) or (isinstance(e, n.Read) and e.local in changes)
                   for e in asked):
                return False
        return self.unmixed(inside, found)

    def unmixed(self, inside: list[n.Stmt], found: dict[Key, _Record]) -> bool:
        """Say whether no other place of the same memory may be a member that is kept."""
        bases = {base for base, _ in found}
        places = [(x.place, False) for s in inside for e in visit.expressions(s)
                  for x in visit.walk(e) if isinstance(x, n.Load)]
        places += [(s.place, True) for s in inside if isinstance(s, n.Store)]
        for place, stored in places:
            if place.base not in bases:
                continue
            known = self.key(place)
            if known is None:
                return False
            for key, record in found.items():
                if key[0] is not place.base or key == known[0]:
                    continue
                for at, member in record.members.items():
                    near = at < known[1] + place.type.size and known[1] < at + \
                        member.place.type.size
                    if near and (stored or member.stored):
                        return False
        return all(_is_steady(r) for r in found.values()) and all(
            r.members[known[1]].place.type == place.type for place, _ in places
            if (known := self.key(place)) is not None and (r := found.get(known[0])) is not None
            and known[1] in r.members)

    # ---- records in locals
    def kept(self, part: n.Block, found: dict[Key, _Record]) -> n.Block:
        """Return statements with records in locals: read before, written behind."""
        head: list[n.Stmt] = []
        tail: list[n.Stmt] = []
        span = part[0].span
        for record in found.values():
            for _, member in sorted(record.members.items()):
                kind, place = member.place.type, self.names.of(member.place)
                member.home = n.Local("member", kind)
                if member.read or not member.sure:
                    head.append(n.Assign(member.home, n.Load(kind, place), span=span))
                if not member.stored:
                    continue
                store: n.Stmt = n.Store(place, n.Read(kind, member.home), span=part[-1].span)
                if not member.sure:
                    member.written = n.Local("written", BOOL)
                    head.append(n.Assign(member.written, n.Const(BOOL, False), span=span))
                    store = n.If(n.Read(BOOL, member.written), (store,), span=store.span)
                tail.append(store)
        body = _Members(self, found).block(part)
        return (*head, *body, *tail)


class _Members(visit.Rewriter):
    """Puts locals in place of members."""

    def __init__(self, keeping: _Keeping, found: dict[Key, _Record]) -> None:
        self.keeping = keeping
        self.found = found

    def member(self, place: n.Place) -> _Member | None:
        key = self.keeping.key(place)
        record = None if key is None else self.found.get(key[0])
        return None if record is None or key is None else record.members.get(key[1])

    def read(self, x: n.Expr) -> n.Expr | None:
        member = self.member(x.place) if isinstance(x, n.Load) else None
        return None if member is None or member.home is None else n.Read(x.type, member.home)

    def statement(self, stmt: n.Stmt) -> tuple[n.Stmt, ...]:
        """Return a statement that reads and gives locals."""
        member = self.member(stmt.place) if isinstance(stmt, n.Store) else None
        made = self.inside(visit.rewrite_own(stmt, self.read))
        if member is None or member.home is None or not isinstance(made, n.Store):
            return (made,)
        given = n.Assign(member.home, made.value, span=stmt.span)
        if member.written is None:
            return (given,)
        return (given, n.Assign(member.written, n.Const(BOOL, True), span=stmt.span))


def _shorten(key: Key, record: _Record) -> None:
    """Leave to memory the elements of a row that may not be there: what only a branch reaches."""
    kind = key[0].type
    if isinstance(kind, View) and isinstance(kind.elem, Scalar):
        record.members = {at: m for at, m in record.members.items() if m.always}


def _gains(record: _Record) -> bool:
    """Say whether keeping a record saves anything."""
    members = record.members.values()
    return record.last > record.first and any(m.stored for m in members) \
        and any(m.always for m in members) and len(members) > 1


def _is_steady(record: _Record) -> bool:
    """Say whether the members of a record do not lie one in another."""
    ends = sorted((at, at + m.place.type.size) for at, m in record.members.items())
    return all(a[1] <= b[0] for a, b in itertools.pairwise(ends))


def _reached(block: n.Block) -> list[n.Base]:
    """Return the memories that a block reads or writes."""
    every: list[n.Base] = [s.place.base for s in visit.statements(block) if isinstance(s, n.Store)]
    every += [x.place.base for x in visit.all_expressions(block) if isinstance(x, n.Load)]
    return list(dict.fromkeys(every))


def _leaves(block: n.Block) -> bool:
    """Say whether a block may be left before its end."""
    return any(isinstance(s, n.Break | n.Continue) or (isinstance(s, n.If) and any(
        map(_leaves, visit.blocks(s)))) for s in block)
