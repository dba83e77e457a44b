"""How often loops run at the most, as far as a launch knows that before it begins.

Loops of kernels mostly end at an argument, the extent of a view or an id: a launch knows these, so
what it costs is known, too, and nothing of it can be endless. Non-goals: what a bound is in a
launch (``bounds``), what memory says (rows of a sparse matrix), measured times (``pace``).
Invariant: an answer is never too small.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.backends.cpu.pool import bounds
from unisycl.backends.cpu.pool.bounds import Bound, Span
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View

_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_IDS = {"global_id": "id", "global_range": "range", "local_id": "local_id",
        "local_range": "local_range", "group_id": "group_id", "group_range": "group_range"}


_MOST_NODES = 400  # of all bounds: locals stand for what they were made of, as often as read


class Turns:
    """Finds the bounds of a kernel's loops."""

    def __init__(self, body: n.Block, params: Sequence[n.Param]) -> None:
        self._places = {p: k for k, p in enumerate(params)}
        self._made: dict[n.Local, list[n.Expr | n.For | None]] = {}
        for stmt in visit.statements(body):
            for local in visit.targets(stmt):
                made = stmt.value if isinstance(stmt, n.Assign) else (
                    stmt if isinstance(stmt, n.For) else None)
                self._made.setdefault(local, []).append(made)
        self._under_way: set[n.Local] = set()
        self._left = _MOST_NODES

    def of(self, block: n.Block, at: int) -> Bound | None:
        """Return how often a loop of a block runs at the most; None where a launch cannot know."""
        loop = block[at]
        if isinstance(loop, n.For):
            step = self.bound(loop.step)
            if not isinstance(step, int) or not step:
                return None
            near = self._before(block, at)
            apart = self._apart(_resolved(loop.stop, near), _resolved(loop.start, near), near) \
                if step > 0 else None
            if apart is not None:
                return ("turns", 0, apart, step)
            return _all("turns", self.bound(loop.start), self.bound(loop.stop), step)
        return self._of_while(loop) if isinstance(loop, n.While) else None

    def vectors(self, loop: n.WorkItems, local: tuple[int, ...], lanes: int) -> Bound | None:
        """Return how many vectors of work-items a group's loop over them is."""
        extents = [self.bound(x) for x in loop.extent] or [*local]
        if not extents:
            return None
        *outer, last = extents
        found = _all("turns", 0, last, lanes)
        for x in outer:
            found = _all("mul", found, x)
        return found

    def bound(self, x: n.Expr) -> Bound | None:
        """Return the limits of an integer; None of anything else, and where none are known."""
        self._left -= 1
        if self._left < 0 or not x.type.dtype.is_integer:
            return None
        match x:
            case n.Const():
                return int(x.value)
            case n.ParamRead():
                at = self._places.get(x.param)
                return None if at is None else ("argument", at)
            case n.Extent():
                return self._extent(x)
            case n.Query() if x.name in _IDS:
                return (_IDS[x.name], x.dim)
            case n.Read():
                return self._local(x.local)
            case n.Cast() | n.Narrow():
                return _within(x.type, self.bound(x.x))
            case n.Binary() if x.op in bounds.OPERATIONS:
                return _within(x.type, _all(x.op, self.bound(x.a), self.bound(x.b)))
            case n.Call() if x.builtin.name in ("min", "max"):
                return _all(x.builtin.name, *map(self.bound, x.args))
            case n.Select():
                return _all("either", self.bound(x.a), self.bound(x.b))
        return None

    def _extent(self, x: n.Extent) -> Bound | None:
        if isinstance(x.base, n.Array):
            return x.base.shape[x.dim]
        at, kind = self._places.get(x.base), x.base.type
        if at is None or not isinstance(kind, View) or (
                kind.space is address_space.local_space):
            return None
        return ("extent", at, x.dim)

    def _local(self, local: n.Local) -> Bound | None:
        """Return the limits of all values that a local is ever given."""
        if local in self._under_way:
            return None
        self._under_way.add(local)
        try:
            found = [_all("either", self.bound(x.start), self.bound(x.stop))
                     if isinstance(x, n.For) else None if x is None else self.bound(x)
                     for x in self._made.get(local, [None])]
        finally:
            self._under_way.discard(local)
        return found[0] if len(found) == 1 else _all("either", *found)

    def _before(self, block: n.Block, at: int) -> dict[n.Local, n.Expr]:
        """Return the locals that are given their only values right before a statement."""
        found: dict[n.Local, n.Expr] = {}
        for stmt in reversed(block[:at]):
            if not isinstance(stmt, n.Assign) or len(self._made[stmt.local]) != 1:
                break
            found[stmt.local] = stmt.value
        return found

    def _apart(self, stop: n.Expr, start: n.Expr, near: dict[n.Local, n.Expr]) -> Bound | None:
        """Return how far a stop lies beyond a start that it is made of; None if it is not."""
        if isinstance(stop, n.Binary) and stop.op == "add":
            for a, b in ((stop.a, stop.b), (stop.b, stop.a)):
                if _resolved(a, near) == start:
                    return self.bound(b)
        if isinstance(stop, n.Call) and stop.builtin.name == "min":
            found = [x for x in (self._apart(_resolved(a, near), start, near) for a in stop.args)
                     if x is not None]
            return found[0] if len(found) == 1 else _all("min", *found) if found else None
        return None

    def _of_while(self, loop: n.While) -> Bound | None:
        """Return the turns of a loop that counts, as its condition says."""
        if visit.contains(loop.body, n.Continue):
            return None
        for x in _conjuncts(loop):
            if not isinstance(x, n.Compare) or x.op not in _MIRRORED:
                continue
            for op, counter, limit in ((x.op, x.a, x.b), (_MIRRORED[x.op], x.b, x.a)):
                counter = _without_casts(counter)
                if isinstance(counter, n.Read):
                    found = self._counted(loop, counter.local, op, limit)
                    if found is not None:
                        return found
        return None

    def _counted(self, loop: n.While, local: n.Local, op: str, limit: n.Expr) -> Bound | None:
        """Return the turns of a loop that goes on while a local is less or more than a limit."""
        each = [s.value for s in loop.body if isinstance(s, n.Assign) and s.local is local]
        inside = [s for b in (loop.pre, loop.body) for s in visit.statements(b)
                  if local in visit.targets(s)]
        if len(each) != 1 or not all(
                isinstance(s, n.Assign) and _reads(s.value, local) for s in inside):
            return None
        up, end = op in ("lt", "le"), self.bound(limit)
        if not up and _halves(each[0], local):
            floor = 1 if op == "ge" else 0
            good = isinstance(end, int) and end >= floor and len(inside) == 1
            return local.type.dtype.bits if good else None
        steps, starts = [], []
        for x in self._made[local]:
            if isinstance(x, n.Expr) and _reads(x, local):
                steps.append(_step(x, local))
            else:
                starts.append(None if not isinstance(x, n.Expr) else self.bound(x))
        step = _step(each[0], local)
        if step is None or not starts or any(x is None or (x > 0) is not up for x in steps):
            return None
        begin = starts[0] if len(starts) == 1 else _all("either", *starts)
        past = max(abs(x) for x in steps if x) - (op in ("lt", "gt"))  # no turn may wrap around
        low, high = _limits(local.type)
        room = _all("in", low + (not up) * past, high - up * past, end)
        return _all("turns", begin, _all("add", room, {"le": 1, "ge": -1}.get(op, 0)), step)


