"""Functions that a whole group calls together: barriers, votes, reductions, scans, shuffles.

Non-goals: proving that control flow is converged (``passes``). Invariant: each such call is noted
with ``Context.converge`` (SYCL 2020 §4.17.2 to §4.17.4, §4.9.4.2.3).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from unisycl.base import dtypes
from unisycl.base.dataclass import replace
from unisycl.base.enums import memory_scope
from unisycl.base.forward_progress import missing, required
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.forms import copies, fragments
from unisycl.frontend.forms.arrays import (
    group_cells,
    local_memory,
    own_elements,
)
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import stored_pointers, vectors
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.items import ITEM_METHODS, Item, leader, linear
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.reducers import operator_name
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir import operators
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_INT, Scalar
from unisycl.lang.groups import group_functions
from unisycl.lang.index import root_group, this
from unisycl.lang.numbers import function_objects

_SCOPE = {"group": memory_scope.work_group, "sub_group": memory_scope.sub_group}


def _check_group(ctx: Context, value: Value, node: ast.AST, what: str, *,
                 sub_groups_only: bool = False) -> Item:
    """Return a group that is one, or refuse; and refuse kernels that have none."""
    if ctx.shape.kind in ("single", "range"):
        raise ctx.refuse("K050", node, what=f"'{what}'")
    if not isinstance(value, Item) or value.kind not in _SCOPE:
        raise ctx.refuse("K049", node, found=describe(value), expected="a group or sub_group",
                         help="pass it.get_group() or it.get_sub_group()")
    if sub_groups_only and value.kind != "sub_group":
        raise ctx.refuse("K049", node, found="a group", expected="a sub_group",
                         help=f"{what} works within sub-groups: pass it.get_sub_group()")
    return value


def _group(ctx: Context, value: Value, node: ast.AST, what: str, *,
           sub_groups_only: bool = False) -> memory_scope | Instance:
    """Check a group that is about to meet, and note that it meets here."""
    if fragments.is_fragment(value):
        ctx.converge(node, what)
        return value
    kind = _check_group(ctx, value, node, what, sub_groups_only=sub_groups_only).kind
    ctx.converge(node, what)
    if ctx.shape.kind == "work_group":
        raise ctx.refuse("K052", node, what=f"'{what}'", where="in a hierarchical kernel",
                         help="parallel_for_work_item has barriers at both of its ends")
    return _SCOPE[kind]


@form(group_functions.group_size)
def _size(ctx: Context, node: ast.Call) -> Value:
    value = parameters(ctx, node, "group_size", ("group",))["group"]
    if fragments.is_fragment(value):
        return fragments.query(ctx, value, "get_local_linear_range", node)
    group = _check_group(ctx, value, node, "a group algorithm")
    name, extent = ITEM_METHODS[group.kind]["get_local_linear_range"]
    return linear(name, extent, group)


@form(group_functions.group_barrier)
def _barrier(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "group_barrier", ("group",), ("fence_scope",))
    whole = found["group"]
    if isinstance(whole, Instance) and whole.cls is root_group.root_group:
        return _root_barrier(ctx, node)
    scope = _group(ctx, found["group"], node, "group_barrier")
    if not isinstance(scope, memory_scope):
        scope = memory_scope.sub_group
    ctx.emit(n.Barrier(scope, span=ctx.span(node)))
    return Nothing()


_TOGETHER = required([root_group.use_root_sync])


def _root_barrier(ctx: Context, node: ast.Call) -> Value:
    """Meet all work-groups: through memory that the launch brings along."""
    if not ctx.shape.progress or missing(ctx.shape.progress, _TOGETHER):
        raise ctx.refuse("K116", node)
    memory = ctx.capture((("object", root_group.meeting),), root_group.meeting, "meeting", node)
    function = Constant(root_group.meet, (("library", "meet"),))
    return ctx.call(ctx, function, [memory], node)


def _predicate(op: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        name = f"{op}_of_group"
        found = parameters(ctx, node, name, ("group", "x"), ("pred",))
        value = found["x"]
        if "pred" in found:
            value = ctx.call(ctx, found["pred"], [value], node)
        x = coerce.truth(ctx.to_scalar(value, node))
        scope = _group(ctx, found["group"], node, name)
        return coerce.convert(_collect(ctx, op, (x,), scope, node, type=x), WEAK_BOOL)
    return lower


form(group_functions.any_of_group)(_predicate("any"))
form(group_functions.all_of_group)(_predicate("all"))
form(group_functions.none_of_group)(_predicate("none"))


def _collect(ctx: Context, op: str, args: tuple[n.Expr, ...], scope: memory_scope | Instance,
             node: ast.AST, *, type: n.Expr, combine: str = "", turn: int = 0) -> n.Expr:
    """Return what a group function gives; ``turn`` counts the numbers of one call."""
    if not isinstance(scope, memory_scope):
        if combine:
            return fragments.combine(ctx, op, scope, args, combine, turn, node)
        return fragments.vote(ctx, op, scope, args[0], node) if len(args) == 1 \
            else fragments.move(ctx, op, scope, args[0], args[1], turn, node)
    result = n.Local(op, BOOL if op in ("any", "all", "none") else type.type)
    ctx.emit(n.GroupCall(result, op, args, scope, combine, span=ctx.span(node)))
    return n.Read(result.type, result)


def _reduction(op: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a reduction or scan: (group, x, op), with init before or behind op.

    SYCL 2020 §4.17.3 puts it before for reductions and exclusive scans, behind for inclusive ones;
    which of the two is the operator is plain, so both orders are understood.
    """
    name = f"{op}_over_group"
    usual = ("op", "init") if op == "inclusive_scan" else ("init", "op")

    def lower(ctx: Context, node: ast.Call) -> Value:
        order = usual if len(node.args) != 3 or node.keywords else ("op",)
        found = parameters(ctx, node, name, ("group", "x"), order)
        init, operator = found.get("init"), found.get("op")
        if _operator(operator) == "" and _operator(init):
            init, operator = operator, init
        combine = _operator(operator)
        xs, whole = _numbers(ctx, found["x"], node)
        firsts = [None] * len(xs) if init is None else _starts(ctx, init, len(xs), node)
        scope: memory_scope | Instance | None = None
        results = []
        for turn, (x, first) in enumerate(zip(xs, firsts, strict=True)):
            operands = _operands(x, first, combine, keep=len(xs) > 1)
            kind = operands[0].type
            short = kind.dtype.is_short  # combined in float32, each result rounded once
            if short:
                operands = tuple(coerce.cast(y, Scalar(kind.dtype.wide)) for y in operands)
            _check_operator(ctx, operator, operands[0].type.dtype, node, f"'{name}'")
            if op == "exclusive_scan" and first is None:
                _check_start(ctx, operator, operands[0].type.dtype, node)
            scope = scope or _group(ctx, found["group"], node, name)
            got = _collect(ctx, op, operands, scope, node, type=operands[0],
                           combine=combine, turn=turn)
            results.append(coerce.cast(got, kind) if short else got)
        return whole(results)
    return lower


