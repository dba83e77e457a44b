"""Between which numbers each integer local lies: intervals, with conditions taken into account.

Non-goals: floats, memory. Intervals are found by going round until nothing grows, widening what
would not stop, then tightening twice. Invariant: a value read at run time is never outside its
interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager

from unisycl.base.dataclass import dataclass, field
from unisycl.base.dtypes import DType
from unisycl.ir import nodes as n
from unisycl.ir import visit

_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Interval:
    """All integers from ``low`` to ``high``."""

    low: int
    high: int

    def __or__(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def __and__(self, other: Interval) -> Interval:
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else self

    def within(self, other: Interval) -> bool:
        """Say whether every number of this interval is in the other."""
        return other.low <= self.low and self.high <= other.high


def whole(dtype: DType) -> Interval:
    """Return all numbers of an integer type."""
    return _WHOLE[dtype.kind, dtype.bits]


class _Whole(dict[tuple[str, int], Interval]):
    """All numbers of each kind and size of integers; of others, as of those with a sign."""

    def __missing__(self, kind: tuple[str, int]) -> Interval:
        """Return those of one."""
        letter, bits = kind
        low, high = {"b": (0, 1), "u": (0, (1 << bits) - 1)}.get(
            letter, (-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
        made = self[kind] = Interval(low, high)
        return made


_WHOLE = _Whole()
_EVERYTHING = Interval(-(1 << 70), 1 << 70)


@dataclass(frozen=True, slots=True)
class Given:
    """What is known besides a body: between which numbers parameters, and locals before it, lie."""

    params: Mapping[n.Param, Interval] = field(default_factory=dict)
    locals: Mapping[n.Local, Interval] = field(default_factory=dict)


NOTHING = Given()
_MOST_SAID = 32
"""So many conditions a flag stands for at most: those it was given last."""


def analyse(body: n.Block, ids_below: int,
            most: Callable[[n.Query | n.Extent], int] | None = None,
            given: Given = NOTHING) -> Ranges:
    """Return the intervals of a kernel body; ids and extents of its space are below a bound.

    ``most`` says what an id or an extent is at most, if more is known.
    """
    ranges = Ranges(ids_below, most, given)
    for _ in range(_ROUNDS):
        if not ranges.round(body, widen=False):
            return ranges
    while ranges.round(body, widen=True):
        pass
    for _ in range(2):
        ranges.tighten(body)
    return ranges


class Ranges:
    """Intervals of locals for the whole kernel, and what is known at the statement at hand."""

    def __init__(self, ids_below: int,
                 most: Callable[[n.Query | n.Extent], int] | None = None,
                 given: Given = NOTHING) -> None:
        self.ids_below = ids_below
        self.most = most
        self.params = given.params
        self.locals = dict(given.locals)
        self.facts: dict[n.Local, Interval] = {}
        self.flags: dict[n.Local, tuple[n.Expr, ...]] = {}
        self._found: dict[n.Local, Interval] = {}
        self._sayers: dict[n.Local, set[n.Local]] = {}
        """By what their conditions read, flags, and some that say something else by now."""
        self._read: dict[int, tuple[n.Expr, frozenset[n.Local]]] = {}
        self._changed: dict[int, tuple[n.Block, frozenset[n.Local]]] = {}

    # ---- iteration
    def round(self, body: n.Block, *, widen: bool) -> bool:
        """Go through the body once; return whether an interval grew."""
        self._found, self.facts, self.flags, self._sayers = {}, {}, {}, {}
        self.block(body)
        grew = False
        for local, found in self._found.items():
            old = self.locals.get(local)
            new = found if old is None else old | found
            if new != old:
                grew = True
                if widen and old is not None:
                    every = whole(local.type.dtype)
                    new = Interval(every.low if new.low < old.low else new.low,
                                   every.high if new.high > old.high else new.high)
                self.locals[local] = new
        return grew

    def tighten(self, body: n.Block) -> None:
        """Replace each interval by what its assignments give under the present ones."""
        self._found, self.facts, self.flags, self._sayers = {}, {}, {}, {}
        self.block(body)
        for local, found in self._found.items():
            self.locals[local] = self.locals[local] & found

    # ---- statements
    def block(self, block: n.Block) -> None:
        for stmt in block:
            self.stmt(stmt)

    def stmt(self, stmt: n.Stmt) -> None:
        """Take note of what a statement assigns."""
        match stmt:
            case n.Assign():
                self.assign_value(stmt)
            case n.If():
                before = self.said(stmt)
                with self.knowing(stmt.cond, True):
                    self.block(stmt.then)
                with self.knowing(stmt.cond, False):
                    self.block(stmt.orelse)
                self.leave_if(stmt, before)
            case n.While():
                changed = self.assigned(stmt.pre) | self.assigned(stmt.body)
                self.forget(changed)
                self.block(stmt.pre)
                with self.knowing(stmt.cond, True):
                    self.block(stmt.body)
                self.forget(changed)
            case n.For():
                self.counted(stmt)
            case n.Scope() | n.WorkItems():
                self.block(stmt.body)
                self.forget(self.assigned(stmt.body))
            case _:
                for local in visit.targets(stmt):
                    self.assign(local, whole(local.type.dtype))

    def counted(self, stmt: n.For) -> None:
        start, stop, step = self.of(stmt.start), self.of(stmt.stop), self.of(stmt.step)
        changed = self.assigned(stmt.body) | {stmt.local}
        self.forget(changed)
        if step.low > 0 or not isinstance(stmt.step, n.Const):  # then it is positive (``steps``)
            value = Interval(start.low, max(start.low, stop.high - 1))
        else:
            value = Interval(min(start.high, stop.low + 1), start.high)
        self.assign(stmt.local, value)
        self.block(stmt.body)
        self.forget(changed)

    def assign_value(self, stmt: n.Assign) -> None:
        """Note an assignment, and what a flag says once it is true."""
        value = self.of(stmt.value)
        self.assign(stmt.local, value)
        self._outdate({stmt.local})
        if stmt.local.type.dtype.kind == "b" and stmt.local not in self.reads(stmt.value):
            self._say(stmt.local, (stmt.value,))

    def _say(self, flag: n.Local, conditions: tuple[n.Expr, ...]) -> None:
        """Note what holds where a flag is true."""
        self.flags[flag] = conditions[-_MOST_SAID:]
        for condition in self.flags[flag]:
            for local in self.reads(condition):
                self._sayers.setdefault(local, set()).add(flag)

    def reads(self, x: n.Expr) -> frozenset[n.Local]:
        """Return the locals that an expression reads."""
        known = self._read.get(id(x))
        if known is None:
            known = self._read[id(x)] = x, frozenset(
                e.local for e in visit.walk(x) if isinstance(e, n.Read))
        return known[1]

    def assigned(self, block: n.Block) -> frozenset[n.Local]:
        """Return the locals a block may give a value."""
        known = self._changed.get(id(block))
        if known is None:
            inner = [self.assigned(b) for s in block for b in visit.blocks(s)]
            own = [local for s in block for local in visit.targets(s)]
            known = self._changed[id(block)] = block, frozenset().union(own, *inner)
        return known[1]

    def said(self, stmt: n.If) -> tuple[n.Expr, ...]:
        """Return what the flag a branch tests says before it."""
        flag = stmt.cond.local if isinstance(stmt.cond, n.Read) else None
        return self.flags.get(flag, ()) if flag is not None else ()

    def leave_if(self, stmt: n.If, before: tuple[n.Expr, ...]) -> None:
        """Go on behind a branch: ``if flag: flag = more`` leaves a flag that says both."""
        changed = self.assigned(stmt.then) | self.assigned(stmt.orelse)
        flag = stmt.cond.local if isinstance(stmt.cond, n.Read) else None
        self.forget(changed)
        last = stmt.then[-1] if stmt.then else None
        if flag is not None and not stmt.orelse and isinstance(last, n.Assign) \
                and last.local is flag:
            kept = tuple(c for c in before if changed.isdisjoint(self.reads(c)))
            more = () if flag in self.reads(last.value) else (last.value,)
            self._say(flag, kept + more)

    def _outdate(self, locals: AbstractSet[n.Local]) -> None:
        """Drop what flags said about locals that have changed."""
        if not self.flags:
            return
        for local in locals:
            self.flags.pop(local, None)
            for flag in self._sayers.pop(local, ()):
                conditions = self.flags.get(flag, ())
                if any(local in self.reads(c) for c in conditions):
                    del self.flags[flag]

    def assign(self, local: n.Local, value: Interval) -> None:
        """Note a value given to a local."""
        if local.type.dtype.is_float:
            return
        old = self._found.setdefault(local, value)
        if old is not value:
            self._found[local] = old | value
        self.facts[local] = value

    def forget(self, locals: AbstractSet[n.Local]) -> None:
        """Drop what was known of locals that another path may have changed."""
        for local in locals:
            self.facts.pop(local, None)
        self._outdate(locals)

    @contextmanager
    def knowing(self, cond: n.Expr, holds: bool) -> Iterator[None]:
        """Take a condition into account inside the block."""
        saved = dict(self.facts)
        for local, interval in self.implied(cond, holds):
            self.facts[local] = self.read(local) & interval
        yield
        self.facts = saved

    def implied(self, cond: n.Expr, holds: bool) -> Iterator[tuple[n.Local, Interval]]:
        """Yield what a condition says about locals."""
        match cond:
            case n.Cast() if cond.x.type.dtype.kind == "b":
                yield from self.implied(cond.x, holds)
            case n.Read() if holds:
                for condition in self.flags.get(cond.local, ()):
                    yield from self.implied(condition, True)
            case n.Unary() if cond.op == "not":
                yield from self.implied(cond.x, not holds)
            case n.Binary() if cond.op == ("and" if holds else "or"):
                yield from self.implied(cond.a, holds)
                yield from self.implied(cond.b, holds)
            case n.Compare() if not cond.a.type.dtype.is_float:
                opposite = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
                op = cond.op if holds else opposite[cond.op]
                mirrored = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
                yield from self._bound(cond.a, op, cond.b)
                yield from self._bound(cond.b, mirrored.get(op, op), cond.a)

    def _bound(self, x: n.Expr, op: str, other: n.Expr) -> Iterator[tuple[n.Local, Interval]]:
        while isinstance(x, n.Cast) and not x.x.type.dtype.is_float and not x.type.dtype.is_float \
                and whole(x.x.type.dtype).within(whole(x.type.dtype)):
            x = x.x
        if not isinstance(x, n.Read) or x.local.type.dtype.is_float:
            return
        limit, every = self.of(other), whole(x.local.type.dtype)
        match op:
            case "lt":
                yield x.local, Interval(every.low, limit.high - 1)
            case "le":
                yield x.local, Interval(every.low, limit.high)
            case "gt":
                yield x.local, Interval(limit.low + 1, every.high)
            case "ge":
                yield x.local, Interval(limit.low, every.high)
            case "eq":
                yield x.local, limit

    # ---- expressions
    def read(self, local: n.Local) -> Interval:
        """Return what is known of a local here."""
        found = self.facts.get(local)
        return found if found is not None else self.locals.get(local, Interval(0, 0))

    def of(self, x: n.Expr) -> Interval:
        """Return the interval of an integer or bool expression; everything for a float."""
        dtype = x.type.dtype
        if dtype.kind == "f":
            return _EVERYTHING
        every = _WHOLE[dtype.kind, dtype.bits]
        found = self._of(x, every)
        return found if every.low <= found.low and found.high <= every.high else every

    def _of(self, x: n.Expr, every: Interval) -> Interval:
        match x:
            case n.Const():
                return Interval(int(x.value), int(x.value))
            case n.Read():
                return self.read(x.local)
            case n.Query() | n.Extent() if self.most is not None:
                return Interval(0, self.most(x))
            case n.Query():
                return Interval(0, self.ids_below - 1)
            case n.ParamRead() if x.param in self.params:
                return self.params[x.param]
            case n.Narrow():
                return self.of(x.x)
            case n.Extent():
                return Interval(0, every.high)
            case n.Cast() if not x.x.type.dtype.is_float:
                return self.of(x.x)
            case n.Select():
                return self.chosen(x.cond, True, x.a) | self.chosen(x.cond, False, x.b)
            case n.Unary() if x.op == "neg":
                inner = self.of(x.x)
                return Interval(-inner.high, -inner.low)
            case n.Binary():
                return self.binary(x, self.of(x.a), self.of(x.b))
            case n.Call() if x.builtin.name in ("min", "max"):
                a, b = self.of(x.args[0]), self.of(x.args[1])
                pick = min if x.builtin.name == "min" else max
                return Interval(pick(a.low, b.low), pick(a.high, b.high))
            case n.Call() if x.builtin.name == "clamp":
                a, low, high = (self.of(arg) for arg in x.args)
                return Interval(min(max(a.low, low.low), high.low),
                                min(max(a.high, low.high), high.high))
        return every

    def chosen(self, cond: n.Expr, holds: bool, x: n.Expr) -> Interval:
        """Return the interval of an integer where a condition chooses it."""
        if isinstance(x, n.Const) or not any(True for _ in self.implied(cond, holds)):
            return self.of(x)
        with self.knowing(cond, holds):
            return self.of(x)

    def binary(self, x: n.Binary, a: Interval, b: Interval) -> Interval:
        """Return the interval of an arithmetic operation."""
        every = whole(x.type.dtype)
        match x.op:
            case "add":
                return Interval(a.low + b.low, a.high + b.high)
            case "sub":
                return Interval(a.low - b.high, a.high - b.low)
            case "mul":
                corners = [p * q for p in (a.low, a.high) for q in (b.low, b.high)]
                return Interval(min(corners), max(corners))
            case "floordiv" if b.low >= 0:  # by 0 it is 0
                corners = [p // max(q, 1) for p in (a.low, a.high) for q in (b.low, b.high)]
                return Interval(min(0, *corners) if b.low == 0 else min(corners),
                                max(0, *corners) if b.low == 0 else max(corners))
            case "mod" if b.low >= 0:
                most = max(b.high - 1, 0)
                return Interval(0, min(most, a.high) if a.low >= 0 else most)
            case "and" if b.low >= 0 or a.low >= 0:
                highs = [i.high for i in (a, b) if i.low >= 0]
                return Interval(0, min(highs))
            case "or" | "xor" if a.low >= 0 and b.low >= 0:
                return Interval(0, (1 << max(a.high, b.high).bit_length()) - 1)
            case "shr" if a.low >= 0 and b.low >= 0:
                return Interval(0, a.high >> min(b.low, 64))
            case "shl" if a.low >= 0 and b.low >= 0 and b.high < 64:
                return Interval(a.low << b.low, a.high << b.high)
        return every


__all__ = ["Interval", "Ranges", "analyse", "whole"]
