"""Calls: device functions are inlined; builtins, casts and special forms go to their rooms.

Non-goals: what a special form means (``special``, ``groups``, ``atomics``, ``reducers``).
Invariant: recursion is found before it happens, and every inlined call has its own frame.
"""

from __future__ import annotations

import ast
import functools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass, replace
from inspect import signature
from types import FunctionType, MethodDescriptorType, MethodType
from typing import Any

import numpy as np

from unisycl.base import other_names
from unisycl.frontend import captures, coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import home, in_kernel_language
from unisycl.frontend.forms import foreign_functions, math_functions
from unisycl.frontend.forms.builtins import (
    builtin_row,
    call_row,
    convert,
    operator_function,
)
from unisycl.frontend.forms.lookup import form_of
from unisycl.frontend.parameters import default_steps, spell
from unisycl.frontend.paths import Path
from unisycl.frontend.source import FunctionSource, SourceMissing, function_source
from unisycl.frontend.syntax import rows
from unisycl.frontend.syntax.assign import unpacked
from unisycl.frontend.syntax.expr import operate
from unisycl.frontend.syntax.flow import Label
from unisycl.frontend.syntax.generators import as_list, unrolled
from unisycl.frontend.syntax.given import given
from unisycl.frontend.syntax.names import function_names, returns_early
from unisycl.frontend.syntax.unassigned import start_flags
from unisycl.frontend.syntax.variables import is_stable
from unisycl.frontend.syntax.yields import taken
from unisycl.frontend.values import (
    complexes,
    instances,
    plain_classes,
    pointers,
    special_methods,
    vector_operators,
)
from unisycl.frontend.values.absent import Nothing, Poison
from unisycl.frontend.values.choices import Choice
from unisycl.frontend.values.classes import is_named
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.dictionaries import Dictionary
from unisycl.frontend.values.functions import Closure
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Frame, Value, describe, spelt
from unisycl.frontend.values.mappings import Mapping
from unisycl.frontend.values.memory import Memory, is_array
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.optionals import Optional
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.reducers import OPERATORS, operator_name
from unisycl.frontend.values.reducers import operate as operate_object
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.vectors import Vector
from unisycl.frontend.values.windows import Window
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL
from unisycl.lang.kernels.foreign_functions import extern_function
from unisycl.lang.memory.pointer import global_ptr, pointer_type
from unisycl.lang.memory.stored_pointers import pointer_class
from unisycl.lang.numbers.elements import elements_type

_MOST_CALLS = 5000
_DEEPEST = 40
"""How often a function may be inside itself: each time takes some twenty of Python's frames."""


def lower_call(ctx: Context, node: ast.Call) -> Value:
    callee = ctx.value(node.func)
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        node = _spread(ctx, callee, node)
    if any(keyword.arg is None for keyword in node.keywords):
        node = _by_names(ctx, node)
    if isinstance(callee, Constant):
        lower = form_of(callee.object)
        if lower is not None:
            return lower(ctx, node)
    args = ctx.operands(*node.args, *(k.value for k in node.keywords))
    if isinstance(callee, Method) and args:  # they may have changed its object
        callee = replace(callee, owner=ctx.current(callee.owner, callee.owner))
    count = len(node.args)
    keywords = {str(k.arg): v for k, v in zip(node.keywords, args[count:], strict=True)}
    return call_value(ctx, callee, args[:count], node, keywords)


def _spread(ctx: Context, callee: Value, node: ast.Call) -> ast.Call:
    """Return a call with the elements of starred tuples and rows in their place.

    A row has as many as the function lacks, whose parameters all have to be given.
    """
    plain = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
    values = ctx.operands(*(as_list(a) if isinstance(a, ast.GeneratorExp) else a for a in plain))
    args: list[ast.expr] = []
    count = sum(isinstance(a, ast.Starred) for a in node.args)
    named = len(node.keywords)
    for arg, value in zip(node.args, values, strict=True):
        lacks = _all_needed(callee)
        if not isinstance(arg, ast.Starred):
            items: tuple[Value, ...] = (value,)
        elif isinstance(value, Memory | Window) and is_array(value) \
                and lacks is not None and count == 1:
            items = rows.elements(ctx, value, max(lacks - len(values) + 1 - named, 0), arg)
        else:
            items = unpacked(ctx, value, arg)
        args += [given(ctx.hold_value(item), arg) for item in items]
    return ast.copy_location(ast.Call(node.func, args, node.keywords), node)


