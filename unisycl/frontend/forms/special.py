"""Special forms: Python's builtins, type conversions and declarations that kernels may call.

Non-goals: group functions, atomics, reducers. Invariant: each means on a device what CPython does
with NumPy scalars.
"""

from __future__ import annotations

import ast
import copy
import functools
import math
from collections.abc import Callable
from types import UnionType

import numpy as np

from unisycl.base import geometry
from unisycl.base.dataclass import replace
from unisycl.base.enums import memory_order, memory_scope
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.faults import whole
from unisycl.frontend.form_registry import form
from unisycl.frontend.forms import copies, decimals, math_functions, numpy_functions
from unisycl.frontend.forms.builtins import call_row
from unisycl.frontend.parameters import parameters
from unisycl.frontend.syntax import counted_loops, generators
from unisycl.frontend.syntax.expr import arithmetic, operate
from unisycl.frontend.syntax.generators import items_of, unrolled
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.values import complexes, special_methods
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.items import ITEM_KINDS, Item, item_ids
from unisycl.frontend.values.joins import meet
from unisycl.frontend.values.kind import Met, Value, as_tuple, describe
from unisycl.frontend.values.lists import new_list
from unisycl.frontend.values.memory import is_array
from unisycl.frontend.values.optionals import Optional
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import Unsure, alternatives, plain
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_INT, Scalar
from unisycl.lang.index import environment
from unisycl.lang.memory import atomic

_MOST_NUMBERS = 4096


