"""Lowering of expressions: one function per AST class.

Non-goals: calls (``call``), subscripts and attributes (``access``). Invariant: an operand that may
fault or has effects is evaluated only where Python would evaluate it.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Sequence
from types import UnionType
from typing import Any

from unisycl.base.dataclass import replace
from unisycl.frontend import absorbed, captures, coerce, powers
from unisycl.frontend.context import Context
from unisycl.frontend.faults import checked_operand, checked_power, fitting
from unisycl.frontend.forms import output
from unisycl.frontend.spelling import suggest
from unisycl.frontend.syntax import chosen_functions
from unisycl.frontend.syntax.compare import decided, is_cheap, tested
from unisycl.frontend.syntax.flow import (
    ONE_TEXT,
    UNSET,
    Definition,
    Label,
    definition,
    lost,
    resolve,
    site,
    state,
    two_kinds,
)
from unisycl.frontend.syntax.narrowing import narrow, widen
from unisycl.frontend.syntax.unassigned import check_read
from unisycl.frontend.values import (
    choices,
    complexes,
    members,
    optionals,
    pointers,
    special_methods,
    stored_pointers,
    vector_operators,
)
from unisycl.frontend.values.absent import Lost, Nothing, Pending, Poison
from unisycl.frontend.values.classes import is_named
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Closure
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.joins import meet
from unisycl.frontend.values.kind import Frame, Kind, Lowering, Met, Value, as_tuple, describe
from unisycl.frontend.values.lists import Cells, new_list
from unisycl.frontend.values.memory import Memory, operand
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.streams import Stream
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import Unsure, alternatives, plain
from unisycl.frontend.values.vectors import Vector
from unisycl.frontend.values.windows import Window
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_FLOAT, WEAK_INT, PointerType, Scalar

BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "shr", ast.Pow: "pow",
}
SYMBOL = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "and": "&",
          "or": "|", "xor": "^", "shl": "<<", "shr": ">>", "pow": "**", "matmul": "@"}
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_OF_BOOLS = "truth values do not subtract: use ^ or not, or convert them first, such as int(x)"
_INTEGER_ONLY = frozenset(("and", "or", "xor", "shl", "shr"))


# ---- names and literals
def lower_constant(ctx: Context, node: ast.Constant) -> Value:
    if isinstance(node.value, bool | int | float | complex):
        return coerce.weak_scalar(node.value)
    return Constant(node.value)


def lower_name(ctx: Context, node: ast.Name) -> Value:
    frame: Frame | None = ctx.frame
    while frame is not None:
        if node.id in frame.names:
            return _bound(ctx, frame, node)
        if node.id in frame.assigned:
            return _not_yet(ctx, frame, node)
        if frame.function is not None:
            return _captured(ctx, frame, node)
        frame = frame.parent
    raise AssertionError("a frame without a function has a parent")


def _bound(ctx: Context, frame: Frame, node: ast.Name) -> Value:
    """Return what a name stands for here."""
    made = definition(frame, node.id)
    made.note_read()
    bound = frame.names[node.id]
    if isinstance(bound, Pending):
        bound = frame.names[node.id] = resolve(ctx, bound, node)
    if isinstance(bound, Poison):
        return bound
    if isinstance(bound, Lost):
        raise lost(ctx, bound, node)
    check_read(ctx, frame, node.id, made, node)
    return n.Read(bound.type, bound) if isinstance(bound, n.Local) else bound


def _not_yet(ctx: Context, frame: Frame, node: ast.Name) -> Value:
    """Return a variable whose assignment comes later in the text (in a loop)."""
    made = definition(frame, node.id)
    made.note_read()
    if made is not UNSET and "final" not in ctx.facts:
        ctx.unsure = True
        return Poison()
    form = frame.seen.get(node.id)
    if made is UNSET or form is None:
        raise ctx.refuse("K031", node, name=node.id, help=(
            "assign it on every path before this line; a name that the kernel assigns is its own: "
            f"to change elements of memory of this name write {node.id}[i] = ..."))
    # Every turn of a loop that assigns it ends the function: only a loop without turns gets here.
    frame.names[node.id] = ctx.adopt((frame.key, node.id), node.id, form, None, node)
    return _bound(ctx, frame, node)


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


def lower_lambda(ctx: Context, node: ast.Lambda | ast.FunctionDef) -> Value:
    """Return a function with its defaults, which Python evaluates where it is defined."""
    spec = node.args
    names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
    texts = [*zip(names[len(names) - len(spec.defaults):], spec.defaults, strict=True),
             *((a.arg, d) for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d)]
    return Closure(node, ctx.frame, tuple((p, _default(ctx, p, text)) for p, text in texts))


def _default(ctx: Context, name: str, text: ast.expr) -> Value:
    value = ctx.value(text)
    if isinstance(value, Vector | Instance) and not (
            isinstance(value, Instance) and is_named(value.cls)):
        raise ctx.refuse("K054", text, what=f"the default of '{name}' is {describe(value)}, which "
                         "all calls would share", help="pass it where the function is called")
    return ctx.hold_value(value)


def lower_walrus(ctx: Context, node: ast.NamedExpr) -> Value:
    ctx.assign(node.target.id, ctx.value(node.value), node)
    return lower_name(ctx, ast.copy_location(ast.Name(node.target.id, ast.Load()), node))


# ---- arithmetic
def lower_binop(ctx: Context, node: ast.BinOp) -> Value:
    op = BINARY.get(type(node.op), "matmul")
    left, right = ctx.operands(node.left, node.right)
    return operate(ctx, op, left, right, node)


def operate(ctx: Context, op: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Return ``left op right`` for scalars, ids and ranges, tuples and vectors."""
    left, right = (operand(ctx, v, node) for v in (left, right))
    own = special_methods.operated(ctx, op, SYMBOL[op], left, right, node)
    if own is not None:
        return own
    left, right = (v.taken(ctx) if isinstance(v, Cells) else as_tuple(v) for v in (left, right))
    if isinstance(left, Stream) and op == "shl":
        return output.put(ctx, left, right, node)
    if isinstance(left, Vector) or isinstance(right, Vector):
        return vector_operators.binary(ctx, op, SYMBOL[op], left, right, node, arithmetic)
    if isinstance(left, Several) or isinstance(right, Several):
        pair = _elementwise(ctx, op, left, right, node)
        if pair is not None:
            return pair
    pointer = pointers.operate(ctx, op, SYMBOL[op], left, right, node)
    if pointer is not None:
        return pointer
    if _is_text(left) or _is_text(right):
        raise ctx.refuse("K019", node)
    if op == "or" and isinstance(left, Constant) and isinstance(right, Constant) and all(
            isinstance(v.object, type | UnionType) for v in (left, right)):
        return _united(left, right)
    a, b = ctx.to_scalar(left, node, unsure=True), ctx.to_scalar(right, node, unsure=True)
    return arithmetic(ctx, op, a, b, node)


