"""Loops whose step is known at run time only: counted upwards, or by the number of their turns.

A step that is never negative, by its type or by what it is made of, keeps the loop as it is. One
that is never positive counts upwards, from ``~start`` to ``~stop``, and its counter is ``~`` of
that: no integer passes the ends of 64 bits so. Any other gives a loop over its turns, whose number
is known before it begins. Non-goals: steps that are constants; counters near the ends of 64 bits
(``overflows`` says which loops may get there, and backends heed it). Invariants: behind this pass a
step that is no constant is positive wherever the loop takes a turn; a step of 0 takes none.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT32, INT64, UINT64
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, WEAK_INT, Scalar

_U64 = Scalar(UINT64)
_MOST = (1 << 63) - 1
_IDS = 48
"""The bits of any id, range or extent there can be: addresses have no more."""
_ROOM = 61
"""The bits of numbers whose sum with another such one is far from the ends."""
_RANGES = frozenset((
    "global_range", "local_range", "group_range", "logical_range", "sub_group_local_range",
    "sub_group_max_local_range", "sub_group_group_range"))


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with its loops over run-time steps in one of the two forms."""
    if not any(isinstance(s, n.For) and (not isinstance(s.step, n.Const) or overflows(s))
               for s in visit.statements(kernel.body)):
        return kernel
    return replace(kernel, body=_Stepper(rising(kernel.body)).block(kernel.body))


def overflows(stmt: n.For) -> bool:
    """Say whether a counter may step beyond what 64 bits hold when the loop ends.

    One that was made narrower, because all it steps to fits (``clike.positions``), may not.
    """
    if stmt.local.type.dtype is INT32:
        return False
    if isinstance(stmt.step, n.Const) and abs(stmt.step.value) == 1:
        return False
    return max(_bits(stmt.stop), _bits(stmt.step)) > _ROOM


def _bits(x: n.Expr) -> int:
    """Return how many bits hold the magnitude of an integer, whatever it is at run time."""
    match x:
        case n.Const():
            return int(x.value).bit_length()
        case n.Query() | n.Extent() | n.Pitch():
            return _IDS
        case n.Narrow():
            return 31
        case n.Cast() if x.x.type.dtype.kind in "iub":
            return min(x.x.type.dtype.bits, _bits(x.x))
        case n.Binary() if x.op in ("add", "sub"):
            return max(_bits(x.a), _bits(x.b)) + 1
        case n.Binary() if x.op == "mul":
            return _bits(x.a) + _bits(x.b)
        case n.Binary() if x.op in ("floordiv", "shr") and isinstance(x.b, n.Const):
            return _bits(x.a) + 1
        case n.Call() if x.builtin.name == "min":
            return max(map(_bits, x.args))
    return 64


def rising(body: n.Block) -> set[n.Local]:
    """Return the locals that only ever get numbers that are not negative."""
    return only_ever(body, _lowest, never_negative)


def only_ever(body: n.Block, counter: Callable[[n.For], n.Expr | None],
              holds: Callable[[n.Expr, set[n.Local]], bool]) -> set[n.Local]:
    """Return the locals that only ever get numbers of which something holds.

    Args:
        body: the body of a kernel.
        counter: what the counter of a loop is bounded by; None if that is not known.
        holds: says whether it holds of a number, if it does of these locals.
    """
    given: dict[n.Local, list[n.Expr | None]] = {}
    for stmt in visit.statements(body):
        if isinstance(stmt, n.Assign):
            given.setdefault(stmt.local, []).append(stmt.value)
            continue
        if isinstance(stmt, n.For):
            given.setdefault(stmt.local, []).append(counter(stmt))
            continue
        for local in visit.targets(stmt):
            given.setdefault(local, []).append(None)
    found = {local for local, values in given.items() if None not in values}
    readers: dict[n.Local, list[n.Local]] = {}
    for local in found:
        for x in visit.walk_all([x for x in given[local] if x is not None]):
            if isinstance(x, n.Read):
                readers.setdefault(x.local, []).append(local)
    todo = set(found)
    while todo:  # again only for those that read one of which it does not hold
        local = todo.pop()
        if not all(x is not None and holds(x, found) for x in given[local]):
            found.discard(local)
            todo.update(found.intersection(readers.get(local, ())))
    return found


