"""Members of one record that are read or written together: one wide access instead of many.

An array of records of equal numbers, such as four floats, is then loaded and stored row by row and
shuffled, where each member by itself would be a gather. Non-goals: choosing instructions
(backends). Invariants: loads move over assignments to locals only; a member is taken to share no
memory with another member of the same type of record; kernels without such records come back as
they are.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.base.dtypes import DTYPES
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, Struct, View, numbers
from unisycl.passes.simd.other_names import Names

_MOST = 16
_SHARE = 4  # a record is read whole if at least one in so many of its members is asked for
Key: TypeAlias = tuple[n.Base, tuple[n.Expr, ...]]


def gather(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with accesses to members joined; itself if it has no such records."""
    bases: tuple[n.Base, ...] = (*kernel.params, *kernel.arrays)
    found = {base: row for base in bases if (row := _row(base.type)) is not None}
    if not found:
        return kernel
    joining = Joining(found, Names(kernel.body, counters=False))
    return replace(kernel, body=joining.block(kernel.body))


def _row(kind: Any) -> tuple[Scalar, ...] | None:
    """Return the numbers a record is made of; None if they are not of one size, side by side."""
    if not isinstance(kind, View) or not isinstance(kind.elem, Struct) \
            or kind.space is address_space.private_space:
        return None
    every = sorted(numbers(kind.elem), key=lambda m: m[1])
    if not 2 <= len(every) <= _MOST:
        return None
    size = every[0][0].size
    plain = all(t.size == size and t.dtype.kind in "iuf" and not t.dtype.made for t, _ in every)
    inside = [offset for _, offset in every] == [size * k for k in range(len(every))]
    whole = kind.elem.size == size * len(every)
    return tuple(t for t, _ in every) if plain and inside and whole else None


@dataclass(slots=True)
class Group:
    """Loads of one record: where the first stands, and the members that are asked for."""

    start: int
    place: n.Place
    offsets: set[int] = field(default_factory=set)
    values: dict[int, n.Expr] = field(default_factory=dict)


