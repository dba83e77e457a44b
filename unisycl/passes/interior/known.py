"""What is known of a vector before it runs: values in terms of ids and arguments, and tests.

Ids are linear along the lanes, so what the first and the last lane have settles all of them.
Non-goals: rewriting bodies (``interior``). Invariants: a value is the first lane's where a test or
the lead asks for it; a test that holds says something of every lane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from unisycl.base.dataclass import changed
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, Scalar
from unisycl.passes.shared import ranges as rg
from unisycl.passes.simd import shapes as sh
from unisycl.passes.simd.shared_arrays import Held

_MOST_NODES = 48
"""So large may the meaning of an expression be that is asked before each vector."""
_OPPOSITE = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
_ARITHMETIC = frozenset(("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "shl", "shr"))
_Node = TypeVar("_Node", bound=n.Expr | n.Stmt)


class Known:
    """Values known before a vector of ``lanes``, and the tests that were asked for.

    ``lead`` gives locals their values, ``meaning`` says what a body's own locals are. ``aligned``:
    some tests hold only for vectors that begin at a multiple of their lanes.
    """

    def __init__(self, query: sh.QueryShape, lanes: int, ids_below: int,
                 small: Mapping[n.Param, rg.Interval]) -> None:
        self.query = query
        self.ahead = lanes - 1
        self.ranges = rg.Ranges(ids_below, given=rg.Given(small))
        self.lead: list[n.Assign] = []
        self.holds: list[n.Expr] = []
        self.aligned = False
        self.given: dict[Held, sh.Shape] = {}
        self.meaning: dict[n.Local, n.Expr] = {}
        self.counters: dict[n.Local, tuple[n.Expr, n.Expr]] = {}

    def means(self, local: n.Local, value: n.Expr | None) -> None:
        """Note what a local is from here on; None if that is unknown."""
        if value is None or sum(1 for _ in visit.walk(value)) > _MOST_NODES:
            self.meaning.pop(local, None)
        else:
            self.meaning[local] = value

    # ---- values
    def value(self, x: n.Expr) -> n.Expr | None:
        """Return an expression in terms of ids and arguments; None if it is not made of these."""
        found = self._value(x)
        if found is None or sum(1 for _ in visit.walk(found)) > _MOST_NODES:
            return None
        return found

    def _value(self, x: n.Expr) -> n.Expr | None:
        if x.type.dtype.kind not in "iub":
            return None
        match x:
            case n.Const() | n.ParamRead() | n.Extent() | n.Pitch():
                return x
            case n.Query():
                return x if self.query(x.name, x.dim).rank < sh.VARYING else None
            case n.Read():
                kept = x.local in self.given or x.local in self.counters
                return x if kept else self.meaning.get(x.local)
            case n.Binary() if x.op in _ARITHMETIC:
                return self._of_parts(x, a=x.a, b=x.b)
            case n.Compare() if x.a.type.dtype.kind in "iub":
                return self._of_parts(x, a=x.a, b=x.b)
            case n.Unary() | n.Cast():
                return self._of_parts(x, x=x.x)
            case n.Narrow():
                inner = self._value(x.x)
                return None if inner is None else changed(x, x=inner)
        return None

    def _of_parts(self, x: n.Expr, /, **parts: n.Expr) -> n.Expr | None:
        found = {name: self._value(part) for name, part in parts.items()}
        if None in found.values():
            return None
        if isinstance(x, n.Cast) and isinstance(inner := found["x"], n.Narrow) \
                and inner.x.type == x.type:
            return inner.x
        return changed(x, **found)

    def shape(self, x: n.Expr) -> sh.Shape:
        """Return how a value that is known before a vector varies along its lanes."""
        return sh.expression(x, self.given, self.query)

    def varies(self, cond: n.Expr) -> bool:
        """Say whether a condition compares something that goes along with the lanes."""
        return any(self.shape(x).rank >= sh.LINEAR for x in visit.walk(cond))

    def goes_along(self, x: n.Expr) -> bool:
        """Say whether an integer is linear along the lanes."""
        value = self.value(x)
        return value is not None and self.shape(value).rank == sh.LINEAR

    def give(self, name: str, value: n.Expr, type: Scalar) -> n.Local:
        """Return the local that holds a value of the first lane."""
        for known in self.lead:
            if known.value == value:
                return known.local
        assert not self.turns(value), "no loop turns before a vector"
        local = n.Local(name, type)
        self.lead.append(n.Assign(local, value))
        self.given[local] = sh.PER_LANES
        if type.dtype.kind != "b":
            self.ranges.locals[local] = self.ranges.of(value)
        return local

    # ---- tests
    def always(self, cond: n.Expr, want: bool) -> n.Expr | None:
        """Return when a condition is ``want`` for all lanes, asked of the first, or None."""
        match cond:
            case n.Const():
                return n.Const(BOOL, bool(cond.value) == want)
            case n.Cast() if cond.x.type.dtype.kind == "b":
                return self.always(cond.x, want)
            case n.Unary(op="not"):
                return self.always(cond.x, not want)
            case n.Binary(op="and" | "or"):
                parts = [self.always(cond.a, want), self.always(cond.b, want)]
                found = [p for p in parts if p is not None]
                if (cond.op == "and") == want:
                    return both(*found) if len(found) == 2 else None
                return found[0] if len(found) == 1 else \
                    n.Binary(BOOL, "or", found[0], found[1]) if found else None
            case n.Compare() if cond.a.type.dtype.kind in "iu":
                op = cond.op if want else _OPPOSITE[cond.op]
                return self.always_compared(op, cond.a, cond.b)
            case n.Read():
                return cond if want else n.Unary(BOOL, "not", cond)
        return None

    def always_compared(self, op: str, a: n.Expr, b: n.Expr) -> n.Expr | None:
        """Return when two integers compare so for all lanes, in all turns of loops around."""
        ranks = (self.shape(a).rank, self.shape(b).rank)
        if sh.VARYING in ranks:
            return None
        if ranks == (sh.LINEAR, sh.LINEAR):
            known = self._level(a, b) and self.ends(a) is not None and self.ends(b) is not None
            return n.Compare(BOOL, op, a, b) if known else None
        if ranks[1] == sh.LINEAR:
            a, b, op = b, a, _MIRRORED[op]
        if op == "eq" and (sh.LINEAR in ranks or self.turns(a) or self.turns(b)):
            return None
        ends, other = self.ends(a), self.ends(b)
        if ends is None or other is None:
            return None
        below = n.Compare(BOOL, "le" if op == "le" else "lt", ends[1], other[0])
        above = n.Compare(BOOL, "ge" if op == "ge" else "gt", ends[0], other[1])
        if op == "eq" or (op == "ne" and ends[0] is ends[1] and other[0] is other[1]):
            return n.Compare(BOOL, op, ends[0], other[0])
        if op == "ne":
            return n.Binary(BOOL, "or", below, above)
        return below if op in ("lt", "le") else above

    def level(self, cond: n.Expr) -> bool:
        """Say whether a condition compares numbers that are as far apart in all lanes."""
        return isinstance(cond, n.Compare) and cond.a.type.dtype.kind in "iu" \
            and self._level(cond.a, cond.b)

    def _level(self, a: n.Expr, b: n.Expr) -> bool:
        return self.shape(a).rank == sh.LINEAR and self.shape(a) == self.shape(b) \
            and not self.turns(a) and not self.turns(b)

    def ends(self, a: n.Expr) -> tuple[n.Expr, n.Expr] | None:
        """Return the least and the greatest of a uniform or linear value, in all turns."""
        low, high = self.bound(a, up=False), self.bound(a, up=True)
        if low is None or high is None:
            return None
        far = self.shape(a).stride * self.ahead if self.shape(a).rank == sh.LINEAR else 0
        every, found = rg.whole(a.type.dtype), self.ranges.of(a)
        if not -every.high < 2 * far < every.high:
            return None
        if far and found.high > every.high - abs(far) and found.low < every.low + abs(far):
            edge = every.high - far if far > 0 else every.low - far
            self.test(n.Compare(BOOL, "le" if far > 0 else "ge", high if far > 0 else low,
                                n.Const(a.type, edge)))
        return (low, plus(high, far)) if far >= 0 else (plus(low, far), high)

    def span(self, a: n.Expr) -> tuple[n.Expr, n.Expr] | None:
        """Return the least of a linear value, and how far the greatest is from it."""
        ends = self.ends(a)
        if ends is None:
            return None
        if not self.turns(a):
            far = abs(self.shape(a).stride * self.ahead)
            return ends[0], n.Const(a.type, far)
        return ends[0], n.Binary(a.type, "sub", ends[1], ends[0])

    # ---- loops
    @contextmanager
    def counting(self, loop: n.For) -> Iterator[None]:
        """Know between which values a loop counts, where its bounds are those of a window."""
        found = self._window(loop)
        if found is not None:
            self.counters[loop.local] = found
            self.ranges.locals[loop.local] = self.ranges.of(found[0]) | self.ranges.of(found[1])
        yield
        self.counters.pop(loop.local, None)

    def _window(self, loop: n.For) -> tuple[n.Expr, n.Expr] | None:
        """Return the first and the last value of a counter that goes round a work-item."""
        start, stop = self.value(loop.start), self.value(loop.stop)
        if start is None or stop is None or not isinstance(loop.step, n.Const) \
                or self.turns(start) or self.turns(stop) \
                or max(self.shape(start).rank, self.shape(stop).rank) >= sh.LINEAR \
                or loop.local in visit.assigned(loop.body):
            return None
        fixed = isinstance(loop.start, n.Const) and isinstance(loop.stop, n.Const)
        if not fixed and not any(isinstance(x, n.Unary) and x.op == "neg" for x in (start, stop)):
            return None
        if loop.step.value > 0:
            return start, plus(stop, -1)
        return plus(stop, 1), start

    def turns(self, x: n.Expr) -> bool:
        """Say whether a value depends on the turn of a loop."""
        return any(isinstance(e, n.Read) and e.local in self.counters for e in visit.walk(x))

    def bound(self, x: n.Expr, *, up: bool) -> n.Expr | None:
        """Return the greatest (``up``) or least of a value in all turns of the loops around it."""
        if not self.turns(x):
            return x
        match x:
            case n.Read():
                return self.counters[x.local][up]
            case n.Cast() if x.type.dtype.kind == x.x.type.dtype.kind == "i" \
                    and x.type.dtype.bits >= x.x.type.dtype.bits:
                inner = self.bound(x.x, up=up)
                return None if inner is None else changed(x, x=inner)
            case n.Narrow():
                inner = self.bound(x.x, up=up)
                return None if inner is None else n.Cast(x.type, inner)
            case n.Binary(op="add" | "sub") if self.is_exact(x):
                a, b = self.bound(x.a, up=up), self.bound(x.b, up=up == (x.op == "add"))
                return None if a is None or b is None else changed(x, a=a, b=b)
            case n.Binary(op="mul", b=n.Const(value=by)) if self.is_exact(x):
                inner = self.bound(x.a, up=up == (by >= 0))
                return None if inner is None else changed(x, a=inner)
        return None

    def is_exact(self, x: n.Expr) -> bool:
        """Say whether a sum or product is known not to wrap."""
        found, every = self.ranges.of(x), rg.whole(x.type.dtype)
        return every.low < found.low and found.high < every.high

    def test(self, cond: n.Expr) -> None:
        """Note what has to hold."""
        assert not self.turns(cond), "no loop turns before a vector"
        for part in _conjuncts(cond):
            if part not in self.holds:
                self.holds.append(part)

    def distance(self, test: n.Expr) -> n.Expr | None:
        """Return after how many items a lower bound holds; None if a test is none."""
        if isinstance(test, n.Binary) and test.op == "or":
            return self.distance(test.b)
        if not isinstance(test, n.Compare) or test.op not in ("gt", "ge") \
                or self.shape(test.a) != sh.Shape(sh.LINEAR, 1):
            return None
        far = n.Binary(test.a.type, "sub", test.b, test.a)
        return far if test.op == "ge" else n.Binary(far.type, "add", far, n.Const(far.type, 1))


def both(a: n.Expr, b: n.Expr) -> n.Expr:
    """Return whether both hold."""
    return n.Binary(BOOL, "and", a, b)


def _conjuncts(cond: n.Expr) -> Iterator[n.Expr]:
    if isinstance(cond, n.Binary) and cond.op == "and":
        yield from _conjuncts(cond.a)
        yield from _conjuncts(cond.b)
    else:
        yield cond


def plus(a: n.Expr, by: int) -> n.Expr:
    """Return a number that is so much larger, which it is known to be."""
    if isinstance(a, n.Binary) and a.op in ("add", "sub") and isinstance(a.b, n.Const) \
            and a.type.dtype.bits == 64:
        by += int(a.b.value) if a.op == "add" else -int(a.b.value)
        a = a.a
    if by == 0:
        return a
    return n.Binary(a.type, "add" if by > 0 else "sub", a, n.Const(a.type, abs(by)))