def _united(left: Constant, right: Constant) -> Constant:
    """Return ``int | float`` of two classes."""
    united = left.object | right.object
    return Constant(united, (("object", united),))


def _elementwise(ctx: Context, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    if isinstance(left, Several) and isinstance(right, Several):
        if op == "add" and left.kind == right.kind == "tuple":
            items = left.items + right.items
            return new_list(ctx, items, node) if left.made and right.made else Several(items)
        if len(left.items) != len(right.items):
            raise ctx.refuse("K036", node, op=SYMBOL[op], types=f"{describe(left)} and "
                             f"{describe(right)}", help="dimensions must agree")
        if "tuple" not in (left.kind, right.kind):
            pairs = list(zip(left.items, right.items, strict=True))
            return _of_ids(ctx, op, pairs, left.kind, node)
    several = left if isinstance(left, Several) else right
    if op == "mul" and isinstance(several, Several) and several.kind == "tuple":
        count = ctx.constant(right if several is left else left)
        if count is not None and count.type.dtype.is_integer:
            items = tuple(map(ctx.hold_value, several.items)) * int(count.value)
            return new_list(ctx, items, node) if several.made else Several(items)
    if not isinstance(several, Several) or several.kind not in ("id", "range"):
        raise ctx.refuse("K036", node, op=SYMBOL[op],
                         types=f"{describe(left)} and {describe(right)}", help="")
    other = ctx.to_scalar(right if several is left else left, node)
    if not other.type.dtype.is_integer or op == "pow":
        return None  # in one dimension an id is its integer; in more there is no such operation
    if several is left:
        return _of_ids(ctx, op, [(v, other) for v in several.items], several.kind, node)
    return _of_ids(ctx, op, [(other, v) for v in several.items], several.kind, node)


def _of_ids(ctx: Context, op: str, pairs: list[tuple[Value, Value]], kind: str,
            node: ast.AST) -> Value:
    """Return an id or range, dimension by dimension; ``/`` divides integers as C++ does."""
    items = []
    for left, right in pairs:
        a, b = (coerce.convert(ctx.to_scalar(v, node), WEAK_INT) for v in (left, right))
        items.append(arithmetic(ctx, "floordiv" if op == "div" else op, a, b, node))
    return Several(tuple(items), kind)


def _is_text(value: Value) -> bool:
    return isinstance(value, Constant) and isinstance(value.object, str | bytes)


def update(ctx: Context, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return what ``left op= right`` gives its target; None if ``left`` has changed itself."""
    own = special_methods.updated(ctx, op, left, right, node)
    if isinstance(own, Nothing):
        return None
    return operate(ctx, op, left, right, node) if own is None else own


def arithmetic(ctx: Lowering, op: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return a binary operation of two scalars by NumPy's typing."""
    either = coerce.whole(op, a, b)
    if either is not None:
        x, y = (_low(v, either.plain) for v in (a, b))
        if WEAK_INT in either.among and len(either.among) == 2:
            either = replace(either, notice=functools.partial(
                ctx.doubts.sums.__setitem__, ctx.span(node), either))
        value = power(ctx, x, y, either.plain, node) if op == "pow" else \
            n.Binary(either.plain, op, x, y)
        return n.Read(either, ctx.named(value))
    double = coerce.doubles(op, a.type, b.type)
    if double is not None:
        ctx.need(double.plain, node)
        x, y = (coerce.cast(plain(v), double.plain) for v in (a, b))
        return n.Read(double, ctx.named(coerce.binary(op, x, y, double.plain)))
    type = coerce.arithmetic(op, a.type, b.type)
    if type is None or op == "matmul" or (op in _INTEGER_ONLY and type.dtype.kind in "fc") \
            or (op in ("floordiv", "mod") and type.dtype.kind == "c") \
            or (op == "sub" and type == BOOL):
        raise ctx.refuse("K036", node, op=SYMBOL[op], types=f"{a.type} and {b.type}",
                         help=coerce.complex_help(a.type, b.type) or
                         ("these operators need integers" if op in _INTEGER_ONLY else
                          _OF_BOOLS if type == BOOL else ""))
    ctx.need(type, node)
    absorbed.check(ctx, op, a, b, type, node)
    if op == "pow":
        return checked_power(ctx, a, b, node, lambda x, y: power(ctx, x, y, type, node))
    b = checked_operand(ctx, op, a, b, node)
    return coerce.binary(op, fitting(ctx, a, type, node), fitting(ctx, b, type, node), type)


def _low(x: n.Expr, to: Scalar) -> n.Expr:
    """Return an integer of which only the low bits are known as one of another type."""
    x = plain(x)
    return coerce.cast(x, to) if isinstance(x, n.Const) or x.type == to else n.Cast(to, x)


def power(ctx: Lowering, a: n.Expr, b: n.Expr, type: Scalar, node: ast.AST) -> n.Expr:
    """Return ``a ** b``: small constant exponents multiply, floats call pow, integers loop."""
    if type.dtype.kind == "c":
        return complexes.power(ctx, a, b, type)
    exponent = b.value if isinstance(b, n.Const) else None
    if exponent is not None and exponent < 0 and not type.dtype.is_float:
        if not type.weak:
            raise ctx.refuse("K036", node, op="**", types=f"{a.type} and a negative exponent",
                             help="NumPy has no such integer power: make the base a float")
        type = WEAK_FLOAT
    if isinstance(a, n.Const) and exponent is not None and a.type.weak and b.type.weak \
            and abs(exponent) <= 4096 and (a.value or exponent >= 0):
        try:
            folded = a.value ** exponent
        except OverflowError:
            folded = math.inf  # Python raises here; a device has no such error
        if isinstance(folded, int | float):
            return coerce.weak_scalar(folded)
    if exponent is not None and abs(exponent) <= 16 and exponent == int(exponent) \
            and (not type.dtype.is_short or exponent in (1, 2)):  # rounded once
        return _repeated(ctx, a, int(exponent), type, node)
    if type.dtype.is_integer:
        return powers.of_integers(ctx, a, b, type, node)
    x, y = coerce.cast(a, type), coerce.cast(b, type)
    if exponent == 0.5:
        x = ctx.hold(x)
        low = n.Compare(BOOL, "eq", x, n.Const(type, -math.inf))
        root = n.Call(type, BUILTINS["sqrt"], (n.Binary(type, "add", x, n.Const(type, 0.0)),))
        return coerce.select(low, n.Const(type, math.inf), root, type)
    return n.Call(type, BUILTINS["pow"], (x, y))


def _repeated(ctx: Lowering, a: n.Expr, exponent: int, type: Scalar, node: ast.AST) -> n.Expr:
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
    value = ctx.value(tested(node.operand) if isinstance(node.op, ast.Not) else node.operand)
    if isinstance(node.op, ast.Not):
        fixed = decided(ctx, value)
        if fixed is not None:
            return coerce.weak_scalar(not fixed)
        return coerce.negate(coerce.cast(ctx.truth(value, node), WEAK_BOOL))
    value = operand(ctx, value, node)
    method = f"__{type(node.op).__name__.lower().replace('usub', 'neg').replace('uadd', 'pos')}__"
    own = special_methods.called(ctx, value, method, [], node)
    if own is not None:
        return own
    if isinstance(value, Vector):
        symbol = _UNARY[type(node.op)]
        return vector_operators.unary(ctx, symbol, value, node, lambda x: _unary(ctx, node, x))
    if isinstance(value, Several) and value.kind != "tuple":
        return Several(tuple(_unary(ctx, node, ctx.to_scalar(v, node)) for v in value.items),
                       value.kind)
    x = ctx.to_scalar(value, node, unsure=True)
    if isinstance(x.type, Unsure):
        return _of_several(ctx, _UNARY[type(node.op)], x, node)
    return _unary(ctx, node, x)


def _of_several(ctx: Context, symbol: str, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``-x``, ``+x`` or ``~x`` of a number of one type or another."""
    zero, one = coerce.weak_scalar(0), coerce.weak_scalar(1)
    if symbol == "+":
        return arithmetic(ctx, "add", x, zero, node)
    if symbol == "~" and all(t.dtype.kind == "i" for t in alternatives(x.type)):
        return arithmetic(ctx, "xor", x, coerce.weak_scalar(-1), node)
    negative = arithmetic(ctx, "sub", zero, x, node)
    return negative if symbol == "-" else arithmetic(ctx, "sub", negative, one, node)


def _unary(ctx: Context, node: ast.UnaryOp, x: n.Expr) -> n.Expr:
    kind = x.type.dtype.kind
    if kind in "iu" and _UNARY[type(node.op)] != "+":
        from_ = 0 if _UNARY[type(node.op)] == "-" else -1  # ~x is -1 - x
        absorbed.check(ctx, "sub", coerce.weak_scalar(from_), x, x.type, node)
    if kind == "b" and x.type.weak:
        x, kind = coerce.cast(x, WEAK_INT), "i"
    symbol = _UNARY[type(node.op)]
    if (symbol == "~" and kind in "fc") or (symbol != "~" and kind == "b"):
        raise ctx.refuse("K036", node, op=symbol, types=x.type,
                         help=_OF_BOOLS if kind == "b" else coerce.complex_help(x.type))
    if symbol == "+":
        return x
    if symbol == "~" and kind == "b":
        return coerce.negate(x)
    if isinstance(x, n.Const):
        value = -x.value if symbol == "-" else ~int(x.value)
        return coerce.convert(coerce.weak_scalar(value), x.type) if not x.type.weak \
            else n.Const(x.type, value)
    return n.Unary(x.type, "neg" if symbol == "-" else "invert", x)


# ---- choices
def lower_ifexp(ctx: Context, node: ast.IfExp) -> Value:
    test = ctx.value(tested(node.test))
    fixed = decided(ctx, test)
    if fixed is not None:
        return ctx.value(node.body if fixed else node.orelse)
    cond = ctx.hold(ctx.truth(test, node.test))
    before, label = state(ctx), Label(site(ctx, node, "choice"))
    with ctx.into() as then:
        narrowed = narrow(ctx, node.test, truth=True)
        left = ctx.value(node.body)
        label.jump(ctx, node)
    before.restore(ctx)
    with ctx.into() as orelse:
        narrowed += narrow(ctx, node.test, truth=False)
        right = ctx.value(node.orelse)
        label.jump(ctx, node)
    widen(label, narrowed)
    label.land(ctx)
    function = chosen_functions.chosen(cond, left, right)
    if function is not None:
        if then or orelse:
            ctx.emit(n.If(cond, tuple(then), tuple(orelse), span=ctx.span(node)))
        return function
    if left != right and (members.form_of([left, right]) is not None
                          or optionals.form_of([Met(left, {}), Met(right, {})], among=True)):
        return _one_object(ctx, cond, (then, left), (orelse, right), node)
    if isinstance(left, Vector) and isinstance(right, Vector) and left.type == right.type:
        return _one_vector(ctx, cond, (then, left), (orelse, right), node)
    if left != right and any(isinstance(v, Constant) and v.is_instance((str,))
                             for v in (left, right)):
        raise ctx.refuse("K046", node, what="which text this is", help=ONE_TEXT)
    if _is_object(left) and _is_object(right):
        return _one_object(ctx, cond, (then, left), (orelse, right), node)
    if isinstance(left, Several) and isinstance(right, Several) and not then and not orelse \
            and len(left.items) == len(right.items) and not any(
                isinstance(v, Kind) for v in (*left.items, *right.items)):
        pairs = [(ctx.to_scalar(a, node, unsure=True), ctx.to_scalar(b, node, unsure=True))
                 for a, b in zip(left.items, right.items, strict=True)]
        return Several(tuple(_choose(ctx, cond, a, b, node) for a, b in pairs), left.kind,
                       made=left.made and right.made and ("choice", left.made, right.made))
    if isinstance(left, Several) and isinstance(right, Several) and left.kind == right.kind:
        return _one_object(ctx, cond, (then, left), (orelse, right), node)
    if any(isinstance(v, Cells) for v in (left, right)) and all(
            isinstance(v, Cells) or (isinstance(v, Several) and v.made) for v in (left, right)):
        return _one_object(ctx, cond, (then, left), (orelse, right), node)
    if isinstance(left, Memory) or isinstance(right, Memory):
        left, right = stored_pointers.one_kind(ctx, left, right)
    if choices.is_plain(left) and choices.is_plain(right) and choices.alike(ctx, left, right):
        return _one_object(ctx, cond, (then, left), (orelse, right), node)
    kind = stored_pointers.kind_of(left, right) or stored_pointers.joined(ctx, left, right)
    if kind is None and _is_place(left) and _is_place(right):
        return _one_object(ctx, cond, (then, left), (orelse, right), node)
    a, b = (_in_block(ctx, block, value, kind, part) for block, value, part in (
        (then, left, node.body), (orelse, right, node.orelse)))
    if not then and not orelse and is_cheap(a) and is_cheap(b):
        return _choose(ctx, cond, a, b, node)
    type = _joined(ctx, a, b, node)
    return _branched(ctx, cond, then, orelse, [(a, b, type)], node)[0]


def _is_object(value: Value) -> bool:
    """Say whether a value is an object, one that the kernel captures included."""
    return isinstance(value, Instance) or (
        isinstance(value, Constant) and value.owner_class() is not None)


def _is_place(value: Value) -> bool:
    """Say whether a value is a row, window, pointer or record: memory and where in it."""
    return isinstance(value, Record | Window) or (
        isinstance(value, Memory) and len(value.index) < value.view.ndim
        and (value.window is not None or len(value.index) > 0))


def _one_vector(ctx: Context, cond: n.Expr, left: tuple[list[n.Stmt], Vector],
                right: tuple[list[n.Stmt], Vector], node: ast.AST) -> Value:
    """Return one of two vectors; it may be either of the objects they are."""
    then, a = left
    orelse, b = right
    pairs = list(zip(a.items, b.items, strict=True))
    if not then and not orelse and all(is_cheap(x) for pair in pairs for x in pair):
        items = [_choose(ctx, cond, x, y, node) for x, y in pairs]
    else:
        items = _branched(ctx, cond, then, orelse, [(x, y, a.elem) for x, y in pairs], node)
    return Vector(a.type, tuple(items), a.homes | b.homes, a.name or b.name, exact=False)


def _one_object(ctx: Context, cond: n.Expr, left: tuple[list[n.Stmt], Value],
                right: tuple[list[n.Stmt], Value], node: ast.AST) -> Value:
    """Return one of two objects of a class, or places in one memory, in variables of its own."""
    key = (ctx.frame.key, "choice", ctx.span(node), *ctx.unrolled)
    values = [Met(v, ctx.known) for _, v in (left, right)]
    form = ctx.meet(values)
    if form is None:
        raise two_kinds(ctx, "the choice", values, Definition(), node)
    result: Value | n.Local | None = None
    blocks = []
    for block, value in (left, right):
        with ctx.into() as more:
            result = ctx.adopt(key, "the choice", form, value, node)
        blocks.append((*block, *more))
    ctx.emit(n.If(cond, *blocks, span=ctx.span(node)))
    assert result is not None
    assert not isinstance(result, n.Local)
    return replace(result, exact=False) if isinstance(result, Instance) else result


def _branched(ctx: Context, cond: n.Expr, then: list[n.Stmt], orelse: list[n.Stmt],
              values: list[tuple[n.Expr, n.Expr, Scalar]], node: ast.AST) -> list[n.Expr]:
    """Emit a branch that gives variables one or the other of each pair of values."""
    results: list[n.Expr] = []
    for a, b, type in values:
        held = type.plain if isinstance(type, Unsure) else type
        result = n.Local("t", held)
        then.append(n.Assign(result, coerce.cast(plain(a), held), span=ctx.span(node)))
        orelse.append(n.Assign(result, coerce.cast(plain(b), held), span=ctx.span(node)))
        absorbed.note(ctx, result, held, a, b)
        results.append(n.Read(type, result))
    ctx.emit(n.If(cond, tuple(then), tuple(orelse), span=ctx.span(node)))
    return results


def _in_block(ctx: Context, block: list[n.Stmt], value: Value, kind: PointerType | None,
              node: ast.AST) -> n.Expr:
    outer, ctx.block = ctx.block, block
    try:
        return ctx.to_scalar(value, node, unsure=True) if kind is None \
            else ctx.of(value).as_pointer(ctx, kind, node)
    finally:
        ctx.block = outer


def _joined(ctx: Context, a: n.Expr, b: n.Expr, node: ast.AST) -> Scalar:
    """Return the type of a number that is one of two, as the path decides."""
    type = meet((Met(a, ctx.known), Met(b, ctx.known)))
    if not isinstance(type, Scalar):
        raise ctx.refuse("K036", node, op="if else", types=f"{a.type} and {b.type}", help="")
    if isinstance(type, Unsure) and not type.places:
        type = replace(type, name="the choice", places=tuple(
            (x.type, ctx.span(node)) for x in (a, b)))
    return type


def _choose(ctx: Context, cond: n.Expr, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    type = _joined(ctx, a, b, node)
    if not isinstance(type, Unsure):
        one = coerce.select(cond, a, b, type)
        absorbed.note(ctx, one, type, a, b)
        return one
    held = n.Local("t", type.plain)
    ctx.emit(n.Assign(held, coerce.select(cond, plain(a), plain(b), held.type)))
    return n.Read(type, held)


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    ast.Constant: lower_constant, ast.Name: lower_name,
    ast.Lambda: lower_lambda, ast.NamedExpr: lower_walrus, ast.BinOp: lower_binop,
    ast.UnaryOp: lower_unary, ast.IfExp: lower_ifexp,
}

__all__ = ["BINARY", "LOWER", "SYMBOL", "arithmetic", "operate"]
