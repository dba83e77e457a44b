"""Special forms: Python's builtins, type conversions and declarations that kernels may call.

Non-goals: group functions, atomics, reducers. Invariant: each means on a device what CPython does
with NumPy scalars.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base import dtypes, geometry
from unisycl.base.enums import access_mode, address_space, memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.access import as_dtype
from unisycl.frontend.context import Context
from unisycl.frontend.expr import arithmetic, operate
from unisycl.frontend.items import ITEM_KINDS, item_ids
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import (
    Constant,
    Item,
    Memory,
    Nothing,
    Record,
    Several,
    Value,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS, BY_MATH, BY_NUMPY, Builtin
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_FLOAT, WEAK_INT, Scalar, View
from unisycl.lang import item as lang


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
             family: str = "unisycl") -> n.Expr:
    """Return a call of a builtin by its typing rule.

    ``family`` is whose function it is: 'numpy' computes small integers in small floats and gives
    NumPy's types always, 'math' computes Python floats, unisycl's own leave weak integers weak.
    """
    if len(args) != row.arity:
        raise ctx.refuse("K034", node, what=f"'{row.name}'", expected=f"{row.arity} argument(s)",
                         found=len(args))
    xs = [ctx.to_scalar(a, node) for a in args]
    operand = _operand_type(row, [x.type for x in xs], family)
    if operand is None:
        raise ctx.refuse("K036", node, op=row.name, types=", ".join(str(x.type) for x in xs),
                         help="it takes integers" if row.rule == "int" else "")
    ctx.need(operand)
    result = operand
    if row.rule == "float_test":
        result = WEAK_BOOL if family == "math" else BOOL
    return n.Call(result, row, tuple(coerce.cast(x, operand) for x in xs))


def _operand_type(row: Builtin, types: list[Scalar], family: str) -> Scalar | None:
    """Return the one type a builtin computes in; None if it cannot."""
    if family == "math":
        return WEAK_FLOAT
    if row.rule.startswith("float"):
        found = coerce.floating(*types, narrow=family == "numpy")
        return Scalar(found.dtype) if found else None
    shared: Scalar | None = types[0]
    for t in types[1:]:
        shared = coerce.common(shared, t) if shared else None
    if shared is None:
        return None
    kind = shared.dtype.kind
    if kind == "b" or (row.rule == "int" and kind == "f"):
        return None
    return Scalar(shared.dtype) if family == "numpy" else shared


# ---- conversions
def convert(ctx: Context, obj: Any, args: list[Value], node: ast.AST) -> Value | None:
    """Return ``type(x)`` for Python's and NumPy's scalar types; None for any other callable."""
    weak = {bool: WEAK_BOOL, int: WEAK_INT, float: WEAK_FLOAT}.get(obj) \
        if isinstance(obj, type) else None
    target = weak or _strong(obj)
    if target is None:
        return None
    if len(args) > 1:
        raise ctx.refuse("K034", node, what=f"'{obj.__name__}'", expected="one argument",
                         found=len(args))
    if not args:
        return coerce.cast(coerce.weak_scalar(0), target)
    x = ctx.to_scalar(args[0], node)
    ctx.need(target)
    return coerce.convert(coerce.truth(x), target) if target.dtype.kind == "b" \
        else coerce.convert(x, target) if target.weak else coerce.cast(x, target)


def _strong(obj: Any) -> Scalar | None:
    """Return the type that one of NumPy's scalar classes names."""
    if not isinstance(obj, type) or not issubclass(obj, np.generic):
        return None
    row = dtypes.find_dtype(obj) if obj in _CONCRETE else None
    return Scalar(row) if row else None


_CONCRETE = frozenset(np.dtype(code).type for code in np.typecodes["All"] if code not in "SUVOMm")