def _by_names(ctx: Context, node: ast.Call) -> ast.Call:
    """Return a call with what is under the keys of ``**`` dicts in their place."""
    found: list[ast.keyword] = []
    for keyword in node.keywords:
        if keyword.arg is not None:
            found.append(keyword)
            continue
        value = ctx.value(keyword.value)
        if not isinstance(value, Dictionary | Mapping):
            raise ctx.refuse("K020", keyword.value)
        pairs = value.call_method(ctx, "items", [], {}, node)
        for pair in pairs.items if isinstance(pairs, Several) else ():
            assert isinstance(pair, Several)
            name, part = pair.items
            if not isinstance(name, Constant) or not isinstance(name.object, str):
                raise ctx.refuse("K049", keyword.value, found=describe(name), expected="a text",
                                 help="keywords are texts")
            found.append(ast.keyword(name.object, given(ctx.hold_value(part), keyword.value)))
    return ast.copy_location(ast.Call(node.func, node.args, found), node)


def _all_needed(callee: Value) -> int | None:
    """Return how many arguments a function takes; None if it may be called with fewer or more."""
    if isinstance(callee, Closure):
        known = callee.node.args
        spare = known.vararg or known.kwarg or known.kwonlyargs or known.defaults
        return None if spare else len(known.posonlyargs) + len(known.args)
    made = callee.object if isinstance(callee, Constant) else None
    if not isinstance(made, FunctionType) and not (isinstance(made, type) and is_dataclass(made)):
        return None
    kinds = signature(made).parameters.values()
    plain = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty
                for p in kinds)
    return len(kinds) if plain else None


def call_value(ctx: Context, callee: Value, args: list[Value], node: ast.AST,
               keywords: dict[str, Value] | None = None) -> Value:
    """Call a value with arguments already lowered."""
    return ctx.of(callee).call(ctx, args, keywords or {}, node)


def call_function(ctx: Context, callee: Value, args: list[Value], node: ast.AST,
                   keywords: dict[str, Value]) -> Value:
    """Call a function that was reached as a value, not by its name: special forms, too."""
    lower = form_of(callee.object) if isinstance(callee, Constant) else None
    if lower is None:
        return call_value(ctx, callee, args, node, keywords)
    return lower(ctx, ast.copy_location(ast.Call(
        given(callee, node), [given(a, node) for a in args],
        [ast.keyword(k, given(v, node)) for k, v in keywords.items()]), node))


def call_object(ctx: Context, callee: Constant, args: list[Value],
                   keywords: dict[str, Value], node: ast.AST) -> Value:
    obj = captures.unwrap(callee.object)
    if obj is not callee.object:
        _require(ctx, callee.object, node)
    if isinstance(obj, extern_function):
        return foreign_functions.call(ctx, obj, callee.path, args, keywords, node)
    if not keywords:
        found = _call_known(ctx, obj, args, node)
        if found is not None:
            return found
    if instances.is_dataclass(obj):
        return instances.construct(ctx, obj, args, keywords, node)
    if plain_classes.is_plain(obj):
        return plain_classes.construct(ctx, obj, args, keywords, node)
    if is_named(obj):
        return instances.construct_named(ctx, obj, args, keywords, node)
    path = callee.path if obj is callee.object else (*callee.path, ("attr", "__unisycl_function__"))
    if isinstance(obj, FunctionType) and not _is_library(obj):
        return inline(ctx, obj, path, args, keywords, node)
    if isinstance(obj, MethodType) and isinstance(obj.__func__, FunctionType) \
            and not _is_library(obj.__func__):
        owner = Constant(obj.__self__, (*path, ("attr", "__self__")))
        return inline(ctx, obj.__func__, (*path, ("attr", "__func__")), [owner, *args], keywords,
                      node)
    if isinstance(obj, functools._lru_cache_wrapper):
        return _remembered(ctx, Constant(obj.__wrapped__, (*path, ("attr", "__wrapped__"))), args,
                           keywords, node)
    if isinstance(obj, MethodDescriptorType) and args and _is_of(args[0], obj.__objclass__):
        return ctx.of(args[0]).call_method(ctx, obj.__name__, args[1:], keywords, node)
    call = getattr(type(obj), "__call__", None)
    if isinstance(call, FunctionType) and not isinstance(obj, type) \
            and not _is_library(call):
        return inline(ctx, call, (*path, ("call", "")), [callee, *args], keywords, node)
    raise ctx.refuse("K033", node, what=spelt(node, _callable_name(obj)), help=_call_help(obj))


