"""Conditions: comparisons, ``and`` and ``or``, and what is decided while compiling.

Non-goals: the statements that branch on them. Invariants: an operand is evaluated only where Python
would evaluate it; a comparison of compile-time objects is decided here.
"""

from __future__ import annotations

import ast
import enum
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.base.dataclass import replace
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.syntax.flow import Label, condition, site, state
from unisycl.frontend.syntax.narrowing import narrow, widen
from unisycl.frontend.values import (
    choices,
    members,
    objects,
    optionals,
    pointers,
    special_methods,
    stored_pointers,
    vector_operators,
)
from unisycl.frontend.values.choices import Choice
from unisycl.frontend.values.classes import is_named
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Either
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.items import ITEM_KINDS, ITEM_METHODS, Item, item_ids, queries
from unisycl.frontend.values.joins import meet
from unisycl.frontend.values.kind import Met, Value, as_tuple, describe
from unisycl.frontend.values.lists import Cells, same_list
from unisycl.frontend.values.memory import Memory, operand
from unisycl.frontend.values.memory_places import MemoryPlace
from unisycl.frontend.values.numbers import kind_of
from unisycl.frontend.values.optionals import Optional
from unisycl.frontend.values.special_methods import SYMBOLS
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import Unsure, alternatives, plain
from unisycl.frontend.values.vectors import Vector
from unisycl.frontend.values.windows import Window
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_INT, Scalar

_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt",
            ast.GtE: "ge"}
_KINDS = {**_COMPARE, ast.Is: "is", ast.IsNot: "is"}
_BY_NAME = {name: op() for op, name in _COMPARE.items()}
_CAPTURED = (WEAK_BOOL, WEAK_INT)  # what captured numbers and their comparisons are
_FEW = 8  # operands of one ``and`` or ``or``: branches one inside the other


def static_truth(value: Value) -> bool | None:
    """Return the truth of a value known while compiling; None if it is not."""
    return kind_of(value).known_truth()


def decided(ctx: Context, value: Value) -> bool | None:
    """Return the truth of a value known while compiling, or of a bool the kernel captures.

    Such a kernel is compiled for each value that the bool has had. Where it is wrong otherwise
    (``"decide"``), so is one that compares captured numbers, for each of their values.
    """
    fixed = static_truth(value)
    if fixed is not None or not isinstance(value, n.Expr) or value.type not in _CAPTURED:
        return fixed
    bools, known = "decide" not in ctx.facts, None
    if not bools or (isinstance(value, n.ParamRead | n.Read) and value.type == WEAK_BOOL):
        known = ctx.constant(value, bools=bools)
    if known is None:
        ctx.undecided = True
        return None
    return bool(known.value)


def lower_compare(ctx: Context, node: ast.Compare) -> Value:
    if len(node.ops) == 1:
        left, right = ctx.operands(node.left, node.comparators[0])
        return _one_comparison(ctx, node.ops[0], left, right, node)
    parts: list[Callable[[], Value]] = []
    left = ctx.value(node.left)
    left = ctx.hold(left) if isinstance(left, n.Expr) else left
    state = {"left": left}

    def part(op: ast.cmpop, right_node: ast.expr) -> Value:
        right = ctx.value(right_node)
        right = ctx.hold(right) if isinstance(right, n.Expr) else right
        result = _one_comparison(ctx, op, state["left"], right, node)
        state["left"] = right
        return result
    for op, right_node in zip(node.ops, node.comparators, strict=True):
        parts.append(functools.partial(part, op, right_node))
    return _short_circuit(ctx, parts, is_and=True, node=node)


