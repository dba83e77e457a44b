"""Special forms: Python's builtins, type conversions and declarations that kernels may call.

Non-goals: group functions, atomics, reducers. Invariant: each means on a device what CPython does
with NumPy scalars.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.enums import access_mode, address_space, memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.access import as_dtype
from unisycl.frontend.context import Context
from unisycl.frontend.expr import arithmetic, operate
from unisycl.frontend.items import item_ids
from unisycl.frontend.values import Constant, Memory, Nothing, Record, Several, Value, describe
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS, BY_MATH, BY_NUMPY, Builtin
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_FLOAT, WEAK_INT, Scalar, View


def qualified(obj: Any) -> str:
    """Return 'module.name' of a callable, the key of the special forms."""
    module = getattr(obj, "__module__", None) or ""
    return f"{module}.{getattr(obj, '__qualname__', getattr(obj, '__name__', ''))}"


def builtin_row(obj: Any) -> Builtin | None:
    """Return the row of a callable that is a pure builtin: ours, NumPy's or math's."""
    name = getattr(obj, "__name__", "")
    module = getattr(obj, "__module__", None) or ""
    if isinstance(obj, Builtin):
        return obj
    if module == "unisycl.lang.math":
        return BUILTINS.get(name)
    if isinstance(obj, np.ufunc) or module == "numpy":
        return BY_NUMPY.get(name)
    return BY_MATH.get(name) if module == "math" else None


def call_row(ctx: Context, row: Builtin, args: list[Value], node: ast.AST, *,
             weak: bool = False) -> n.Expr:
    """Return a call of a builtin by its typing rule."""
    if len(args) != row.arity:
        raise ctx.refuse("K034", node, what=f"'{row.name}'", expected=f"{row.arity} argument(s)",
                         found=len(args))
    xs = [ctx.to_scalar(a, node) for a in args]
    types = [x.type for x in xs]
    if weak:
        xs = [coerce.cast(x, WEAK_FLOAT) for x in xs]
        operand: Scalar | None = WEAK_FLOAT
    elif row.rule.startswith("float"):
        operand = coerce.floating(*types)
        if operand is not None and all(t.weak for t in types):
            operand = Scalar(dtypes.FLOAT64)
    else:
        operand = types[0]
        for t in types[1:]:
            operand = coerce.common(operand, t) if operand else None
    if operand is None or (row.rule == "int" and not operand.dtype.is_integer) \
            or (row.rule == "any" and operand.dtype.kind == "b"):
        raise ctx.refuse("K036", node, op=row.name, types=", ".join(map(str, types)), help="")
    ctx.need(operand)
    result = operand
    if row.rule == "float_test":
        result = WEAK_BOOL if weak else BOOL
    return n.Call(result, row, tuple(coerce.cast(x, operand) for x in xs))


# ---- conversions
def convert(ctx: Context, obj: Any, args: list[Value], node: ast.AST) -> Value | None:
    """Return ``type(x)`` for Python's and NumPy's scalar types; None for any other callable."""
    weak = {bool: WEAK_BOOL, int: WEAK_INT, float: WEAK_FLOAT}.get(obj) \
        if isinstance(obj, type) else None
    strong = None
    if isinstance(obj, type) and issubclass(obj, np.generic):
        row = dtypes.find_dtype(obj)
        strong = Scalar(row) if row else None
    target = weak or strong
    if target is None:
        return None
    if len(args) > 1:
        raise ctx.refuse("K034", node, what=f"'{obj.__name__}'", expected="one argument",
                         found=len(args))
    if not args:
        return coerce.cast(coerce.weak_scalar(0), target)
    x = ctx.to_scalar(args[0], node)
    ctx.need(target)
    return coerce.cast(coerce.truth(x), target) if target.dtype.kind == "b" \
        else coerce.cast(x, target)


# ---- Python's builtins
def _extreme(name: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        values = ctx.operands(*node.args)
        if len(values) == 1 and isinstance(values[0], Several):
            values = list(values[0].items)
        if node.keywords or not values:
            raise ctx.refuse("K034", node, what=f"{name}()", expected="one or more values",
                             found=len(values))
        result = ctx.to_scalar(values[0], node)
        for v in values[1:]:
            x = ctx.to_scalar(v, node)
            type = coerce.join(result.type, x.type)
            if type is None or type.dtype.kind == "b":
                raise ctx.refuse("K036", node, op=name, types=f"{result.type} and {x.type}", help="")
            pair = (coerce.cast(result, type), coerce.cast(x, type))
            if all(isinstance(p, n.Const) for p in pair):
                result = (min if name == "min" else max)(
                    pair, key=lambda c: c.value)  # type: ignore[union-attr]
            else:
                result = n.Call(type, BUILTINS[name], pair)
        return result
    return lower


def _abs(ctx: Context, node: ast.Call) -> Value:
    args = ctx.operands(*node.args)
    if len(args) == 1 and isinstance(args[0], n.Const):
        return n.Const(args[0].type, abs(args[0].value))
    return call_row_weakly(ctx, BUILTINS["abs"], args, node)


def call_row_weakly(ctx: Context, row: Builtin, args: list[Value], node: ast.AST) -> n.Expr:
    """Return a call of a Python builtin: weak operands give a weak result."""
    result = call_row(ctx, row, args, node)
    xs = [ctx.to_scalar(a, node) for a in args]
    if all(x.type.weak for x in xs) and not result.type.weak:
        return coerce.cast(result, WEAK_FLOAT if result.type.dtype.is_float else WEAK_INT)
    return result


def _len(ctx: Context, node: ast.Call) -> Value:
    values = ctx.operands(*node.args)
    value = values[0] if len(values) == 1 else None
    match value:
        case Several():
            return coerce.weak_scalar(len(value.items))
        case Memory():
            return n.Extent(WEAK_INT, value.base, len(value.index))
        case Record() if value.shape:
            return coerce.weak_scalar(value.shape[0])
    raise ctx.refuse("K049", node, found=describe(value) if value else "nothing",
                     expected="memory or a tuple", help="")


def _range(ctx: Context, node: ast.Call) -> Value:
    raise ctx.refuse("K052", node, what="range()", where="here",
                     help="it is the iterable of a for loop: for k in range(n)")


def _isinstance(ctx: Context, node: ast.Call) -> Value:
    value, kind = ctx.operands(*node.args)
    kinds = kind.items if isinstance(kind, Several) else (kind,)
    if not all(isinstance(k, Constant) for k in kinds):
        raise ctx.refuse("K046", node, what="the type")
    classes = tuple(k.object for k in kinds if isinstance(k, Constant))
    return coerce.weak_scalar(_is_instance(value, classes))


def _is_instance(value: Value, classes: tuple[Any, ...]) -> bool:
    if isinstance(value, Constant):
        return isinstance(value.object, classes)
    if isinstance(value, n.Expr):
        kind = value.type.dtype
        python = {"b": bool, "i": int, "u": int, "f": float}[kind.kind]
        real = python if value.type.weak else kind.numpy.type
        return issubclass(real, classes)
    return isinstance(value, Several) and value.kind == "tuple" and tuple in classes


def _divmod(ctx: Context, node: ast.Call) -> Value:
    a, b = (ctx.hold(ctx.to_scalar(v, node)) for v in ctx.operands(*node.args))
    return Several((arithmetic(ctx, "floordiv", a, b, node), arithmetic(ctx, "mod", a, b, node)))


def _pow(ctx: Context, node: ast.Call) -> Value:
    a, b = ctx.operands(*node.args)
    return operate(ctx, "pow", a, b, node)


def _tuple(ctx: Context, node: ast.Call) -> Value:
    values = ctx.operands(*node.args)
    if len(values) == 1 and isinstance(values[0], Several):
        return Several(values[0].items)
    raise ctx.refuse("K046", node, what="what tuple() is made of")


def _print(ctx: Context, node: ast.Call) -> Value:
    pieces: list[str | n.Expr] = []
    for k, arg in enumerate(node.args):
        if k:
            pieces.append(" ")
        pieces += _pieces(ctx, arg)
    ctx.emit(n.Print(tuple(pieces), span=ctx.span(node)))
    return Nothing()


def _pieces(ctx: Context, node: ast.expr) -> list[str | n.Expr]:
    if isinstance(node, ast.JoinedStr):
        out: list[str | n.Expr] = []
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            out += _pieces(ctx, inner)
        return out
    value = ctx.value(node)
    if isinstance(value, Constant):
        return [str(value.object)]
    if isinstance(value, Several):
        out = [{"tuple": "(", "id": "id(", "range": "range("}[value.kind]]
        for k, item in enumerate(value.items):
            out += [", "] if k else []
            out.append(ctx.to_scalar(item, node))
        return [*out, ")"]
    return [ctx.to_scalar(value, node)]


def _nothing(ctx: Context, node: ast.Call) -> Value:
    return Nothing()


# ---- declarations
def _private(ctx: Context, node: ast.Call, dtype_at: int, shape_at: int) -> Value:
    """Declare a private array: constant dtype and shape (SYCL 2020 §3.8.2)."""
    values = dict(enumerate(ctx.operands(*node.args)))
    named = {str(k.arg): ctx.value(k.value) for k in node.keywords}
    shape = named.get("shape", values.get(shape_at))
    kind = named.get("dtype", values.get(dtype_at, Constant(np.float64)))
    row = as_dtype(kind)
    if row is None:
        raise ctx.refuse("K046", node, what="the dtype of a private array")
    items = shape.items if isinstance(shape, Several) else (shape,)
    if not items or not all(isinstance(x, n.Const) and int(x.value) > 0 for x in items):
        raise ctx.refuse("K046", node, what="the shape of a private array")
    extents = tuple(int(x.value) for x in items if isinstance(x, n.Const))
    type = View(Scalar(row), len(extents), address_space.private_space, access_mode.read_write)
    array = n.Array("private", type, extents)
    ctx.arrays.append(array)
    return Memory(array, type, name="the private array")


def _np_zeros(ctx: Context, node: ast.Call) -> Value:
    memory = _private(ctx, node, 1, 0)
    assert isinstance(memory, Memory) and isinstance(memory.base, n.Array)
    fill(ctx, memory, n.Const(WEAK_INT, 0))
    return memory


def fill(ctx: Context, memory: Memory, value: n.Expr) -> None:
    """Store one value in every element of a private array."""
    assert isinstance(memory.base, n.Array) and isinstance(memory.view.elem, Scalar)
    counters = [n.Local("k", WEAK_INT) for _ in memory.base.shape]
    elem = memory.view.elem
    place = n.Place(memory.base, tuple(n.Read(WEAK_INT, c) for c in counters), elem)
    body: n.Stmt = n.Store(place, coerce.cast(value, elem))
    for counter, extent in zip(reversed(counters), reversed(memory.base.shape), strict=True):
        body = n.For(counter, n.Const(WEAK_INT, 0), n.Const(WEAK_INT, extent),
                     n.Const(WEAK_INT, 1), (body,))
    ctx.emit(body)


def _fence(ctx: Context, node: ast.Call) -> Value:
    values = ctx.operands(*node.args)
    found = [v.object for v in values if isinstance(v, Constant)]
    if len(found) != 2 or not isinstance(found[0], memory_order) \
            or not isinstance(found[1], memory_scope):
        raise ctx.refuse("K046", node, what="the order and scope of a fence")
    ctx.emit(n.Fence(found[0], found[1], span=ctx.span(node)))
    return Nothing()


def _identifier(kind: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        values = ctx.operands(*node.args)
        if len(values) == 1 and isinstance(values[0], Several):
            values = list(values[0].items)
        if len(values) == 1 and getattr(values[0], "kind", "") == "item":
            return item_ids(values[0])  # type: ignore[arg-type]
        return Several(tuple(coerce.cast(ctx.to_scalar(v, node), WEAK_INT) for v in values), kind)
    return lower


SPECIAL: dict[str, Callable[[Context, ast.Call], Value]] = {
    "builtins.min": _extreme("min"), "builtins.max": _extreme("max"), "builtins.abs": _abs,
    "builtins.len": _len, "builtins.range": _range, "builtins.isinstance": _isinstance,
    "builtins.divmod": _divmod, "builtins.pow": _pow, "builtins.tuple": _tuple,
    "builtins.print": _print, "builtins.breakpoint": _nothing,
    "numpy.zeros": _np_zeros, "numpy.empty": lambda ctx, node: _private(ctx, node, 1, 0),
    "unisycl.lang.memory.private_array": lambda ctx, node: _private(ctx, node, 0, 1),
    "unisycl.lang.atomic.atomic_fence": _fence,
    "unisycl.base.geometry.id": _identifier("id"),
    "unisycl.base.geometry.range": _identifier("range"),
}