def _remembered(ctx: Context, function: Constant, args: list[Value], keywords: dict[str, Value],
                node: ast.AST) -> Value:
    """Return a call of a function that remembers its results: the same numbers, computed anew."""
    found = call_value(ctx, function, args, node, keywords)
    if not isinstance(found, n.Expr | Several | Constant | Nothing):  # Python's is always the same
        raise ctx.refuse("K049", node, found=describe(found), expected="a number or a tuple",
                         help="what functools.cache remembers would be one object each time")
    return found


def _require(ctx: Context, kernel: Any, node: ast.AST) -> None:
    """Let a required work-group size of a function be its callers' (SYCL 1.2 §5.4.1)."""
    found = getattr(kernel, "reqd_work_group_size", ())
    if found and ctx.required not in ((), found):
        raise ctx.refuse("K071", node, name=getattr(kernel, "__name__", "?"), found=found,
                         known=ctx.required)
    ctx.required = found or ctx.required


def _call_known(ctx: Context, obj: Any, args: list[Value], node: ast.AST) -> Value | None:
    """Call a builtin, a function object, a ufunc or a conversion; None if it is none of these."""
    if isinstance(obj, elements_type):
        return vector_operators.call_type(ctx, obj, args, node)
    if isinstance(obj, pointer_type):
        return pointers.call_type(ctx, obj, args, node)
    if isinstance(obj, pointer_class):
        return pointers.call_type(ctx, global_ptr, args, node)
    row = builtin_row(obj)
    if row is not None:
        module = getattr(obj, "__module__", None)
        family = "math" if module == "math" else "numpy" if isinstance(obj, np.ufunc) \
            or module == "numpy" else "unisycl"
        made = call_row(ctx, row, args, node, family=family)
        if family == "math" and isinstance(made, n.Call):
            return math_functions.checked(ctx, obj.__name__, made, node)
        return made
    if operator_name(obj):
        if not args:
            return Constant(obj)
        if len(args) == 2 and any(isinstance(v, Vector) for v in args):
            return vector_operators.elementwise(
                ctx, args, node, operator_name(obj), lambda row: _function_object(
                    ctx, obj, ctx.to_scalar(row[0], node), ctx.to_scalar(row[1], node), node))
        a, b = (ctx.to_scalar(v, node) for v in args) if len(args) == 2 else (None, None)
        if a is None or b is None:
            raise ctx.refuse("K034", node, what=_callable_name(obj), expected="2 operands",
                             found=len(args))
        return _function_object(ctx, obj, a, b, node)
    if complexes.is_function(obj) and not any(isinstance(a, Vector) for a in args):
        return math_functions.of_complex(ctx, obj, [ctx.to_scalar(a, node) for a in args], node)
    found = operator_function(ctx, obj, args, node)
    return convert(ctx, obj, args, node) if found is None else found


def _function_object(ctx: Context, obj: Any, a: n.Expr, b: n.Expr, node: ast.AST) -> Value:
    """Return one of SYCL's function objects applied to two operands of any types."""
    name = operator_name(obj)
    if name in OPERATORS:
        return operate(ctx, OPERATORS[name], a, b, node)
    type = coerce.common(a.type, b.type)
    if type is None:
        raise ctx.refuse("K036", node, op=name, types=f"{a.type} and {b.type}", help="")
    a, b = coerce.cast(a, type), coerce.cast(b, type)
    found = operate_object(ctx, obj, (), a, b, node)
    return coerce.convert(found, WEAK_BOOL) if name.startswith("logical") else found


