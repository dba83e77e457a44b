"""Python's ``math``: functions without a row of their own, and what they raise in debug mode.

Without checks no function raises anywhere: domain errors are NaN, poles and overflows infinite.
Debugged kernels report what this Python raises, in its words. Non-goals: how a function is
computed. Invariant: without ``debug`` no kernel changes.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.base.dataclass import dataclass, replace
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.faults import whole as whole_number
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.syntax.expr import arithmetic
from unisycl.frontend.values import complexes, special_methods
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value, as_tuple
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_COMPLEX, WEAK_FLOAT, WEAK_INT, Scalar
from unisycl.lang.library import whole_numbers


@dataclass(frozen=True, slots=True)
class Fault:
    """Operands for which a function raises: NaN comes of them, or infinity at a pole or beyond."""

    nan: tuple[float, ...] = ()
    pole: tuple[float, ...] = ()
    beyond: tuple[float, ...] = ()


FAULTS: dict[str, Fault] = {
    "sqrt": Fault((-1.0,)), "log": Fault((-1.0,), (0.0,)), "log2": Fault((-1.0,), (0.0,)),
    "log10": Fault((-1.0,), (0.0,)), "log1p": Fault((-2.0,), (-1.0,)),
    "exp": Fault((), (), (1000.0,)), "exp2": Fault((), (), (5000.0,)),
    "expm1": Fault((), (), (1000.0,)), "sinh": Fault((), (), (1000.0,)),
    "cosh": Fault((), (), (1000.0,)), "sin": Fault((math.inf,)), "cos": Fault((math.inf,)),
    "tan": Fault((math.inf,)), "asin": Fault((2.0,)), "acos": Fault((2.0,)),
    "acosh": Fault((0.5,)), "atanh": Fault((2.0,), (1.0,)),
    "gamma": Fault((-1.0,), (0.0,), (200.0,)),
    "lgamma": Fault((), (-1.0,), (1e306,)), "fmod": Fault((1.0, 0.0)),
    "remainder": Fault((1.0, 0.0)), "pow": Fault((-1.0, 0.5), (0.0, -1.0), (10.0, 400.0)),
    "ldexp": Fault((), (), (1.0, 5000)),
}


def said(name: str, sample: Sequence[Any], values: Sequence[n.Expr] = ()) -> tuple[Any, ...]:
    """Return what this Python says of a function of these operands, as pieces of a text."""
    try:
        getattr(math, name)(*sample)
    except (ValueError, OverflowError) as error:
        text = f"{type(error).__name__}: {error}"
    else:
        raise AssertionError(name)
    shown = repr(sample[0])
    if len(values) == 1 and text.endswith(shown):
        return text[:-len(shown)], values[0]
    return (text,)


def checked(ctx: Context, name: str, call: n.Call, node: ast.AST) -> n.Expr:
    """Return a result of ``math.name``, checked where Python raises for some operands."""
    fault = FAULTS.get(name)
    if fault is None or "assert" not in ctx.shape.checks or not hasattr(math, name):
        return call
    args = tuple(ctx.hold(x) for x in call.args)
    result = ctx.hold(replace(call, args=args))
    if fault.nan:
        known = [_is_number(x) for x in args]
        bad = _all([n.Unary(BOOL, "not", _is_number(result)), *known])
        _report(ctx, bad, said(name, fault.nan, args), node)
    endless = _all([_is_infinite(result), *(
        n.Unary(BOOL, "not", _is_infinite(x)) for x in args)])
    first = args[0]
    at_pole = n.Compare(BOOL, "le", first, n.Const(first.type, 0.0))
    if fault.pole:
        bad = _all([endless, at_pole]) if fault.beyond else endless
        _report(ctx, bad, said(name, fault.pole, args), node)
    if fault.beyond:
        bad = _all([endless, n.Unary(BOOL, "not", at_pole)]) if fault.pole else endless
        _report(ctx, bad, said(name, fault.beyond, args), node)
    return result


def _report(ctx: Context, bad: n.Expr, pieces: tuple[Any, ...], node: ast.AST) -> None:
    ctx.emit(n.Check(n.Unary(BOOL, "not", bad), pieces, span=ctx.span(node)))


def _is_number(x: n.Expr) -> n.Expr:
    return n.Compare(BOOL, "eq", x, x) if x.type.dtype.is_float else n.true()


def _is_infinite(x: n.Expr) -> n.Expr:
    if not x.type.dtype.is_float:
        return n.Const(BOOL, False)
    size = n.Call(x.type, BUILTINS["fabs"], (x,))
    return n.Compare(BOOL, "eq", size, n.Const(x.type, math.inf))


def _all(tests: list[n.Expr]) -> n.Expr:
    result = tests[0]
    for test in tests[1:]:
        result = coerce.binary("and", result, test, BOOL)
    return result


# ---- functions without a row
def _whole(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of math.floor, ceil and trunc, which give Python ints."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        value = parameters(ctx, node, name, ("x",))["x"]
        own = special_methods.called(ctx, value, f"__{name}__", [], node)
        if own is not None:
            return own
        x = ctx.to_scalar(value, node)
        if not x.type.dtype.is_float:
            return coerce.convert(x, WEAK_INT)
        x = whole_number(ctx, x, node)
        return coerce.convert(n.Call(x.type, BUILTINS[name], (x,)), WEAK_INT)
    return lower


form(math.floor)(_whole("floor"))
form(math.ceil)(_whole("ceil"))
form(math.trunc)(_whole("trunc"))


def _scaled(name: str, factor: float) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of math.degrees and radians."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        x = ctx.to_scalar(parameters(ctx, node, name, ("x",))["x"], node)
        ctx.need(Scalar(WEAK_FLOAT.dtype), node)
        return n.Binary(WEAK_FLOAT, "mul", coerce.cast(x, WEAK_FLOAT), n.Const(WEAK_FLOAT, factor))
    return lower


form(math.degrees)(_scaled("degrees", 180.0 / math.pi))
form(math.radians)(_scaled("radians", math.pi / 180.0))


@form(math.log)
def _log(ctx: Context, node: ast.Call) -> Value:
    """Lower math.log, which takes a base too."""
    found = parameters(ctx, node, "log", ("x",), ("base",))
    parts: list[n.Expr] = []
    for key in ("x", "base"):
        if key in found:
            x = ctx.hold(coerce.cast(ctx.to_scalar(found[key], node), WEAK_FLOAT))
            parts.append(checked(ctx, "log", n.Call(WEAK_FLOAT, BUILTINS["log"], (x,)), node))
    ctx.need(Scalar(WEAK_FLOAT.dtype), node)
    return parts[0] if len(parts) == 1 else arithmetic(ctx, "div", parts[0], parts[1], node)


_INTEGERS: dict[str, tuple[tuple[str, ...], tuple[tuple[int, tuple[int, ...]], ...]]] = {
    "factorial": (("n",), ((0, (-1,)),)), "isqrt": (("n",), ((0, (-1,)),)),
    "comb": (("n", "k"), ((0, (-1, 0)), (1, (1, -1)))),
    "perm": (("n", "k"), ((0, (-1, 0)), (1, (1, -1)))),
}
"""The parameters of functions of integers, and which of them is refused below 0, by an example."""


def _of_integers(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a function of integers that gives a Python int."""
    names, refused = _INTEGERS[name]

    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, name, names[:1] if name == "perm" else names,
                           names[1:] if name == "perm" else ())
        xs = [_integer(ctx, found[k], name, node) for k in names if k in found]
        if name == "perm" and len(xs) == 1:
            xs = [xs[0], xs[0]]
        if all(isinstance(x, n.Const) for x in xs):
            return _folded(ctx, name, xs, node)
        if "assert" in ctx.shape.checks:
            for k, sample in refused:
                bad = n.Compare(BOOL, "lt", xs[k], n.Const(WEAK_INT, 0))
                _report(ctx, bad, said(name, sample), node)
        return library(ctx, name, xs, node)
    return lower