def _one_comparison(ctx: Context, op: ast.cmpop, left: Value, right: Value,
                    node: ast.AST) -> Value:
    answer = _of_several(ctx, op, left, right, node)
    if answer is not None:
        return answer
    if isinstance(op, ast.Is | ast.IsNot):
        return _identity(ctx, op, left, right, node)
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(ctx, op, left, right, node)
    name = _COMPARE[type(op)]
    left, right = (operand(ctx, v, node) for v in (left, right))
    if isinstance(left, Item) and isinstance(right, Item) and name in ("eq", "ne"):
        same = _same_item(ctx, left, right, node)
        return same if name == "eq" else coerce.negate(same)
    own = special_methods.compared(
        ctx, name, left, right, node,
        lambda op, a, b: _one_comparison(ctx, _BY_NAME[op], a, b, node))
    if own is not None:
        return own
    if name in ("eq", "ne") and _are_objects(left, right):
        return _identity(ctx, ast.Is() if name == "eq" else ast.IsNot(), left, right, node)
    left, right = (v.taken(ctx) if isinstance(v, Cells) else as_tuple(v) for v in (left, right))
    found = members.compare(ctx, name, left, right) or stored_pointers.compare(
        ctx, name, left, right, node) or _of_texts(ctx, name, left, right)
    if found is not None:
        return found
    if name in ("eq", "ne"):
        fixed = _fixed_equality(ctx, left, right)
        if fixed is not None:
            return coerce.weak_scalar(fixed == (name == "eq"))
    if isinstance(left, Memory) and isinstance(right, Memory):
        left, right = stored_pointers.one_kind(ctx, left, right)
    found = pointers.compare(ctx, name, SYMBOLS[name], left, right, node)
    if found is not None:
        return found
    if isinstance(left, Vector) or isinstance(right, Vector):
        return vector_operators.compare(ctx, name, SYMBOLS[name], left, right, node)
    if isinstance(left, Several) and isinstance(right, Several):
        if name in ("eq", "ne") and "lists" in ctx.facts and left.kind == right.kind == "tuple" \
                and not _written_out(node, left, right):  # Python refuses < of a list and a tuple
            raise ctx.refuse("K036", node, op=SYMBOLS[name], types="lists and tuples",
                             help="a list never equals a tuple; compare their elements")
        if name in ("eq", "ne"):
            equal = _all_equal(ctx, left, right, node)
            return equal if name == "eq" else coerce.negate(equal)
        if left.kind == right.kind == "tuple":
            return _in_order(ctx, op, left, right, node)
        if len(left.items) != len(right.items):
            raise ctx.refuse("K036", node, op=SYMBOLS[name], types=f"{describe(left)} and "
                             f"{describe(right)}", help="dimensions must agree")
    several = left if isinstance(left, Several) else right
    if isinstance(several, Several) and several.kind in ("id", "range") and len(several.items) > 1:
        return _compare_ids(ctx, op, left, right, len(several.items), node)
    a, b = ctx.to_scalar(left, node, unsure=True), ctx.to_scalar(right, node, unsure=True)
    result = coerce.compare(name, a, b)
    if result is None:
        raise ctx.refuse("K036", node, op=SYMBOLS[name], types=f"{a.type} and {b.type}",
                         help=coerce.complex_help(a.type, b.type))
    return result


def _of_several(ctx: Context, op: ast.cmpop, left: Value, right: Value,
                node: ast.AST) -> n.Expr | None:
    """Return a comparison of one of two functions, or of what may be None; None of others.

    ``in`` asks each element whether it is None.
    """
    if not isinstance(left, Optional | Either) and not isinstance(right, Optional | Either):
        return None
    optional = isinstance(left, Optional) or isinstance(right, Optional)
    for value, other in () if optional else ((left, right), (right, left)):
        if isinstance(value, Either):
            sides = [coerce.truth(ctx.to_scalar(_one_comparison(ctx, op, v, other, node), node))
                     for v in (value.then, value.orelse)]
            return coerce.convert(coerce.select(value.cond, sides[0], sides[1], BOOL), WEAK_BOOL)
    if not optional or isinstance(op, ast.In | ast.NotIn):
        return None
    found = optionals.compare(ctx, _KINDS[type(op)], left, right, node,
                              lambda a, b: _one_comparison(ctx, ast.Eq(), a, b, node))
    return coerce.negate(found) if isinstance(op, ast.IsNot) else found


def _written_out(node: ast.AST, left: Several, right: Several) -> bool:
    """Say whether both are lists, or stand there as tuples, without lists in them."""
    if left.made and right.made:
        return True
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left]
    for op, other in zip(node.ops, node.comparators, strict=True):
        among = isinstance(op, ast.In | ast.NotIn) and isinstance(other, ast.Tuple)
        sides += other.elts if among else [other]  # type: ignore[attr-defined]
    if not all(isinstance(side, ast.Tuple) for side in sides):
        return False
    inner = [x for side in sides for t in ast.walk(side) if isinstance(t, ast.Tuple)
             for x in t.elts]
    flat = not any(isinstance(v, Several) for v in (*left.items, *right.items))
    return flat or not any(isinstance(x, ast.Name | ast.Call | ast.List | ast.ListComp | ast.IfExp)
                           for x in inner)