def _lowest(stmt: n.For) -> n.Expr | None:
    """Return what the counter of a loop is never below; None if that is not known."""
    if not isinstance(stmt.step, n.Const):
        if never_negative(stmt.step, set()):
            return stmt.start
        if not falls(stmt.step, set()):
            return None
        return n.Binary(stmt.stop.type, "add", stmt.stop, n.Const(stmt.stop.type, 1))
    return stmt.start if stmt.step.value > 0 else n.Binary(
        stmt.stop.type, "add", stmt.stop, n.Const(stmt.stop.type, 1))


def never_negative(x: n.Expr, rising: set[n.Local]) -> bool:
    """Say whether an integer is at least 0, ``rising`` being the locals that are."""
    def known(*xs: n.Expr) -> bool:
        return all(never_negative(e, rising) for e in xs)

    match x:
        case n.Const():
            return not isinstance(x.value, complex) and x.value >= 0
        case n.Binary(op="add", a=n.Const(value=-1), b=n.Const(value=1)):
            return True
        case n.Query() | n.Extent() | n.Pitch():
            return True
        case n.Read():
            return x.local in rising or x.type.dtype.kind in "bu"
        case n.Cast() | n.Narrow():
            inner = x.x.type.dtype
            if not inner.is_integer and inner.kind != "b":
                return False
            if inner.kind in "ub":
                return inner.bits < x.type.dtype.bits or x.type.dtype.kind == "u"
            return known(x.x) and inner.bits <= x.type.dtype.bits
        case n.Select():
            return known(x.a, x.b)
        case n.Binary() if x.op in ("add", "mul", "floordiv", "mod", "shl", "shr", "and", "or"):
            if x.op == "mod":
                return known(x.b)
            return x.type.dtype.kind != "f" and known(x.a, x.b) and not _wraps(x)
        case n.Call() if x.builtin.name == "max":
            return any(never_negative(e, rising) for e in x.args)
        case n.Call() if x.builtin.name == "min":
            return known(*x.args)
    return x.type.dtype.kind == "u"


def falls(x: n.Expr, rising: set[n.Local]) -> bool:
    """Say whether a step is what another number is made negative, and that is never so itself."""
    return isinstance(x, n.Unary) and x.op == "neg" and x.type == WEAK_INT \
        and never_negative(x.x, rising)


def _wraps(x: n.Binary) -> bool:
    """Say whether a result of operands that are not negative may be: beyond what its type holds."""
    if x.type.weak or x.type.dtype.kind == "u" or x.op not in ("add", "mul", "shl"):
        return False
    return _bits(x) >= x.type.dtype.bits


def _is_positive(x: n.Expr) -> bool:
    """Say whether a step that is not negative is not 0 either."""
    match x:
        case n.Const():
            return bool(x.value > 0)
        case n.Query():
            return x.name in _RANGES
        case n.Cast() | n.Narrow():
            return _is_positive(x.x)
        case n.Binary() if x.op == "mul":
            return _is_positive(x.a) and _is_positive(x.b)
        case n.Binary() if x.op == "add":
            return _is_positive(x.a) or _is_positive(x.b)
        case n.Call() if x.builtin.name == "max":
            return any(map(_is_positive, x.args))
        case n.Call() if x.builtin.name == "min":
            return all(map(_is_positive, x.args))
    return False


