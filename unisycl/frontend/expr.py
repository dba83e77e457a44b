"""Lowering of expressions: one function per AST class.

Non-goals: calls (``call``), subscripts and attributes (``access``). Invariant: an operand that may
fault or has effects is evaluated only where Python would evaluate it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.frontend import captures, coerce
from unisycl.frontend.context import Context, Frame
from unisycl.frontend.names import suggest
from unisycl.frontend.values import Closure, Constant, Nothing, Poison, Several, Value, describe
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_FLOAT, WEAK_INT, Scalar

BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "shr", ast.Pow: "pow",
}
SYMBOL = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "and": "&",
          "or": "|", "xor": "^", "shl": "<<", "shr": ">>", "pow": "**", "matmul": "@"}
_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt",
            ast.GtE: "ge"}
_INTEGER_ONLY = frozenset(("and", "or", "xor", "shl", "shr"))


# ---- names and literals
def lower_constant(ctx: Context, node: ast.Constant) -> Value:
    if isinstance(node.value, bool | int | float):
        if isinstance(node.value, int) and not -(1 << 63) <= node.value < 1 << 64:
            raise ctx.refuse("K001", node, what="an integer of more than 64 bits", help="")
        return coerce.weak_scalar(node.value)
    if isinstance(node.value, complex):
        raise ctx.refuse("K001", node, what="complex numbers", help="use two floats")
    return Constant(node.value)


def lower_name(ctx: Context, node: ast.Name) -> Value:
    frame: Frame | None = ctx.frame
    while frame is not None:
        if node.id in frame.names:
            bound = frame.names[node.id]
            return n.Read(bound.type, bound) if isinstance(bound, n.Local) else bound
        if node.id in frame.assigned:
            return _not_yet(ctx, frame, node)
        if frame.function is not None:
            return _captured(ctx, frame, node)
        frame = frame.parent
    raise AssertionError("a frame without a function has a parent")


def _not_yet(ctx: Context, frame: Frame, node: ast.Name) -> Value:
    """Return a variable whose assignment comes later in the text (in a loop)."""
    known = ctx.types.get((frame.key, node.id))
    if known is not None:
        local = frame.names[node.id] = n.Local(node.id, known)
        return n.Read(known, local)
    if "final" not in ctx.facts:
        return Poison()
    raise ctx.refuse("K031", node, name=node.id)


def _captured(ctx: Context, frame: Frame, node: ast.Name) -> Value:
    for step in ("free", "global"):
        obj = captures.follow(frame.function, step, node.id)
        if obj is not captures.MISSING:
            path = (*frame.path, (step, node.id))
            return ctx.capture(path, obj, node.id, node, frozen=step == "global")
    known = [*frame.names, *(frame.function.__globals__ if frame.function else ())]
    raise ctx.refuse("K030", node, name=node.id, help=_closest(node.id, known))


def _closest(name: str, known: Sequence[str]) -> str:
    return suggest(name, known, "define it before the kernel is submitted")


def lower_tuple(ctx: Context, node: ast.Tuple) -> Value:
    return Several(tuple(ctx.operands(*node.elts)))


def lower_lambda(ctx: Context, node: ast.Lambda) -> Value:
    return Closure(node, ctx.frame)


def lower_walrus(ctx: Context, node: ast.NamedExpr) -> Value:
    ctx.assign(node.target.id, ctx.value(node.value), node)
    return lower_name(ctx, ast.copy_location(ast.Name(node.target.id, ast.Load()), node))


# ---- arithmetic
def lower_binop(ctx: Context, node: ast.BinOp) -> Value:
    op = BINARY.get(type(node.op), "matmul")
    left, right = ctx.operands(node.left, node.right)
    return operate(ctx, op, left, right, node)


def operate(ctx: Context, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Return ``left op right`` for scalars, ids and ranges, and tuples."""
    if isinstance(left, Several) or isinstance(right, Several):
        pair = _elementwise(ctx, op, left, right, node)
        if pair is not None:
            return pair
    a, b = ctx.to_scalar(left, node), ctx.to_scalar(right, node)
    if op == "pow":
        return power(ctx, a, b, node)
    return arithmetic(ctx, op, a, b, node)