form(group_functions.reduce_over_group)(_reduction("reduce"))
form(group_functions.inclusive_scan_over_group)(_reduction("inclusive_scan"))
form(group_functions.exclusive_scan_over_group)(_reduction("exclusive_scan"))


def _check_start(ctx: Context, operator: Value | None, dtype: dtypes.DType, node: ast.AST) -> None:
    """Refuse an exclusive scan that starts with an identity SYCL does not know (§4.17.4.11)."""
    if operators.identity(_operator(operator), dtype) is None:
        raise ctx.refuse("K054", node, what="no identity is known for "
                         f"{describe(operator or Nothing())} on {dtype}",
                         help="give an initial value")


def _numbers(ctx: Context, value: Value, node: ast.AST) -> tuple[
        list[n.Expr], Callable[[list[n.Expr]], Value]]:
    """Return the numbers a value is made of, and what makes such a value of others."""
    if isinstance(value, Vector):
        own = vectors.type_of(value)
        return list(value.loaded(ctx).items), lambda xs: vectors.of(own, xs)
    return [ctx.to_scalar(value, node)], lambda xs: xs[0]


def _members(ctx: Context, value: Value, node: ast.AST) -> tuple[
        list[n.Expr], Callable[[list[n.Expr]], Value]]:
    """Return the numbers a value is made of, also one of a dataclass, and what puts them back."""
    if isinstance(value, Record):
        value = copies.copied(ctx, value, node)
    if isinstance(value, n.Expr) and stored_pointers.kind_of(value):
        return [value], lambda xs: xs[0]
    if not isinstance(value, Instance):
        return _numbers(ctx, value, node)
    made = value
    fields = [_members(ctx, field, node) for field in made.items]

    def whole(xs: list[n.Expr]) -> Value:
        left, items = list(xs), []
        for numbers, put in fields:
            items.append(put(left[:len(numbers)]))
            del left[:len(numbers)]
        return replace(made, items=tuple(items), homes=frozenset(), exact=False)
    return [x for numbers, _ in fields for x in numbers], whole


def _starts(ctx: Context, init: Value, count: int, node: ast.AST) -> list[n.Expr]:
    """Return the initial value of each number: its own, or one for all."""
    firsts, _ = _numbers(ctx, init, node)
    if len(firsts) not in (1, count):
        raise ctx.refuse("K049", node, found=describe(init), expected="a value like the operand",
                         help="give one number, or as many as the operand has")
    return firsts if len(firsts) == count else [ctx.hold(firsts[0])] * count


