"""Index objects in kernels: queries, and what a whole group does together.

Non-goals: their host behaviour (``lang.index.nd_item``), functions over groups (``forms.groups``).
Invariants: one table row per method, dimension arguments are constants (SYCL 2020 §4.9.1); a
work-item loop stands at group scope only (SYCL 2020 §4.9.4.2.3).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.values import copies
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Piece, Target, Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.methods import Method, constant_dimension
from unisycl.frontend.values.pieces import indexed
from unisycl.frontend.values.streams import endings
from unisycl.frontend.values.tuples import Several, fixed
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL, WEAK_INT
from unisycl.lang.index import nd_item
from unisycl.lang.index.root_group import get_root_group
from unisycl.lang.library import joint

ITEM_KINDS = {"item": "global_id", "global": "h_global_id", "logical": "logical_id",
              "physical": "h_physical_id"}
"""The values of class ``item`` and the id each is: the work-item's own, and those of an h_item."""


def _item(id: str, extent: str) -> dict[str, tuple[str, str]]:
    return {"get_id": (id, ""), "get_range": (extent, ""), "get_linear_id": (id, extent)}


# method -> (query, linear extent or ''): the query per dimension, or its row-major position
ITEM_METHODS: dict[str, dict[str, tuple[str, str]]] = {
    "item": _item("global_id", "global_range") | {
        "get_offset": ("offset", ""), "get": ("global_id", ""), "get_global_id": ("global_id", ""),
        "get_global_range": ("global_range", "")},  # the last three are SYCL 1.2's
    "global": _item("h_global_id", "h_global_range") | {"get_offset": ("offset", "")},
    "logical": _item("logical_id", "logical_range"),
    "physical": _item("h_physical_id", "h_physical_range"),
    "nd_item": {
        "get_global_id": ("global_id", ""), "get_local_id": ("local_id", ""),
        "get_global_range": ("global_range", ""),
        "get_local_range": ("local_range", ""), "get_group_range": ("group_range", ""),
        "get_offset": ("offset", ""), "get_global_linear_id": ("global_id", "global_range"),
        "get_local_linear_id": ("local_id", "local_range"),
        "get_group_linear_id": ("group_id", "group_range"),
        "get_group": ("", "group"), "get_sub_group": ("", "sub_group"), "barrier": ("", "barrier"),
        "ext_oneapi_get_root_group": ("", "root"), "get_nd_range": ("", "nd_range"),
        "mem_fence": ("", "fence"),
        "get_group_id": ("group_id", ""),
        "async_work_group_copy": ("", "copy"), "wait_for": ("", "wait"),
    },
    "group": {
        "get_group_id": ("group_id", ""), "get": ("group_id", ""), "get_id": ("group_id", ""),
        "get_local_id": ("local_id", ""), "get_global_range": ("global_range", ""),
        "get_local_range": ("local_range", ""), "get_max_local_range": ("max_local_range", ""),
        "get_group_range": ("group_range", ""),
        "get_group_linear_id": ("group_id", "group_range"),
        "get_linear_id": ("group_id", "group_range"),
        "get_local_linear_id": ("local_id", "local_range"),
        "get_group_linear_range": ("group_range", "product"),
        "get_local_linear_range": ("local_range", "product"),
        "leader": ("", "leader"), "parallel_for_work_item": ("", "work_item"),
        "async_work_group_copy": ("", "copy"), "wait_for": ("", "wait"),
        "get_offset": ("offset", ""), "get_nd_range": ("", "nd_range"),
    },
    "sub_group": {
        "get_group_id": ("sub_group_id", ""), "get_local_id": ("sub_group_local_id", ""),
        "get_group_linear_id": ("sub_group_id", "one"),
        "get_local_linear_id": ("sub_group_local_id", "one"),
        "get_local_range": ("sub_group_local_range", ""),
        "get_max_local_range": ("sub_group_max_local_range", ""),
        "get_group_range": ("sub_group_group_range", ""),
        "get_group_linear_range": ("sub_group_group_range", "one"),
        "get_local_linear_range": ("sub_group_local_range", "one"),
        "leader": ("", "leader"),
    },
    "device_event": {"wait": ("", "wait")},
    "h_item": {
        "get_global_id": ("h_global_id", ""), "get_global_range": ("h_global_range", ""),
        "get_local_id": ("logical_id", ""), "get_local_range": ("logical_range", ""),
        "get_logical_local_id": ("logical_id", ""),
        "get_logical_local_range": ("logical_range", ""),
        "get_physical_local_id": ("h_physical_id", ""),
        "get_physical_local_range": ("h_physical_range", ""),
        "get_global": ("", "global"), "get_local": ("", "logical"),
        "get_logical_local": ("", "logical"), "get_physical_local": ("", "physical"),
    },
}
WHOLE = frozenset((("sub_group", "get_local_range"), ("sub_group", "get_group_range"),
                   ("sub_group", "get_max_local_range"), ("group", "get_max_local_range"),
                   ("nd_item", "get_offset"), ("item", "get_offset"), ("global", "get_offset"),
                   ("group", "get_offset")))