# ---- Python's builtins
def _extreme(name: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        values = ctx.operands(*node.args)
        if len(values) == 1 and isinstance(values[0], Several):
            values = list(values[0].items)
        if node.keywords or not values or (len(node.args) == 1 and isinstance(values[0], n.Expr)
                                           and len(values) == 1):
            raise ctx.refuse("K034", node, what=f"'{name}'", expected="two or more values",
                             found=len(node.args) + len(node.keywords))
        result = ctx.to_scalar(values[0], node)
        for v in values[1:]:
            result = _better(ctx, name, result, ctx.to_scalar(v, node), node)
        return result
    return lower


def _better(ctx: Context, name: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``b`` if it is strictly better than ``a``, else ``a``, as Python's min and max do."""
    type = coerce.join(a.type, b.type)
    if type is None:
        raise ctx.refuse("K036", node, op=name, types=f"{a.type} and {b.type}", help="")
    a, b = coerce.cast(a, type), coerce.cast(b, type)
    if isinstance(a, n.Const) and isinstance(b, n.Const):
        swap = b.value < a.value if name == "min" else b.value > a.value
        return b if swap else a
    if type.dtype.kind == "b":
        return n.Binary(type, "and" if name == "min" else "or", a, b)
    return n.Call(type, BUILTINS[name], (a, b))


def _abs(ctx: Context, node: ast.Call) -> Value:
    x = ctx.to_scalar(parameters(ctx, node, "abs", ("x",))["x"], node)
    if x.type.dtype.kind == "b":
        return coerce.convert(x, WEAK_INT) if x.type.weak else x
    if isinstance(x, n.Const):
        return coerce.binary("mul", x, n.Const(x.type, -1 if x.value < 0 else 1), x.type)
    if x.type.dtype.kind == "u":
        return x
    return n.Call(x.type, BUILTINS["abs"], (x,))


def _round(ctx: Context, node: ast.Call) -> Value:
    """Lower ``round(x)``: to the nearest integer, halves to even, as a Python int."""
    found = parameters(ctx, node, "round", ("number",), ("ndigits",))
    if "ndigits" in found:
        raise ctx.refuse("K034", node, what="'round'", expected="one number in a kernel", found=2)
    x = ctx.to_scalar(found["number"], node)
    if not x.type.dtype.is_float:
        return coerce.convert(x, WEAK_INT)
    return coerce.convert(n.Call(x.type, BUILTINS["rint"], (x,)), WEAK_INT)


def _whole(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of math.floor, ceil and trunc, which give Python ints."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        x = ctx.to_scalar(parameters(ctx, node, name, ("x",))["x"], node)
        if not x.type.dtype.is_float:
            return coerce.convert(x, WEAK_INT)
        return coerce.convert(n.Call(x.type, BUILTINS[name], (x,)), WEAK_INT)
    return lower


def _len(ctx: Context, node: ast.Call) -> Value:
    value = parameters(ctx, node, "len", ("obj",))["obj"]
    match value:
        case Several():
            return coerce.weak_scalar(len(value.items))
        case Memory() if len(value.index) < value.view.ndim:
            return n.Extent(WEAK_INT, value.base, len(value.index))
        case Record() if value.shape:
            return coerce.weak_scalar(value.shape[0])
        case Constant() if isinstance(value.object, str | bytes):
            return coerce.weak_scalar(len(value.object))
    raise ctx.refuse("K049", node, found=describe(value), expected="memory or a tuple", help="")


def _range(ctx: Context, node: ast.Call) -> Value:
    raise ctx.refuse("K052", node, what="range()", where="here",
                     help="it is the iterable of a for loop: for k in range(n)")


def _isinstance(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "isinstance", ("obj", "class_or_tuple"))
    kind = found["class_or_tuple"]
    kinds = kind.items if isinstance(kind, Several) else (kind,)
    classes = tuple(k.object for k in kinds
                    if isinstance(k, Constant) and isinstance(k.object, type))
    if len(classes) != len(kinds):
        raise ctx.refuse("K046", node, what="the class isinstance() asks for",
                         help="name a class or a tuple of classes")
    return coerce.weak_scalar(_is_instance(found["obj"], classes))


def _is_instance(value: Value, classes: tuple[type, ...]) -> bool:
    match value:
        case Constant():
            return isinstance(value.object, classes)
        case n.Expr():
            kind = value.type.dtype
            python = {"b": bool, "i": int, "u": int, "f": float}[kind.kind]
            real = python if value.type.weak else kind.numpy.type
            return issubclass(real, classes)
        case Several():
            real = {"tuple": tuple, "id": geometry.id, "range": geometry.range}.get(
                value.kind, geometry.nd_range)
            return issubclass(real, classes)
        case Item():
            return issubclass(getattr(lang, value.kind, lang.item), classes)
    return False


def _divmod(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "divmod", ("x", "y"))
    a, b = (ctx.hold(ctx.to_scalar(found[k], node)) for k in "xy")
    return Several((arithmetic(ctx, "floordiv", a, b, node), arithmetic(ctx, "mod", a, b, node)))


def _pow(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "pow", ("base", "exp"))
    return operate(ctx, "pow", found["base"], found["exp"], node)


def _sum(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "sum", ("iterable",), ("start",))
    total = found.get("start", coerce.weak_scalar(0))
    if not isinstance(found["iterable"], Several):
        raise ctx.refuse("K049", node, found=describe(found["iterable"]), expected="a tuple",
                         help="add up memory in a loop")
    for item in found["iterable"].items:
        total = operate(ctx, "add", total, item, node)
    return total


def _tuple(ctx: Context, node: ast.Call) -> Value:
    value = parameters(ctx, node, "tuple", (), ("iterable",)).get("iterable", Several(()))
    if isinstance(value, Several) and value.kind != "nd_range":
        return Several(value.items)
    if isinstance(value, Item) and value.kind in ITEM_KINDS:
        return Several(item_ids(value).items)
    raise ctx.refuse("K046", node, what="what tuple() is made of",
                     help="write the tuple out: (a, b, c)")


def _print(ctx: Context, node: ast.Call) -> Value:
    if node.keywords:
        raise ctx.refuse("K034", node, what="'print'", expected="values only in a kernel",
                         found=f"'{node.keywords[0].arg}'")
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
            inner = part
            if isinstance(part, ast.FormattedValue):
                if part.format_spec is not None or part.conversion != -1:
                    raise ctx.refuse("K001", part, what="a format specification",
                                     help="print the value as it is: {x}")
                inner = part.value
            out += _pieces(ctx, inner)
        return out
    value = ctx.value(node)
    if isinstance(value, Item) and value.kind in ITEM_KINDS:
        value = Several(item_ids(value).items, "id") if value.ndim > 1 else value
    return _spelt(ctx, value, node)


def _spelt(ctx: Context, value: Value, node: ast.AST) -> list[str | n.Expr]:
    if isinstance(value, Constant):
        return [str(value.object)]
    if isinstance(value, Several) and value.kind != "nd_range":
        out: list[str | n.Expr] = [{"tuple": "(", "id": "id(", "range": "range("}[value.kind]]
        for k, item in enumerate(value.items):
            out += [", "] if k else []
            out += _spelt(ctx, item, node)
        return [*out, ",)" if value.kind == "tuple" and len(value.items) == 1 else ")"]
    return [ctx.to_scalar(value, node)]


def _nothing(ctx: Context, node: ast.Call) -> Value:
    return Nothing()


def _container(what: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        raise ctx.refuse("K018", node, what=what)
    return lower


def _string(ctx: Context, node: ast.Call) -> Value:
    raise ctx.refuse("K019", node)


# ---- NumPy's functions that are no single builtin
def _where(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "numpy.where", ("condition", "x", "y"))
    a, b = ctx.to_scalar(found["x"], node), ctx.to_scalar(found["y"], node)
    type = coerce.common(a.type, b.type)
    if type is None:
        raise ctx.refuse("K036", node, op="where", types=f"{a.type} and {b.type}", help="")
    return coerce.select(coerce.truth(ctx.to_scalar(found["condition"], node)), a, b,
                         Scalar(type.dtype))


def operator_function(ctx: Context, obj: Any, args: list[Value], node: ast.AST) -> Value | None:
    """Call a ufunc or a function of ``operator`` that is an operator; None if it is neither."""
    ours = isinstance(obj, np.ufunc)
    name = getattr(obj, "__name__", "").strip("_")
    op = _UFUNCS.get(name) if ours else _OPERATORS.get(name)
    if op is None or not (ours or getattr(obj, "__module__", "") == "_operator"):
        return None
    if len(args) != 2:
        raise ctx.refuse("K034", node, what=f"'{name}'", expected="2 argument(s)", found=len(args))
    if not ours and op not in _TESTS:
        return operate(ctx, op, args[0], args[1], node)
    a, b = (ctx.to_scalar(x, node) for x in args)
    result = coerce.compare(op, a, b) if op in _TESTS else arithmetic(ctx, op, a, b, node)
    if result is None:
        raise ctx.refuse("K036", node, op=name, types=f"{a.type} and {b.type}", help="")
    return coerce.convert(result, Scalar(result.type.dtype)) if ours else result


_TESTS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floordiv",
    "mod": "mod", "pow": "pow", "and": "and", "or": "or", "xor": "xor", "lshift": "shl",
    "rshift": "shr", "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
}
_UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "floor_divide": "floordiv", "remainder": "mod", "mod": "mod", "power": "pow", "pow": "pow",
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "left_shift": "shl",
    "right_shift": "shr", "bitwise_left_shift": "shl", "bitwise_right_shift": "shr", "equal": "eq",
    "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}


# ---- declarations
def _private(ctx: Context, node: ast.Call) -> Value:
    """Declare a private array: constant dtype and shape (SYCL 2020 §3.8.2)."""
    found = parameters(ctx, node, "private_array", ("dtype", "shape"))
    return _declare(ctx, found["dtype"], found["shape"], node)


def _declare(ctx: Context, kind: Value, shape: Value, node: ast.AST) -> Memory:
    row = as_dtype(kind)
    if row is None:
        raise ctx.refuse("K046", node, what="the dtype of a private array",
                         help="name one of NumPy's number types: np.float32, np.int32, ...")
    items = shape.items if isinstance(shape, Several) else (shape,)
    extents = tuple(int(c.value) for x in items if (c := ctx.constant(x)) is not None
                    and c.type.dtype.is_integer)
    if len(extents) != len(items):
        raise ctx.refuse("K046", node, what="the shape of a private array",
                         help="use literals, captured Python integers or tuples of them")
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise ctx.refuse("K054", node, what=f"a private array cannot have the shape {extents}",
                         help="give 1 to 3 positive extents")
    ctx.need(Scalar(row))
    type = View(Scalar(row), len(extents), address_space.private_space, access_mode.read_write)
    array = n.Array("private", type, extents)
    ctx.arrays.append(array)
    return Memory(array, type, name="the private array")


def _filled(name: str, value: int | None) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of numpy.zeros and its kin: a private array with these elements."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, f"numpy.{name}", ("shape",), ("dtype",))
        memory = _declare(ctx, found.get("dtype", Constant(np.float64)), found["shape"], node)
        if value is not None:
            fill(ctx, memory, n.Const(WEAK_INT, value))
        return memory
    return lower


def fill(ctx: Context, memory: Memory, value: n.Expr) -> None:
    """Store one value in every element of a private array."""
    if not isinstance(memory.base, n.Array) or not isinstance(memory.view.elem, Scalar):
        return
    counters = [n.Local("k", WEAK_INT) for _ in memory.base.shape]
    elem = memory.view.elem
    place = n.Place(memory.base, tuple(n.Read(WEAK_INT, c) for c in counters), elem)
    body: n.Stmt = n.Store(place, coerce.convert(value, elem))
    for counter, extent in zip(reversed(counters), reversed(memory.base.shape), strict=True):
        body = n.For(counter, n.Const(WEAK_INT, 0), n.Const(WEAK_INT, extent),
                     n.Const(WEAK_INT, 1), (body,))
    ctx.emit(body)


def _fence(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "atomic_fence", ("order", "scope"))
    order, scope = (v.object if isinstance(v, Constant) else None
                    for v in (found["order"], found["scope"]))
    if not isinstance(order, memory_order) or not isinstance(scope, memory_scope):
        raise ctx.refuse("K046", node, what="the order and scope of a fence",
                         help="write atomic_fence(memory_order.acq_rel, memory_scope.device)")
    ctx.emit(n.Fence(order, scope, span=ctx.span(node)))
    return Nothing()


def _identifier(kind: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        values = ctx.operands(*node.args)
        if len(values) == 1 and isinstance(values[0], Several):
            values = list(values[0].items)
        if len(values) == 1 and isinstance(values[0], Item) and values[0].kind in ITEM_KINDS:
            return Several(item_ids(values[0]).items, kind)
        if not 1 <= len(values) <= 3 or node.keywords:
            raise ctx.refuse("K034", node, what=f"'{kind}'", expected="1 to 3 integers",
                             found=len(values) + len(node.keywords))
        xs = [ctx.to_scalar(v, node) for v in values]
        for x in xs:
            if not x.type.dtype.is_integer:
                raise ctx.refuse("K049", node, found=x.type, expected="an integer",
                                 help="use int(...)")
        return Several(tuple(coerce.convert(x, WEAK_INT) for x in xs), kind)
    return lower


SPECIAL: dict[str, Callable[[Context, ast.Call], Value]] = {
    "builtins.min": _extreme("min"), "builtins.max": _extreme("max"), "builtins.abs": _abs,
    "builtins.round": _round, "builtins.len": _len, "builtins.range": _range,
    "builtins.isinstance": _isinstance, "builtins.divmod": _divmod, "builtins.pow": _pow,
    "builtins.sum": _sum, "builtins.tuple": _tuple, "builtins.print": _print,
    "builtins.breakpoint": _nothing, "builtins.list": _container("a list"),
    "builtins.dict": _container("a dict"), "builtins.set": _container("a set"),
    "builtins.bytearray": _container("a bytearray"), "builtins.str": _string,
    "math.floor": _whole("floor"), "math.ceil": _whole("ceil"),
    "numpy.where": _where, "numpy.zeros": _filled("zeros", 0), "numpy.ones": _filled("ones", 1),
    "numpy.empty": _filled("empty", None), "numpy.array": _container("an array"),
    "unisycl.lang.memory.private_array": _private,
    "unisycl.lang.atomic.atomic_fence": _fence,
    "unisycl.base.geometry.id": _identifier("id"),
    "unisycl.base.geometry.range": _identifier("range"),
}
