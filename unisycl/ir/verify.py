"""Say where IR is not what the rest of the compiler takes it for.

Checked are types of operands, that locals get values of their type and are read where something
may have given them one, what parameters, arrays and scopes there are, and where groups may meet.
Non-goals: what a kernel computes; passes' own promises. Invariant: sound IR is left alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from unisycl.base.dtypes import DType
from unisycl.base.enums import memory_scope
from unisycl.base.errors import InternalError, errc
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.constant_tables import Table
from unisycl.ir.types import ImageView, Scalar, View

_UNARY = frozenset(("neg", "invert", "not"))
_BINARY = frozenset(("add", "sub", "mul", "div", "floordiv", "mod", "and", "or", "xor", "shl",
                     "shr"))
_COMPARE = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_QUERIES = frozenset(("global_id", "local_id", "group_id", "global_range", "local_range",
                      "group_range", "offset", "logical_id", "logical_range",
                      "max_local_range"))
_SUB_GROUP = frozenset(("sub_group_id", "sub_group_local_id", "sub_group_local_range",
                        "sub_group_max_local_range", "sub_group_group_range"))
_ATOMIC = {"load": 0, "compare_exchange": 2, **dict.fromkeys(
    ("store", "exchange", "add", "sub", "and", "or", "xor", "min", "max"), 1)}
_VOTES = frozenset(("any", "all", "none"))
_KEEPING = frozenset(("broadcast", "reduce", "inclusive_scan", "exclusive_scan", "shift_left",
                      "shift_right", "permute_xor", "select"))
_GROUP_CALLS = _VOTES | _KEEPING | {"ballot", "match"}


class Broken(Exception):
    """What is wrong with a statement or an expression."""


def verify(kernel: n.Kernel, after: str, given: Iterable[n.Local] = ()) -> None:
    """Raise ``InternalError`` that names who made it if a kernel's IR is broken.

    Args:
        kernel: a kernel.
        after: who made it, as in "the pass 'narrow'".
        given: locals that have a value at its start.
    """
    check = _Check(kernel)
    at: n.Stmt | None = None
    try:
        check.reducers()
        check.known.update(given)
        for at in check.statements(kernel.body):
            check.statement(at)
    except Broken as wrong:
        line = f", line {at.span.line}" if at is not None and at.span is not None else ""
        raise InternalError(errc.runtime, f"{after} left broken code of kernel '{kernel.name}'"
                            f"{line}: {wrong}; please report it") from None


def _need(holds: bool, wrong: str) -> None:
    if not holds:
        raise Broken(wrong)


def _same(what: str, found: Scalar, wanted: DType) -> None:
    if found.dtype is not wanted:
        raise Broken(f"{what} is {found.dtype}, expected {wanted}")


def _integer(what: str, x: n.Expr) -> None:
    if not x.type.dtype.is_integer:
        raise Broken(f"{what} is {x.type.dtype}, expected an integer")


def _bool(what: str, x: n.Expr) -> None:
    if x.type.dtype.kind != "b":
        raise Broken(f"{what} is {x.type.dtype}, expected bool")


class _Check:
    """Walks one kernel; ``known`` are the locals that something before or around may assign."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.kernel = kernel
        self.known: set[n.Local] = set()
        self.params = set(kernel.params)
        self.arrays = set(kernel.arrays)
        self.numbers: set[int] = set()
        self.loop = False
        self.scopes: frozenset[int] = frozenset((0,))
        self.items = False

    def reducers(self) -> None:
        """Check what joins reductions, and take in what they give the body."""
        for r in self.kernel.reducers:
            self.arrays.update(x for x in (r.cells, r.filled) if x is not None)
            self.known = {*r.left, *r.right}
            for stmt in self.statements(r.combine):
                self.statement(stmt)
            _need(visit.assigned(r.combine) | set(r.left) | set(r.right) >= set(r.result),
                  "a reduction's combination gives no result")
            self.known = set()
        for r in self.kernel.reducers:
            self.known.update(x for x in (r.acc, r.valid) if x is not None)

    # ---- statements
    def statements(self, block: n.Block) -> Iterator[n.Stmt]:
        """Yield every statement in order, with what lies around it noted."""
        around = (self.loop, self.scopes, self.items)
        todo = [(iter(block), around)]  # not recursive: chains of elif nest deeply
        while todo:
            rest, around = todo[-1]
            stmt = next(rest, None)
            if stmt is None:
                todo.pop()
                continue
            self.loop, self.scopes, self.items = around
            yield stmt
            inside = self.inside(stmt, around)
            todo += [(iter(b), inside) for b in reversed(list(visit.blocks(stmt))) if b]

    def inside(self, stmt: n.Stmt, around: tuple[bool, frozenset[int], bool]
               ) -> tuple[bool, frozenset[int], bool]:
        """Return what lies around the statements in a statement's blocks."""
        loop, scopes, items = around
        match stmt:
            case n.For() | n.While():
                return True, scopes, items
            case n.Scope():
                return loop, scopes | {stmt.number}, items
            case n.WorkItems():
                return False, frozenset(), True
        return around

    def statement(self, stmt: n.Stmt) -> None:
        """Check a statement without its blocks, and note what it assigns."""
        if isinstance(stmt, n.While | n.For):  # a later turn may read what an earlier one assigns
            if isinstance(stmt, n.For):
                self.own(stmt)
            self.known |= visit.assigned((stmt,))
        if not isinstance(stmt, n.For):
            self.own(stmt)
        rule = _STATEMENTS.get(type(stmt))
        if rule is not None:
            rule(self, stmt)
        self.known.update(visit.targets(stmt))

    def own(self, stmt: n.Stmt) -> None:
        """Check the expressions and places of a statement."""
        place = getattr(stmt, "place", None)
        if isinstance(place, n.Place):
            self.place(place)
        for x in visit.expressions(stmt):
            self.expression(x)

    def _assign(self, stmt: n.Assign) -> None:
        _same(f"the value of '{stmt.local.name}'", stmt.value.type, stmt.local.type.dtype)

    def _store(self, stmt: n.Store) -> None:
        _same("a stored value", stmt.value.type, stmt.place.type.dtype)

    def _load_many(self, stmt: n.LoadMany) -> None:
        for x in stmt.results:
            _same(f"what '{x.name}' is given from memory", stmt.place.type, x.type.dtype)

    def _store_many(self, stmt: n.StoreMany) -> None:
        for x in stmt.values:
            _same("a stored value", x.type, stmt.place.type.dtype)

    def _image(self, stmt: n.ImageRead | n.ImageWrite) -> None:
        image = stmt.image.type
        _need(stmt.image in self.params and isinstance(image, ImageView),
              f"'{stmt.image.name}' is no image of the kernel")
        assert isinstance(image, ImageView)
        colour = stmt.results if isinstance(stmt, n.ImageRead) else stmt.values
        _need(len(colour) == 4, f"a colour of {len(colour)} numbers")
        for x in colour:
            _same("a part of a colour", x.type, image.color.dtype)

    def _atomic(self, stmt: n.Atomic) -> None:
        _need(_ATOMIC.get(stmt.op) == len(stmt.operands),
              f"atomic '{stmt.op}' of {len(stmt.operands)} operands")
        wanted = stmt.place.type.dtype
        for x in stmt.operands:
            _same(f"an operand of atomic '{stmt.op}'", x.type, wanted)
        if stmt.result is not None:
            _same(f"the result of atomic '{stmt.op}'", stmt.result.type, wanted)

    def _condition(self, stmt: n.If | n.While | n.Check) -> None:
        _bool("a condition", stmt.cond)

    def _for(self, stmt: n.For) -> None:
        wanted = stmt.local.type
        _need(wanted.dtype.is_integer, f"a loop counts in {wanted.dtype}")
        for what in ("start", "stop", "step"):
            _same(f"the {what} of a loop", getattr(stmt, what).type, wanted.dtype)
        _need(not isinstance(stmt.step, n.Const) or stmt.step.value != 0, "a loop's step is 0")

    def _jump(self, stmt: n.Break | n.Continue) -> None:
        _need(self.loop, f"{type(stmt).__name__} outside a loop")

    def _scope(self, stmt: n.Scope) -> None:
        _need(stmt.number not in self.numbers, f"there are two scopes {stmt.number}")
        self.numbers.add(stmt.number)

    def _leave(self, stmt: n.Leave) -> None:
        _need(stmt.number in self.scopes, f"Leave of scope {stmt.number} outside it")

    def _meeting(self, stmt: n.Barrier | n.GroupCall | n.Agree) -> None:
        kind = self.kernel.index_kind
        what = f"{type(stmt).__name__} of a {stmt.scope.name}"
        _need(stmt.scope in (memory_scope.work_group, memory_scope.sub_group), what)
        _need(kind in ("nd_range", "work_group"), f"{what} in a kernel of kind '{kind}'")
        _need(not self.items, f"{what} inside a loop over work-items")
        if not isinstance(stmt, n.GroupCall):
            return
        _need(stmt.op in _GROUP_CALLS, f"there is no group function '{stmt.op}'")
        if stmt.op in _VOTES:
            _bool(f"the operand of '{stmt.op}'", stmt.args[0])
            _need(stmt.result.type.dtype.kind == "b", f"'{stmt.op}' gives bool")
        if stmt.op in _KEEPING:
            _same(f"the result of '{stmt.op}'", stmt.result.type, stmt.args[0].type.dtype)

    def _items(self, stmt: n.WorkItems) -> None:
        _need(self.kernel.index_kind == "work_group" and not self.items,
              "a loop over work-items that is not at the level of groups")

    # ---- expressions
    def expression(self, x: n.Expr) -> None:
        """Check an expression and all below it."""
        for child in visit.expressions(x):
            self.expression(child)
        rule = _EXPRESSIONS.get(type(x))
        if rule is not None:
            rule(self, x)

    def _const(self, x: n.Const) -> None:
        kind, value = x.type.dtype.kind, x.value
        if kind == "b":
            _need(isinstance(value, bool), f"{value!r} as bool")
        elif kind in "iu":
            bits = x.type.dtype.bits
            low, high = (-(1 << bits - 1), 1 << bits - 1) if kind == "i" else (0, 1 << bits)
            _need(isinstance(value, int) and low <= value < high,
                  f"{value!r} as {x.type.dtype}")
        else:
            _need(isinstance(value, int | float | complex), f"{value!r} as {x.type.dtype}")

    def _read(self, x: n.Read) -> None:
        _same(f"a reading of '{x.local.name}'", x.type, x.local.type.dtype)
        _need(x.local in self.known, f"'{x.local.name}' is read where nothing has assigned it")

    def _param_read(self, x: n.ParamRead) -> None:
        _need(x.param in self.params, f"the kernel has no parameter '{x.param.name}'")
        kind = x.param.type
        assert isinstance(kind, Scalar)
        _same(f"parameter '{x.param.name}'", x.type, kind.dtype)

    def _query(self, x: n.Query) -> None:
        _integer(f"'{x.name}'", x)
        known = x.name in _SUB_GROUP and x.dim == 0
        _need(known or (x.name in _QUERIES and 0 <= x.dim < self.kernel.ndim),
              f"there is no '{x.name}' of dimension {x.dim}")

    def _unary(self, x: n.Unary) -> None:
        _need(x.op in _UNARY, f"there is no operation '{x.op}'")
        _same(f"the operand of '{x.op}'", x.x.type, x.type.dtype)

    def _binary(self, x: n.Binary) -> None:
        _need(x.op in _BINARY, f"there is no operation '{x.op}'")
        _same(f"the left operand of '{x.op}'", x.a.type, x.type.dtype)
        _same(f"the right operand of '{x.op}'", x.b.type, x.type.dtype)

    def _compare(self, x: n.Compare) -> None:
        _need(x.op in _COMPARE, f"there is no comparison '{x.op}'")
        _bool(f"the result of '{x.op}'", x)
        _same(f"the right operand of '{x.op}'", x.b.type, x.a.type.dtype)

    def _select(self, x: n.Select) -> None:
        _bool("the condition of a choice", x.cond)
        _same("the first of two values", x.a.type, x.type.dtype)
        _same("the second of two values", x.b.type, x.type.dtype)

    def _narrow(self, x: n.Narrow) -> None:
        _integer("a narrowed number", x.x)
        _integer("a narrowed number", x)
        _need(x.type.dtype.bits <= x.x.type.dtype.bits,
              f"{x.x.type.dtype} narrowed to {x.type.dtype}")

    def _bitcast(self, x: n.Bitcast) -> None:
        _need(x.type.size == x.x.type.size, f"bits of {x.x.type.dtype} as {x.type.dtype}")

    def _complex(self, x: n.Complex) -> None:
        _need(x.type.dtype.kind == "c", f"a complex number of type {x.type.dtype}")
        for part in (x.re, x.im):
            _same("a part of a complex number", part.type, x.type.dtype.part)

    def _part(self, x: n.Part) -> None:
        _need(x.x.type.dtype.kind == "c", f"a part of {x.x.type.dtype}")
        _same("a part of a complex number", x.type, x.x.type.dtype.part)

    def _call(self, x: n.Call) -> None:
        row = x.builtin
        _need(len(x.args) == row.arity, f"'{row.name}' of {len(x.args)} operands")
        shared = {a.type.dtype for a, letter in zip(x.args, row.operands, strict=True)
                  if letter in "fin"}
        _need(len(shared) < 2, f"operands of '{row.name}' of several types")
        for a, letter in zip(x.args, row.operands, strict=True):
            kinds = _LETTERS.get(letter, "biuf")
            _need(a.type.dtype.kind in kinds, f"'{row.name}' of {a.type.dtype}")

    def _load(self, x: n.Load | n.Address) -> None:
        self.place(x.place)
        if isinstance(x, n.Load):
            _same("a loaded value", x.type, x.place.type.dtype)

    def place(self, place: n.Place) -> None:
        """Check a place, not the expressions in it."""
        base = place.base
        self.base(base)
        ndim = 0 if isinstance(base, n.Heap) or not isinstance(base.type, View) else base.type.ndim
        _need(len(place.index) == ndim, f"{len(place.index)} indices of '{base.name}', which has "
              f"{ndim} dimensions")
        for x in place.index:
            _integer(f"an index of '{base.name}'", x)
        for x, _ in place.inner:
            _integer(f"a position in '{base.name}'", x)

    def base(self, base: n.Base) -> None:
        """Check that the kernel has what a place lies in."""
        if isinstance(base, n.Array):
            _need(base in self.arrays or isinstance(base, Table),
                  f"the kernel has no array '{base.name}'")
            _need(len(base.shape) == base.type.ndim and math.prod(base.shape) > 0,
                  f"array '{base.name}' has the shape {base.shape}")
        elif isinstance(base, n.Param):
            _need(base in self.params, f"the kernel has no parameter '{base.name}'")

    def _extent(self, x: n.Extent | n.Pitch) -> None:
        self.base(x.base)
        _integer(f"an extent of '{x.base.name}'", x)
        kind = x.base.type
        _need(isinstance(kind, View) and 0 <= x.dim < kind.ndim,
              f"'{x.base.name}' has no dimension {x.dim}")


