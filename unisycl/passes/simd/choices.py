"""Choices among many numbers by one integer become loads: a tuple that is indexed at run time.

The front end compares the index with one number after the other, which for a vector takes longer
than a load from eight or so on. Constants become a table, numbers passed by value are read from
where the arguments lie. Non-goals: choices by other conditions, C text. Invariant: every index,
whatever it is, gives the number that the comparisons gave.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import access_mode, address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.constant_tables import Table, holding
from unisycl.ir.types import BOOL, INT64, Scalar, View

_FEW = 8  # so many choices of two at least
_MOST = 4096  # so many numbers at most
_WORK = 100_000
_TURNS = 64  # a loop of so many turns is unrolled,
_EXPRESSIONS = 2500  # if that makes so many expressions at most
_SLOT = 8  # bytes from one number that is passed by value to the next
_INDEX = Scalar(dtypes.INT64, weak=True)
_INT32 = Scalar(dtypes.INT32)
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge}


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with loads in place of long choices; itself if it has none."""
    if not any(isinstance(x, n.Select) for x in visit.all_expressions(kernel.body)):
        return kernel
    found = _Loads(kernel)
    body = found.block(kernel.body)
    return replace(kernel, body=body) if found.made else kernel


class _Loads(visit.Rewriter):
    """Rewrites blocks; ``made`` are the loads."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.params = kernel.params
        self.made: set[n.Load] = set()

    def statement(self, stmt: n.Stmt) -> tuple[n.Stmt]:
        """Return a statement with its choices made loads, a short loop over them unrolled."""
        made = self.inside(visit.rewrite_own(stmt, self.load))
        if made is not stmt and isinstance(made, n.For) and _is_short(made) \
                and "unroll" not in dict(made.controls) and self.follows(made):
            return (replace(made, controls=(*made.controls, ("unroll", 0))),)
        return (made,)

    def follows(self, loop: n.For) -> bool:
        """Say whether a loop's counter decides what one of the loads in it reads."""
        known = {loop.local}
        for stmt in visit.statements(loop.body):
            every = [e for x in visit.expressions(stmt) for e in visit.walk(x)]
            if any(x in self.made and _reads(x, known) for x in every if isinstance(x, n.Load)):
                return True
            if isinstance(stmt, n.Assign) and _reads(stmt.value, known):
                known.add(stmt.local)
        return False

    def load(self, x: n.Expr) -> n.Expr | None:
        """Return the load that gives what a choice gives; None if there is none."""
        choice = _choice(x) if isinstance(x, n.Select) else None
        if choice is None:
            return None
        made = _from_table(choice) or self.from_arguments(choice)
        if made is not None:
            self.made.update(y for y in visit.walk(made) if isinstance(y, n.Load))
        return made

    def from_arguments(self, choice: _Choice) -> n.Expr | None:
        """Return a load of one of the numbers that are passed by value."""
        read = [x.param for x in choice.values if isinstance(x, n.ParamRead)]
        type = choice.type
        if len(read) < len(choice.values) or any(p.type != type for p in read):
            return None
        first, last = (pick(read, key=lambda p: p.index) for pick in (min, max))
        between = self.params[first.index:last.index + 1]
        if any(p.index != first.index + k or not isinstance(p.type, Scalar) or p.type.size > _SLOT
               for k, p in enumerate(between)):
            return None
        stored = type
        if type.dtype.bits < 32:
            if type.dtype.is_float:
                return None
            stored = _INT32
        numbers = [p.index - first.index for p in read]
        at = choice.at
        if numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            at = _read(numbers, _INT32, at)
        else:
            first = read[0]
        at = n.Cast(INT64, at) if at.type != INT64 else at
        return _as(type, n.Load(stored, n.Place(first, (), stored, inner=((at, _SLOT),))))


def _reads(x: n.Expr, locals: set[n.Local]) -> bool:
    return any(isinstance(e, n.Read) and e.local in locals for e in visit.walk(x))


def _is_short(loop: n.For) -> bool:
    """Say whether all turns of a loop, and of those in it, are little enough code."""
    turns = _turns(loop)
    return 0 < turns <= _TURNS and turns * _size(loop.body) <= _EXPRESSIONS


def _size(block: n.Block) -> int:
    """Return how many expressions a block is once the loops in it are unrolled."""
    total = 0
    for stmt in block:
        if isinstance(stmt, n.While):
            return _EXPRESSIONS + 1
        turns = _turns(stmt) if isinstance(stmt, n.For) else 1
        total += sum(1 for x in visit.expressions(stmt) for _ in visit.walk(x))
        total += (turns or _EXPRESSIONS + 1) * sum(map(_size, visit.blocks(stmt)))
    return total


def _turns(loop: n.For) -> int:
    """Return how many turns a loop takes; 0 if that is not known."""
    return len(visit.fixed_turns(loop) or ())


@dataclass(slots=True)
class _Choice:
    """What a choice gives: the value at each position, and the expression of the position."""

    type: Scalar
    values: list[n.Expr]
    at: n.Expr