form(math.factorial)(_of_integers("factorial"))
form(math.isqrt)(_of_integers("isqrt"))
form(math.comb)(_of_integers("comb"))
form(math.perm)(_of_integers("perm"))


def _integer(ctx: Context, value: Value, name: str, node: ast.AST) -> n.Expr:
    x = ctx.to_scalar(value, node)
    if x.type.dtype.kind not in "iub":
        raise ctx.refuse("K049", node, found=x.type, expected="an integer", help="use int(...)")
    return ctx.hold(coerce.convert(x, WEAK_INT))


def _folded(ctx: Context, name: str, xs: Sequence[n.Expr], node: ast.AST) -> Value:
    try:
        return coerce.weak_scalar(getattr(math, name)(*(
            x.value for x in xs if isinstance(x, n.Const))))
    except (ValueError, OverflowError) as error:
        raise ctx.refuse("K054", node, what=f"math.{name}() of these numbers raises: {error}",
                         help="") from None


def library(ctx: Context, name: str, args: Sequence[Value], node: ast.AST) -> Value:
    callee = Constant(getattr(whole_numbers, name), (("library", name),))
    return ctx.call(ctx, callee, list(args), node)


def power_modulo(ctx: Context, xs: Sequence[n.Expr], node: ast.AST) -> Value:
    """Return ``pow`` of three Python integers; NumPy's have no such power."""
    for x in xs:
        if not x.type.weak or x.type.dtype.kind not in "ib":
            raise ctx.refuse("K036", node, op="pow with a modulus", types=x.type,
                             help="Python has it for its own integers only: int(...)")
    a, b, m = (ctx.hold(coerce.convert(x, WEAK_INT)) for x in xs)
    if isinstance(a, n.Const) and isinstance(b, n.Const) and isinstance(m, n.Const):
        try:
            return coerce.weak_scalar(pow(a.value, b.value, m.value))
        except ValueError as error:
            raise ctx.refuse("K054", node, what=f"pow() of these numbers raises: {error}",
                             help="") from None
    if "assert" in ctx.shape.checks:
        zero = n.Const(WEAK_INT, 0)
        _report(ctx, n.Compare(BOOL, "eq", m, zero),
                ("ValueError: pow() 3rd argument cannot be 0",), node)
        common = ctx.to_scalar(library(ctx, "gcd", [a, m], node), node)
        bad = _all([n.Compare(BOOL, "lt", b, zero),
                    n.Compare(BOOL, "ne", common, n.Const(WEAK_INT, 1))])
        _report(ctx, bad, ("ValueError: base is not invertible for the given modulus",), node)
    return library(ctx, "power_modulo", [a, b, m], node)


