"""Lists whose elements a kernel changes: memory of the work-item, with Python's numbers in it.

A list that nothing changes is a tuple (``tuples``). One that something changes is found out in one
round of lowering and made as memory in the next; so is that a name may stand for one of several,
which are rows of one memory then. Elements have one type together, as a name has where ways meet;
where that is one of several, ``Unsure``, only what cannot depend on it may be done with them.
Non-goals: lists that grow. Invariant: two names for one list are one memory.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import access_mode, address_space
from unisycl.frontend import coerce
from unisycl.frontend.values import joins
from unisycl.frontend.values.absent import Lost, Pending
from unisycl.frontend.values.indexing import from_either_end
from unisycl.frontend.values.kind import (
    Form,
    Kind,
    Lowering,
    Met,
    Piece,
    Target,
    ThingForm,
    Value,
    describe,
)
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.memory_places import MemoryPlace
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.pieces import spelt
from unisycl.frontend.values.records import PlaceForm, one_memory
from unisycl.frontend.values.tuples import Several, TupleForm, known_slice
from unisycl.frontend.values.unsure import Unsure, alternatives, holds
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_INT, PointerType, Scalar, View

_MOST = 3  # dimensions of memory
_KEEP = ("copy its elements into a list that is made before the loop, best[:] = v, or make all "
         "lists before the loop and exchange their names, old, new = new, old")
METHODS = ("copy", "count", "index", "reverse", "sort")


@dataclass(frozen=True, slots=True)
class Cells(MemoryPlace):
    """A list in memory, or a row of a list of lists.

    ``elem`` is the type of its elements, as Python has it; ``made`` names the place of the text
    that makes it.
    """

    elem: Scalar = WEAK_INT
    made: Any = None

    def describe(self) -> str:
        return f"a list of {self.count}"

    def number_help(self) -> str:
        return "take one element of it"

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        return issubclass(list, classes)

    @property
    def count(self) -> int:
        """How many elements it has."""
        assert isinstance(self.base, n.Array)
        return self.base.shape[len(self.index)]

    def extent(self, d: int) -> n.Expr:
        assert isinstance(self.base, n.Array)
        return coerce.weak_scalar(self.base.shape[d])

    def known_truth(self) -> bool | None:
        return True  # one without elements is never changed

    # ---- elements
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            return ctx.of(self.taken(ctx)).subscript(ctx, node)
        return self.at(ctx, node).read(ctx)

    def at(self, ctx: Lowering, node: ast.Subscript) -> Cells:
        """Add the index of a subscript."""
        if isinstance(node.slice, ast.Tuple):
            raise ctx.refuse("K037", node, what="a list", expected=1, found=len(node.slice.elts),
                             help="a list of lists takes one index after the other: v[i][j]")
        x = ctx.exactly(ctx.value(node.slice), node.slice)
        if x.type.dtype.kind not in "iu":
            raise ctx.refuse("K038", node.slice, found=str(x.type), help="convert it first: int()")
        if isinstance(x, n.Const):
            k = int(x.value)
            if not -self.count <= k < self.count:
                raise ctx.refuse("K060", node, found=k, count=self.count)
            x = coerce.weak_scalar(k % self.count)
        elif x.type.dtype.kind == "i":
            x = from_either_end(ctx, x, lambda: self.extent(len(self.index)))
        return replace(self, index=(*self.index, x))

    def read(self, ctx: Lowering) -> Value:
        """Return the row, or the number, that is there."""
        if self.left:
            return self
        x = self.load(ctx, ctx.at or ctx.frames[-1].source.node)
        if isinstance(self.elem, Unsure):
            return n.Read(self.elem, ctx.named(x))
        return coerce.convert(x, self.elem)

    def taken(self, ctx: Lowering) -> Several:
        """Return the elements as they are now."""
        return Several(tuple(ctx.hold_value(self._element(ctx, k)) for k in range(self.count)),
                       made=(self.made, "taken"))

    def _element(self, ctx: Lowering, k: int) -> Value:
        return replace(self, index=(*self.index, coerce.weak_scalar(k))).read(ctx)

    def step(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value | None:
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
            return None
        place = self.at(ctx, node)
        return place if place.left else None

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if not isinstance(node, ast.Subscript):
            return Kind.target(self, ctx, node, read=read)
        if isinstance(node.slice, ast.Slice) and not read and self.left == 1:
            return CellRow(self, range(self.count)[known_slice(ctx, node.slice, node)])
        place = None if isinstance(node.slice, ast.Slice) else self.at(ctx, node)
        if place is None or place.left:
            raise ctx.refuse("K054", node, what="a list in a list cannot be assigned, nor can "
                             "slices in this way", help="assign numbers, one by one")
        return CellPlace(place)

    def length(self) -> n.Expr | None:
        return coerce.weak_scalar(self.count)

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        return self.taken(ctx).items

    def as_static(self, ctx: Lowering) -> Value:
        return self.taken(ctx)

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        return self.taken(ctx).items

    def augment(self, ctx: Lowering, op: str, symbol: str, operand: ast.expr,
                node: ast.AST) -> bool:
        raise ctx.refuse("K054", node, what="a list cannot grow in a kernel",
                         help=f"bind the name anew: x = x {symbol} ...")

    # ---- names and paths
    def form(self) -> Form:
        known = all(isinstance(x, n.Const) for x in self.index)
        return ThingForm() if known else PlaceForm(len(self.index))

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        one = Kind.meet(self, values, unsure=unsure)
        if one is not None or not self.index:
            return one
        return PlaceForm(len(self.index)) if all(one_memory(self, v.value) for v in values) \
            else None

    # ---- methods and text
    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        return Method(self, name) if name in METHODS else None

    def names(self) -> Iterable[str]:
        return METHODS

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        if name in ("sort", "reverse"):
            return ctx.syntax.order_list(ctx, self, name, args, keywords, node)
        return self.taken(ctx).call_method(ctx, name, args, keywords, node)

    def spelt(self, ctx: Lowering, node: ast.AST, *, inside: bool) -> list[Piece] | None:
        out: list[Piece] = ["["]
        for k, item in enumerate(self.taken(ctx).items):
            out += [", "] if k else []
            out += spelt(ctx, item, node, inside=True)
        return [*out, "]"]

    def store_all(self, ctx: Lowering, values: Sequence[Value], places: Sequence[int],
                  node: ast.AST) -> None:
        """Give elements values, which were evaluated before."""
        for k, value in zip(places, values, strict=True):
            place = replace(self, index=(*self.index, coerce.weak_scalar(k)))
            CellPlace(place).write(ctx, value, node, node)


@dataclass(frozen=True, slots=True)
class CellPlace(Target):
    """An element of a list that is written."""

    of: Cells

    def settled(self, ctx: Lowering, node: ast.AST, *, read: bool) -> Target:
        return CellPlace(replace(self.of, index=tuple(map(ctx.hold, self.of.index))))

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        return self.of.read(ctx)

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        x = ctx.to_scalar(value, origin, unsure=True)
        known = x.type == self.of.elem or alternatives(x.type) <= alternatives(self.of.elem)
        if known or _note(ctx, self.of.made, x):
            self.of.cell(ctx, node).write(ctx, x, node, origin)


@dataclass(frozen=True, slots=True)
class CellRow(Target):
    """Elements of a list that are written together: as many as there are."""

    of: Cells
    places: Sequence[int]

    def store(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        found = ctx.of(value).listed(ctx)
        if found is None or len(found) != len(self.places):
            raise ctx.refuse("K054", node, what=f"{len(self.places)} elements of a list are "
                             f"assigned {describe(value)}", help="a list keeps its length in a "
                             "kernel: give as many, as a list or tuple")
        self.of.store_all(ctx, [ctx.hold_value(v) for v in found], self.places, node)


# ---- how they are made
def new_list(ctx: Lowering, items: Sequence[Value], node: ast.AST) -> Value:
    """Return the list that an expression makes: a tuple, or memory if something changes it."""
    made = (ctx.frames[-1].key, ctx.span(node), *ctx.unrolled)
    changes = ctx.types.get(("changes", made))
    if changes is None:
        table = _fresh_rows(node) and _shape(items) is not None
        return Several(tuple(_part_of(v, made) for v in items) if table else tuple(items),
                       made=made)
    shape = (len(items),) if changes == "row" else _shape(items)
    if not items or shape is None:
        what = "a list without elements" if not items else "a list of lists of several lengths"
        raise ctx.refuse("K054", node, what=f"{what} cannot be changed",
                         help="nothing grows in a kernel: make it as long as it gets, [0] * n, "
                         "and count its elements")
    held = [ctx.hold(_number(ctx, v, node)) for v in _flat(items, len(shape))]
    group = ctx.types.get(("together", made)) if len(shape) == 1 else None
    of = made if group is None else ("together", group)
    for x in held:
        _note(ctx, of, x)
    type = _joined(ctx, of, node)
    plain = type.plain if isinstance(type, Unsure) else Scalar(type.dtype)
    ctx.need(plain, node)
    inner = ctx.shape.kind == "work_group" and not ctx.in_items
    space = address_space.local_space if inner else address_space.private_space
    if group is not None:
        return _row_of(ctx, Cells(*_rows(ctx, group, View(plain, 2, space, access_mode.read_write),
                                         len(items), node), elem=type, made=of),
                       group.index(made), held, node)
    view = View(plain, len(shape), space, access_mode.read_write)
    array = n.Array("list", view, shape, ctx.span(node))
    ctx.storage.arrays.append(array)
    for k, index in enumerate(itertools.product(*map(range, shape[:-1]))):
        row = Memory(array, view, tuple(map(coerce.weak_scalar, index)), "the list")
        _fill(ctx, row, held[k * shape[-1]:(k + 1) * shape[-1]], node)
    return Cells(array, view, (), "the list", elem=type, made=made)


def _rows(ctx: Lowering, group: tuple[Any, ...], view: View, count: int,
          node: ast.AST) -> tuple[n.Array, View]:
    """Return the memory of lists that a name may stand for: a row each."""
    key = ("lists", group)
    array: n.Array | None = ctx.storage.memories.get(key)
    if array is None or array.type != view:
        array = n.Array("list", view, (len(group), count), ctx.span(node))
        ctx.storage.memories[key] = array
        ctx.storage.arrays.append(array)
    return array, view


def _row_of(ctx: Lowering, lists: Cells, row: int, held: Sequence[n.Expr],
            node: ast.AST) -> Cells:
    """Return a list in its row; no name stands for one that an earlier turn made there."""
    at = coerce.weak_scalar(row)
    again = bool(ctx.loops) or len(ctx.frames) > 1
    for frame in ctx.frames if again else ():
        for name, bound in frame.names.items():
            if _may_be(bound, lists.base, at):
                what = (f"'{name}' may be a list of an earlier turn of the loop, whose memory "
                        f"line {ctx.span(node).line} takes")
                frame.names[name] = Lost("K054", (("what", what), ("help", _KEEP)))
    _fill(ctx, Memory(lists.base, lists.view, (at,), "the list"), held, node)
    return replace(lists, index=(at,), name="the list")


def _may_be(value: object, base: object, row: n.Const) -> bool:
    """Say whether a value, or a part of it, may be the list in a row."""
    if isinstance(value, Cells):
        first = value.index[0] if value.index else None
        return value.base is base and not (isinstance(first, n.Const) and first != row)
    parts = getattr(getattr(value, "row", value), "items", ()) if isinstance(value, Kind) else ()
    return isinstance(parts, tuple) and any(_may_be(x, base, row) for x in parts)


def is_memory_now(form: object, value: object) -> bool:
    """Say whether a list was a tuple when a round before chose what variables hold it.

    So it may be on one of the ways that meet, or in a tuple.
    """
    if not isinstance(form, TupleForm):
        return False
    if isinstance(value, Pending):
        return any(is_memory_now(form, met.value) for met in value.values)
    if isinstance(value, Several):
        return any(map(is_memory_now, form.items, value.items))
    return isinstance(value, Cells)


def same_list(left: Cells, right: Cells) -> n.Expr:
    """Return whether two lists, or rows of lists of lists, are one."""
    if left.base is not right.base or len(left.index) != len(right.index):
        return coerce.weak_scalar(False)
    found: n.Expr = coerce.weak_scalar(True)
    for a, b in zip(left.index, right.index, strict=True):
        same = coerce.compare("eq", a, b)
        assert same is not None
        found = same if isinstance(found, n.Const) else coerce.binary("and", found, same, BOOL)
    return coerce.convert(found, WEAK_BOOL)


def _all_of(ctx: Lowering, made: Any) -> tuple[Any, ...]:
    """Return the places that make a list, and those that it shares a memory with."""
    if made[0] == "choice":
        return (*_all_of(ctx, made[1]), *_all_of(ctx, made[2]))
    if made[0] == "together":
        return tuple(made[1])
    known: tuple[Any, ...] = ctx.types.get(("together", made), (made,))
    return known


def put_together(ctx: Lowering, values: Sequence[object]) -> None:
    """Let lists that one name stands for be rows of one memory, from the next round on."""
    lists = [v for v in values if isinstance(v, Cells | Several) and v.made]
    if len(lists) < len(values) or len({len(v.items) if isinstance(v, Several) else v.count
                                        for v in lists}) > 1:
        return
    found: dict[Any, None] = {}
    for v in lists:
        if isinstance(v, Cells) and v.left + (v.made[0] == "together") != v.view.ndim:
            return  # rows of lists of lists
        found.update(dict.fromkeys(_all_of(ctx, v.made)))
    if not any(isinstance(v, Cells) for v in lists) or any(m[-1:] == ("taken",) or m[0] == "table"
                                                            for m in found):
        return
    group = tuple(found)
    for made in group:
        for key, what in ((("together", made), group), (("changes", made), "row")):
            if ctx.types.get(key) != what:
                ctx.types[key] = what
                ctx.changed = True


def _number(ctx: Lowering, value: Value, node: ast.AST) -> n.Expr:
    if isinstance(value, Kind) and value.as_met() is None:
        raise ctx.refuse("K054", node, what=f"a list with {describe(value)} cannot be changed",
                         help="lists of numbers can, and lists of lists of numbers that are made "
                         "in one expression, [[0] * n for _ in range(m)]")
    x = ctx.to_scalar(value, node, unsure=True)
    if isinstance(x.type, PointerType):
        raise ctx.refuse("K054", node, what="a list of pointers cannot be changed",
                         help="keep indices")
    return x


def _part_of(value: Value, made: Any) -> Value:
    """Return a list within a list, which is changed together with all of it."""
    assert isinstance(value, Several)
    parts = (_part_of(v, made) if isinstance(v, Several) and v.made else v for v in value.items)
    return replace(value, items=tuple(parts), made=("table", made))


def _shape(items: Sequence[Value]) -> tuple[int, ...] | None:
    """Return the shape of a list of lists of one length each; None of anything else."""
    rows = [v.items for v in items if isinstance(v, Several) and v.made]
    if not rows or len(rows) < len(items) or len({len(row) for row in rows}) > 1 or not rows[0]:
        return None
    inner = {_shape(row) for row in rows}
    nested = any(isinstance(x, Several) for x in rows[0])
    if len(inner) > 1 or (nested and None in inner):
        return None
    (more,) = inner
    found = (len(items), len(rows[0]), *(more or ())[1:])
    return found if len(found) <= _MOST else None


def _flat(items: Sequence[Value], depth: int) -> Iterable[Value]:
    if depth == 1:
        yield from items
        return
    for row in items:
        assert isinstance(row, Several)
        yield from _flat(row.items, depth - 1)


def _fresh_rows(node: ast.AST) -> bool:
    """Say whether each row of a list of lists is made by the expression that makes the list."""
    if isinstance(node, ast.ListComp):
        return _fresh(node.elt)
    return isinstance(node, ast.List) and all(map(_fresh, node.elts))


def _fresh(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        lists = [x for x in (node.left, node.right) if _fresh(x)]
        return len(lists) == 1 and not _fresh_rows(lists[0])  # no row stands in it twice
    if isinstance(node, ast.List):
        return not any(map(_fresh, node.elts)) or _fresh_rows(node)
    return isinstance(node, ast.ListComp)


def _fill(ctx: Lowering, row: Memory, values: Sequence[n.Expr], node: ast.AST) -> None:
    """Store the first elements: by a loop if all are one number."""
    first = values[0]
    one = isinstance(first, n.Const) and all(x == first for x in values)
    if one or len(values) == 1:
        ctx.syntax.fill_row(ctx, row, first, node, node)
    else:
        ctx.syntax.fill_row(ctx, row, Several(tuple(values)), node, node)


# ---- their type
def _note(ctx: Lowering, made: Any, x: n.Expr) -> bool:
    """Note the type of a number that a list gets; say whether the list was made for it."""
    seen: dict[tuple[Scalar, Any], None] = ctx.types.setdefault(("list", made), {})
    value = x.value if isinstance(x, n.Const) and x.type.weak else None
    new = {(t, value) for t in alternatives(x.type)} - seen.keys()
    if new:
        seen.update(dict.fromkeys(sorted(new, key=repr)))
        ctx.changed = True
    return not new


def _joined(ctx: Lowering, made: Any, node: ast.AST) -> Scalar:
    """Return the type that elements of a list have, of all that it gets in any turn."""
    seen: dict[tuple[Scalar, Any], None] = ctx.types["list", made]
    types = frozenset(t for t, _ in seen)
    if len(types) == 1:
        return next(iter(types))
    narrow = [t for t in types if not t.weak and t.dtype.is_float and t.dtype != dtypes.FLOAT64]
    absorbs = all(value is not None and holds(to, value)
                  for t, value in seen if t.weak for to in narrow)
    floats = any(t.dtype.is_float for t in types)
    met = [Met(n.Const(t, v) if floats and v is not None else n.Local("x", t), {})
           for t, v in seen]
    found = joins.meet(met) if absorbs else None
    if found is None:
        dtype = joins.room(types)
        found = None if dtype is None else Unsure(dtype, among=types)
    if not isinstance(found, Scalar):
        kinds = " and ".join(sorted(map(str, types)))
        raise ctx.refuse("K054", node, what=f"elements of this list would be {kinds}",
                         help="convert what it gets, so that all have one type")
    return replace(found, name="an element of the list") if isinstance(found, Unsure) else found
