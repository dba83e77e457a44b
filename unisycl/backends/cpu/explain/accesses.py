"""How each place in memory is read or written by a vector of work-items, and why so.

What is said is what ``emit.memory``, ``emit.neighbours`` and ``emit.transposed`` choose by: the
shapes of indices. Non-goals: times. Invariant: nothing here changes what is compiled.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.backends.cpu.explain.said import place as said_place
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import address_space
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes.simd import pairs
from unisycl.passes.simd.repeated_rows import period
from unisycl.passes.simd.shapes import LINEAR, VARYING, Shapes

_EVERY = 64  # as many lanes as there may be
_ALONG = "along a row of each lane"
_OTHER_DIMENSION = (
    "let the last index be the last id of the range, or loop along the row and write nothing that "
    "the loop reads elsewhere: rows are read and written by blocks then")
_STEPS = "keep what is read together in arrays of their own, or side by side in the last dimension"
_LIST = "where two loads or more go by one name for an index, runs of places are read as vectors"
_BRANCH = "write it as a choice without a branch, or as min and max"


@dataclass(frozen=True, slots=True)
class Access:
    """One place: where it stands, how it is reached, why not better, and what would help."""

    span: Span | None
    what: str
    how: str
    why: str = ""
    help: str = ""

    @property
    def line(self) -> int:
        """The line in the user's file; 0 if nobody knows."""
        return self.span.line if self.span is not None else 0


def accesses(body: n.Block, shapes: Shapes) -> list[Access]:
    """Return the accesses of a body, but for what a loop does in the turns left over of blocks."""
    found = list(_accesses(body, shapes))
    blocks = {(a.line, a.what) for a in found if a.how.startswith(_ALONG)}
    return [a for a in found if (a.line, a.what) not in blocks or a.how.startswith(_ALONG)]


def _accesses(body: n.Block, shapes: Shapes) -> Iterator[Access]:
    finder = _Finder(body, shapes)
    for stmt in visit.statements(body):
        if isinstance(stmt, n.Store):
            yield finder.one(stmt.place, stmt.span, writes=True)
        elif isinstance(stmt, n.LoadMany | n.StoreMany):
            yield finder.many(stmt)
        elif isinstance(stmt, n.Atomic):
            yield finder.atomic(stmt)
        for x in visit.expressions(stmt):
            for e in visit.walk(x):
                if isinstance(e, n.Load):
                    yield finder.one(e.place, stmt.span, writes=False)


