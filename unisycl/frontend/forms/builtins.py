"""Calls of what has a row in the table of builtins, of conversions and of operators as functions.

Non-goals: special forms. Invariant: NumPy's functions, Python's and unisycl's own of one meaning
differ here in their types only.
"""

from __future__ import annotations

import ast
import itertools
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.faults import fitting, whole
from unisycl.frontend.forms import signature
from unisycl.frontend.forms.geometric import OF_VECTORS
from unisycl.frontend.syntax.expr import arithmetic, operate
from unisycl.frontend.values import complexes, special_methods, vector_operators
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import Unsure, alternatives, exact, plain
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS, BY_MATH, BY_NUMPY, Builtin
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, Scalar
from unisycl.lang.numbers.math import builtin_function


def builtin_row(obj: Any) -> Builtin | None:
    """Return the row of a callable that is a pure builtin: ours, NumPy's or math's."""
    name = getattr(obj, "__name__", "")
    module = getattr(obj, "__module__", None) or ""
    if isinstance(obj, Builtin):
        return obj
    if isinstance(obj, builtin_function):
        return obj.row
    if isinstance(obj, np.ufunc) or module == "numpy":
        return BY_NUMPY.get(name)
    return BY_MATH.get(name) if module == "math" else None


def call_row(ctx: Context, row: Builtin, args: list[Value], node: ast.AST, *,
             family: str = "unisycl") -> Value:
    """Return a call of a builtin by its signature; of one with several results, a tuple.

    ``family`` is whose function it is: 'numpy' computes small integers in small floats and gives
    NumPy's types always, 'math' computes Python floats, unisycl's own leave weak integers weak.
    """
    if len(args) != row.arity:
        raise ctx.refuse("K034", node, what=f"'{row.name}'", expected=f"{row.arity} argument(s)",
                         found=len(args))
    if any(isinstance(a, Vector) for a in args):
        return _of_vectors(ctx, row, args, node, family)
    xs = [ctx.to_scalar(a, node, unsure=True) for a in args]
    if len(xs) == 1 and xs[0].type.dtype.kind == "c" and row.name in complexes.FUNCTIONS \
            and (family == "numpy" or row.name == "abs"):
        result = complexes.FUNCTIONS[row.name](ctx, xs[0])
        return coerce.convert(result, Scalar(result.type.dtype)) if family == "numpy" else result
    found = _resolved(ctx, row, xs, family, node)
    if found is None:
        raise ctx.refuse("K036", node, op=row.name, types=", ".join(str(x.type) for x in xs),
                         help=signature.explain(row, [x.type for x in xs]))
    operands, results = found
    for type in (*operands, *results):
        ctx.need(type, node)
    given = tuple(coerce.convert(coerce.truth(x), t) if t.dtype.kind == "b"
                  else coerce.cast(x, t) for x, t in zip(xs, operands, strict=True))
    if not row.parts:
        return n.Call(results[0], _relaxed(ctx, row, results[0]), given)
    held = tuple(ctx.hold(x) for x in given)
    return Several(tuple(n.Call(type, _relaxed(ctx, BUILTINS[part], type), held)
                         for type, part in zip(results, row.parts, strict=True)))


def _resolved(ctx: Context, row: Builtin, xs: list[n.Expr], family: str, node: ast.AST
              ) -> tuple[list[Scalar], list[Scalar]] | None:
    """Return the types of operands and results, whichever of several types a number has."""
    first, *others = (signature.resolve(row, list(types), family)
                      for types in itertools.product(*(alternatives(x.type) for x in xs)))
    if any(other != first for other in others):
        raise ctx.unsettled(next(x.type for x in xs if isinstance(x.type, Unsure)), node)
    return first


def _relaxed(ctx: Context, row: Builtin, type: Scalar) -> Builtin:
    """Return the rough row of a function where the kernel asks for fast mathematics."""
    if not ctx.shape.fast_math or type.dtype is not dtypes.FLOAT32 or row.name in _ALWAYS_EXACT:
        return row
    return BUILTINS.get(f"native_{row.name}", row)


_ALWAYS_EXACT = frozenset(("sqrt",))  # an instruction anyway


def _of_vectors(ctx: Context, row: Builtin, args: list[Value], node: ast.AST,
                family: str) -> Value:
    """Return a builtin of vectors, element by element; numbers take the elements' type."""
    if row.name in OF_VECTORS:
        return OF_VECTORS[row.name](ctx, args, node)
    result = vector_operators.elementwise(ctx, args, node, row.name,
                                 lambda parts: call_row(ctx, row, parts, node, family=family))
    first = next(a for a in args if isinstance(a, Vector))
    if row.rule in ("float", "any", "int") and isinstance(result, Vector) \
            and result.elem != first.elem:
        help = "it needs floats: use convert()" if first.elem.dtype.kind != "f" and len(args) == 1 \
            else "the elements of all operands have one type: use convert()"
        raise ctx.refuse("K036", node, op=row.name, types=", ".join(map(describe, args)), help=help)
    return result


