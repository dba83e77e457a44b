"""From a Python callable and its arguments to one typed kernel, remembered while nothing changes.

Non-goals: targets. A kernel is lowered until the types of its variables settle; what it depended on
(captured types, constants, helper functions) is noted, and a later launch that matches gets the
same ``Specialization`` back.
"""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from unisycl.base import checked_mode, diagnostics, foreign_objects, requested_checks
from unisycl.base.architecture import Target, fits
from unisycl.base.dataclass import dataclass
from unisycl.base.enums import backend
from unisycl.base.errors import InternalError, KernelError, UsageError, errc
from unisycl.base.forward_progress import Levels
from unisycl.base.spans import Span
from unisycl.frontend import absorbed, captures, guard_function, powers, shipped
from unisycl.frontend.context import Context, Syntax
from unisycl.frontend.findings import Question
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.source import FunctionSource, SourceMissing, function_source
from unisycl.frontend.syntax import (
    access,
    call,
    chosen_functions,
    compare,
    expr,
    generators,
    membership,
    names,
    rows,
    stmt,
    unassigned,
)
from unisycl.frontend.syntax.flow import settle_heads
from unisycl.frontend.syntax.subset import refusal
from unisycl.frontend.syntax.unassigned import start_flags
from unisycl.frontend.values import reducers, unsure
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.handlers import KernelHandler, takes_handler
from unisycl.frontend.values.items import Item
from unisycl.frontend.values.kind import Frame, Path, Refused, Value
from unisycl.frontend.values.reducers import Reduction
from unisycl.frontend.values.streams import endings
from unisycl.ir import nodes as n
from unisycl.ir.function_uses import ChildUse, FunctionUse
from unisycl.ir.types import Scalar
from unisycl.lang.kernels.kernel import class_attributes, required_progress
from unisycl.lang.kernels.specialization import Arguments, kernel_handler
from unisycl.passes import pipeline
from unisycl.process import float_mode
from unisycl.process.recursion import inside

_EXPRESSIONS: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    **expr.LOWER, **compare.LOWER, **access.LOWER, **call.LOWER, **generators.LOWER,
    **membership.LOWER}
_INDEX = {"range": "item", "nd_range": "nd_item", "work_group": "group"}
_ROUNDS = 24
_LIMIT = 64
_CODES = 4096
_lock = threading.RLock()
_known: dict[Any, list[Specialization]] = {}
_alike: dict[Any, list[Specialization]] = {}
_keep: dict[Any, Any] = {}