# ---- functions of complex numbers
_TURNING = {"exp": 1, "sinh": 1, "cosh": 1, "tanh": 1, "sin": 0, "cos": 0, "tan": 0}
"""Which part of the operand a function goes round with: 0 the real one, 1 the imaginary one."""


def of_complex(ctx: Context, obj: Any, args: Sequence[n.Expr], node: ast.AST) -> Value | None:
    """Return a function of a complex number, checked where Python's ``cmath`` raises."""
    name = obj.__name__ if getattr(obj, "__module__", "") == "cmath" else ""
    if "assert" not in ctx.shape.checks or not args or (
            name not in _TURNING and name not in ("log", "log10")):
        return complexes.function(ctx, obj, args)
    z = ctx.hold(coerce.cast(args[0], WEAK_COMPLEX))
    a, b = complexes.parts(ctx, z)
    domain = "ValueError: math domain error"
    if name not in _TURNING:
        _report(ctx, _all([n.Compare(BOOL, "eq", x, n.Const(x.type, 0.0)) for x in (a, b)]),
                (domain,), node)
        return complexes.function(ctx, obj, [z, *args[1:]])
    result = complexes.function(ctx, obj, [z])
    assert isinstance(result, n.Expr)
    result = ctx.hold(result)
    round_, other = (b, a) if _TURNING[name] else (a, b)
    known: n.Expr = n.true()
    if name in ("tan", "tanh"):
        known = n.Unary(BOOL, "not", _is_infinite(other))
    if name == "exp":
        known = n.Compare(BOOL, "ne", other, n.Const(other.type, -math.inf))
    _report(ctx, _all([_is_infinite(round_), _is_number(other), known]), (domain,), node)
    real, imag = complexes.parts(ctx, result)
    endless = n.Binary(BOOL, "or", _is_infinite(real), _is_infinite(imag))
    finite = [x for part in (a, b) for x in (
        _is_number(part), n.Unary(BOOL, "not", _is_infinite(part)))]
    _report(ctx, _all([endless, *finite]), ("OverflowError: math range error",), node)
    return result