def _elementwise(ctx: Context, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    if isinstance(left, Several) and isinstance(right, Several):
        if op == "add" and left.kind == right.kind == "tuple":
            return Several(left.items + right.items)
        if len(left.items) != len(right.items):
            raise ctx.refuse("K036", node, op=SYMBOL[op], types=f"{describe(left)} and "
                             f"{describe(right)}", help="dimensions must agree")
        pairs = list(zip(left.items, right.items, strict=True))
        return Several(tuple(operate(ctx, op, a, b, node) for a, b in pairs), left.kind)
    several = left if isinstance(left, Several) else right
    if not isinstance(several, Several) or several.kind == "tuple":
        raise ctx.refuse("K036", node, op=SYMBOL[op],
                         types=f"{describe(left)} and {describe(right)}", help="")
    if len(several.items) == 1:
        return None
    if several is left:
        return Several(tuple(operate(ctx, op, v, right, node) for v in several.items), several.kind)
    return Several(tuple(operate(ctx, op, left, v, node) for v in several.items), several.kind)


def arithmetic(ctx: Context, op: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return a binary operation of two scalars by NumPy's typing."""
    both_bool = a.type.dtype.kind == b.type.dtype.kind == "b"
    if both_bool and op in ("and", "or", "xor"):
        return coerce.binary(op, a, b, BOOL if not (a.type.weak and b.type.weak) else WEAK_BOOL)
    rule = coerce.quotient if op == "div" else coerce.arithmetic
    type = rule(a.type, b.type)
    bad = type is None or (op in _INTEGER_ONLY and type.dtype.is_float) \
        or (type == BOOL and op not in ("add", "mul", "and", "or", "xor"))
    if bad or op == "matmul":
        help = "these operators need integers" if op in _INTEGER_ONLY else ""
        raise ctx.refuse("K036", node, op=SYMBOL[op], types=f"{a.type} and {b.type}", help=help)
    assert type is not None
    ctx.need(type)
    return coerce.binary(op, a, b, type)


def power(ctx: Context, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``a ** b``: small constant exponents multiply, floats call pow."""
    type = coerce.arithmetic(a.type, b.type)
    if type is None:
        raise ctx.refuse("K036", node, op="**", types=f"{a.type} and {b.type}", help="")
    if isinstance(b, n.Const) and b.value == int(b.value) and abs(b.value) <= 16 \
            and (b.value >= 0 or type.dtype.is_float or type.weak):
        return _repeated(ctx, a, int(b.value), type, node)
    if type.dtype.is_float:
        if isinstance(b, n.Const) and b.value == 0.5:
            return n.Call(type, BUILTINS["sqrt"], (coerce.cast(a, type),))
        return n.Call(type, BUILTINS["pow"], (coerce.cast(a, type), coerce.cast(b, type)))
    raise ctx.refuse("K036", node, op="**", types=f"{a.type} and {b.type}",
                     help="integer powers need a constant exponent of 0 to 16; use sycl.pow on floats")


def _repeated(ctx: Context, a: n.Expr, exponent: int, type: Scalar, node: ast.AST) -> n.Expr:
    if exponent < 0:
        one = n.Const(WEAK_FLOAT, 1.0)
        return arithmetic(ctx, "div", one, _repeated(ctx, a, -exponent, type, node), node)
    if exponent == 0:
        return coerce.cast(n.Const(WEAK_INT, 1), type)
    base = ctx.hold(coerce.cast(a, type))
    result: n.Expr | None = None
    while exponent:
        if exponent & 1:
            result = base if result is None else coerce.binary("mul", result, base, type)
        exponent >>= 1
        if exponent:
            base = ctx.hold(coerce.binary("mul", base, base, type))
    assert result is not None
    return result


def lower_unary(ctx: Context, node: ast.UnaryOp) -> Value:
    value = ctx.value(node.operand)
    if isinstance(node.op, ast.Not):
        fixed = static_truth(value)
        if fixed is not None:
            return coerce.weak_scalar(not fixed)
        return coerce.negate(coerce.cast(coerce.truth(ctx.to_scalar(value, node)), WEAK_BOOL))
    if isinstance(value, Several) and value.kind != "tuple":
        return Several(tuple(_unary(ctx, node, ctx.to_scalar(v, node)) for v in value.items),
                       value.kind)
    return _unary(ctx, node, ctx.to_scalar(value, node))


def _unary(ctx: Context, node: ast.UnaryOp, x: n.Expr) -> n.Expr:
    kind = x.type.dtype.kind
    if kind == "b" and x.type.weak:
        x, kind = coerce.cast(x, WEAK_INT), "i"
    symbol = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}[type(node.op)]
    if (symbol == "~" and kind == "f") or (symbol != "~" and kind == "b"):
        raise ctx.refuse("K036", node, op=symbol, types=x.type, help="")
    if symbol == "+":
        return x
    if symbol == "~" and kind == "b":
        return coerce.negate(x)
    if isinstance(x, n.Const):
        value = -x.value if symbol == "-" else ~int(x.value)
        return coerce.cast(coerce.weak_scalar(value), x.type) if not x.type.weak \
            else n.Const(x.type, value)
    return n.Unary(x.type, "neg" if symbol == "-" else "invert", x)


# ---- conditions
def static_truth(value: Value) -> bool | None:
    """Return the truth of a value known while compiling; None if it is not."""
    if isinstance(value, n.Const):
        return bool(value.value)
    if isinstance(value, Constant):
        return bool(value.object)
    if isinstance(value, Several) and value.kind == "tuple":
        return bool(value.items)
    return None


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
        parts.append(lambda op=op, right_node=right_node: part(op, right_node))  # type: ignore[misc]
    return _short_circuit(ctx, parts, is_and=True, node=node)


def _one_comparison(ctx: Context, op: ast.cmpop, left: Value, right: Value,
                    node: ast.AST) -> Value:
    if isinstance(op, ast.Is | ast.IsNot):
        same = _same_object(left, right)
        return coerce.weak_scalar(same == isinstance(op, ast.Is))
    if isinstance(op, ast.In | ast.NotIn):
        return _membership(ctx, op, left, right, node)
    name = _COMPARE[type(op)]
    if isinstance(left, Constant) and isinstance(right, Constant) and name in ("eq", "ne"):
        return coerce.weak_scalar(bool(left.object == right.object) == (name == "eq"))
    if isinstance(left, Several) and isinstance(right, Several) and name in ("eq", "ne") \
            and len(left.items) == len(right.items) > 1:
        pairs = [coerce.truth(ctx.to_scalar(_one_comparison(ctx, ast.Eq(), a, b, node), node))
                 for a, b in zip(left.items, right.items, strict=True)]
        equal = pairs[0]
        for p in pairs[1:]:
            equal = coerce.binary("and", equal, p, BOOL)
        return equal if name == "eq" else coerce.negate(equal)
    a, b = ctx.to_scalar(left, node), ctx.to_scalar(right, node)
    result = coerce.compare(name, a, b)
    if result is None:
        raise ctx.refuse("K036", node, op=name, types=f"{a.type} and {b.type}", help="")
    return result


def _same_object(left: Value, right: Value) -> bool:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return left.object is right.object
    return False


def _membership(ctx: Context, op: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Value:
    if not isinstance(right, Several):
        raise ctx.refuse("K036", node, op="in", types=describe(right), help="use a tuple")
    found: n.Expr = coerce.weak_scalar(False)
    for item in right.items:
        one = _one_comparison(ctx, ast.Eq(), left, item, node)
        found = coerce.binary("or", coerce.cast(found, BOOL), coerce.cast(
            ctx.to_scalar(one, node), BOOL), BOOL)
    return found if isinstance(op, ast.In) else coerce.negate(found)


def lower_boolop(ctx: Context, node: ast.BoolOp) -> Value:
    parts: list[Callable[[], Value]] = [lambda v=v: ctx.value(v)  # type: ignore[misc]
                                        for v in node.values]
    return _short_circuit(ctx, parts, is_and=isinstance(node.op, ast.And), node=node)


def _short_circuit(ctx: Context, parts: list[Callable[[], Value]], *, is_and: bool,
                   node: ast.AST) -> Value:
    """Evaluate parts while the result is open; the value is the last one evaluated."""
    first = parts[0]()
    if len(parts) == 1:
        return first
    fixed = static_truth(first)
    if fixed is not None:
        return _short_circuit(ctx, parts[1:], is_and=is_and, node=node) if fixed == is_and else first
    a = ctx.to_scalar(first, node)
    with ctx.into() as block:
        b = ctx.to_scalar(_short_circuit(ctx, parts[1:], is_and=is_and, node=node), node)
    both_bool = a.type.dtype.kind == b.type.dtype.kind == "b"
    type = WEAK_BOOL if a.type == b.type == WEAK_BOOL else BOOL if both_bool \
        else coerce.join(a.type, b.type)
    if type is None:
        raise ctx.refuse("K036", node, op="and" if is_and else "or",
                         types=f"{a.type} and {b.type}", help="")
    if not block and is_cheap(b):
        if both_bool:
            return coerce.binary("and" if is_and else "or", a, b, type)
        return coerce.select(coerce.truth(a), b if is_and else a, a if is_and else b, type)
    result = n.Local("t", type)
    ctx.emit(n.Assign(result, coerce.cast(a, type), span=ctx.span(node)))
    block.append(n.Assign(result, coerce.cast(b, type), span=ctx.span(node)))
    test = coerce.truth(n.Read(type, result))
    ctx.emit(n.If(test if is_and else coerce.negate(test), tuple(block), span=ctx.span(node)))
    return n.Read(type, result)


def is_cheap(x: n.Expr) -> bool:
    """Say whether an expression may be evaluated for nothing: no memory, no call, small."""
    count = 0
    for e in visit.walk(x):
        count += 1
        if isinstance(e, n.Load | n.Call) or count > 24:
            return False
        if isinstance(e, n.Binary) and e.op in ("floordiv", "mod") and not isinstance(e.b, n.Const):
            return False
    return True


def lower_ifexp(ctx: Context, node: ast.IfExp) -> Value:
    test = ctx.value(node.test)
    fixed = static_truth(test)
    if fixed is not None:
        return ctx.value(node.body if fixed else node.orelse)
    cond = ctx.hold(coerce.truth(ctx.to_scalar(test, node.test)))
    with ctx.into() as then:
        left = ctx.value(node.body)
    with ctx.into() as orelse:
        right = ctx.value(node.orelse)
    if isinstance(left, Several) and isinstance(right, Several) and not then and not orelse \
            and len(left.items) == len(right.items):
        return Several(tuple(_choose(ctx, cond, ctx.to_scalar(a, node), ctx.to_scalar(b, node), node)
                             for a, b in zip(left.items, right.items, strict=True)), left.kind)
    a, b = _in_block(ctx, then, left, node.body), _in_block(ctx, orelse, right, node.orelse)
    if not then and not orelse and is_cheap(a) and is_cheap(b):
        return _choose(ctx, cond, a, b, node)
    type = _joined(ctx, a, b, node)
    result = n.Local("t", type)
    then.append(n.Assign(result, coerce.cast(a, type), span=ctx.span(node)))
    orelse.append(n.Assign(result, coerce.cast(b, type), span=ctx.span(node)))
    ctx.emit(n.If(cond, tuple(then), tuple(orelse), span=ctx.span(node)))
    return n.Read(type, result)


def _in_block(ctx: Context, block: list[n.Stmt], value: Value, node: ast.AST) -> n.Expr:
    outer, ctx.block = ctx.block, block
    try:
        return ctx.to_scalar(value, node)
    finally:
        ctx.block = outer


def _joined(ctx: Context, a: n.Expr, b: n.Expr, node: ast.AST) -> Scalar:
    type = coerce.join(a.type, b.type)
    if type is None:
        raise ctx.refuse("K036", node, op="if else", types=f"{a.type} and {b.type}", help="")
    return type


def _choose(ctx: Context, cond: n.Expr, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    return coerce.select(cond, a, b, _joined(ctx, a, b, node))


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    ast.Constant: lower_constant, ast.Name: lower_name, ast.Tuple: lower_tuple,
    ast.Lambda: lower_lambda, ast.NamedExpr: lower_walrus, ast.BinOp: lower_binop,
    ast.UnaryOp: lower_unary, ast.Compare: lower_compare, ast.BoolOp: lower_boolop,
    ast.IfExp: lower_ifexp,
}

__all__ = ["LOWER", "Nothing", "arithmetic", "is_cheap", "operate", "static_truth"]