@dataclass(frozen=True, eq=False, slots=True)
class Specialization:
    """One kernel for one set of captured types and constants."""

    kernel: n.Kernel
    uses: tuple[FunctionUse, ...]
    match: guard_function.Match
    handled: bool = False
    required: tuple[int, ...] = ()
    asked: tuple[tuple[Any, bool], ...] = ()
    children: tuple[ChildUse, ...] = ()
    guards: tuple[tuple[Path, Question], ...] = ()
    shape: KernelShape | None = None

    def suits(self, target: Target | None) -> bool:
        """Say whether a device gives the answers that the kernel was compiled with."""
        return all(fits(target, what) is answer for what, answer in self.asked)

    def passed(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what the user's function is called with after its index and reducers."""
        return (*arguments, kernel_handler._make(arguments)) if self.handled else arguments


def specialize(function: Any, kind: str, ndim: int, arguments: tuple[Any, ...] = (),
               reductions: tuple[Any, ...] = (), local: tuple[int, ...] = (),
               target: Target | None = None,
               checks: checked_mode.Words = checked_mode.NONE) -> Specialization:
    """Return the kernel of a callable for these arguments, as ``find`` does."""
    return find(function, kind, ndim, arguments, reductions, local, target, checks)[0]


def find(function: Any, kind: str, ndim: int, arguments: tuple[Any, ...] = (),
         reductions: tuple[Any, ...] = (), local: tuple[int, ...] = (),
         target: Target | None = None, checks: checked_mode.Words = checked_mode.NONE,
         ) -> tuple[Specialization, tuple[Any, ...]]:
    """Return the kernel of a callable and the user's object behind each of its parameters.

    Args:
        function: what the user submitted: function, lambda, ``@sycl.kernel`` or callable object.
        kind: single, range, nd_range or work_group; ndim: dimensions of the index space.
        arguments: what follows the index and the reducers.
        reductions: the reduction objects of the launch.
        local: the work-group's size; kernels are specialised on it.
        target: the device, for kernels that ask which one it is.
        checks: what its queue asks to be checked while it runs.

    Raises ``KernelError`` with every diagnostic, or ``UsageError`` if it is no kernel at all.
    """
    sub_group, debug, fast = 0, None, False
    required: tuple[int, ...] = ()
    progress: Levels | tuple[()] = ()
    has: Any = None
    free: tuple[()] | tuple[str, int] = ()
    traits: Any = ()
    if type(function) is not FunctionType:
        debug = getattr(function, "__unisycl_debug__", None)
        own = class_attributes(type(function))
        sub_group = int(getattr(function, "reqd_sub_group_size", 0) or own.sub_group)
        required = getattr(function, "reqd_work_group_size", own.required)
        has = getattr(function, "__unisycl_device_has__", None)
        free = getattr(function, "free", own.free)
        traits = getattr(function, "traits", own.traits)
        fast = getattr(function, "fast_math", False) is True or (
            "-ffast-math" in dict(own.traits).get("options", ()))
        progress = required_progress(function)
        function = captures.unwrap(function)
    code = _code(function)
    checks = requested_checks.of_kernel(debug, checks)
    # By identity first: hashing code is slow. The specialization keeps the code object alive.
    key = (id(code), kind, ndim, local, len(arguments), len(reductions), sub_group, required,
           checks, fast, progress, has, free, traits)
    for known in _known.get(key, ()):
        raw = known.match(function, arguments, reductions)
        if raw is not None and (not known.asked or known.suits(target)):
            return known, raw
    if free and free != (kind, ndim):
        raise UsageError(errc.invalid, f"kernel '{_name(function)}' is a free function for "
                         f"{_launched(*free)} and cannot be launched as {_launched(kind, ndim)}")
    shape = KernelShape(kind, ndim, local, sub_group, required, checks, fast, progress,
                        bool(free), traits)
    with _lock:
        return _find_or_make((code, *key[1:]), key, function, shape, arguments, reductions, target)


def _launched(kind: str, ndim: int) -> str:
    return "single_task" if kind == "single" else f"a {kind} of {ndim} dimension(s)"


def _find_or_make(alike: tuple[Any, ...], key: tuple[Any, ...], function: Any, shape: KernelShape,
                  arguments: tuple[Any, ...], reductions: tuple[Any, ...],
                  target: Target | None) -> tuple[Specialization, tuple[Any, ...]]:
    """Return a specialization of equal code (made by another ``exec``, say), or compile one."""
    alike = (*alike, getattr(function, "__unisycl_device_has__", None))
    for made in _alike.get(alike, ()):
        raw = made.match(function, arguments, reductions)
        if raw is not None and made.suits(target):
            break
    else:
        with float_mode.usual():  # which constants are folded in
            made = _shipped(function, shape, arguments, reductions, target) or _compile(
                function, alike[0], shape, arguments, reductions, target)
        raw = made.match(function, arguments, reductions)
        if raw is None:  # an attribute that is another object each time: compiled for each launch
            raw = guard_function.matcher(alike[0], (), (p.path for p in made.kernel.params))(
                function, arguments, reductions)
        assert raw is not None
        _alike[alike] = [made, *_alike.get(alike, ())][:_LIMIT]
        _shrink(_alike)
    # The list is replaced, never changed: other threads may be going through it.
    _known[key] = [made, *_known.get(key, ())][:_LIMIT]
    _keep[key] = alike[0]
    _shrink(_known)
    _shrink(_keep)
    return made, raw


def _shipped(function: Any, shape: KernelShape, arguments: tuple[Any, ...],
             reductions: tuple[Any, ...], target: Target | None) -> Specialization | None:
    """Return the kernel that the function's package brings; the host device runs none."""
    if target is None or target.backend is backend.host or shape.checks:
        return None

    def made(found: shipped.Shipped, match: guard_function.Match) -> Specialization | None:
        one = Specialization(found.kernel, (), match, found.handled, found.required,
                             (*found.asked, (backend.host, False)))
        return one if one.suits(target) else None
    found: Specialization | None = shipped.find(function, shape, arguments, reductions, made)
    return found


def _shrink(table: dict[Any, Any]) -> None:
    while len(table) > _CODES:
        del table[next(iter(table))]


def _code(function: Any) -> Any:
    if isinstance(function, FunctionType):
        return function.__code__
    if hasattr(function, "__func__"):
        return function.__func__.__code__
    call_method = getattr(type(function), "__call__", None)
    if isinstance(call_method, FunctionType) and not isinstance(function, type):
        return call_method.__code__
    raise UsageError(errc.kernel_argument, f"a kernel must be a Python function, a lambda or an "
                     f"object with __call__, not {type(function).__name__}" + (
                         "; of a native kernel make_kernel makes one that can be launched"
                         if foreign_objects.is_native(function) else
                         "; of a partial function make one, lambda i: partial(i), or pass what it "
                         "holds to the launch, behind the kernel"
                         if isinstance(function, functools.partial) else ""))


def _compile(function: Any, code: Any, shape: KernelShape, arguments: tuple[Any, ...],
             reductions: tuple[Any, ...], target: Target | None) -> Specialization:
    root, path, receiver = _root(function)
    try:
        source = function_source(root.__code__, root.__globals__)
    except SourceMissing as missing:
        if shipped.brought(function):
            raise UsageError(errc.kernel_argument, shipped.other_forms(function)) from None
        found = diagnostics.diagnostic(missing.id, missing.span, **missing.facts)
        raise KernelError([found], _name(function)) from None
    sums: dict[Span, Scalar] = {}

    def start(types: dict[Any, Scalar], facts: set[str]) -> Context:
        ctx = Context(function, arguments, shape, types, facts, _SYNTAX)
        ctx.reductions = reductions
        sums.clear()  # forms of the round before note theirs in it, too
        ctx.doubts.sums = sums
        ctx.required = shape.required
        ctx.target = target
        return ctx
    ctx, body = _settle(start, lambda ctx: _lower_root(ctx, root, path, receiver, source))
    if ctx.diagnostics:
        raise KernelError(ctx.diagnostics, _name(function))
    kernel = n.Kernel(
        _name(function), tuple(ctx.storage.params.values()), body, shape.kind, shape.ndim,
        shape.local, tuple(ctx.storage.arrays), tuple(ctx.reducers), frozenset(ctx.needs.aspects),
        shape.sub_group or ctx.needs.sub_group,
        shape.fast_math, shape.progress, "waits" in ctx.facts, "enqueues" in ctx.facts,
        shape.traits, tuple(ctx.needs.notes), tuple(ctx.storage.pointed),
        shape.checks, span=source.span(source.node))
    rebound = len({key for key, _ in ctx.locals}) < len(ctx.locals)  # a name has several types
    kernel = pipeline.prepare(kernel, rebound=rebound)
    unassigned.warn(ctx)
    unsure.warn(ctx.doubts.sums)
    absorbed.warn(ctx.doubts.beyond)
    powers.warn(ctx.doubts.powers, body)
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
        shape)