def _is_library(function: FunctionType) -> bool:
    """Say whether a function is NumPy's or of unisycl's own rooms, which have no device code."""
    if in_kernel_language(function):
        return False
    module = home(function)
    return module[0] == "numpy" or (module[0] == "unisycl" and len(module) > 1
                                    and module[1] in _ROOMS)


_ROOMS = frozenset((
    "api", "backends", "base", "frontend", "ir", "lang", "observe", "passes", "process", "runtime"))


def _is_of(value: Value, kind: type) -> bool:
    """Say whether a value is a number of Python's of this class, as in ``int.bit_count(x)``."""
    return isinstance(value, n.Expr) and value.type.weak and kind is {
        "b": int, "i": int, "f": float, "c": complex}[value.type.dtype.kind]


def _callable_name(obj: Any) -> str:
    module = getattr(obj, "__module__", "") or ""
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if name is None:
        return f"an object of type '{type(obj).__name__}'"
    return f"'{module}.{name}'" if module not in ("", "builtins") else f"'{name}'"


_PRODUCTS = frozenset(("dot", "inner", "vdot", "matmul"))


def _call_help(obj: Any) -> str:
    module = (getattr(obj, "__module__", "") or "").split(".")[0]
    if module == "numpy" and getattr(obj, "__name__", "") in _PRODUCTS:
        return "NumPy adds in an order of its own: write sum(x * y for x, y in zip(a, b))"
    if module == "numpy" and getattr(obj, "__name__", "") == "norm":
        return "NumPy adds in an order of its own: write math.sqrt(sum(x * x for x in a))"
    if isinstance(getattr(obj, "__self__", None), np.random.RandomState | random.Random):
        return ("make the numbers before, by numpy.random or unisycl.oneapi.mkl.rng, and give them "
                "to the kernel; or draw them in it, by unisycl.oneapi.mkl.rng.device")
    if getattr(obj, "__name__", "") == "local_accessor":
        return other_names.advice("shared")
    if module == "numpy" or isinstance(obj, np.ufunc):
        return ("it has no device meaning; use functions of numbers in a loop, or do it on the "
                "host; of a row there are sum, mean, prod, max, min, argmax, argmin, any and all")
    if isinstance(getattr(obj, "__self__", None), str | bytes):
        return "strings exist while compiling only; work on numbers"
    if obj is math.fsum:
        return "sum() adds in order; for more digits add in float64, or keep what each sum loses"
    if obj in (sorted, map, filter, any, all):
        return "order two by min() and max(), more in a private_array" if obj is sorted else \
            "write a comprehension, tuple(f(x) for x in values), or a loop"
    if obj in (open, input):
        return "read on the host, and pass what was read as an array or accessor"
    return "kernels call Python functions, unisycl's functions and NumPy scalar types"


# ---- inlining
def inline(ctx: Context, function: FunctionType, path: Path, args: list[Value],
           keywords: dict[str, Value], node: ast.AST) -> Value:
    """Lower the body of a Python function in place of a call of it."""
    _recurse(ctx, function.__code__, node)
    ctx.inlined += 1
    if ctx.inlined > _MOST_CALLS:
        raise ctx.refuse("K001", node, what=f"more than {_MOST_CALLS} calls, compiled in place",
                         help="call a helper in a loop rather than several times at every level")
    try:
        source = function_source(function.__code__, function.__globals__)
    except SourceMissing as missing:
        raise ctx.refuse(missing.id, node, **missing.facts) from None
    library = in_kernel_language(function)
    if not (path and path[0][0] == "library"):  # what we call ourselves cannot change
        ctx.guard(path, function)
    if library:
        ctx.needs.libraries.add(path)
    frame = Frame(source, function, path, _key(ctx, node), call=node, library=library,
                  in_place=special_methods.returns_self(source.node))
    ctx.enter(frame)
    ctx.needs.uses.setdefault(function.__code__, (source, set()))
    if args and not frame.in_place and ctx.home_of(args[0]) is not None \
            and special_methods.gives_first(source.node):  # as in p.move(1).turn(2)
        frame.in_place = True
        run(ctx, frame, args, keywords, node)
        return ctx.current(args[0], args[0])
    return run(ctx, frame, args, keywords, node)


