"""Functions over parts of sub-groups: calls of our own functions in the kernel language.

Non-goals: groups that the launch made (``groups``). Invariant: a fragment is an ordinary value of a
dataclass, so every device that has sub-groups has its functions.
"""

from __future__ import annotations

import ast
from typing import TypeGuard

from unisycl.base import dtypes
from unisycl.base.enums import memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Value
from unisycl.ir import nodes as n
from unisycl.ir import operators
from unisycl.ir.types import BOOL, Scalar
from unisycl.lang.library import partitions
from unisycl.lang.library.fragments import fragment
from unisycl.lang.numbers import function_objects

_ON_TRUTHS = {"plus": "logical_or", "multiplies": "logical_and", "minimum": "logical_and",
              "maximum": "logical_or"}
_MOVES = {"broadcast": "broadcast", "select": "broadcast"}


def is_fragment(value: object) -> TypeGuard[Instance]:
    """Say whether a value is a part of a sub-group."""
    return isinstance(value, Instance) and issubclass(value.cls, fragment)


def query(ctx: Context, group: Instance, name: str, node: ast.AST) -> Value:
    """Return what a method of a fragment says."""
    return group.call_method(ctx, name, [], {}, node)


def ballot(ctx: Context, group: Instance | None, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return where in a sub-group, or a part of one, a condition holds."""
    result = n.Local("ballot", Scalar(dtypes.UINT64))
    ctx.emit(n.GroupCall(result, "ballot", (x,), memory_scope.sub_group, span=ctx.span(node)))
    bits: n.Expr = n.Read(result.type, result)
    return bits if group is None else coerce.binary("and", bits, _bits(ctx, group, node),
                                                    result.type)


def match(ctx: Context, group: Instance | None, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return where in a sub-group, or a part of one, the same integer is."""
    result = n.Local("match", Scalar(dtypes.UINT64))
    ctx.emit(n.GroupCall(result, "match", (x,), memory_scope.sub_group, span=ctx.span(node)))
    bits: n.Expr = n.Read(result.type, result)
    return bits if group is None else coerce.binary("and", bits, _bits(ctx, group, node),
                                                    result.type)


def _bits(ctx: Context, group: Instance, node: ast.AST) -> n.Expr:
    return ctx.to_scalar(group.field("bits"), node)


def vote(ctx: Context, op: str, group: Instance, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return the result of ``any_of_group`` and its kin."""
    bits = ballot(ctx, group, x, node)
    every = _bits(ctx, group, node) if op == "all" else n.Const(Scalar(dtypes.UINT64), 0)
    found = coerce.compare("ne" if op == "any" else "eq", bits, every)
    assert found is not None
    return found


def move(ctx: Context, op: str, group: Instance, x: n.Expr, place: n.Expr, turn: int,
         node: ast.AST) -> n.Expr:
    """Return another member's value; ``turn`` counts the numbers of one call."""
    return _call(ctx, _MOVES.get(op, op), [group, x, place], turn, node)


def check_giver(ctx: Context, group: Instance, place: n.Expr, node: ast.AST) -> None:
    """Have it checked that a part has the work-item that a broadcast asks, in debugged kernels."""
    if "divergence" not in ctx.shape.checks:
        return
    size = ctx.hold(ctx.to_scalar(query(ctx, group, "get_local_linear_range", node), node))
    inside = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", place, n.Const(place.type, 0)),
                      n.Compare(BOOL, "lt", place, coerce.convert(size, place.type)))
    pieces = ("group_broadcast: the group has ", size, " work-items; there is no id ", place)
    ctx.emit(n.Check(inside, pieces, span=ctx.span(node)))


def combine(ctx: Context, op: str, group: Instance, operands: tuple[n.Expr, ...], name: str,
            turn: int, node: ast.AST) -> n.Expr:
    """Return a reduction or scan; ``operands`` are the value and perhaps an initial one."""
    type = operands[0].type
    word = name if name.startswith("logical") or type.dtype.kind != "b" \
        else _ON_TRUTHS.get(name, name)
    if word.startswith("logical"):
        operands = tuple(coerce.convert(coerce.truth(x), BOOL) for x in operands)
    x, init = operands[0], operands[1] if len(operands) > 1 else None
    operator = Constant(getattr(function_objects, word), (("library", word),))
    if op == "exclusive_scan":
        if init is None:
            known = operators.identity(word, x.type.dtype)
            init = n.Const(x.type, operators.neutral(word, x.type.dtype)
                           if known is None else known)
        return coerce.cast(_call(ctx, op, [group, x, init, operator], turn, node), type)
    found = _call(ctx, op, [group, x, operator], turn, node)
    if init is not None:
        found = ctx.to_scalar(ctx.call(ctx, operator, [init, found], node), node)
    return coerce.cast(found, type)


@form(partitions.chunked_partition)
def chunked(ctx: Context, node: ast.Call) -> Value:
    """Lower ``chunked_partition``: the size of a chunk is part of its type in C++."""
    found = parameters(ctx, node, "chunked_partition", ("group", "size"))
    size = ctx.constant(found["size"])
    if size is None:
        raise ctx.refuse("K046", node, what="the size of a chunk",
                         help="write a number, or capture one")
    if isinstance(size.value, float) or size.value < 1 or size.value & (size.value - 1):
        raise ctx.refuse("K054", node, what=f"a chunk cannot have {size.value} work-items",
                         help="its size is a power of two: 1, 2, 4, ...")
    function = Constant(partitions.chunked_partition, (("library", "chunked_partition"),))
    return ctx.call(ctx, function, [found["group"], size], node)


def _call(ctx: Context, name: str, args: list[Value], turn: int, node: ast.AST) -> n.Expr:
    """Call one of our functions; several calls at one place are told apart."""
    ctx.unrolled.append(turn)
    try:
        function = Constant(getattr(partitions, name), (("library", name),))
        return ctx.to_scalar(ctx.call(ctx, function, args, node), node)
    finally:
        ctx.unrolled.pop()