def convert(ctx: Context, obj: Any, args: list[Value], node: ast.AST) -> Value | None:
    """Return ``type(x)`` for Python's and NumPy's scalar types; None for any other callable."""
    weak = {bool: WEAK_BOOL, int: WEAK_INT, float: WEAK_FLOAT, complex: WEAK_COMPLEX}.get(obj) \
        if isinstance(obj, type) else None
    target = weak or _strong(obj)
    if target is None:
        return None
    if obj is complex and len(args) == 2:
        return complexes.made(ctx, *(ctx.to_scalar(a, node) for a in args))
    if len(args) > 1:
        raise ctx.refuse("K034", node, what=f"'{obj.__name__}'", expected="one argument",
                         found=len(args))
    if not args:
        return coerce.cast(coerce.weak_scalar(0), target)
    text = args[0].object if isinstance(args[0], Constant) else None
    if isinstance(text, str) and obj in (int, float, complex):
        try:
            return coerce.weak_scalar(obj(text))  # float("inf")
        except ValueError as error:
            raise ctx.refuse("K049", node, found=repr(text), expected="a number",
                             help=str(error)) from None
    ctx.need(target, node)
    if target.dtype.kind == "b":
        return coerce.convert(ctx.truth(args[0], node), target)
    own = special_methods.number(ctx, args[0], *_BY_METHODS[obj], node) if weak else None
    x = ctx.to_scalar(args[0], node, unsure=True) if own is None else own
    x = coerce.convert(x, target) if not exact(x.type) else plain(x)
    x = whole(ctx, x, node) if obj is int else x
    return coerce.convert(x, target) if target.weak \
        else coerce.cast(fitting(ctx, x, target, node), target)


_BY_METHODS: dict[Any, tuple[tuple[str, ...], str, str]] = {
    int: (("__int__", "__index__"), "bi", "an int"),
    float: (("__float__", "__index__"), "f", "a float"),
    complex: (("__complex__", "__float__", "__index__"), "fc", "a complex number"),
}
"""Which methods of a class make a number of it, what kind, and how messages call that."""


def _strong(obj: Any) -> Scalar | None:
    """Return the type that one of NumPy's scalar classes names."""
    if not isinstance(obj, type) or not issubclass(obj, np.generic):
        return None
    concrete = obj in _CONCRETE or obj.__name__ in dtypes.SHORT_FLOATS
    row = dtypes.find_dtype(obj) if concrete else None
    return Scalar(row) if row else None


_CONCRETE = frozenset(np.dtype(code).type for code in np.typecodes["All"] if code not in "SUVOMm")


def operator_function(ctx: Context, obj: Any, args: list[Value], node: ast.AST) -> Value | None:
    """Call a ufunc or a function of ``operator`` that is an operator; None if it is neither."""
    ours = isinstance(obj, np.ufunc)
    name = getattr(obj, "__name__", "").strip("_")
    if ours and name in _LOGICAL and not any(isinstance(x, Vector) for x in args):
        return _logical(ctx, name, args, node)
    op = _UFUNCS.get(name) if ours else _OPERATORS.get(name)
    if op is None or not (ours or getattr(obj, "__module__", "") == "_operator"):
        return None
    if len(args) != 2:
        raise ctx.refuse("K034", node, what=f"'{name}'", expected="2 argument(s)", found=len(args))
    if any(isinstance(x, Vector) for x in args) and op in _TESTS:
        return vector_operators.compare(ctx, op, name, args[0], args[1], node)
    if op not in _TESTS and (not ours or any(isinstance(x, Vector) for x in args)):
        return operate(ctx, op, args[0], args[1], node)
    a, b = (ctx.to_scalar(x, node) for x in args)
    result = coerce.compare(op, a, b) if op in _TESTS else arithmetic(ctx, op, a, b, node)
    if result is None:
        raise ctx.refuse("K036", node, op=name, types=f"{a.type} and {b.type}", help="")
    return coerce.convert(result, Scalar(result.type.dtype)) if ours else result


_LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_xor": "xor", "logical_not": "not"}


def _logical(ctx: Context, name: str, args: list[Value], node: ast.AST) -> n.Expr:
    """Return one of NumPy's logical functions; both operands are evaluated."""
    count = 1 if name == "logical_not" else 2
    if len(args) != count:
        raise ctx.refuse("K034", node, what=f"'{name}'", expected=f"{count} argument(s)",
                         found=len(args))
    tests = [coerce.truth(ctx.to_scalar(x, node)) for x in args]
    if count == 1:
        return coerce.negate(tests[0])
    return coerce.binary(_LOGICAL[name], tests[0], tests[1], BOOL)


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

__all__ = ["builtin_row", "call_row", "convert", "operator_function"]