def _name(function: Any) -> str:
    """Return the name a user knows a kernel by."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return "lambda" if name == "<lambda>" else str(name)


def _settle(start: Callable[[dict[Any, Scalar], set[str]], Context],
            lower: Callable[[Context], n.Block]) -> tuple[Context, n.Block]:
    """Lower a kernel again and again until the types of its variables no longer change."""
    types: dict[Any, Scalar] = {}
    facts: set[str] = set()
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
        if settled or turn >= _ROUNDS // 2:
            facts.add("final")
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
            ctx.value(node.body)
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


_SYNTAX = Syntax(_lower_expr, stmt.lower_body, stmt.settle_returns, expr.operate, call.call_value,
                 call.call_object, call.call_function, call.call_closure,
                 chosen_functions.call_either, chosen_functions.of_table, rows.fill)


def children(spec: Specialization, function: Any, arguments: tuple[Any, ...]
             ) -> tuple[tuple[ChildUse, Any, tuple[Any, ...]], ...]:
    """Return what a kernel may enqueue: its use, the callable, and its arguments.

    Of a number, which only the running parent knows, there is one of its type. Specialization
    constants are the parent's.
    """
    function = captures.unwrap(function)
    constants = getattr(arguments, "constants", None)
    found = []
    for use in spec.children:
        given: tuple[Any, ...] = tuple(
            captures.later(a) if isinstance(a, Scalar) else captures.fetch(a, function, arguments)
            for a in use.arguments)
        if constants is not None:
            given = Arguments.with_constants(given, constants)
        found.append((use, captures.fetch(use.path, function, arguments), given))
    return tuple(found)


def forget() -> None:
    """Drop every remembered specialization (tests use it)."""
    with _lock:
        _known.clear()
        _alike.clear()
        _keep.clear()

