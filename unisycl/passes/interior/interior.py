"""The interior of an index space: vectors whose guards, clamps and remainders are settled.

``if i < n``, ``max(x - 1, 0)`` and ``(x + 1) % n`` differ between the lanes of few vectors only.
Looking at the first and the last lane tells which: where ids are linear along the lanes, one
comparison of scalars settles a comparison of vectors. Under such tests a kernel has a second body
without them: no masks, no gathers. Non-goals: conditions on data; choosing vectors (backends).
Invariant: where the tests hold for a vector whose lanes are all on, the body means the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unisycl.base.dataclass import changed, dataclass, replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, Scalar, View
from unisycl.passes.interior import bits, periodic
from unisycl.passes.interior.known import Known, both
from unisycl.passes.shared import narrow
from unisycl.passes.shared import ranges as rg
from unisycl.passes.simd import shapes as sh

_INDEX = Scalar(INT64, weak=True)
_ROUNDS = 3
_MOST_TESTS = 24
_MOST_AHEAD = 4
_MOST_BODY = 3000


@dataclass(frozen=True, slots=True)
class Interior:
    """A body for some vectors.

    ``lead`` gives locals what holds for all lanes, computed for the first lane; ``holds`` says, in
    their terms and for the first lane, whether the body may run. ``ahead`` are numbers of items
    after which it may run rather than before, where they are small and positive. ``aligned``: the
    first lane has to be a multiple of their number.
    """

    lead: tuple[n.Assign, ...]
    holds: n.Expr
    body: n.Block
    ahead: tuple[n.Expr, ...] = ()
    aligned: bool = False

    @property
    def seeds(self) -> dict[n.Local, sh.Shape]:
        """The shapes of the locals that are given before the body."""
        return {s.local: sh.PER_LANES for s in self.lead}


@dataclass(frozen=True, slots=True)
class Search:
    """What an interior is looked for with: shapes of queries, lanes, and what no id reaches.

    The last ``units`` dimensions of the index space have one item.
    """

    query: sh.QueryShape
    lanes: int
    ids_below: int
    units: int = 0


def find(kernel: n.Kernel, search: Search) -> Interior | None:
    """Return the interior of a kernel without meetings; None if nothing would be gained."""
    size = sum(1 for _ in visit.all_expressions(kernel.body))
    if search.lanes < 2 or kernel.checks or size > _MOST_BODY:
        return None
    small = dict.fromkeys(_small(kernel), rg.whole(INT32)) if search.ids_below <= 1 << 31 else {}
    known = Known(search.query, search.lanes, search.ids_below, small)
    finder = _Finder(known, columns=search.units > 0)
    body = kernel.body
    for _ in range(_ROUNDS):
        before, body = body, finder.run(body)
        if body is before or len(known.holds) > _MOST_TESTS:
            break
    if len(known.holds) > _MOST_TESTS or not _is_whole(kernel, body, known):
        return None
    given = {s.local: rg.whole(s.local.type.dtype) for s in known.lead}
    inner = narrow.run(replace(kernel, body=body), search.ids_below, rg.Given(
        small, {x: known.ranges.locals.get(x, every) for x, every in given.items()}))
    if inner.body is body is kernel.body or (body is kernel.body and not small):
        return None
    for param in small:
        for op, edge in (("ge", small[param].low), ("le", small[param].high)):
            known.test(n.Compare(BOOL, op, n.ParamRead(_of(param), param),
                                 n.Const(_of(param), edge)))
    if not known.holds:
        return None
    body, holds = inner.body, known.holds[0]
    for test in known.holds[1:]:
        holds = both(holds, test)
    ahead = [] if known.aligned else [
        x for test in known.holds if (x := known.distance(test)) is not None]
    return Interior(tuple(known.lead), holds, body, tuple(ahead[:_MOST_AHEAD]), known.aligned)


def _small(kernel: n.Kernel) -> list[n.Param]:
    """Return the parameters of 64 bits that are likely small: bounds, not patterns of bits."""
    bounds: dict[n.Param, None] = {}
    odd: set[n.Param] = set()
    for stmt in visit.statements(kernel.body):
        if isinstance(stmt, n.For):
            bounds.update(dict.fromkeys(_parameters(stmt.start, stmt.stop)))
    for x in visit.all_expressions(kernel.body):
        match x:
            case n.Compare() | n.Call() | n.Binary(op="mod" | "floordiv"):
                bounds.update(dict.fromkeys(_parameters(*visit.expressions(x))))
            case n.Binary(op="and" | "or" | "xor" | "shl" | "shr") if x.type.dtype.is_integer:
                odd.update(_parameters(x.a, x.b))
    return [p for p in bounds if p not in odd]


def _parameters(*exprs: n.Expr) -> list[n.Param]:
    """Return the parameters of 64 bits that expressions read."""
    return [x.param for e in exprs for x in visit.walk(e)
            if isinstance(x, n.ParamRead) and x.type.dtype is INT64]


def _of(param: n.Param) -> Scalar:
    assert isinstance(param.type, Scalar)
    return param.type


def _is_whole(kernel: n.Kernel, body: n.Block, known: Known) -> bool:
    """Say whether all that a body reads is assigned in it, too."""
    given = visit.assigned(body) | {s.local for s in known.lead}
    given |= {x for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}
    return all(x.local in given for x in visit.all_expressions(body) if isinstance(x, n.Read))


class _Finder:
    """Rewrites a body, and collects the tests under which that is right."""

    def __init__(self, known: Known, *, columns: bool) -> None:
        self.known = known
        self.columns = columns
        self.work, self.works = 0, _Work()
        self.turns = 1
        self.cut: list[n.Expr] = []

    def run(self, body: n.Block) -> n.Block:
        """Return a body with what can be settled before it."""
        self.known.meaning = {}
        self.work = self.works.of(body)
        self.cut += periodic.divisors(body, self.known)
        return self.block(body)

    # ---- statements
    def block(self, block: n.Block) -> n.Block:
        new: list[n.Stmt] = []
        for stmt in block:
            new += self.stmt(stmt)
        return block if len(new) == len(block) and all(
            a is b for a, b in zip(new, block, strict=True)) else tuple(new)

    def stmt(self, stmt: n.Stmt) -> tuple[n.Stmt, ...]:
        """Return what a statement becomes."""
        match stmt:
            case n.If():
                return self.branch(stmt)
            case n.While():
                with self.apart(stmt):
                    return (changed(stmt, pre=self.block(stmt.pre), body=self.block(stmt.body)),)
            case n.For():
                loop = visit.rewrite_own(stmt, self.down)
                assert isinstance(loop, n.For)
                with self.apart(stmt), self.known.counting(loop):
                    return (changed(loop, body=self.block(loop.body)),)
            case n.Scope():
                with self.apart(stmt):
                    return (changed(stmt, body=self.block(stmt.body)),)
            case n.WorkItems():
                return (stmt,)
        new = visit.rewrite_own(stmt, self.down)
        if isinstance(new, n.Store):
            new = changed(new, place=self.placed(new.place))
        value = self.known.value(new.value) if isinstance(new, n.Assign) else None
        for local in visit.targets(new):
            self.known.means(local, value)
        return (new,)

    @contextmanager
    def apart(self, stmt: n.Stmt) -> Iterator[None]:
        """Forget what a statement with blocks may assign, before it and behind it."""
        changes = visit.assigned((stmt,))
        for local in changes:
            self.known.means(local, None)
        before = self.turns
        self.turns *= _TURNS if isinstance(stmt, n.For | n.While) else 1
        yield
        self.turns = before
        for local in changes:
            self.known.means(local, None)

    def branch(self, stmt: n.If) -> tuple[n.Stmt, ...]:
        """Settle a branch, or have all lanes take the same side of it."""
        new = visit.rewrite_own(stmt, self.down)
        assert isinstance(new, n.If)
        cond = _plain(self.known.value(new.cond))
        want = self.wanted(stmt, cond) if cond is not None and not self.known.level(cond) else None
        if cond is not None and want is not None and self.known.varies(cond):
            test = self.known.always(cond, want)
            if test is not None:
                self.known.test(test)
                return self.block(stmt.then if want else stmt.orelse)
        alike = self.alike(new.cond, wholly=self.guards(stmt))
        if isinstance(alike, n.Const) and alike is not new.cond:
            return self.block(stmt.then if alike.value else stmt.orelse)
        return (self.sides(changed(new, cond=alike), cond),)

    def sides(self, stmt: n.If, cond: n.Expr | None) -> n.If:
        """Rewrite both sides of a branch; behind ``if flag: flag = more`` both have to hold."""
        before = self.known.meaning
        ends: list[dict[n.Local, n.Expr]] = []
        blocks: list[n.Block] = []
        for block in (stmt.then, stmt.orelse):
            self.known.meaning = dict(before)
            blocks.append(self.block(block))
            ends.append(self.known.meaning)
        self.known.meaning = before
        for local in visit.assigned((stmt,)):
            more, less = (end.get(local) for end in ends)
            flag = cond is not None and local.type.dtype.kind == "b" \
                and cond == _plain(before.get(local))
            self.known.means(local, n.Binary(BOOL, "and", cond, more)
                             if flag and cond is not None and more is not None
                             and not stmt.orelse else None)
            if flag and cond is not None and less is not None and not stmt.then:
                self.known.means(local, n.Binary(BOOL, "or", cond, less))
        return changed(stmt, then=blocks[0], orelse=blocks[1])

    def guards(self, stmt: n.If) -> bool:
        """Say whether nearly all work happens where a condition holds."""
        return not stmt.orelse and 2 * self.turns * self.works.of(stmt.then) >= self.work

    def wanted(self, stmt: n.If, cond: n.Expr) -> bool | None:
        """Return the side of a branch that most vectors take; None if nobody knows."""
        likely = _likely(cond)
        if likely is not None and _has_equality(cond):
            return likely
        if self.guards(stmt):
            return True
        if self.bends(stmt):
            return False
        rest = 2 * self.works.of(stmt.orelse) >= self.work
        if not _does(stmt.then) and (rest or not stmt.orelse):
            return False
        if likely is False and rest:
            return False
        return True if likely and 2 * self.works.of(stmt.then) >= self.work else None

    def bends(self, stmt: n.If) -> bool:
        """Say whether a branch gives an index that goes along the lanes another value.

        So is ``if x < 0: x = n - 1``, where memory is periodic or ends.
        """
        if any(not isinstance(s, n.If) for s in stmt.orelse) or not stmt.then:
            return False
        found = False
        for inner in stmt.then:
            if not isinstance(inner, n.Assign) or inner.local.type.dtype.kind not in "iu":
                return False
            old, new = self.known.meaning.get(inner.local), self.known.value(inner.value)
            found |= old is not None and new is not None \
                and self.known.shape(old).rank == sh.LINEAR > self.known.shape(new).rank
        return found

    # ---- conditions
    def alike(self, cond: n.Expr, *, wholly: bool) -> n.Expr:
        """Return a condition whose comparisons along the lanes all lanes answer alike.

        ``wholly``: it is one that holds for nearly all work.
        """
        if isinstance(cond, n.Binary) and cond.op in ("and", "or"):
            a = self.alike(cond.a, wholly=wholly and cond.op == "and")
            b = self.alike(cond.b, wholly=wholly and cond.op == "and")
            return _simpler(changed(cond, a=a, b=b))
        if isinstance(cond, n.Cast) and cond.x.type.dtype.kind == "b" == cond.type.dtype.kind:
            inner = self.alike(cond.x, wholly=wholly)
            return n.Const(cond.type, inner.value) if isinstance(inner, n.Const) else \
                changed(cond, x=inner)
        if isinstance(cond, n.Unary) and cond.op == "not":
            inner = self.alike(cond.x, wholly=False)
            return n.Const(cond.type, not inner.value) if isinstance(inner, n.Const) else \
                changed(cond, x=inner)
        if isinstance(cond, n.Compare):
            return self.compared(cond, wholly=wholly)
        return cond

    def compared(self, x: n.Compare, *, wholly: bool) -> n.Expr:
        """Return what a comparison is for all lanes of a vector."""
        meaning = self.known.value(x)
        if not isinstance(meaning, n.Compare) or not self.known.varies(meaning):
            return x
        level = self.known.level(meaning)
        want = {"eq": False, "ne": True}.get(x.op, True if wholly else None)
        if want is not None and not level:
            test = self.known.always(meaning, want)
            if test is None:
                return x
            self.known.test(test)
            return n.Const(x.type, want)
        if self.known.turns(meaning):
            return x  # a loop is there to tell its turns apart
        yes, no = self.known.always(meaning, True), self.known.always(meaning, False)
        if yes is None or no is None:
            return x
        shared = self.known.give("alike", yes, BOOL)
        if not level:
            self.known.test(n.Binary(BOOL, "or", n.Read(BOOL, shared), no))
        return _bool(x.type, n.Read(BOOL, shared))

    # ---- expressions
    def down(self, x: n.Expr) -> n.Expr | None:
        """Return what an expression of a statement becomes; None if nothing here does."""
        return visit.rewrite_expr(x, self.settled)

    def settled(self, x: n.Expr) -> n.Expr:
        """Return what an expression becomes whose operands have become what they will."""
        if isinstance(x, n.Load):
            return changed(x, place=self.placed(x.place))
        if x.type.dtype.kind not in "iub":
            return self.chosen(x) if isinstance(x, n.Select) else x
        match x:
            case n.Call() if x.builtin.name in ("min", "max") and len(x.args) == 2:
                return self.clamped(x)
            case n.Binary(op="floordiv" | "mod"):
                return self.divided(x, x.a, x.b, x.op)
            case n.Binary(op="shr", b=n.Const(value=by)) if 0 < by < x.type.dtype.bits - 1:
                return self.divided(x, x.a, n.Const(x.type, 1 << int(by)), "floordiv")
            case n.Binary(op="and", b=n.Const(value=mask)) if x.type.dtype.kind != "b" \
                    and mask > 0 and mask & mask + 1 == 0 \
                    and mask < rg.whole(x.type.dtype).high:
                rest = self.divided(x, x.a, n.Const(x.type, int(mask) + 1), "mod")
                return bits.settled(self.known, x) if rest is x else rest
            case n.Binary(op="and" | "or" | "xor" | "shr") if x.type.dtype.kind != "b":
                return bits.settled(self.known, x)
            case n.Select():
                return self.chosen(x)
        return x

    def placed(self, place: n.Place) -> n.Place:
        """Return an element of a column as one of a row, where a step down is a step along.

        That is tested where lanes go down columns, since the rows of the range have one item.
        """
        kind = place.base.type
        if not self.columns or not isinstance(place.base, n.Param) \
                or not isinstance(kind, View) or kind.spread or len(place.index) < 2 \
                or kind.space is not address_space.global_space:
            return place
        ranks = [self.known.shape(v).rank if (v := self.known.value(x)) is not None else sh.VARYING
                 for x in place.index]
        if ranks.count(sh.LINEAR) != 1 or ranks[-1] >= sh.LINEAR or sh.VARYING in ranks:
            return place
        down = ranks.index(sh.LINEAR)
        along = place.index[-1]
        pitch = n.Pitch(_INDEX, place.base, down)
        self.known.test(n.Compare(BOOL, "eq", pitch, n.Const(_INDEX, 1)))
        index = list(place.index)
        index[-1] = n.Binary(_INDEX, "add", n.Cast(_INDEX, index[down]), n.Cast(_INDEX, along))
        index[down] = n.Const(_INDEX, 0)
        return replace(place, index=tuple(index))

    def clamped(self, x: n.Call) -> n.Expr:
        """Take the side of a minimum or maximum that goes along with the lanes."""
        meanings = [self.known.value(a) for a in x.args]
        if None in meanings:
            return x
        a, b = (m for m in meanings if m is not None)
        ranks = [self.known.shape(a).rank, self.known.shape(b).rank]
        if sh.VARYING in ranks or ranks.count(sh.LINEAR) != 1:
            return x
        first = ranks[0] == sh.LINEAR
        op = "le" if x.builtin.name == "min" else "ge"
        test = self.known.always_compared(op, *((a, b) if first else (b, a)))
        if test is None:
            return x
        self.known.test(test)
        return x.args[0] if first else x.args[1]

    def divided(self, x: n.Expr, over: n.Expr, under: n.Expr, op: str) -> n.Expr:
        """Divide once for all lanes, where they have the same quotient."""
        a, b = self.known.value(over), self.known.value(under)
        if a is None or b is None or self.known.shape(b).rank >= sh.LINEAR:
            return x
        shape = self.known.shape(a)
        if shape.rank < sh.LINEAR and self.known.turns(a):
            return x
        if shape.rank < sh.LINEAR and not self.known.turns(b):
            made = n.Binary(x.type, op, a, b)
            return n.Read(x.type, self.known.give("shared", made, x.type)) if isinstance(
                x, n.Binary) and x.op == op and not isinstance(b, n.Const) else x
        near = periodic.near(self.known, x, (over, under), (a, b)) \
            if shape.rank == sh.LINEAR and b not in self.cut else None
        if near is not None:
            return near
        span = self.known.span(a)
        far = abs(shape.stride) * self.known.ahead
        if shape.rank != sh.LINEAR or span is None or self.known.turns(b) or (
                isinstance(b, n.Const) and int(b.value) <= 2 * far):
            return x
        lowest, width = span
        quotient = self.known.give("quotient", n.Binary(x.type, "floordiv", lowest, b), x.type)
        read = n.Read(x.type, quotient)
        rest = n.Binary(x.type, "sub", lowest, n.Binary(x.type, "mul", read, b))
        self.known.test(n.Compare(BOOL, "gt", b, width))
        self.known.test(n.Compare(BOOL, "lt", rest, n.Binary(x.type, "sub", b, width)))
        if op == "floordiv":
            return read
        return n.Binary(x.type, "sub", over, n.Binary(x.type, "mul", read, under))

    def chosen(self, x: n.Select) -> n.Expr:
        """Settle a choice between two values."""
        cond = self.known.value(x.cond)
        if cond is None or not self.known.varies(cond):
            return x
        want = _likely(cond) if _has_equality(cond) else None
        if want is None and x.type.dtype.kind in "iu":
            linear = [self.known.goes_along(side) for side in (x.a, x.b)]
            want = linear[0] if linear[0] != linear[1] else None
        if want is not None:
            test = self.known.always(cond, want)
            if test is not None:
                self.known.test(test)
                return x.a if want else x.b
        return changed(x, cond=self.alike(x.cond, wholly=False))

    # ---- what is known before a vector


def _plain(x: n.Expr | None) -> n.Expr | None:
    """Return a bool without conversions from bool to bool."""
    while isinstance(x, n.Cast) and x.x.type.dtype.kind == "b":
        x = x.x
    return x


def _bool(type: Scalar, x: n.Expr) -> n.Expr:
    return x if x.type == type else n.Cast(type, x)


def _simpler(x: n.Binary) -> n.Expr:
    """Return an ``and`` or ``or`` of bools without constants."""
    for side, other in ((x.a, x.b), (x.b, x.a)):
        if isinstance(side, n.Const):
            return _bool(x.type, other) if bool(side.value) == (x.op == "and") else \
                n.Const(x.type, side.value)
    return x


def _likely(cond: n.Expr) -> bool | None:
    """Return what a condition mostly is, by the look of it."""
    match cond:
        case n.Compare(a=n.Binary(op="mod", b=n.Const(value=by))) if 0 < by <= _TURNS:
            return None  # every few of them
        case n.Compare():
            return {"eq": False, "ne": True}.get(cond.op)
        case n.Cast():
            return _likely(cond.x)
        case n.Unary(op="not"):
            inner = _likely(cond.x)
            return None if inner is None else not inner
        case n.Binary(op="and" | "or"):
            usual = cond.op == "and"
            return (not usual) if (not usual) in (_likely(cond.a), _likely(cond.b)) else usual
    return None


def _has_equality(cond: n.Expr) -> bool:
    return any(isinstance(x, n.Compare) and x.op in ("eq", "ne") for x in visit.walk(cond))


def _does(block: n.Block) -> bool:
    """Say whether a block does more than leave."""
    return any(not isinstance(s, n.Leave | n.Break | n.Continue) for s in block)


_TURNS = 8


class _Work:
    """Says roughly how much blocks compute and move; remembers it, as branches ask for each side.

    Blocks are known by identity, and kept, so that an id stays its block's.
    """

    def __init__(self) -> None:
        self.known: dict[int, tuple[n.Block, int]] = {}

    def of(self, block: n.Block) -> int:
        """Return the work of a block."""
        found = self.known.get(id(block))
        if found is None:
            found = self.known[id(block)] = block, self._count(block)
        return found[1]

    def _count(self, block: n.Block) -> int:
        total = 0
        for stmt in block:
            for x in visit.expressions(stmt):
                total += sum(1 for e in visit.walk(x) if isinstance(e, n.Load | n.Call)
                             or (isinstance(e, n.Binary) and e.type.dtype.is_float))
            total += 2 * isinstance(stmt, n.Store | n.StoreMany | n.LoadMany | n.Atomic)
            turns = _TURNS if isinstance(stmt, n.For | n.While) else 1
            total += turns * sum(map(self.of, visit.blocks(stmt)))
        return total