def _operands(x: n.Expr, first: n.Expr | None, combine: str, *,
              keep: bool) -> tuple[n.Expr, ...]:
    """Return an operand and its initial value in one type; ``keep``: that of the operand."""
    if x.type == WEAK_BOOL and combine in ("plus", "multiplies"):
        x = coerce.convert(x, WEAK_INT)  # Python's truth values add up as numbers
    if first is None:
        return (x,)
    if keep:
        return x, coerce.cast(first, x.type)
    type = coerce.common(x.type, first.type) or x.type
    return coerce.convert(x, type), coerce.convert(first, type)


def _check_operator(ctx: Context, operator: Value | None, dtype: dtypes.DType, node: ast.AST,
                    where: str) -> None:
    """Refuse what is none of SYCL's function objects, or none for a type (SYCL 2020 §4.17.4)."""
    row = operators.OPERATORS.get(_operator(operator))
    if row is None:
        raise ctx.refuse("K052", node, what=describe(operator or Nothing()),
                         where=f"as operator of {where}",
                         help="use one of unisycl's function objects: plus, minimum, ...")
    if dtype.kind not in row.only:
        raise ctx.refuse("K036", node, op=row.name, types=dtype, help={
            "c": "a group adds complex numbers, and nothing else of them",
            "f": "these operators need integers"}.get(dtype.kind, ""))


def _operator(value: Value | None) -> str:
    """Return the name of one of SYCL's function objects; '' for anything else."""
    return operator_name(value.object) if isinstance(value, Constant) else ""


def _move(op: str, name: str, where: str, *, needed: bool = False) -> Callable[
        [Context, ast.Call], Value]:
    """Make the lowering of a function that gives each work-item another one's value."""
    required = ("group", "x", where) if needed else ("group", "x")

    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, name, required, () if needed else (where,))
        xs, whole = _members(ctx, found["x"], node)
        default = coerce.weak_scalar(0 if op == "broadcast" else 1)
        place = _local_place(ctx, found[where], node) if where in found else default
        if not place.type.dtype.is_integer:
            raise ctx.refuse("K049", node, found=place.type, expected="an integer",
                             help="use int(...)")
        scope = _group(ctx, found["group"], node, name, sub_groups_only=op != "broadcast")
        place = coerce.convert(place, WEAK_INT)
        place = place if len(xs) == 1 else ctx.hold(place)
        if op == "broadcast" and isinstance(scope, Instance):
            place = ctx.hold(place)
            fragments.check_giver(ctx, scope, place, node)
        return whole([_collect(ctx, op, (x, place), scope, node, type=x, turn=turn)
                      for turn, x in enumerate(xs)])
    return lower


form(group_functions.group_broadcast)(_move("broadcast", "group_broadcast", "local_id"))
form(group_functions.shift_group_left)(_move("shift_left", "shift_group_left", "delta"))
form(group_functions.shift_group_right)(_move("shift_right", "shift_group_right", "delta"))
form(group_functions.permute_group_by_xor)(
    _move("permute_xor", "permute_group_by_xor", "mask", needed=True))
form(group_functions.select_from_group)(
    _move("select", "select_from_group", "remote_local_id", needed=True))


def _local_place(ctx: Context, value: Value, node: ast.AST) -> n.Expr:
    """Return a local id as its linear position."""
    if isinstance(value, Several) and len(value.items) > 1:
        place: n.Expr = coerce.weak_scalar(0)
        for d, item in enumerate(value.items):
            place = coerce.binary("mul", place, n.Query(WEAK_INT, "local_range", d), WEAK_INT)
            place = coerce.binary("add", place, _local_place(ctx, item, node), WEAK_INT)
        return place
    return ctx.exactly(value, node)


@form(group_functions.group_cells)
def _cells(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "sort_over_group", ("group", "like", "number"), ("room",))
    group = _check_group(ctx, found["group"], node, "sort_over_group")
    type = Scalar(ctx.to_scalar(found["like"], node).type.dtype)
    _group(ctx, group, node, "sort_over_group")  # on the host device they meet to share memory
    each = 1 if "room" not in found else 2 * own_elements(ctx, found["room"], node)
    return group_cells(ctx, type, group, each)


@form(group_functions.group_local_memory_for_overwrite)
def _local_memory(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "group_local_memory", ("dtype", "group"))
    scope = _group(ctx, found["group"], node, "group_local_memory")
    if scope is not memory_scope.work_group:
        raise ctx.refuse("K049", node, found=describe(found["group"]), expected="a group",
                         help="local memory belongs to work-groups: pass it.get_group()")
    return local_memory(ctx, found["dtype"], node)