class _Finder:
    """Says how places are reached; ``meaning``: what each local was given, every time."""

    def __init__(self, body: n.Block, shapes: Shapes) -> None:
        self.shapes = shapes
        self.meaning: dict[n.Local, list[n.Expr]] = {}
        self.counters = {s.local for s in visit.statements(body) if isinstance(s, n.For)}
        for stmt in visit.statements(body):
            if isinstance(stmt, n.Assign):
                self.meaning.setdefault(stmt.local, []).append(stmt.value)

    def one(self, place: n.Place, span: Span | None, *, writes: bool) -> Access:
        """Return how a single element is reached."""
        made = Access(place.span or span, said_place(place), "")
        kind = place.base.type
        indices = (*place.index, *(x for x, _ in place.inner))
        ranks = [self.shapes.of(x) for x in indices]
        verb = "written" if writes else "read"
        if all(r.rank < LINEAR for r in ranks):
            private = isinstance(kind, View) and kind.space is address_space.private_space
            common = isinstance(place.base, n.Array) and self.shapes.one_copy(place.base)
            how = "private: the lanes' elements lie side by side" if private and not common else \
                f"one element for all lanes, {verb} once"
            return replace(made, how=how)
        if isinstance(kind, View) and not kind.spread and not place.inner \
                and all(r.rank < LINEAR for r in ranks[:-1]) and ranks[-1].rank == LINEAR:
            stride = ranks[-1].stride
            if kind.space is not address_space.private_space and abs(stride) == 1:
                turned = ", and turned round" if stride < 0 else ""
                return replace(made, how=f"side by side: {verb} as one vector{turned}")
        if not writes and period(place, self.shapes, _EVERY) is not None:
            return replace(made, how="a short row that lanes read again and again: read once and "
                           "repeated, where a vector begins with it and has no mask, else a gather")
        why, help = self.reason(place, indices)
        return replace(made, how="a gather: each lane reads its own element" if not writes
                       else "a scatter: each lane writes its own element", why=why, help=help)

    def many(self, stmt: n.LoadMany | n.StoreMany) -> Access:
        """Return how several elements that follow one another are reached."""
        made = Access(stmt.place.span or stmt.span, said_place(stmt.place), "")
        count = len(stmt.results) if isinstance(stmt, n.LoadMany) else len(stmt.values)
        ranks = [self.shapes.of(x) for x in stmt.place.index]
        if all(r.rank < LINEAR for r in ranks):
            return replace(made, how="one element for all lanes, read once")
        verb = "read" if isinstance(stmt, n.LoadMany) else "written"
        if stmt.place.index and isinstance(stmt.place.index[-1], n.Const):
            return replace(made, how=f"{count} elements of a row {verb} together: as one wide "
                           "access where rows follow one another, else row by row")
        kind = stmt.place.base.type
        if ranks and ranks[-1].rank == LINEAR and all(r.rank < LINEAR for r in ranks[:-1]) \
                and isinstance(kind, View) and kind.elem == stmt.place.type:
            return replace(made, how=f"{count} of each lane, which lie {ranks[-1].stride} apart: "
                           f"{verb} as wide vectors, and shuffled")
        if isinstance(kind, View) and kind.elem != stmt.place.type:
            return replace(made, how=f"records of {count} numbers {verb} whole and shuffled")
        if isinstance(stmt, n.LoadMany) and count <= pairs.MOST:
            return replace(made, how=f"{count} of each lane, side by side wherever the lane is: "
                           "read as a short vector, and shuffled")
        return replace(made, how=f"{_ALONG}: {count} turns of the loop {verb} at "
                       "once, and turned round in registers")

    def atomic(self, stmt: n.Atomic) -> Access:
        same = all(self.shapes.of(x).rank < LINEAR for x in stmt.place.index)
        how = "atomic: lanes are added up first, then one operation" if same \
            else "atomic: one operation for each lane"
        return Access(stmt.place.span or stmt.span, said_place(stmt.place), how)

    # ---- reasons
    def reason(self, place: n.Place, indices: tuple[n.Expr, ...]) -> tuple[str, str]:
        """Return why lanes reach elements apart from one another, and what would help."""
        kind = place.base.type
        if isinstance(kind, View) and kind.space is address_space.private_space:
            return ("lanes index their private arrays differently",
                    "index it by what lanes share: a constant, or the counter of a loop")
        for k, x in enumerate(indices):
            shape = self.shapes.of(x)
            if shape.rank == LINEAR and k < len(place.index) - 1:
                name = place.base.name
                return (f"lanes go along dimension {k} of {name}, where elements are a row apart",
                        _OTHER_DIMENSION)
            if shape.rank == LINEAR:
                return f"lanes are {shape.stride} elements apart", _STEPS
            if shape.rank >= VARYING:
                return self.varying(x, frozenset())
        return "lanes reach elements apart", ""

    def varying(self, x: n.Expr, seen: frozenset[n.Local]) -> tuple[str, str]:
        """Return why an index differs from lane to lane in no fixed step."""
        match x:
            case n.Load():
                return f"the index is read from memory: {said_place(x.place)}", _LIST
            case n.Read() if x.local in self.counters and x.local not in self.meaning:
                return (f"lanes are in different turns of the loop over {x.local.name}", "")
            case n.Read() if x.local not in seen:
                for value in self.meaning.get(x.local, ()):
                    if self.shapes.of(value).rank >= VARYING:
                        return self.varying(value, seen | {x.local})
                name = x.local.name
                return f"{name} is assigned behind a branch that lanes take differently", _BRANCH
            case n.Binary(op="floordiv" | "mod" | "shr" | "and") if self.inner(x) is None:
                return ("it is a quotient or remainder of an id",
                        "use a range of two dimensions in place of // and % of one id")
            case n.Binary(op="mul") if self.inner(x) is None:
                return ("an id is multiplied by a number that is known at launch only",
                        "use an array of two dimensions, or let lanes go along the other one")
            case n.Select() if self.inner(x) is None:
                return "it is a choice that lanes make differently", ""
            case n.Call() if self.inner(x) is None:
                return f"it is a result of {x.builtin.name}", ""
        deeper = self.inner(x)
        return self.varying(deeper, seen) if deeper is not None else ("lanes compute it", "")

    def inner(self, x: n.Expr) -> n.Expr | None:
        """Return what below an expression varies by itself already; None if nothing does."""
        return next((e for e in visit.expressions(x) if self.shapes.of(e).rank >= VARYING), None)