def _recurse(ctx: Context, function: Any, node: ast.AST) -> None:
    """Refuse a call of a function inside itself that nothing known while compiling ends."""
    frames = ctx.frames
    same = [k for k, f in enumerate(frames) if function is (
        f.source.node if f.function is None else f.function.__code__)]
    if len(same) < (1 if function in ctx.endless else _DEEPEST):
        return
    ctx.endless.add(function)
    again = same[1] if len(same) > 1 else len(frames)
    chain = [f.source.name for f in frames[same[0]:again]]
    call = frames[again].call if again < len(frames) else node
    ctx.frames = frames[:again]  # told of the first turn; the others are like it
    try:
        raise ctx.refuse("K021", call or node, what=" -> ".join([*chain, chain[0]]))
    finally:
        ctx.frames = frames


def _key(ctx: Context, node: ast.AST) -> tuple[Any, ...]:
    return (*ctx.frame.key, *ctx.unrolled, ctx.frame.source.span(node))


def call_closure(ctx: Context, closure: Closure, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
    _recurse(ctx, closure.node, node)
    source = FunctionSource(closure.node, closure.frame.source.file)
    frame = Frame(source, None, closure.frame.path, _key(ctx, node), parent=closure.frame,
                  defaults=closure.defaults, call=node, library=closure.frame.library)
    return run(ctx, frame, args, keywords, node)


def run(ctx: Context, frame: Frame, args: list[Value], keywords: dict[str, Value],
        node: ast.AST) -> Value:
    """Bind arguments in a new frame, lower its body, and return its result."""
    function = frame.source.node
    frame.assigned, frame.once = function_names(function)
    bound = bind_arguments(ctx, frame, args, keywords, node)
    frame.scope = ctx.number()
    frame.yielding = taken(ctx, function, node)
    if ctx.frames and (frame.yielding is not None or returns_early(function)):
        frame.end = Label(("join", "end", frame.key), len(ctx.frames))
    ctx.frames.append(frame)
    loops, ctx.loops = ctx.loops, []
    refusals = ctx.refusals
    path = ctx.path
    try:
        for name, value in bound.items():
            _bind_parameter(ctx, frame, name, value, node)
        start_flags(ctx, frame)
        if isinstance(function, ast.Lambda):
            return ctx.value(function.body)
        with ctx.into() as block:
            ctx.syntax.start_result(ctx, frame)
            ended = ctx.lower_body(ctx, function.body, frozenset(("return",)))
            frame.falls = frame.falls or not (ended or ctx.refusals > refusals)
            if frame.end is not None and not ended:
                frame.end.jump(ctx, function)
            if frame.yielding is not None:
                frame.yielding.ended = not frame.end.states
        ctx.syntax.settle_returns(ctx, frame)
        if ctx.refusals > refusals and frame.result is None:
            return Poison()  # what it would return is not known; more errors would mislead
        if frame.result is not None and frame.falls and ctx.refusals == refusals \
                and not isinstance(frame.result, Optional):
            if "final" not in ctx.facts:
                ctx.unsure = True
            else:
                raise ctx.refuse("K043", function, name=function.name)
    finally:
        ctx.frames.pop()
        if frame.end is not None:
            frame.end.land(ctx)
        ctx.loops, ctx.path = loops, path
    if frame.needs_scope:
        ctx.emit(n.Scope(frame.scope, tuple(block), span=ctx.span(node)))
    else:
        ctx.block.extend(block)
    result = frame.result
    if isinstance(result, Optional):
        return replace(result, some=_callers(ctx, result.some))
    if isinstance(result, Vector | Instance):
        return _callers(ctx, result)
    if result is None:
        return Nothing()
    return n.Read(result.type, result) if isinstance(result, n.Local) else result


def _callers(ctx: Context, result: Value) -> Value:
    """Return what a function made as its caller's, whose alone it is."""
    if not isinstance(result, Vector | Instance):
        return result
    made = result.without_homes(lambda home: home not in ctx.shared)
    return replace(made, exact=False) if isinstance(made, Vector | Instance) else made


def _bind_parameter(ctx: Context, frame: Frame, name: str, value: Value, node: ast.AST) -> None:
    moving = isinstance(value, n.Expr) and not is_stable(value)
    if isinstance(value, Vector):  # a variable's own elements: the function may change them
        moving = not value.exact or not all(isinstance(x, n.Read) for x in value.items)
    if isinstance(value, Instance):
        moving = not value.exact and not is_named(value.cls)
    named = isinstance(value, Instance) and is_named(value.cls)
    if named or isinstance(value, Several | Optional):
        value = ctx.hold_value(value)  # the function may change what its parts are made of
    if moving or name in frame.assigned or isinstance(
            value, Memory | Window | Choice | Record):
        ctx.assign(name, value, node)
    else:
        frame.names[name] = value  # a given name: no assignment in the text


def bind_arguments(ctx: Context, frame: Frame, args: Sequence[Value], keywords: dict[str, Value],
                   node: ast.AST) -> dict[str, Value]:
    """Match arguments to parameters as Python does, defaults included."""
    function = frame.source.node
    spec = function.args
    name = getattr(function, "name", "the lambda")
    names = [a.arg for a in [*spec.posonlyargs, *spec.args]]
    bound: dict[str, Value] = dict(zip(names, args, strict=False))
    every = [*names, *(a.arg for a in spec.kwonlyargs)]
    positional = {a.arg for a in spec.posonlyargs}
    others = {k: v for k, v in keywords.items() if k not in every or k in positional} \
        if spec.kwarg else {}
    for key, value in keywords.items():
        if key in others:
            continue
        if key not in every or key in bound:
            raise ctx.refuse("K034", node, what=f"'{name}'", expected=spell(every),
                             found=f"'{key}'")
        bound[key] = value
    _defaults(ctx, frame, names, bound)
    if spec.kwarg:
        bound[spec.kwarg.arg] = Dictionary(tuple(others), Several(tuple(others.values())))
    if spec.vararg:
        bound[spec.vararg.arg] = Several(tuple(args[len(names):]))
        args = args[:len(names)]
    if len(args) > len(names) or any(p not in bound for p in every):
        if node is function:
            raise _launched(ctx, node, name, every, args)
        raise ctx.refuse("K034", node, what=f"'{name}'", expected=spell(every),
                         found=len(args) + len(keywords))
    return bound


def _launched(ctx: Context, node: ast.AST, name: str, every: Sequence[str],
              args: Sequence[Value]) -> Exception:
    """Refuse a launch that gives a kernel other arguments than it takes."""
    kind = _INDICES.get(ctx.shape.kind, "")
    more = len(args) - len(ctx.reductions) - (1 if kind else 0)
    given = [*([f"the index ({kind})"] if kind else []),
             *([f"{len(ctx.reductions)} reducer(s)"] if ctx.reductions else []),
             f"{more} argument(s) behind the kernel"]
    if not kind:
        help = "single_task gives no index, only what follows the kernel in the launch"
    else:
        help = (f"the first parameter of a kernel is its index, {kind}; then come a reducer for "
                "each reduction, and what follows the kernel in the launch")
    if len(every) > len(args) and ctx.shape.ndim > 1:
        help += f"; an index of {ctx.shape.ndim} dimensions is one parameter: at[0], at[1]"
    return ctx.refuse("K034", node, what=f"'{name}'", expected=spell(every),
                      found=" and ".join(given), help=help)


def _defaults(ctx: Context, frame: Frame, names: list[str], bound: dict[str, Value]) -> None:
    spec = frame.source.node.args
    texts = dict(zip(reversed(names), reversed(spec.defaults), strict=False))
    texts |= {a.arg: d for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d}
    if frame.function is None:
        bound.update({p: value for p, value in frame.defaults if p not in bound})
        return
    for parameter, step in default_steps(frame.function, names).items():
        if parameter not in bound:
            obj = captures.follow(frame.function, *step)
            bound[parameter] = ctx.capture((*frame.path, step), obj, parameter,
                                           texts.get(parameter, frame.source.node), frozen=True)


_INDICES = {"range": "an item", "nd_range": "an nd_item", "work_group": "a group"}
LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {ast.Call: lower_call}

__all__ = ["LOWER", "bind_arguments", "call_value", "unrolled"]