@form(group_functions.ballot_bits)
def _ballot(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "group_ballot", ("group", "predicate"))
    x = coerce.truth(ctx.to_scalar(found["predicate"], node))
    name = ctx.frame.source.name  # the function of ours that needs the ballot
    scope = _group(ctx, found["group"], node, name, sub_groups_only=True)
    return fragments.ballot(ctx, None if isinstance(scope, memory_scope) else scope, x, node)


@form(group_functions.match_bits)
def _match(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "group_match", ("group", "x"))
    x = ctx.to_scalar(found["x"], node)
    if x.type.dtype.kind not in "biu":
        raise ctx.refuse("K049", node, found=describe(x), expected="an integer",
                         help="compare bits: bit_cast(np.uint32, x)")
    if x.type.dtype.kind == "b":
        x = coerce.convert(x, Scalar(dtypes.INT32))
    scope = _group(ctx, found["group"], node, ctx.frame.source.name, sub_groups_only=True)
    return fragments.match(ctx, None if isinstance(scope, memory_scope) else scope, x, node)


@form(group_functions.present_bits)
def _present(ctx: Context, node: ast.Call) -> Value:
    group = parameters(ctx, node, "entangle", ("group",))["group"]
    _group(ctx, _check_group(ctx, group, node, "entangle", sub_groups_only=True), node, "entangle")
    ctx.facts.add("tangles")
    return fragments.ballot(ctx, None, n.Const(BOOL, value=True), node)


@form(group_functions.exchange)
def _exchange(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "exchange", ("x", "lane"))
    x, lane = (ctx.to_scalar(found[name], node) for name in ("x", "lane"))
    return _collect(ctx, "select", (x, lane), memory_scope.sub_group, node, type=x)


@form(group_functions.lane_count)
def _lane_count(ctx: Context, node: ast.Call) -> Value:
    return n.Query(WEAK_INT, "sub_group_max_local_range", 0)


def _this(kind: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of ``this_nd_item`` and its kin."""
    name = f"this_{kind}"

    def lower(ctx: Context, node: ast.Call) -> Value:
        parameters(ctx, node, name, ())
        if ctx.shape.kind != "nd_range":
            raise ctx.refuse("K050", node, what=f"'{name}'")
        ctx.facts.add("asks")
        return Item(kind, 1 if kind == "sub_group" else ctx.shape.ndim)
    return lower


form(this.this_nd_item)(_this("nd_item"))
form(this.this_group)(_this("group"))
form(this.this_sub_group)(_this("sub_group"))


@form(this.leader_of)
def _leader_of(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "leader_of", ("group",))["group"]
    if fragments.is_fragment(found):
        return fragments.query(ctx, found, "leader", node)
    return leader(_check_group(ctx, found, node, "leader_of"))


@form(group_functions.same_range)
def _same_range(ctx: Context, node: ast.Call) -> Value:
    """Have it checked that a group gives one range to a function, where kernels are debugged."""
    found = parameters(ctx, node, "same_range", ("group", "name", "data", "count"))
    name, data, group = found["name"], found["data"], found["group"]
    if not ("divergence" in ctx.shape.checks and ctx.shape.kind == "nd_range"
            and isinstance(name, Constant) and isinstance(group, Item) and group.kind in _SCOPE):
        return Nothing()
    ctx.converge(node, "same_range")
    values = [coerce.convert(ctx.exactly(found["count"], node), WEAK_INT)]
    if isinstance(data, Memory):
        start = data.window[0] if data.window else coerce.weak_scalar(0)
        values += [coerce.convert(x, WEAK_INT) for x in (start, *data.index)]
    what = ("number of elements", *["first element"] * (len(values) - 1))
    ctx.emit(n.Agree(tuple(values), what, str(name.object), _SCOPE[group.kind],
                     span=ctx.span(node)))
    return Nothing()


def _identity(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a question about an operator and a type, answered while compiling."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, name, ("op", "dtype"))
        op, given = _operator(found["op"]), found["dtype"]
        row = dtypes.find_dtype(given.object) if isinstance(given, Constant) else None
        if row is None:
            raise ctx.refuse("K046", node, what="the type", help="write x.dtype or np.float32")
        known = operators.identity(op, row)
        if name == "has_known_identity":
            return coerce.weak_scalar(known is not None)
        if name == "neutral":
            _check_operator(ctx, found["op"], row, node, "a group algorithm")
            return n.Const(Scalar(row), operators.neutral(op, row))
        if known is None:
            raise ctx.refuse("K054", node, what=f"no identity is known for "
                             f"{describe(found['op'])} on {row}", help="give an initial value")
        return n.Const(Scalar(row), known)
    return lower


form(function_objects.has_known_identity)(_identity("has_known_identity"))
form(function_objects.known_identity)(_identity("known_identity"))
form(function_objects.neutral)(_identity("neutral"))