class Joining(visit.Rewriter):
    """Rewrites blocks; ``rows`` are the numbers of each record, ``names`` other names of locals."""

    def __init__(self, rows: dict[n.Base, tuple[Scalar, ...]], names: Names) -> None:
        self.rows = rows
        self.names = names

    def block(self, block: n.Block) -> n.Block:
        """Return a block with its accesses joined."""
        joined: list[n.Stmt] = []
        todo = self.stores(block)
        while todo:
            count = next((k for k, s in enumerate(todo) if not isinstance(s, n.Assign)),
                         len(todo) - 1) + 1
            joined += self.loads(todo[:count])
            todo = todo[count:]
        return visit.changed(block, map(self.inside, joined))

    def key(self, place: n.Place) -> Key | None:
        """Return the record a place is a member of; None if it is no such member."""
        row = self.rows.get(place.base)
        if row is None or place.inner or place.offset % row[0].size \
                or row[place.offset // row[0].size] != place.type:
            return None
        return place.base, self.names.index(place.index)

    def offset(self, place: n.Place) -> int:
        """Return by how many bytes a place is behind the first number of its record."""
        return place.offset

    def first(self, place: n.Place, offset: int) -> n.Place:
        """Return the place of the number of a record that is so far behind its first."""
        return replace(place, offset=offset)

    # ---- loads
    def loads(self, run: list[n.Stmt]) -> list[n.Stmt]:
        """Join the loads of assignments and of the statement that follows them."""
        groups: list[Group] = []
        current: dict[Key, Group] = {}
        where: list[dict[Key, Group]] = []
        for k, stmt in enumerate(run):
            mine: dict[Key, Group] = {}
            for x in _at_once(stmt):
                key = self.key(x.place) if isinstance(x, n.Load) else None
                if key is None or not isinstance(x, n.Load):
                    continue
                if key not in current:
                    current[key] = Group(k, self.first(x.place, 0))
                    groups.append(current[key])
                current[key].offsets.add(self.offset(x.place))
                mine[key] = current[key]
            where.append(mine)
            if isinstance(stmt, n.Assign):
                for key in [key for key in current if _reads(key[1], stmt.local)]:
                    del current[key]
        out: list[n.Stmt] = []
        for k, stmt in enumerate(run):
            out += [self.read(g, stmt) for g in groups if g.start == k and self.pays(g)]
            out.append(_with_values(stmt, self, where[k]) if where[k] else stmt)
        return out

    def pays(self, group: Group) -> bool:
        """Say whether reading a record whole is worth it."""
        row = self.rows[group.place.base]
        return len(group.offsets) > 1 and _SHARE * len(group.offsets) >= len(row)

    def read(self, group: Group, stmt: n.Stmt) -> n.Stmt:
        """Return the statement that reads a record whole, and note what its members are then."""
        row = self.rows[group.place.base]
        word = _word(row)
        locals = tuple(n.Local("member", word) for _ in row)
        for k, (type, local) in enumerate(zip(row, locals, strict=True)):
            group.values[k * word.size] = _as(type, n.Read(word, local))
        return n.LoadMany(locals, replace(group.place, type=word), span=stmt.span)

    # ---- stores
    def stores(self, block: n.Block) -> list[n.Stmt]:
        """Join stores to all members of a record that follow one another."""
        out: list[n.Stmt] = []
        k = 0
        while k < len(block):
            count = self.count(block, k)
            if count:
                out.append(self.write(block[k:k + count]))
            else:
                out.append(block[k])
            k += max(count, 1)
        return out

    def count(self, block: n.Block, first: int) -> int:
        """Return how many stores from here on write one whole record; 0 if they do not."""
        start = block[first]
        key = self.key(start.place) if isinstance(start, n.Store) else None
        if key is None or not isinstance(start, n.Store):
            return 0
        row = self.rows[start.place.base]
        stores = block[first:first + len(row)]
        written: set[int] = set()
        for stmt in stores:
            if not isinstance(stmt, n.Store) or self.key(stmt.place) != key \
                    or not self.unchanged(stmt, start.place.base, written):
                return 0
            written.add(stmt.place.offset)
        return len(row) if len(written) == len(row) else 0

    def unchanged(self, stmt: n.Store, base: n.Base, written: set[int]) -> bool:
        """Say whether a store gives the same value if members that were written were not."""
        if not written:
            return True
        for x in _at_once(stmt):
            if not isinstance(x, n.Load) or not isinstance(x.place.base.type, View):
                continue  # what is passed by value is never written
            kind = x.place.base.type
            if kind.space is address_space.private_space:
                continue
            assert isinstance(base.type, View)
            same = self.key(x.place) is not None and kind.elem == base.type.elem
            if not same or x.place.offset in written:
                return False
        return True

    def write(self, stores: tuple[n.Stmt, ...]) -> n.Stmt:
        """Return the statement that writes a record whole."""
        values: dict[int, n.Expr] = {}
        for stmt in stores:
            assert isinstance(stmt, n.Store)
            values[stmt.place.offset] = stmt.value
        first = stores[0]
        assert isinstance(first, n.Store)
        word = _word(self.rows[first.place.base])
        place = replace(first.place, offset=0, type=word)
        return n.StoreMany(place, tuple(_as(word, values[k]) for k in sorted(values)),
                           span=first.span)


def _at_once(stmt: n.Stmt) -> list[n.Expr]:
    """Return all expressions a statement evaluates once, before it does anything."""
    if isinstance(stmt, n.While):
        return []  # its condition is asked again and again
    return [e for x in visit.expressions(stmt) for e in visit.walk(x)]


def _reads(index: tuple[n.Expr, ...], local: n.Local) -> bool:
    return any(isinstance(e, n.Read) and e.local is local for x in index for e in visit.walk(x))


def _with_values(stmt: n.Stmt, joining: Joining, known: dict[Key, Group]) -> n.Stmt:
    """Return a statement that takes members from where they were read to."""
    def member(x: n.Expr) -> n.Expr | None:
        key = joining.key(x.place) if isinstance(x, n.Load) else None
        group = known.get(key) if key is not None else None
        return None if group is None or not isinstance(x, n.Load) \
            else group.values.get(joining.offset(x.place))
    return visit.rewrite_own(stmt, member)


def _word(row: tuple[Scalar, ...]) -> Scalar:
    """Return the type a record's numbers are moved as: their own, or their bits."""
    return row[0] if len(set(row)) == 1 else Scalar(DTYPES[f"uint{8 * row[0].size}"])


def _as(type: Scalar, x: n.Expr) -> n.Expr:
    return x if x.type == type else n.Bitcast(type, x)