def _fold_over(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of math.gcd and math.lcm, which take any number of integers."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        if node.keywords:
            raise ctx.refuse("K034", node, what=f"'{name}'", expected="integers",
                             found=f"'{node.keywords[0].arg}'")
        xs = [_integer(ctx, v, name, node) for v in ctx.operands(*node.args)]
        if all(isinstance(x, n.Const) for x in xs):
            return _folded(ctx, name, xs, node)
        result: Value = xs[0]
        for x in xs[1:] or [n.Const(WEAK_INT, 0 if name == "gcd" else 1)]:
            result = library(ctx, name, [result, x], node)
        return result
    return lower


form(math.gcd)(_fold_over("gcd"))
form(math.lcm)(_fold_over("lcm"))


@form(math.hypot)
def _hypot(ctx: Context, node: ast.Call) -> Value:
    """Lower math.hypot of any number of coordinates: of two at a time, none of which overflows."""
    if node.keywords:
        raise ctx.refuse("K034", node, what="'hypot'", expected="coordinates",
                         found=f"'{node.keywords[0].arg}'")
    return _length(ctx, [ctx.to_scalar(v, node) for v in ctx.operands(*node.args)], node)


@form(math.dist)
def _dist(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "dist", ("p", "q"))
    p, q = (ctx.of(ctx.of(as_tuple(found[k])).as_static(ctx)).components(ctx, node) for k in "pq")
    if len(p) != len(q):
        raise ctx.refuse("K054", node, what="both points must have the same number of dimensions",
                         help="")
    pairs = [[ctx.hold(coerce.cast(x, WEAK_FLOAT)) for x in pair]
             for pair in zip(p, q, strict=True)]
    return _length(ctx, [n.Binary(WEAK_FLOAT, "sub", a, b) for a, b in pairs], node)


def _length(ctx: Context, xs: Sequence[n.Expr], node: ast.AST) -> n.Expr:
    """Return the length of a vector."""
    ctx.need(Scalar(WEAK_FLOAT.dtype), node)
    sizes = [ctx.hold(coerce.cast(x, WEAK_FLOAT)) for x in xs] or [n.Const(WEAK_FLOAT, 0.0)]
    if len(sizes) == 1:
        return n.Call(WEAK_FLOAT, BUILTINS["fabs"], (sizes[0],))
    length = sizes[0]
    for x in sizes[1:]:
        length = ctx.hold(n.Call(WEAK_FLOAT, BUILTINS["hypot"], (length, x)))
    return length


@form(math.ulp)
def _ulp(ctx: Context, node: ast.Call) -> Value:
    x = ctx.to_scalar(parameters(ctx, node, "ulp", ("x",))["x"], node)
    ctx.need(Scalar(WEAK_FLOAT.dtype), node)
    return library(ctx, "ulp", [ctx.hold(coerce.cast(x, WEAK_FLOAT))], node)


@form(math.isclose)
def _isclose(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "isclose", ("a", "b"), ("rel_tol", "abs_tol"))
    keys = ("a", "b", "rel_tol", "abs_tol")
    given = [found.get(k, coerce.weak_scalar(v)) for k, v in zip(
        keys, (0.0, 0.0, 1e-09, 0.0), strict=True)]
    xs = [ctx.hold(coerce.cast(ctx.to_scalar(v, node), WEAK_FLOAT)) for v in given]
    ctx.need(Scalar(WEAK_FLOAT.dtype), node)
    return library(ctx, "isclose", xs, node)


__all__ = ["checked", "of_complex", "power_modulo"]