class _Stepper(visit.Rewriter):
    """Rewrites the loops of a body."""

    def __init__(self, rising: set[n.Local]) -> None:
        self.rising = rising

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """Return what stands for a statement."""
        inner = self.inside(stmt)
        return self.loop(inner) if isinstance(inner, n.For) else [inner]

    def loop(self, stmt: n.For) -> list[n.Stmt]:
        if falls(stmt.step, self.rising):
            return self.loop(_turned(stmt))
        upward = never_negative(stmt.step, self.rising)
        stmt = replace(stmt, rising=upward and never_negative(stmt.start, self.rising))
        if isinstance(stmt.step, n.Const):
            return [stmt]
        if not upward:
            return _by_turns(stmt)
        if _is_positive(stmt.step):
            return [stmt]
        before, (start, step) = _held(stmt.start, stmt.step)
        moves = n.Compare(BOOL, "gt", step, n.Const(WEAK_INT, 0))
        stop = n.Select(WEAK_INT, moves, stmt.stop, start)
        return [*before, replace(stmt, start=start, stop=stop, step=step)]


def _held(*values: n.Expr) -> tuple[list[n.Stmt], list[n.Expr]]:
    """Return assignments of integers to locals, and reads of those."""
    locals = [n.Local("t", x.type) for x in values]
    return ([n.Assign(local, x) for local, x in zip(locals, values, strict=True)],
            [n.Read(x.type, x) for x in locals])


def _turned(stmt: n.For) -> n.For:
    """Return a loop that counts upwards to ``~stop`` for one that counts down to ``stop``."""
    assert isinstance(stmt.step, n.Unary)

    def mirrored(x: n.Expr) -> n.Expr:
        return n.Binary(WEAK_INT, "sub", n.Const(WEAK_INT, -1), x)

    up = n.Local("up", WEAK_INT)
    body = (n.Assign(stmt.local, mirrored(n.Read(WEAK_INT, up))), *stmt.body)
    return replace(stmt, local=up, start=mirrored(stmt.start), stop=mirrored(stmt.stop),
                   step=stmt.step.x, body=body)


def _by_turns(stmt: n.For) -> list[n.Stmt]:
    """Return a loop over its turns: ``start + turn * step``, for a step of either sign."""
    before, (start, stop, step) = _held(stmt.start, stmt.stop, stmt.step)
    zero, none, one = n.Const(WEAK_INT, 0), n.Const(_U64, 0), n.Const(_U64, 1)

    def compared(op: str, a: n.Expr, b: n.Expr) -> n.Expr:
        return n.Compare(BOOL, op, a, b)

    def distance(a: n.Expr, b: n.Expr) -> n.Expr:
        return n.Binary(_U64, "sub", n.Cast(_U64, a), n.Cast(_U64, b))

    up, down = compared("gt", step, zero), compared("lt", step, zero)
    far: n.Expr = n.Select(
        _U64, n.Binary(BOOL, "and", up, compared("lt", start, stop)), distance(stop, start),
        n.Select(_U64, n.Binary(BOOL, "and", down, compared("gt", start, stop)),
                 distance(start, stop), none))
    size: n.Expr = n.Select(_U64, up, n.Cast(_U64, step), n.Select(
        _U64, down, distance(zero, step), one))
    more, (far, size) = _held(far, size)
    most = n.Const(_U64, _MOST)
    turns: n.Expr = n.Binary(_U64, "floordiv", n.Binary(_U64, "sub", far, one), size)
    turns = n.Select(_U64, compared("lt", turns, most), n.Binary(_U64, "add", turns, one), most)
    count: n.Expr = n.Select(_U64, compared("eq", far, none), none, turns)
    turn = n.Local("turn", WEAK_INT)
    value = n.Binary(WEAK_INT, "add", start,
                     n.Binary(WEAK_INT, "mul", n.Read(WEAK_INT, turn), step))
    last, (count,) = _held(n.Cast(WEAK_INT, count))
    body = (n.Assign(stmt.local, value), *stmt.body)
    return [*before, *more, *last, replace(
        stmt, local=turn, start=zero, stop=count, step=n.Const(WEAK_INT, 1), body=body,
        rising=True)]


assert WEAK_INT.dtype is INT64
