"""From a Python callable and its arguments to the typed kernel, by way of its text.

Non-goals: remembering kernels (``specialize``). A kernel is lowered until the types of its
variables settle; what it depended on (captured types, constants, helper functions) is noted.
Invariant: whoever matches what was noted would get the same kernel.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

from unisycl.base import diagnostics
from unisycl.base.architecture import Target
from unisycl.base.enums import backend
from unisycl.base.errors import InternalError, KernelError, UsageError, errc
from unisycl.base.spans import Span
from unisycl.frontend import absorbed, guard_function, powers, shipped
from unisycl.frontend.context import Context, Syntax
from unisycl.frontend.forms import iterations
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.paths import Path
from unisycl.frontend.source import FunctionSource, SourceMissing, function_source
from unisycl.frontend.specialized import Specialization, name_of
from unisycl.frontend.syntax import (
    access,
    call,
    chosen_functions,
    compare,
    expr,
    generators,
    iterators,
    membership,
    names,
    one_of_several,
    rows,
    stmt,
    unassigned,
    yields,
)
from unisycl.frontend.syntax.flow import settle_heads
from unisycl.frontend.syntax.subset import refusal
from unisycl.frontend.syntax.unassigned import start_flags
from unisycl.frontend.values import dictionaries, indexing, lists, reducers, unsure
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.handlers import KernelHandler, takes_handler
from unisycl.frontend.values.items import Item
from unisycl.frontend.values.joins import form_of
from unisycl.frontend.values.kind import Frame, Refused, Value
from unisycl.frontend.values.reducers import Reduction
from unisycl.frontend.values.streams import endings
from unisycl.ir import nodes as n
from unisycl.ir.function_uses import FunctionUse
from unisycl.ir.types import Scalar
from unisycl.passes import pipeline
from unisycl.process.recursion import inside

_EXPRESSIONS: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    **expr.LOWER, **compare.LOWER, **access.LOWER, **call.LOWER, **generators.LOWER,
    **membership.LOWER, ast.Dict: dictionaries.written, ast.Yield: yields.lower_yielded}
_INDEX = {"range": "item", "nd_range": "nd_item", "work_group": "group"}
_ROUNDS = 24


def compiled(function: Any, code: Any, shape: KernelShape, arguments: tuple[Any, ...],
             reductions: tuple[Any, ...], target: Target | None) -> Specialization:
    """Return the kernel of a callable; ``KernelError`` with every diagnostic of a wrong one."""
    root, path, receiver = _root(function)
    try:
        source = function_source(root.__code__, root.__globals__)
    except SourceMissing as missing:
        if shipped.brought(function):
            raise UsageError(errc.kernel_argument, shipped.other_forms(function)) from None
        found = diagnostics.diagnostic(missing.id, missing.span, **missing.facts)
        raise KernelError([found], name_of(function)) from None
    sums: dict[Span, Scalar] = {}

    def start(types: dict[Any, Scalar], facts: set[str]) -> Context:
        ctx = Context(function, arguments, shape, types, facts, _SYNTAX)
        ctx.reductions = reductions
        sums.clear()  # forms of the round before note theirs in it, too
        ctx.doubts.sums = sums
        ctx.required = shape.required
        ctx.target = target
        return ctx
    def lower(ctx: Context) -> n.Block:
        return _lower_root(ctx, root, path, receiver, source)
    ctx, body = _settle(start, lower, set())
    if ctx.diagnostics and ctx.undecided:  # what is wrong may stand where these numbers never lead
        again, other = _settle(start, lower, {"decide"})
        ctx, body = (ctx, body) if again.diagnostics else (again, other)
    wrong = ctx.diagnostics or indexing.check(ctx.doubts.indices, body)
    if wrong:
        raise KernelError(wrong, name_of(function))
    kernel = n.Kernel(
        name_of(function), tuple(ctx.storage.params.values()), body, shape.kind, shape.ndim,
        shape.local, tuple(ctx.storage.arrays), tuple(ctx.reducers), frozenset(ctx.needs.aspects),
        shape.sub_group or ctx.needs.sub_group,
        shape.fast_math, shape.progress, "waits" in ctx.facts, "enqueues" in ctx.facts,
        shape.traits, tuple(ctx.needs.notes), tuple(ctx.storage.pointed),
        shape.checks, span=source.span(source.node))
    rebound = len({key for key, _ in ctx.locals}) < len(ctx.locals)  # a name has several types
    kernel = pipeline.prepare(kernel, rebound=rebound)
    warned = [unassigned.warn(ctx), unsure.warn(ctx.doubts.sums), absorbed.warn(ctx.doubts.beyond),
              powers.warn(ctx.doubts.powers, body)]
    uses = tuple(FunctionUse(f, s, frozenset(c), frozenset(ctx.needs.places.get(f, ())),
                             "asks" in ctx.facts, "tangles" in ctx.facts)
                 for f, (s, c) in ctx.needs.uses.items())
    asked = ctx.needs.questions()
    answers = tuple(ctx.needs.asked.items())
    if target is not None and target.backend is backend.host and shipped.brought(function):
        answers = (*answers, (backend.host, True))  # on other devices the package's kernel serves
    return Specialization(
        kernel, uses, guard_function.matcher(code, asked, (p.path for p in kernel.params)),
        ctx.handled, ctx.required, answers, tuple(ctx.needs.children), asked,
        shape, any(warned), None if ctx.result is None else form_of(ctx.result))


def _settle(start: Callable[[dict[Any, Scalar], set[str]], Context],
            lower: Callable[[Context], n.Block], facts: set[str]) -> tuple[Context, n.Block]:
    """Lower a kernel again and again until the types of its variables no longer change."""
    types: dict[Any, Scalar] = {}
    wrong: tuple[Context, n.Block] | None = None
    for turn in range(1, _ROUNDS + 1):
        before = frozenset(facts)
        ctx = start(types, facts)
        try:
            body = lower(ctx)
        except RecursionError:
            if not inside():
                raise
            raise _too_deep(ctx) from None
        settle_heads(ctx)
        settled = not ctx.changed and frozenset(facts) == before
        if settled and ("final" in facts or not (ctx.unsure or ctx.diagnostics)):
            return ctx, body
        if ctx.diagnostics and "final" in before:
            wrong = ctx, body
        if settled or turn >= _ROUNDS // 2:
            facts.add("final")
    if wrong is not None:  # a statement that is given up takes away what made it wrong
        return wrong
    raise InternalError(errc.runtime, "the types of a kernel's variables did not settle; please "
                        "report this kernel")


def _too_deep(ctx: Context) -> KernelError:
    source = ctx.frames[0].source if ctx.frames else None
    span = source.span(source.node) if source else None
    return KernelError([diagnostics.diagnostic(
        "K001", span, what="expressions or calls nested this deeply",
        help="split the expression over several statements")], source.name if source else "")


def _root(function: Any) -> tuple[FunctionType, Path, list[Value]]:
    """Return the Python function behind a callable, its path, and its ``self`` if it has one."""
    if isinstance(function, FunctionType):
        return function, (), []
    if hasattr(function, "__func__"):
        owner = Constant(function.__self__, (("attr", "__self__"),))
        return function.__func__, (("attr", "__func__"),), [owner]
    call_method: Any = type(function).__call__
    return call_method, (("call", ""),), [Constant(function, ())]


def _lower_root(ctx: Context, root: FunctionType, path: Path, receiver: list[Value],
                source: FunctionSource) -> n.Block:
    frame = Frame(source, root, path, ("kernel",))
    ctx.frames.append(frame)
    ctx.enter(frame)
    ctx.needs.uses[root.__code__] = (source, set())
    node = source.node
    try:
        reducers.declare(ctx, ctx.reductions, node)
        values = [*receiver, *_parameters(ctx, node, len(receiver))]
        body = node.body if isinstance(node, ast.FunctionDef) else []
        frame.assigned, frame.once = names.function_names(node)
        for name, value in call.bind_arguments(ctx, frame, values, {}, node).items():
            if name in frame.assigned:
                ctx.assign(name, value, node)
            else:
                frame.names[name] = value
        start_flags(ctx, frame)
        if isinstance(node, ast.Lambda):
            ctx.result = ctx.value(node.body)
        else:
            ctx.lower_body(ctx, body, frozenset(("return",)))
    except Refused:
        pass
    finally:
        ctx.frames.pop()
    block = tuple(ctx.block)
    return (*([n.Scope(0, block)] if frame.needs_scope else block), *endings(ctx))


def _parameters(ctx: Context, node: ast.FunctionDef | ast.Lambda, skip: int) -> list[Value]:
    """Return the values of a kernel's parameters: index, reducers, then explicit arguments."""
    known = [a.arg for a in [*node.args.posonlyargs, *node.args.args]][skip:]
    values: list[Value] = []
    if ctx.shape.kind in _INDEX and not ctx.shape.free:
        values.append(Item(_INDEX[ctx.shape.kind], ctx.shape.ndim))
    values += [Reduction(k) for k in range(len(ctx.reducers))]
    for k, obj in enumerate(ctx.arguments):
        name = known[len(values)] if len(values) < len(known) else f"argument {k}"
        values.append(ctx.capture((("arg", k),), obj, name, node))
    if takes_handler(node, len(values) + skip):
        ctx.handled = True
        values.append(KernelHandler())
    return values


def _lower_expr(ctx: Context, node: ast.expr) -> Value:
    lower = _EXPRESSIONS.get(type(node))
    if lower is None:
        id, facts = refusal(node)
        raise ctx.refuse(id, node, **facts)
    return lower(ctx, node)


_SYNTAX = Syntax(_lower_expr, stmt.lower_body, stmt.settle_returns, stmt.start_result,
                 expr.operate, call.call_value,
                 call.call_object, call.call_function, call.call_closure,
                 chosen_functions.call_either, one_of_several.of_table, rows.fill,
                 iterators.goes_over, iterations.method, lists.new_list, iterations.ordered)