def _conjuncts(loop: n.While) -> list[n.Expr]:
    """Return what must be true for a loop to go on."""
    todo, found = [loop.cond], []
    while todo:
        x = todo.pop()
        while isinstance(x, n.Cast) and x.type.dtype.kind == "b":
            x = x.x
        if isinstance(x, n.Binary) and x.op == "and":
            todo += (x.a, x.b)
        elif isinstance(x, n.Read):
            todo += _each_true(loop.pre, x.local)
        else:
            found.append(x)
    return found


def _each_true(block: n.Block, local: n.Local) -> list[n.Expr]:
    """Return the values that are all true if a local is in the end: ``t = a``, ``if t: t = b``."""
    found: list[n.Expr] = []
    for stmt in block:
        if isinstance(stmt, n.Assign) and stmt.local is local:
            if _reads(stmt.value, local):
                return []
            found = [stmt.value]
        elif isinstance(stmt, n.If) and isinstance(stmt.cond, n.Read) and (
                stmt.cond.local is local and not stmt.orelse):
            found += _each_true(stmt.then, local)
        elif any(local in visit.targets(s) for s in visit.statements((stmt,))):
            return []
    return found


def _resolved(x: n.Expr, near: dict[n.Local, n.Expr]) -> n.Expr:
    """Return what a local stands for."""
    while isinstance(x, n.Read) and x.local in near:
        x = near[x.local]
    return x


def _without_casts(x: n.Expr) -> n.Expr:
    """Return an integer without what widens it."""
    while isinstance(x, n.Cast) and x.x.type.dtype.is_integer and (
            x.type.dtype.bits >= x.x.type.dtype.bits and x.type.dtype.kind == x.x.type.dtype.kind):
        x = x.x
    return x


def _reads(x: n.Expr, local: n.Local) -> bool:
    return any(isinstance(y, n.Read) and y.local is local for y in visit.walk(x))


def _step(x: n.Expr, local: n.Local) -> int | None:
    """Return what is added to a local; None if it is anything else."""
    if not isinstance(x, n.Binary) or x.op not in ("add", "sub"):
        return None
    a, b = (x.a, x.b) if x.op == "sub" or isinstance(x.a, n.Read) else (x.b, x.a)
    if not (isinstance(a, n.Read) and a.local is local and isinstance(b, n.Const) and b.value):
        return None
    return int(b.value) if x.op == "add" else -int(b.value)


def _halves(x: n.Expr, local: n.Local) -> bool:
    """Say whether a local becomes at most half of what it was."""
    return isinstance(x, n.Binary) and x.op in ("floordiv", "shr") and (
        isinstance(x.a, n.Read) and x.a.local is local and isinstance(x.b, n.Const)
        and x.b.value >= (2 if x.op == "floordiv" else 1))


def _all(op: str, *operands: Bound | None) -> Bound | None:
    """Return an operation on bounds that are all known."""
    return None if None in operands else (op, *operands)


def _limits(kind: Scalar) -> Span:
    """Return the least and the greatest number of a type."""
    bits = kind.dtype.bits
    return (0, (1 << bits) - 1) if kind.dtype.kind == "u" else (
        -(1 << bits - 1), (1 << bits - 1) - 1)


def _within(kind: Scalar, x: Bound | None) -> Bound | None:
    """Return a bound that has to fit a type: where it wraps, nothing is known."""
    if isinstance(x, int):
        return x
    return _all("in", *_limits(kind), x)