_LETTERS = {"f": "f", "s": "f", "i": "iu", "j": "iu", "k": "i", "n": "iuf", "b": "b", "u": "u"}
_STATEMENTS: dict[type[n.Stmt], Callable[[_Check, Any], None]] = {
    n.Assign: _Check._assign, n.Store: _Check._store, n.LoadMany: _Check._load_many,
    n.StoreMany: _Check._store_many, n.ImageRead: _Check._image, n.ImageWrite: _Check._image,
    n.Atomic: _Check._atomic, n.If: _Check._condition, n.While: _Check._condition,
    n.Check: _Check._condition, n.For: _Check._for, n.Break: _Check._jump,
    n.Continue: _Check._jump, n.Scope: _Check._scope, n.Leave: _Check._leave,
    n.Barrier: _Check._meeting, n.GroupCall: _Check._meeting, n.Agree: _Check._meeting,
    n.WorkItems: _Check._items}
_EXPRESSIONS: dict[type[n.Expr], Callable[[_Check, Any], None]] = {
    n.Const: _Check._const, n.Read: _Check._read, n.ParamRead: _Check._param_read,
    n.Query: _Check._query, n.Unary: _Check._unary, n.Binary: _Check._binary,
    n.Compare: _Check._compare, n.Select: _Check._select, n.Narrow: _Check._narrow,
    n.Bitcast: _Check._bitcast, n.Complex: _Check._complex, n.Part: _Check._part,
    n.Call: _Check._call, n.Load: _Check._load, n.Address: _Check._load,
    n.Extent: _Check._extent, n.Pitch: _Check._extent}