def _identity(ctx: Context, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    """Return ``left is right`` or ``left is not right``."""
    member = members.compare(ctx, "is", left, right)
    if member is not None:
        return member if isinstance(op, ast.Is) else coerce.negate(member)
    nothing = stored_pointers.is_none(ctx, left, right, node)
    if nothing is not None:
        return nothing if isinstance(op, ast.Is) else coerce.negate(nothing)
    single = _is_singleton(ctx, left, right, node)
    if single is not None:
        return single if isinstance(op, ast.Is) else coerce.negate(single)
    for made, other in ((left, right), (right, left)):
        if isinstance(made, Instance) and isinstance(other, Constant) \
                and type(other.object) is made.cls:
            raise ctx.refuse("K036", node, op="is", types=f"{describe(left)} and "
                             f"{describe(right)}", help="compare them by ==, or their fields")
    if isinstance(left, Instance) and isinstance(right, Instance):
        one = _one_object(ctx, left, right)
        if one is not None:
            return coerce.weak_scalar(one == isinstance(op, ast.Is))
        raise ctx.refuse("K036", node, op="is", types=f"{describe(left)} and {describe(right)}",
                         help="compare them by ==, or their fields")
    if isinstance(left, Item) and isinstance(right, Item):
        raise ctx.refuse("K036", node, op="is", types=f"{describe(left)} and {describe(right)}",
                         help="compare them by ==")
    if isinstance(left, Cells) and isinstance(right, Cells):
        found = same_list(left, right)
        return found if isinstance(op, ast.Is) else coerce.negate(found)
    if isinstance(left, Choice) or isinstance(right, Choice):
        same = _same_choice(ctx, left, right, node)
        return same if isinstance(op, ast.Is) else coerce.negate(same)
    return coerce.weak_scalar(_same_object(ctx, left, right, node) == isinstance(op, ast.Is))


def _one_object(ctx: Context, left: Instance, right: Instance) -> bool | None:
    """Say whether two values are one object; None where that is not known."""
    home = ctx.home_of(left)
    if home is not None and home == ctx.home_of(right):
        return True
    if left.fixed and right.fixed:
        return None if left.cls is right.cls else False
    apart = not left.homes & right.homes and not any(
        h in ctx.shared for h in left.homes | right.homes)
    return False if apart or left.cls is not right.cls else None


def _is_singleton(ctx: Context, left: Value, right: Value, node: ast.AST) -> n.Expr | None:
    """Return whether a number is the very object True or False; None if none of them is asked for.

    Other numbers are new objects each time, or not, as the interpreter likes.
    """
    if not isinstance(left, n.Expr) or not isinstance(right, n.Expr):
        return None
    for x, other in ((right, left), (left, right)):
        if isinstance(x, n.Const) and x.type == WEAK_BOOL:
            if any(t == WEAK_BOOL for t in alternatives(other.type)) and other.type != WEAK_BOOL:
                raise ctx.unsettled(other.type, node)
            if other.type != WEAK_BOOL:
                return coerce.weak_scalar(False)
            return coerce.convert(other, WEAK_BOOL) if x.value else coerce.negate(
                coerce.convert(other, WEAK_BOOL))
    raise ctx.refuse("K036", node, op="is", types=f"{left.type} and {right.type}",
                     help="numbers are compared by ==")


def _same_choice(ctx: Context, left: Value, right: Value, node: ast.AST) -> n.Expr:
    """Return whether one of several memories is this one, or the one that another name is."""
    found: n.Expr = coerce.weak_scalar(False)
    if not isinstance(left, Memory | Choice) or not isinstance(right, Memory | Choice):
        return found
    if not (choices.is_plain(left) and choices.is_plain(right)):
        raise ctx.refuse("K036", node, op="is", types=f"{describe(left)} and {describe(right)}",
                         help="compare whole memories")
    for one, a in choices.cases(ctx, left, node):
        for other, b in choices.cases(ctx, right, node):
            if objects.is_same(ctx, a.base, b.base):
                both = coerce.binary("and", one, other, BOOL)
                found = both if isinstance(found, n.Const) else coerce.binary(
                    "or", found, both, BOOL)
    return coerce.convert(found, WEAK_BOOL)


def _same_item(ctx: Context, left: Item, right: Item, node: ast.AST) -> n.Expr:
    """Return whether index objects are equal by value (SYCL 2020 §4.5.3).

    A work-item has one group, sub-group and nd_item; the items of an h_item have ids and ranges.
    """
    if left.kind == right.kind or not (left.kind in ITEM_KINDS and right.kind in ITEM_KINDS):
        return coerce.weak_scalar(left.kind == right.kind)
    ids = _all_equal(ctx, item_ids(left), item_ids(right), node)
    first, second = (queries(ITEM_METHODS[x.kind]["get_range"][0], x) for x in (left, right))
    ranges = _all_equal(ctx, first, second, node)
    both = coerce.binary("and", coerce.truth(ids), coerce.truth(ranges), BOOL)
    return coerce.convert(both, WEAK_BOOL)


def _fixed_equality(ctx: Context, left: Value, right: Value) -> bool | None:
    """Return whether compile-time objects are equal; None if it takes numbers to say."""
    constants = [v for v in (left, right) if isinstance(v, Constant)
                 and not (isinstance(v.object, enum.Enum) and isinstance(v.object, int | float))]
    if len(constants) == 2:
        for v in constants:
            if v.path:
                ctx.guard(v.path, v.object, frozen=True)
        return bool(constants[0].object == constants[1].object)
    if constants:
        return False  # a number never equals None, a string, a function or a type
    return None


def _are_objects(left: Value, right: Value) -> bool:
    """Say whether two values are objects, and no tuples with names."""
    return all(isinstance(v, Instance) and not is_named(v.cls) for v in (left, right))


def _of_texts(ctx: Context, name: str, left: Value, right: Value) -> n.Expr | None:
    """Return which of two texts comes first; None of anything else."""
    texts = [v.settled(ctx) for v in (left, right)
             if isinstance(v, Constant) and isinstance(v.object, str)]
    return coerce.weak_scalar(bool(getattr(operator, name)(*texts))) if len(texts) == 2 else None


def _in_order(ctx: Context, op: ast.cmpop, left: Several, right: Several,
              node: ast.AST) -> n.Expr:
    """Return the comparison of the first elements of two tuples that differ, else of lengths."""
    lengths = [coerce.weak_scalar(len(x.items)) for x in (left, right)]
    result = ctx.to_scalar(_one_comparison(ctx, op, lengths[0], lengths[1], node), node)
    pairs = [(ctx.hold_value(a), ctx.hold_value(b))
             for a, b in zip(left.items, right.items, strict=False)]
    asked = []
    for a, b in pairs:  # none behind the first that is known to differ
        same = ctx.to_scalar(_one_comparison(ctx, ast.Eq(), a, b, node), node)
        fixed = static_truth(same)
        if not fixed:
            asked.append((a, b, same, fixed))
        if fixed is False:
            break
    for a, b, same, fixed in reversed(asked):
        first = ctx.to_scalar(_one_comparison(ctx, op, a, b, node), node)
        result = first if fixed is False else coerce.convert(coerce.select(
            coerce.truth(same), coerce.truth(result), coerce.truth(first), BOOL), WEAK_BOOL)
    return result


def _all_equal(ctx: Context, left: Several, right: Several, node: ast.AST) -> n.Expr:
    if len(left.items) != len(right.items) or left.kind != right.kind:
        return coerce.weak_scalar(False)
    equal: n.Expr = coerce.weak_scalar(True)
    for a, b in zip(left.items, right.items, strict=True):
        one = coerce.truth(ctx.to_scalar(_one_comparison(ctx, ast.Eq(), a, b, node), node))
        fixed = static_truth(one)
        if fixed is False:
            return coerce.weak_scalar(False)
        if fixed is None:
            equal = one if isinstance(equal, n.Const) else coerce.binary("and", equal, one, BOOL)
    return coerce.convert(equal, WEAK_BOOL)


def _compare_ids(ctx: Context, op: ast.cmpop, left: Value, right: Value, count: int,
                 node: ast.AST) -> Value:
    """Return an id or range of 0 and 1, dimension by dimension (SYCL 2020 §4.9.1.1)."""
    columns = [v.items if isinstance(v, Several) else (v,) * count for v in (left, right)]
    kind = left.kind if isinstance(left, Several) else "id"
    return Several(tuple(coerce.convert(
        ctx.to_scalar(_one_comparison(ctx, op, a, b, node), node), WEAK_INT)
        for a, b in zip(*columns, strict=True)), kind)


def _same_object(ctx: Context, left: Value, right: Value, node: ast.AST) -> bool:
    if isinstance(left, Constant) and isinstance(right, Constant):
        for v, other in ((left, right), (right, left)):
            if v.path:  # that something is not None is clear from its type
                some = other.object is None and v.object is not None
                ctx.guard(v.path, v.object, frozen=not some)
        return left.object is right.object
    if isinstance(left, Window) and isinstance(right, Window):
        raise ctx.refuse("K036", node, op="is", types=f"{describe(left)} and {describe(right)}",
                         help="compare whole memories, or where the parts begin")
    if isinstance(left, MemoryPlace) and isinstance(right, MemoryPlace) \
            and objects.is_same(ctx, left.base, right.base):
        if left.whole and right.whole:
            return True
        if not (left.whole or right.whole):  # a subscript makes another object each time
            raise ctx.refuse("K036", node, op="is", types=f"{describe(left)} and {describe(right)}",
                             help="compare whole memories, or where the parts begin")
    return False


def _membership(ctx: Context, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    if isinstance(left, Constant) and isinstance(right, Constant) \
            and isinstance(right.object, str | bytes):
        return coerce.weak_scalar((left.object in right.object) == isinstance(op, ast.In))
    own = special_methods.called(ctx, right, "__contains__", [left], node)
    if own is not None:
        own = coerce.convert(ctx.truth(own, node), WEAK_BOOL)
        return own if isinstance(op, ast.In) else coerce.negate(own)
    right = ctx.of(right).as_static(ctx)
    if not isinstance(right, Several):
        raise ctx.refuse("K036", node, op="in", types=describe(right), help="use a tuple")
    found: n.Expr = coerce.weak_scalar(False)
    for item in right.items:
        one = coerce.truth(ctx.to_scalar(_one_comparison(ctx, ast.Eq(), left, item, node), node))
        fixed = static_truth(one)
        if fixed:
            return coerce.weak_scalar(isinstance(op, ast.In))
        if fixed is None:
            found = one if isinstance(found, n.Const) else coerce.binary("or", found, one, BOOL)
    found = coerce.convert(found, WEAK_BOOL)
    return found if isinstance(op, ast.In) else coerce.negate(found)


def lower_boolop(ctx: Context, node: ast.BoolOp) -> Value:
    parts: list[Callable[[], Value]] = [functools.partial(ctx.value, v) for v in node.values]
    return _short_circuit(ctx, parts, is_and=isinstance(node.op, ast.And), node=node,
                          tests=node.values)


def tested(node: ast.expr) -> ast.expr:
    """Note that only the truth of an expression is asked for, and so of its operands."""
    if isinstance(node, ast.BoolOp):
        node._only_truth = True  # type: ignore[attr-defined]
        for part in node.values:
            tested(part)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        tested(node.operand)
    return node


def _short_circuit(ctx: Context, parts: list[Callable[[], Value]], *, is_and: bool,
                   node: ast.AST, tests: Sequence[ast.expr] = (),
                   chain: list[n.Local] | None = None) -> Value:
    """Evaluate parts while the result is open; the value is the last one evaluated.

    ``tests`` are the parts' texts, where each is one; ``chain`` gets the variables made for them.
    """
    chain = [] if chain is None else chain
    first = parts[0]()
    if len(parts) == 1:
        return first
    fixed = decided(ctx, first)
    if fixed is not None:
        if fixed != is_and:
            return first
        return _short_circuit(ctx, parts[1:], is_and=is_and, node=node, tests=tests[1:],
                              chain=chain)
    a = _operand(ctx, first, node, first=not is_and)
    block, skipped, b = _going_on(
        ctx, tests[0] if tests else None, is_and, Label(site(ctx, node, f"operand {len(parts)}")),
        lambda: _operand(ctx, _short_circuit(ctx, parts[1:], is_and=is_and, node=node,
                                             tests=tests[1:], chain=chain), node), node)
    both_bool = a.type.dtype.kind == b.type.dtype.kind == "b"
    type = meet((Met(a, ctx.known), Met(b, ctx.known)))
    if not isinstance(type, Scalar):
        raise ctx.refuse("K036", node, op="and" if is_and else "or",
                         types=f"{a.type} and {b.type}", help="")
    if not block and not skipped and is_cheap(b):
        if both_bool:
            return coerce.binary("and" if is_and else "or", a, b, type)
        if not isinstance(type, Unsure):
            return coerce.select(coerce.truth(a), b if is_and else a, a if is_and else b, type)
    held = type.plain if isinstance(type, Unsure) else type
    if isinstance(type, Unsure) and not type.places:
        type = replace(type, name="the result", places=tuple(
            (x.type, ctx.span(node)) for x in (a, b)))
    span, op = ctx.span(node), "and" if is_and else "or"
    inner = _chained(block, b, held, chain) if len(parts) > _FEW and not skipped else None
    if inner is not None:
        result, given, more = inner
        if both_bool and len(block) == 2 and is_cheap(given.value):  # fewer branches
            block, go_on = list(more.then), more.cond
            ctx.emit(replace(given, value=coerce.binary(op, a, given.value, held)))
        else:
            go_on = more.cond
            ctx.emit(n.Assign(result, coerce.cast(plain(a), held), span=span))
    else:
        result = n.Local("t", held)
        block.append(n.Assign(result, coerce.cast(plain(b), held), span=span))
        ctx.emit(n.Assign(result, coerce.cast(plain(a), held), span=span))
        go_on = coerce.truth(n.Read(held, result))
        go_on = go_on if is_and else coerce.negate(go_on)
    ctx.emit(n.If(go_on, tuple(block), tuple(skipped), span=span))
    chain.append(result)
    return n.Read(type, result)


def _going_on(ctx: Context, first: ast.expr | None, truth: bool, label: Label,
              rest: Callable[[], n.Expr], node: ast.AST,
              ) -> tuple[list[n.Stmt], list[n.Stmt], n.Expr]:
    """Lower the rest of the parts where the first one has a truth; return what it is then.

    Before it stand the statements of this way, and those of the one that skips the rest.
    """
    test = condition(ctx, first) if first else None
    around = state(ctx)
    with ctx.into() as block:
        ctx.path = (*ctx.path, *([(test, truth)] if test else []))
        narrowed = narrow(ctx, first, truth=truth) if first else []
        found = rest()
        label.jump(ctx, node)
    around.restore(ctx)
    with ctx.into() as skipped:
        ctx.path = (*ctx.path, *([(test, not truth)] if test else []))
        label.jump(ctx, node)
    widen(label, narrowed)
    label.land(ctx)
    return block, skipped, found


def _chained(block: list[n.Stmt], value: n.Expr, held: Scalar,
             chain: list[n.Local]) -> tuple[n.Local, n.Assign, n.If] | None:
    """Return the local that the rest of the parts leaves the result in, and its last statements.

    Parts in front may use it, too, so that a chain of hundreds is one variable, and its branches
    stand one at the end of the other. None if nothing of the kind ends the block.
    """
    if not chain or len(block) < 2 or not isinstance(value, n.Read) or value.local is not chain[-1]:
        return None
    given, more = block[-2:]
    if not isinstance(given, n.Assign) or given.local is not chain[-1] or not isinstance(
            more, n.If) or more.orelse or value.type != held or chain[-1].type != held:
        return None
    return chain[-1], given, more


def _operand(ctx: Context, value: Value, node: ast.AST, *, first: bool = False) -> n.Expr:
    """Return an operand of ``and`` or ``or``: of a pointer, whether it points anywhere.

    ``first``: it is the result only if it is true, so that what may be None is zero then.
    """
    if isinstance(value, Optional):
        if getattr(node, "_only_truth", False):
            return coerce.convert(ctx.truth(value, node), WEAK_BOOL)
        if first and isinstance(value.some, n.Expr):
            zero = coerce.convert(coerce.weak_scalar(0), plain(value.some).type)
            some = replace(value.some, type=zero.type) if isinstance(value.some.type, Unsure) \
                else value.some
            found = ctx.hold(coerce.select(value.has, some, zero, zero.type))
            return replace(found, type=value.some.type)
    leads = stored_pointers.kind_of(value) is not None or (
        isinstance(value, Memory) and len(value.index) < value.view.ndim)
    return ctx.truth(value, node) if leads else ctx.to_scalar(value, node, unsure=True)


def is_cheap(x: n.Expr) -> bool:
    """Say whether an expression may be evaluated for nothing: no memory, no call, small."""
    for count, e in enumerate(visit.walk(x)):
        if isinstance(e, n.Load | n.Call) or count > 24:
            return False
        if isinstance(e, n.Binary) and e.op in ("floordiv", "mod") and not isinstance(e.b, n.Const):
            return False
    return True


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    ast.Compare: lower_compare, ast.BoolOp: lower_boolop,
}

__all__ = ["LOWER", "decided", "is_cheap", "static_truth"]