def _choice(x: n.Select) -> _Choice | None:
    """Return a choice as a list of values; None if it is short or not by one integer."""
    assert isinstance(x.type, Scalar)
    tree = _Tree()
    if x.type.dtype.made or x.type.dtype.kind not in "iuf" or not tree.read(x) \
            or tree.count < _FEW or tree.index is None:
        return None
    low, high = min(tree.edges), max(tree.edges)
    if high - low >= _MOST:
        return None
    # All below low give one value, and so do all above high.
    keys = range(low - 1, high + 2)
    values: dict[int, n.Expr] = {}
    if not tree.spread(x, keys, values):
        return None
    index = tree.index
    kept = [values[k] for k in range(low, high + 1)]
    ends = [_end(kept, values[k]) for k in (low - 1, high + 1)]
    at = n.Cast(_INDEX, index) if index.type != _INDEX else index
    moved = at if not low else n.Binary(_INDEX, "sub", at, n.Const(_INDEX, low))
    for op, edge, end in (("lt", low, ends[0]), ("gt", high, ends[1])):
        beyond = n.Compare(BOOL, op, at, n.Const(_INDEX, edge))
        moved = n.Select(_INDEX, beyond, n.Const(_INDEX, end), moved)
    return _Choice(x.type, kept, moved)


def _end(kept: list[n.Expr], value: n.Expr) -> int:
    """Return where a value stands in a list, which it is added to if it does not."""
    found = next((k for k, x in enumerate(kept) if x is value), len(kept))
    if found == len(kept):
        kept.append(value)
    return found


class _Tree:
    """Reads the comparisons of a choice: their number, their one index, where they change."""

    def __init__(self) -> None:
        self.count = 0
        self.work = 0
        self.index: n.Expr | None = None
        self.edges: set[int] = set()

    def read(self, x: n.Expr) -> bool:
        """Say whether a value is a choice by one integer, or a number."""
        while isinstance(x, n.Select):
            self.count += 1
            if self.count > _MOST or not self.condition(x.cond) or not self.read(x.a):
                return False
            x = x.b
        return isinstance(x, n.Const | n.ParamRead) and isinstance(x.type, Scalar)

    def condition(self, x: n.Expr) -> bool:
        """Say whether a condition compares the index with constants."""
        if isinstance(x, n.Cast):
            return x.type.dtype.kind == "b" and self.condition(x.x)
        if isinstance(x, n.Binary) and x.op in ("or", "and") and x.type.dtype.kind == "b":
            return self.condition(x.a) and self.condition(x.b)
        if not isinstance(x, n.Compare) or not isinstance(x.b, n.Const) \
                or x.op not in _COMPARED:
            return False
        kind = x.a.type.dtype
        if kind.kind != "i" or isinstance(x.b.value, bool | float) or (
                self.index is not None and x.a != self.index):
            return False
        self.index = x.a
        self.edges.add(x.b.value)
        return True

    def spread(self, x: n.Expr, keys: Sequence[int], values: dict[int, n.Expr]) -> bool:
        """Note which value each index gives; False where that takes too long."""
        while isinstance(x, n.Select):
            self.work += len(keys)
            if self.work > _WORK:
                return False
            yes = [k for k in keys if _holds(x.cond, k)]
            chosen = set(yes)
            if yes and not self.spread(x.a, yes, values):
                return False
            x, keys = x.b, [k for k in keys if k not in chosen]
        for k in keys:
            values[k] = x
        return True


def _holds(x: n.Expr, k: int) -> bool:
    """Say whether a condition is true of an index."""
    if isinstance(x, n.Cast):
        return _holds(x.x, k)
    if isinstance(x, n.Binary):
        a, b = _holds(x.a, k), _holds(x.b, k)
        return a or b if x.op == "or" else a and b
    assert isinstance(x, n.Compare)
    assert isinstance(x.b, n.Const)
    return _COMPARED[x.op](k, x.b.value)


def _from_table(choice: _Choice) -> n.Expr | None:
    """Return a load from a table of constants."""
    numbers = [x.value for x in choice.values if isinstance(x, n.Const)]
    if len(numbers) < len(choice.values) or any(x.type != choice.type for x in choice.values):
        return None
    stored, kind = holding(choice.type, numbers), choice.type.dtype
    if kind.bits < 32:  # no processor gathers these
        stored = Scalar(dtypes.FLOAT32) if kind.is_float else _INT32
    return _as(choice.type, _read(numbers, stored, choice.at))


def _read(numbers: Sequence[int | float], stored: Scalar, at: n.Expr) -> n.Expr:
    view = View(stored, 1, address_space.constant_space, access_mode.read)
    table = Table("table", view, (len(numbers),), values=tuple(numbers))
    return n.Load(stored, n.Place(table, (n.Cast(INT64, at),), stored))


def _as(type: Scalar, x: n.Expr) -> n.Expr:
    return x if x.type == type else n.Cast(type, x)