"""Queries that give a whole id or range only, never one dimension of it."""
ONE_ITEM = frozenset(("get_local_id", "get_local_linear_id", "leader"))
"""Queries of a group that only a single work-item can make, so none at group scope."""


@dataclass(frozen=True, slots=True)
class Item(Kind):
    """An index object: ``kind`` is item, nd_item, group, sub_group or h_item.

    ``bound``: an h_item of a loop whose logical range is the physical one.
    """

    kind: str
    ndim: int
    bound: bool = False

    def describe(self) -> str:
        if self.kind in ("item", "global", "logical", "physical"):
            return "an item"
        return f"an {self.kind}" if self.kind[0] in "hn" else f"a {self.kind}"

    def number_help(self) -> str:
        return "take one dimension of it, e.g. index[0] or get_global_id(0)" \
            if self.kind in ("item", "nd_item", "h_item") else ""

    def memory_help(self) -> str:
        return "take one dimension of it: get_global_id(0), get_local_id(0), ..."

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        return issubclass(getattr(nd_item, self.kind, nd_item.item), classes)

    @property
    def is_item(self) -> bool:
        """Whether it is of class ``item``, which subscripts as its id."""
        return self.kind in ITEM_KINDS

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        if self.ndim != 1 or not self.is_item:
            return Kind.number(self, ctx, node, unsure=unsure)
        if self.kind == "item":
            return n.Query(WEAK_INT, "global_id", 0)
        return ctx.to_scalar(ctx.call(ctx, Method(self, "get_linear_id"), [], node), node)

    def as_met(self) -> n.Expr | None:
        return n.Query(WEAK_INT, "global_id", 0) if self.kind == "item" and self.ndim == 1 else None

    def as_number(self, ctx: Lowering, node: ast.AST) -> Value:
        return self.number(ctx, node) if self.ndim == 1 and self.is_item else self

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        if self.is_item or self.kind == "group":
            return item_ids(self).dimension(ctx, node)
        return Kind.subscript(self, ctx, node)

    def attribute(self, ctx: Lowering, node: ast.Attribute) -> Value:
        if self.kind == "item" and node.attr in ITEM_METHODS["nd_item"] \
                and self.named(ctx, node.attr, node) is None:
            raise ctx.refuse("K050", node, what=f"'{node.attr}'")
        return Kind.attribute(self, ctx, node)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if name in ITEM_METHODS.get(self.kind, {}):
            return Method(self, name)
        if name == "dimensions":
            return coerce.weak_scalar(self.ndim)
        if name == "fence_scope" and self.kind.endswith("group"):
            return Constant(memory_scope.sub_group if self.kind == "sub_group"
                            else memory_scope.work_group)
        return None

    def names(self) -> Iterable[str]:
        return frozenset(ITEM_METHODS[self.kind])

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if isinstance(node, ast.Subscript):
            raise fixed(ctx, self, node)
        return Kind.target(self, ctx, node, read=read)

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        if not self.is_item:
            raise ctx.refuse("K038", node, found=self.describe(),
                             help="take its id: get_global_id() or get_local_id()"
                             if "item" in self.kind else "take its id: get_group_id()")
        return [ctx.to_scalar(v, node) for v in item_ids(self).items]

    def private_index(self, ctx: Lowering, node: ast.AST) -> tuple[n.Expr, ...]:
        if self.kind != "h_item":
            return Kind.private_index(self, ctx, node)
        return tuple(ctx.to_scalar(x, node) for x in queries("h_physical_id", self).items)

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        return item_ids(self).items if self.is_item else Kind.unpacked(self, ctx, node)

    def components(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return item_ids(self).components(ctx, node) if self.is_item \
            else Kind.components(self, ctx, node)

    def one_of(self, ctx: Lowering, table: tuple[Value, ...], kind: str, index: n.Expr,
               node: ast.AST) -> Value:
        one = self.as_number(ctx, node)
        if one is self:
            return Kind.one_of(self, ctx, table, kind, index, node)
        return ctx.of(one).one_of(ctx, table, kind, index, node)

    def streamed(self, ctx: Lowering, node: ast.AST) -> list[Piece] | None:
        if self.kind == "sub_group":
            return None
        return indexed(ctx, self, "item" if self.is_item else self.kind, node)

    # ---- calls
    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        what, extent = ITEM_METHODS[self.kind][name]
        if self.kind == "group" and name in ONE_ITEM and ctx.shape.kind == "work_group":
            raise ctx.refuse("K052", node, what=f"group.{name}", where="at group scope",
                             help="no single work-item is calling: use the h_item of "
                             "parallel_for_work_item")
        if extent in ("barrier", "fence", "work_item", "copy", "wait"):
            return _together(ctx, self, extent, args, node)
        if args and extent == "group":
            what, extent = "group_id", ""
        if what and not extent and not (args and (self.kind, name) in WHOLE):
            if not args:
                return queries(what, self)
            count = 1 if self.kind == "sub_group" else self.ndim
            return query(what, constant_dimension(ctx, args, count, node, self.describe()), self)
        if args:
            raise ctx.refuse("K034", node, what=f"'{name}'", expected="()", found=len(args))
        if what:
            return linear(what, extent, self)
        match extent:
            case "nd_range":
                return launch_range(self)
            case "leader":
                return leader(self)
            case "root":
                return ctx.call(ctx, Constant(get_root_group, (("library", "root"),)), [], node)
        return Item(extent, 1 if extent == "sub_group" else self.ndim, self.bound)


def query(name: str, dim: int, item: Item) -> n.Expr:
    """Return one id or extent of an index object."""
    if name == "h_physical_range":
        return n.Query(WEAK_INT, "logical_range" if item.bound else "local_range", dim)
    if name == "h_physical_id":
        logical = n.Query(WEAK_INT, "logical_id", dim)
        return logical if item.bound else coerce.binary(
            "mod", logical, query("h_physical_range", dim, item), WEAK_INT)
    if name in ("h_global_id", "h_global_range"):
        size = query("h_physical_range", dim, item)
        whole = n.Query(WEAK_INT, "group_range" if name == "h_global_range" else "group_id", dim)
        start = coerce.binary("mul", whole, size, WEAK_INT)
        return start if name == "h_global_range" else coerce.binary(
            "add", start, query("h_physical_id", dim, item), WEAK_INT)
    return n.Query(WEAK_INT, name, dim)


def queries(name: str, item: Item) -> Several:
    """Return an id or range of an index object in all its dimensions."""
    kind = "range" if name.endswith("range") else "id"
    count = 1 if name.startswith("sub_group") else item.ndim
    return Several(tuple(query(name, d, item) for d in range(count)), kind)


def item_ids(item: Item) -> Several:
    """Return the id an index object subscripts as."""
    name = ITEM_KINDS.get(item.kind) or {"group": "group_id", "sub_group": "sub_group_id",
                                         "h_item": "h_global_id"}.get(item.kind, "global_id")
    return queries(name, item)


def linear(name: str, extent: str, item: Item) -> n.Expr:
    """Return the row-major position of an id, without the launch offset (SYCL 2020 §4.9.1.4)."""
    if extent == "one":
        return query(name, 0, item)
    if extent == "product":
        size = query(name, 0, item)
        for d in range(1, item.ndim):
            size = coerce.binary("mul", size, query(name, d, item), WEAK_INT)
        return size
    place: n.Expr | None = None
    for d in range(item.ndim):
        x = query(name, d, item)
        if name == "global_id":
            x = n.Binary(WEAK_INT, "sub", x, n.Query(WEAK_INT, "offset", d))
        if place is None:
            place = x
        else:
            row = coerce.binary("mul", place, query(extent, d, item), WEAK_INT)
            place = coerce.binary("add", row, x, WEAK_INT)
    assert place is not None
    return place


def leader(item: Item) -> n.Expr:
    """Return whether this work-item is the group's first."""
    if item.kind == "sub_group":
        place = query("sub_group_local_id", 0, item)
    else:
        place = linear("local_id", "local_range", item)
    return n.Compare(WEAK_BOOL, "eq", place, coerce.weak_scalar(0))


def launch_range(item: Item) -> Several:
    """Return the ``nd_range`` of the launch: global range, local range, offset."""
    names = ("global_range", "max_local_range", "offset")
    return Several(tuple(queries(name, item) for name in names), "nd_range")


# ---- methods that the work-items of a group call together
def _together(ctx: Lowering, item: Item, name: str, args: list[Value],
                      node: ast.AST) -> Value:
    """Lower a method that the work-items of a group call together."""
    match name:
        case "copy":
            return _copy(ctx, item, args, node)
        case "wait":
            return _wait(ctx, args, node)
        case "work_item":
            return _work_items(ctx, item, args, node)
    if len(args) > 1:
        raise ctx.refuse("K034", node, what=f"'{name}'", expected="([fence_space])",
                         found=len(args))
    if name == "fence":
        ctx.emit(n.Fence(memory_order.acq_rel, memory_scope.work_group, span=ctx.span(node)))
        return Nothing()
    return _barrier(ctx, "barrier", node)


def _barrier(ctx: Lowering, what: str, node: ast.AST) -> Value:
    ctx.converge(node, what)
    ctx.emit(n.Barrier(memory_scope.work_group, span=ctx.span(node)))
    return Nothing()


def _wait(ctx: Lowering, args: list[Value], node: ast.AST) -> Value:
    """Lower ``wait_for(*events)`` and ``device_event.wait()``."""
    for event in args:
        if not isinstance(event, Item) or event.kind != "device_event":
            raise ctx.refuse("K049", node, found=describe(event), expected="a device_event",
                             help="pass what async_work_group_copy returned")
    if ctx.shape.kind == "work_group":
        return Nothing()  # one piece of code runs for the whole group
    if copies.by_hardware(ctx):
        copies.wait(ctx, node)
    return _barrier(ctx, "wait_for", node)


def _copy(ctx: Lowering, item: Item, args: list[Value], node: ast.AST) -> Value:
    """Lower ``async_work_group_copy(dest, src, count[, stride])`` (SYCL 2020 §4.9.1.7)."""
    if not 3 <= len(args) <= 4:
        raise ctx.refuse("K034", node, what="'async_work_group_copy'",
                         expected="(dest, src, num_elements[, stride])", found=len(args))
    if ctx.in_items:
        raise ctx.refuse("K052", node, what="async_work_group_copy",
                         where="inside parallel_for_work_item", help="call it at group scope")
    for memory in args[:2]:
        if not isinstance(memory, Memory) or memory.view.ndim - len(memory.index) != 1:
            raise ctx.refuse("K049", node, found=describe(memory),
                             expected="memory of one dimension",
                             help="pass an accessor, USM memory, or a slice of one: x[i:]")
    dest, src = args[:2]
    assert isinstance(dest, Memory)
    assert isinstance(src, Memory)
    local = [m.view.space is address_space.local_space for m in (dest, src)]
    if local[0] == local[1]:
        raise ctx.refuse("K054", node, what="async_work_group_copy copies between local and global "
                         "memory", help="copy in a loop, or make one of the two a local_accessor")
    if dest.view.elem != src.view.elem:
        raise ctx.refuse("K049", node, found=describe(src), expected=f"memory of {dest.view.elem}",
                         help="both must have the same elements")
    numbers = [ctx.hold(coerce.convert(_integer(ctx, x, node), WEAK_INT)) for x in args[2:]]
    stride = numbers[1] if len(numbers) > 1 else coerce.weak_scalar(1)
    one = coerce.weak_scalar(1)
    to, by = (one, stride) if local[0] else (stride, one)
    whole = ctx.shape.kind == "work_group"
    if copies.suits(ctx, dest, src):
        ctx.converge(node, "async_work_group_copy")
        copies.begin(ctx, dest, src, numbers, node)
        return Item("device_event", 0)
    extent = Several((*[one] * (item.ndim - 1), numbers[0]), "range")
    function = joint.copy_by_group if whole else joint.copy_by_items
    group = Item("group", item.ndim)
    arguments = [group, dest, src, extent if whole else numbers[0], to, by]
    ctx.call(ctx, Constant(function, (("library", function.__name__),)), arguments, node)
    return Item("device_event", 0)


def _integer(ctx: Lowering, value: Value, node: ast.AST) -> n.Expr:
    x = ctx.to_scalar(value, node)
    if not x.type.dtype.is_integer:
        raise ctx.refuse("K049", node, found=x.type, expected="an integer", help="use int(...)")
    return x


def _work_items(ctx: Lowering, item: Item, args: list[Value], node: ast.AST) -> Value:
    if ctx.shape.kind != "work_group":
        raise ctx.refuse("K052", node, what="parallel_for_work_item", where="here",
                         help="launch the kernel with parallel_for_work_group")
    if ctx.in_items:
        raise ctx.refuse("K052", node, what="parallel_for_work_item",
                         where="inside another parallel_for_work_item",
                         help="end the first one, then start the second")
    if not 1 <= len(args) <= 2:
        raise ctx.refuse("K034", node, what="'parallel_for_work_item'",
                         expected="([range,] function)", found=len(args))
    extent: tuple[n.Expr, ...] = ()
    if len(args) == 1 and isinstance(args[0], Several | n.Expr):
        return Method(item, "parallel_for_work_item", (args[0],))  # a decorator
    if len(args) == 2:
        items = args[0].items if isinstance(args[0], Several) else (args[0],)
        if len(items) != item.ndim:
            raise ctx.refuse("K037", node, what="the work-group", expected=item.ndim,
                             found=len(items), help="give one extent for each dimension")
        extent = tuple(coerce.convert(ctx.to_scalar(x, node), WEAK_INT) for x in items)
    elif not ctx.shape.local:
        raise ctx.refuse("K052", node, what="parallel_for_work_item without a range",
                         where="when the launch left the local size open",
                         help="give the range here or the local size at the launch")
    ctx.facts.add("convergent")
    ctx.in_items = True
    try:
        with ctx.into() as body:
            bound = not (extent and ctx.shape.local)
            ctx.call(ctx, args[-1], [Item("h_item", item.ndim, bound)], node)
    finally:
        ctx.in_items = False
    ctx.emit(n.WorkItems(extent, (*body, *endings(ctx)), span=ctx.span(node)))
    return Nothing()
