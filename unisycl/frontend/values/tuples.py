"""Several values under one name: tuples, and ids and ranges, which count as numbers do.

A list is one, too, until something changes it: then it is memory (``lists``). Non-goals: lists that
change. Invariant: how many values there are is known while compiling.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from unisycl.base import geometry
from unisycl.base.dataclass import dataclass, field, replace
from unisycl.frontend import coerce, faults
from unisycl.frontend.parameters import match
from unisycl.frontend.values.joins import (
    adopted_part,
    form_of,
    meet_parts,
    same_parts,
    variable_part,
)
from unisycl.frontend.values.kind import (
    Form,
    Kind,
    Lowering,
    Met,
    Piece,
    Refused,
    Target,
    Value,
    VariableForm,
)
from unisycl.frontend.values.methods import Method, constant_dimension
from unisycl.frontend.values.pieces import indexed, shown, spelt
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT

_ND_RANGE = ("get_global_range", "get_local_range", "get_group_range", "get_offset")
_CLASSES: dict[str, type] = {"tuple": tuple, "id": geometry.id, "range": geometry.range}


@dataclass(frozen=True, slots=True)
class Several(Kind):
    """Several values under one name: ``kind`` is tuple, id, range or nd_range.

    ``made``: of a list, a name of the place that makes it, which holds in every round.
    """

    items: tuple[Value, ...]
    kind: str = "tuple"
    made: Any = field(default=None, compare=False)

    def describe(self) -> str:
        return f"a {'list' if self.made else self.kind} of {len(self.items)}"

    def number_help(self) -> str:
        return "take one dimension of it, e.g. index[0] or get_global_id(0)" \
            if self.is_index else ""

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        return issubclass(_CLASSES.get(self.kind, geometry.nd_range), classes)

    @property
    def is_index(self) -> bool:
        """Whether it is an id or range, which is a number where it has one dimension."""
        return self.kind in ("id", "range")

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        if self.is_index and len(self.items) == 1:
            return ctx.to_scalar(self.items[0], node, unsure=unsure)
        return Kind.number(self, ctx, node, unsure=unsure)

    def known_truth(self) -> bool | None:
        return bool(self.items) if self.kind == "tuple" else None

    def as_number(self, ctx: Lowering, node: ast.AST) -> Value:
        if self.kind != "tuple":
            return self
        return replace(self, items=tuple(ctx.as_number(v, node) for v in self.items))

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        if isinstance(node.slice, ast.Slice):
            return _cut(ctx, self, node.slice, node)
        return self.dimension(ctx, node)

    def dimension(self, ctx: Lowering, node: ast.Subscript) -> Value:
        """Return one of the values by an index."""
        index = ctx.exactly(ctx.value(node.slice), node.slice)
        if index.type.dtype.kind not in "iu":
            raise ctx.refuse("K038", node.slice, found=str(index.type),
                             help="convert it first: int(...)")
        if self.kind == "tuple":
            return self._pick(ctx, index, node)
        if not isinstance(index, n.Const):
            return _chosen(ctx, self, index, node)
        d = int(index.value)
        if not 0 <= d < len(self.items):
            raise ctx.refuse("K045", node, found=d, what=f"the {self.kind}",
                             expected=f"{len(self.items)} dimension(s)")
        return self.items[d]

    def _pick(self, ctx: Lowering, index: n.Expr, node: ast.AST) -> Value:
        """Return one of the values: by a constant, or by a chain of selections."""
        count = len(self.items)
        if isinstance(index, n.Const):
            k = int(index.value)
            if not -count <= k < count:
                raise ctx.refuse("K060", node, found=k, count=count)
            return self.items[k]
        index = faults.of_tuple(ctx, index, count, node)
        found = _chosen(ctx, self, index, node)
        if isinstance(found, Several):  # of a list of lists, which is changed as a whole
            made = [v.made if isinstance(v, Several) else None for v in self.items]
            return replace(found, made=made[0] if made.count(made[0]) == len(made) else None)
        return found

    def one_of(self, ctx: Lowering, table: tuple[Value, ...], kind: str, index: n.Expr,
               node: ast.AST) -> Value:
        rows = [v.items for v in table if isinstance(v, Several) and v.kind == "tuple"]
        if len(rows) < len(table) or len({len(row) for row in rows}) > 1:
            return Kind.one_of(self, ctx, table, kind, index, node)
        # A table of rows: a choice in each column.
        return Several(tuple(Several(column)._pick(ctx, index, node)
                             for column in zip(*rows, strict=True)))

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if name == "dimensions" and self.is_index:
            return coerce.weak_scalar(len(self.items))
        return Method(self, name) if name in self.names() else None

    def names(self) -> Iterable[str]:
        if self.kind == "tuple":
            return ("copy", "count", "index", "reverse", "sort") if self.made else \
                ("count", "index")
        return _ND_RANGE if self.kind == "nd_range" else ("get", "size")

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        if self.made and name == "copy":
            match(ctx, node, name, args, keywords, ())
            return ctx.syntax.new_list(ctx, self.items, node)
        if self.made and name in ("sort", "reverse"):
            raise changing(ctx, self, self.made, node)
        if self.kind == "tuple":
            given = match(ctx, node, name, args, keywords, ("value",))
            return ctx.syntax.tuple_method(ctx, name, self.items, given["value"], node)
        if name == "get":
            return self.items[constant_dimension(ctx, args, len(self.items), node,
                                                 self.describe())]
        if args:
            raise ctx.refuse("K034", node, what=f"'{name}'", expected="()", found=len(args))
        if name == "size":
            size: n.Expr = coerce.weak_scalar(1)
            for item in self.items:
                size = coerce.binary("mul", size, ctx.to_scalar(item, node), WEAK_INT)
            return size
        whole, part, offset = self.items
        if name == "get_group_range":
            return ctx.syntax.operate(ctx, "div", whole, part, node)
        return {"get_global_range": whole, "get_local_range": part}.get(name, offset)

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if isinstance(node, ast.Subscript):
            raise changing(ctx, self, self.made, node) if self.made else fixed(ctx, self, node)
        return Kind.target(self, ctx, node, read=read)

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return [ctx.exactly(v, node) for v in self.items]

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        return self.items

    def length(self) -> n.Expr | None:
        return coerce.weak_scalar(len(self.items))

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        return None if self.kind == "nd_range" else self.items

    def components(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return [ctx.to_scalar(v, node) for v in self.items]

    # ---- text
    def spelt(self, ctx: Lowering, node: ast.AST, *, inside: bool) -> list[Piece] | None:
        if self.kind == "nd_range":
            return None
        is_tuple = self.kind == "tuple"
        out: list[Piece] = ["(" if is_tuple else f"{self.kind}("]
        for k, item in enumerate(self.items):
            out += [", "] if k else []
            out += spelt(ctx, item, node, inside=is_tuple)
        return [*out, ",)" if is_tuple and len(self.items) == 1 else ")"]

    def streamed(self, ctx: Lowering, node: ast.AST) -> list[Piece] | None:
        if self.kind == "nd_range":
            return indexed(ctx, self, "nd_range", node)
        return shown(ctx, "list" if self.kind == "tuple" else "set", self, node)

    # ---- names and paths
    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return TupleForm(self.kind, tuple(map(form_of, self.items)), self.made)

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        rows = [[v.part(x) for x in v.value.items] for v in values if isinstance(
            v.value, Several) and v.value.kind == self.kind and len(v.value.items) == len(
                self.items)]
        if len(rows) < len(values):
            return None
        parts = meet_parts(rows, unsure=unsure)
        return None if parts is None else TupleForm(self.kind, parts)

    def as_met(self) -> n.Expr | None:
        one = self.items[0] if self.is_index and len(self.items) == 1 else None
        return one if isinstance(one, n.Expr) else None

    def same(self, other: Value | n.Local) -> Value | n.Local | None:
        if not isinstance(other, Several) or other.kind != self.kind:
            return None
        parts = same_parts(self.items, other.items)
        return None if parts is None else replace(self, items=parts)

    # ---- what keeps it
    def hold(self, ctx: Lowering) -> Value:
        return replace(self, items=tuple(ctx.hold_value(v) for v in self.items))

    def keep(self, ctx: Lowering, position: int) -> Value:
        return replace(self, items=tuple(ctx.keep(v, position) for v in self.items))

    def without_homes(self, gone: Callable[[Any], bool]) -> Value:
        return replace(self, items=tuple(
            v.without_homes(gone) if isinstance(v, Kind) else v for v in self.items))


def _cut(ctx: Lowering, several: Several, cut: ast.Slice, node: ast.AST) -> Value:
    """Return the values that a slice denotes, all of whose bounds are known."""
    items = several.items[known_slice(ctx, cut, node)]
    if several.made:
        return ctx.syntax.new_list(ctx, items, node)
    return Several(items, several.kind)


def known_slice(ctx: Lowering, cut: ast.Slice, node: ast.AST) -> slice:
    """Return a slice all of whose bounds are known while compiling."""
    bounds = (cut.lower, cut.upper, cut.step)
    parts = [None if p is None else ctx.constant(ctx.scalar(p)) for p in bounds]
    if any(p is None and b is not None for p, b in zip(parts, bounds, strict=True)):
        raise ctx.refuse("K046", node, what="a slice of a tuple",
                         help="use literals, or index single elements")
    known = [None if p is None else int(p.value) for p in parts]
    return slice(*known)


def _chosen(ctx: Lowering, several: Several, index: n.Expr, node: ast.AST) -> Value:
    """Return the element at an index that is known at run time only."""
    if not several.items:
        raise ctx.refuse("K060", node, found=0, count=0)
    return ctx.of(several.items[0]).one_of(ctx, several.items, several.kind, ctx.hold(index), node)


@dataclass(frozen=True, slots=True)
class TupleForm(VariableForm):
    """A tuple, id or range, part by part."""

    kind: str
    items: tuple[Form, ...]
    made: Any = field(default=None, compare=False)

    @property
    def beside_none(self) -> bool:
        return not self.made

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        items: Any = (None,) * len(self.items) if value is None else [
            ctx.hold_value(v) for v in value.items]
        return Several(tuple(adopted_part(ctx, (*key, k), f"{name}.{k}", f, v, node)
                             for k, (f, v) in enumerate(zip(self.items, items, strict=True))),
                       self.kind, self.made)

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        return Several(tuple(variable_part(ctx, (*key, k), name, form, v) for k, (form, v) in
                             enumerate(zip(self.items, like.items, strict=True))), self.kind,
                       self.made)


def changing(ctx: Lowering, value: Several, made: Any, node: ast.AST) -> Exception:
    """Give up a statement that changes a list: in the next round the list is memory."""
    if made[0] == "choice":  # of two lists: each is changed
        for one in made[1:]:
            changing(ctx, value, one, node)
        return Refused() if ctx.changed else fixed(ctx, value, node)
    way, place = made if made[0] == "table" else ("row", made)
    known = ctx.types.get(("changes", place))
    if place[-1:] == ("taken",) or known == way or known == "table":
        return fixed(ctx, value, node)
    ctx.types["changes", place] = way
    ctx.changed = True
    return Refused()


def fixed(ctx: Lowering, value: Kind, node: ast.AST) -> Exception:
    """Refuse to assign to an element of what cannot change."""
    return ctx.refuse("K036", node, op="item assignment", types=value.describe(),
                      help="tuples and ids cannot change; a list of numbers with a name can, and "
                      "np.zeros(n, dtype) is an array that can")