# ---- Python's builtins
def _extreme(name: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        over = generators.over_loop(ctx, node) if len(node.args) == 1 else None
        default = [k.value for k in node.keywords if k.arg == "default"]
        key = [k.value for k in node.keywords if k.arg == "key"]
        objects = key and over is None and _objects(ctx, node.args)
        if key and over is None and node.args and not objects:
            given = node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
            over = generators.of_values(given)
        if over is not None and not objects and len(default) + len(key) == len(node.keywords):
            form = ("least" if key else "extreme") + (" or" if default else "")
            return generators.reduced(ctx, form, over, ctx.operands(*key, *default), node,
                                      min if name == "min" else max)
        values = ctx.operands(*node.args)
        values = [ctx.of(v).as_static(ctx) for v in values] if len(values) == 1 else values
        if any(_is_object(v) for v in _listed(values)):
            return _best_object(ctx, name, _listed(values), key, node)
        tupled = len(values) == 1 and isinstance(values[0], Several)
        if tupled:
            values = list(items_of(ctx, values[0], node))
        if len(default) > tupled or len(default) < len(node.keywords) \
                or (len(values) < 2 and not tupled) or not (values or default):
            raise ctx.refuse("K034", node, what=f"'{name}'", expected="two or more values",
                             found=len(node.args) + len(node.keywords))
        if not values:
            return ctx.value(default[0])
        result = ctx.to_scalar(values[0], node, unsure=True)
        for v in values[1:]:
            result = _better(ctx, name, result, ctx.to_scalar(v, node, unsure=True), node)
        return result
    return lower


def _listed(values: list[Value]) -> list[Value]:
    """Return the values among which the best is looked for."""
    only = values[0] if len(values) == 1 else None
    return [*only.items] if isinstance(only, Several) and only.kind == "tuple" else values


def _objects(ctx: Context, args: list[ast.expr]) -> bool:
    """Say whether a call chooses among objects of classes; nothing is evaluated."""
    with ctx.into():
        values = [ctx.value(a) for a in args if not isinstance(
            a, ast.GeneratorExp | ast.ListComp | ast.Starred | ast.Call)]
    return any(_is_object(v) for v in _listed(values))


def _is_object(value: Value) -> bool:
    """Say whether a value is compared by its class, or element by element."""
    return special_methods.class_of(value) is not None or (
        isinstance(value, Several) and value.kind == "tuple")


def _best_object(ctx: Context, name: str, values: list[Value], key: list[ast.expr],
                 node: ast.Call) -> Value:
    """Return the best of some objects or tuples, as they compare or a key does."""
    if any(k.arg != "key" for k in node.keywords):
        raise ctx.refuse("K034", node, what=f"'{name}'", expected="objects and a key",
                         found=len(node.args) + len(node.keywords))
    op = ast.Lt() if name == "min" else ast.Gt()
    rank = ctx.value(key[0]) if key else None

    def ranked(value: Value) -> Value:
        return value if rank is None else ctx.hold_value(ctx.value(placed(
            ast.Call(given(rank, node), [given(value, node)], []), node)))
    best, most = values[0], ranked(values[0])
    for value in values[1:]:
        own = ranked(value)
        better = ctx.hold_value(ctx.value(placed(
            ast.Compare(given(own, node), [op], [given(most, node)]), node)))
        best, most = (ctx.hold_value(ctx.value(placed(ast.IfExp(
            given(better, node), given(a, node), given(b, node)), node)))
            for a, b in ((value, best), (own, most)))
    return best


form(min)(_extreme("min"))
form(max)(_extreme("max"))


def _better(ctx: Context, name: str, a: n.Expr, b: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``b`` if it is strictly better than ``a``, else ``a``, as Python's min and max do."""
    form = meet((Met(a, ctx.known), Met(b, ctx.known)))
    if not isinstance(form, Scalar):
        raise ctx.refuse("K036", node, op=name, types=f"{a.type} and {b.type}", help="")
    if isinstance(form, Unsure):  # the one of the two that it is, with its own type
        coerce.compare("lt", a, b)
        unsure = replace(form, name=f"the result of {name}", places=tuple(
            (x.type, ctx.span(node)) for x in (a, b)))
        better = _better(ctx, name, coerce.cast(a, form.plain), coerce.cast(b, form.plain), node)
        return n.Read(unsure, ctx.named(better))
    type = form
    a, b = coerce.cast(a, type), coerce.cast(b, type)
    if type.dtype.kind == "c":
        raise ctx.refuse("K036", node, op=name, types=type, help="complex numbers have no order")
    if isinstance(a, n.Const) and isinstance(b, n.Const):
        swap = b.value < a.value if name == "min" else b.value > a.value
        return b if swap else a
    if type.dtype.kind == "b":
        return n.Binary(type, "and" if name == "min" else "or", a, b)
    return n.Call(type, BUILTINS[name], (a, b))


def _magnitude(ctx: Context, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return the magnitude of an integer of one type or another, as exact as its negative is."""
    if any(t.dtype.kind not in "iu" for t in alternatives(x.type)):
        raise ctx.unsettled(x.type, node)
    zero = coerce.weak_scalar(0)
    below = coerce.compare("lt", x, zero)
    minus = arithmetic(ctx, "sub", zero, x, node)
    assert below is not None
    assert isinstance(minus.type, Unsure)
    to = minus.type.plain
    one = coerce.select(coerce.truth(below), plain(minus), coerce.cast(plain(x), to), to)
    return n.Read(minus.type, ctx.named(one))


@form(abs)
def _abs(ctx: Context, node: ast.Call) -> Value:
    value = parameters(ctx, node, "abs", ("x",))["x"]
    if isinstance(value, Vector):
        return call_row(ctx, BUILTINS["abs"], [value], node)
    own = special_methods.called(ctx, value, "__abs__", [], node)
    if own is not None:
        return own
    x = ctx.to_scalar(value, node, unsure=True)
    if isinstance(x.type, Unsure):
        return _magnitude(ctx, x, node)
    if x.type.dtype.kind == "b":
        return coerce.convert(x, WEAK_INT) if x.type.weak else x
    if x.type.dtype.kind == "c":
        return complexes.magnitude(ctx, x)
    if isinstance(x, n.Const):
        return coerce.binary("mul", x, n.Const(x.type, -1 if x.value < 0 else 1), x.type)
    if x.type.dtype.kind == "u":
        return x
    return n.Call(x.type, BUILTINS["abs"], (x,))


@form(round)
def _round(ctx: Context, node: ast.Call) -> Value:
    """Lower ``round(x)``: to the nearest integer, halves to even, as a Python int."""
    found = parameters(ctx, node, "round", ("number",), ("ndigits",))
    own = special_methods.called(ctx, found["number"], "__round__", [*found.values()][1:], node)
    if own is not None:
        return own
    x = ctx.exactly(found["number"], node) if "ndigits" not in found else \
        ctx.to_scalar(found["number"], node)
    if "ndigits" in found and not x.type.weak:
        return numpy_functions.rounded(ctx, x, found["ndigits"], node)
    if "ndigits" in found:
        digits = found["ndigits"]
        if not (isinstance(digits, Constant) and digits.object is None):
            return decimals.rounded(ctx, x, digits, node)
    if not x.type.dtype.is_float:
        return coerce.convert(x, WEAK_INT)
    x = whole(ctx, x, node)
    return coerce.convert(n.Call(x.type, BUILTINS["rint"], (x,)), WEAK_INT)


@form(len)
def _len(ctx: Context, node: ast.Call) -> Value:
    count = counted_loops.length(ctx, node.args[0]) if len(node.args) == 1 else None
    if count is not None:
        return count
    value = parameters(ctx, node, "len", ("obj",))["obj"]
    own = special_methods.length_of(ctx, value, node)
    if own is not None:
        return own
    value = as_tuple(value)
    length = ctx.of(value).length()
    if length is not None:
        return length
    raise ctx.refuse("K049", node, found=describe(value), expected="memory or a tuple", help="")


@form(range)
def _range(ctx: Context, node: ast.Call) -> Value:
    """Lower a range that is no loop's: the numbers themselves, if they are known and not many."""
    bounds = [ctx.constant(v) for v in ctx.operands(*node.args)]
    known = [int(b.value) for b in bounds if b is not None and b.type.dtype.is_integer]
    if len(known) == len(bounds) and not node.keywords and 1 <= len(known) <= 3 \
            and 0 not in known[2:] and len(range(*known)) <= _MOST_NUMBERS:
        return Several(tuple(map(coerce.weak_scalar, range(*known))))
    raise ctx.refuse("K052", node, what="range()", where="here",
                     help="a for loop goes over any range, and so does sum(f(k) for k in "
                     "range(n)); a list has as many elements as is known while compiling: fill a "
                     "private_array where it is a run that tells")


def _united(kind: Value) -> list[Value]:
    """Return the classes of ``int | float``; any other value as it is."""
    if isinstance(kind, Constant) and isinstance(kind.object, UnionType):
        return [Constant(cls) for cls in kind.object.__args__]
    return [kind]


@form(isinstance)
def _isinstance(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "isinstance", ("obj", "class_or_tuple"))
    kind = found["class_or_tuple"]
    kinds = [one for k in (kind.items if isinstance(kind, Several) else (kind,))
             for one in _united(k)]
    classes = tuple(k.object for k in kinds
                    if isinstance(k, Constant) and isinstance(k.object, type))
    if "lists" in ctx.facts and isinstance(found["obj"], Several) and (
            found["obj"].kind == "tuple" and {list, tuple} & set(classes)):
        raise ctx.refuse("K046", node, what="whether this is a list or a tuple", help="")
    if len(classes) != len(kinds):
        raise ctx.refuse("K046", node, what="the class isinstance() asks for",
                         help="name a class or a tuple of classes")
    if isinstance(found["obj"], Optional):
        raise found["obj"].refused(ctx, node)
    answer = ctx.of(found["obj"]).is_instance(classes)
    if not answer and _serves_as_int(found["obj"]) and any(issubclass(int, k) for k in classes):
        raise ctx.refuse("K054", node, what="an item serves as an int and is no int",
                         help="ask of i[0], or give int(i)")
    return coerce.weak_scalar(answer)


def _serves_as_int(value: Value) -> bool:
    return isinstance(value, Item) and value.kind == "item" and value.ndim == 1


@form(divmod)
def _divmod(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "divmod", ("x", "y"))
    own = special_methods.operated(ctx, "divmod", "divmod", found["x"], found["y"], node)
    if own is not None:
        return own
    a, b = (ctx.hold(ctx.to_scalar(found[k], node, unsure=True)) for k in "xy")
    return Several((arithmetic(ctx, "floordiv", a, b, node), arithmetic(ctx, "mod", a, b, node)))


@form(pow)
def _pow(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "pow", ("base", "exp"), ("mod",))
    mod = found.get("mod")
    if mod is not None and not (isinstance(mod, Constant) and mod.object is None):
        items = [_serves_as_int(x) for x in (found["base"], found["exp"], mod)]
        if any(items) and not items[0]:  # Python asks the base alone
            raise ctx.refuse("K049", node, found="an item", expected="an int",
                             help="pow() with three arguments takes ints: int(i)")
        return math_functions.power_modulo(ctx, [ctx.to_scalar(found[k], node) for k in (
            "base", "exp", "mod")], node)
    return operate(ctx, "pow", found["base"], found["exp"], node)


def _total(name: str, first: int) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of ``sum`` and ``math.prod``."""
    op = "add" if name == "sum" else "mul"

    def lower(ctx: Context, node: ast.Call) -> Value:
        over = generators.over_loop(ctx, node)
        if over is not None:
            rest = placed(ast.Call(node.func, [ast.Constant(None), *node.args[1:]],
                                   node.keywords), node)
            start = parameters(ctx, rest, name, ("iterable",), ("start",)).get("start")
            given = coerce.weak_scalar(first) if start is None else start
            return generators.reduced(ctx, name, over, [given], node)
        found = parameters(ctx, node, name, ("iterable",), ("start",))
        total = found.get("start", coerce.weak_scalar(first))
        value = ctx.of(found["iterable"]).as_static(ctx)
        if not isinstance(value, Several):
            raise ctx.refuse("K049", node, found=describe(value), expected="a tuple",
                             help="add up memory in a loop, or by a generator: "
                             "sum(a[k] for k in range(n))")
        for item in value.items:
            total = operate(ctx, op, total, item, node)
        return total
    return lower


form(sum)(_total("sum", 0))
form(math.prod)(_total("prod", 1))


@form(functools.reduce)
def _reduce(ctx: Context, node: ast.Call) -> Value:
    found = [*node.args]
    if node.keywords or not 2 <= len(found) <= 3:
        raise ctx.refuse("K034", node, what="'functools.reduce'", found=len(found) + len(
            node.keywords), expected="a function, what it goes over, and a first value")
    step = ctx.value(found[0])
    over = generators.over_loop(ctx, ast.copy_location(ast.Call(node.func, found[1:], []), node))
    if over is not None:
        if len(found) < 3:
            raise ctx.refuse("K034", node, what="'functools.reduce' of what only a run tells",
                             found=2, expected="a first value as well")
        return generators.reduced(ctx, "fold", over, [step, ctx.value(found[2])], node)
    values = ctx.operands(*found[1:])
    items = [*map(ctx.hold_value, (*values[1:], *items_of(ctx, values[0], node)))]
    if not items:
        raise ctx.refuse("K034", node, what="'functools.reduce'", found="none",
                         expected="at least one value")
    total = items[0]
    for item in items[1:]:
        total = ctx.value(ast.copy_location(ast.Call(given(step, node), [
            given(total, node), given(item, node)], []), node))
    return total


def _any_all(name: str) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of Python's ``any`` and ``all``."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        over = generators.over_loop(ctx, node) if len(node.args) == 1 else None
        if over is not None and not node.keywords:
            form = f"{name} of all" if generators.eager(over) else name
            return generators.reduced(ctx, form, over, [], node)
        value = ctx.of(parameters(ctx, node, name, ("iterable",))["iterable"]).as_static(ctx)
        if not isinstance(value, Several):
            raise ctx.refuse("K049", node, found=describe(value), expected="a tuple",
                             help="ask memory in a loop, and vectors by sycl.any and sycl.all")
        result: n.Expr = n.Const(BOOL, name == "all")
        for item in value.items:
            test = coerce.truth(ctx.to_scalar(item, node))
            result = coerce.binary("or" if name == "any" else "and", result, test, BOOL)
        return coerce.convert(result, WEAK_BOOL)
    return lower


@form(next)
def _next(ctx: Context, node: ast.Call) -> Value:
    """Lower ``next((x for ... if ...), default)``: the first element, or what stands for none."""
    if len(node.args) != 2 or node.keywords or not isinstance(node.args[0], ast.GeneratorExp):
        raise ctx.refuse("K033", node, what="'next'", help="give it a generator expression and "
                         "what it returns without an element, next((x for ...), -1); else "
                         "write a for loop")
    return generators.reduced(ctx, "first", node.args[0], [ctx.value(node.args[1])], node)


form(any)(_any_all("any"))
form(all)(_any_all("all"))


@form(enumerate, zip, reversed)
def _rows(ctx: Context, node: ast.Call) -> Value:
    """Lower enumerate, zip and reversed of what is known while compiling: a tuple."""
    found = unrolled(ctx, node)
    if found is None:
        raise ctx.refuse("K034", node, what=f"'{ast.unparse(node.func)}'", expected="tuples",
                         found="keywords")
    return Several(tuple(found))


@form(tuple)
def _tuple(ctx: Context, node: ast.Call) -> Value:
    over = generators.over_loop(ctx, node) if len(node.args) == 1 and not node.keywords else None
    if over is not None:
        return generators.lower_comprehension(ctx, over)
    value = parameters(ctx, node, "tuple", (), ("iterable",)).get("iterable", Several(()))
    value = ctx.of(value).as_static(ctx)
    listed = ctx.of(value).listed(ctx)
    if listed is not None:
        return Several(listed)
    if isinstance(value, Item) and value.kind in ITEM_KINDS:
        return Several(item_ids(value).items)
    raise ctx.refuse("K046", node, what="what tuple() is made of",
                     help="write the tuple out: (a, b, c)")


@form(list)
def _list(ctx: Context, node: ast.Call) -> Value:
    with ctx.into():
        memory = any(is_array(ctx.value(a)) for a in node.args if isinstance(
            a, ast.Name | ast.Attribute | ast.Subscript) and not node.keywords)
    found = None if memory else _tuple(ctx, node)
    if memory or not isinstance(found, Several):
        raise ctx.refuse("K018", node, what="a list of memory")
    ctx.facts.add("lists")
    return new_list(ctx, found.items, node)


@form(copy.copy)
def _copied(ctx: Context, node: ast.Call) -> Value:
    return copies.copied(ctx, parameters(ctx, node, "copy", ("x",))["x"], node)


@form(breakpoint)
def _nothing(ctx: Context, node: ast.Call) -> Value:
    return Nothing()


def _container(what: str) -> Callable[[Context, ast.Call], Value]:
    def lower(ctx: Context, node: ast.Call) -> Value:
        raise ctx.refuse("K018", node, what=what)
    return lower


form(dict)(_container("a dict"))
form(set)(_container("a set"))
form(bytearray)(_container("a bytearray"))
form(np.array)(_container("an array"))


@form(str)
def _string(ctx: Context, node: ast.Call) -> Value:
    raise ctx.refuse("K019", node)


@form(np.where)
def _where(ctx: Context, node: ast.Call) -> Value:
    found = parameters(ctx, node, "numpy.where", ("condition", "x", "y"))
    a, b = ctx.to_scalar(found["x"], node), ctx.to_scalar(found["y"], node)
    type = coerce.common(a.type, b.type)
    if type is None:
        raise ctx.refuse("K036", node, op="where", types=f"{a.type} and {b.type}", help="")
    return coerce.select(coerce.truth(ctx.to_scalar(found["condition"], node)), a, b,
                         Scalar(type.dtype))


@form(atomic.atomic_fence)
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


form(geometry.id)(_identifier("id"))
form(geometry.range)(_identifier("range"))


def _known(value: bool) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a question without arguments that has one answer in kernels."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        parameters(ctx, node, ast.unparse(node.func), ())
        return coerce.weak_scalar(value)
    return lower


form(environment.device_only, environment.single_source)(_known(True))
form(environment.target_spir)(_known(False))


@form(environment.fast_relaxed_math)
def _fast_math(ctx: Context, node: ast.Call) -> Value:
    parameters(ctx, node, ast.unparse(node.func), ())
    return coerce.weak_scalar(ctx.shape.fast_math)
