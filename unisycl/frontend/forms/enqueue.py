"""``enqueue_kernel`` in kernels: which kernels a parent has, and the records of its commands.

Non-goals: the children's code, which is compiled by itself (``runtime.launch.enqueued_kernels``);
records (``lang.kernels.device_queue``). Invariant: what a child takes is numbers, whose types are
known here, and what its parent captured.
"""

from __future__ import annotations

import ast
from types import FunctionType, MethodType
from typing import Any, TypeAlias

from unisycl.base import geometry
from unisycl.base.annotations import annotations_of
from unisycl.base.dtypes import DTYPES
from unisycl.frontend import captures, coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.paths import Path
from unisycl.frontend.values import bit_patterns
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Closure
from unisycl.frontend.values.handlers import is_handler as _is_handler
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.enqueue_records import MOST_NUMBERS, MOST_WAITS
from unisycl.ir.function_uses import ChildUse
from unisycl.ir.types import BOOL, WEAK_INT, Scalar
from unisycl.lang.kernels import device_queue
from unisycl.lang.kernels.device_queue import kernel_enqueue_flags

_OPEN, _ZERO = coerce.weak_scalar(-1), coerce.weak_scalar(0)
_INT64 = Scalar(DTYPES["int64"])
_MOST_CHILDREN = 64
_FORM = "(flags, {space}kernel, *arguments, wait_list=(...))"
_FAILED = "enqueue_kernel failed with status "
_STATUSES = (" (-161: the device queue is full, -160: wrong range, -57: an event it waits for is "
             "none)")
Space: TypeAlias = tuple[str, list[n.Expr], list[n.Expr], tuple[int, ...]]


@form(device_queue.enqueue_kernel)
def _enqueue_kernel(ctx: Context, node: ast.Call) -> Value:
    args, waits = _arguments(ctx, node, "enqueue_kernel", 3)
    return _enqueue(ctx, node, args[0], _space(ctx, args[1], node.args[1]), args[2:], waits, 2)


@form(device_queue.enqueue_task)
def _enqueue_task(ctx: Context, node: ast.Call) -> Value:
    args, waits = _arguments(ctx, node, "enqueue_task", 2)
    return _enqueue(ctx, node, args[0], ("single", [coerce.weak_scalar(1)], [], ()), args[1:],
                    waits, 1)


def _arguments(ctx: Context, node: ast.Call, what: str,
               least: int) -> tuple[list[Value], tuple[Value, ...]]:
    """Return what a call is given, and the events it waits for."""
    form = _FORM.format(space="space, " if least == 3 else "")
    for keyword in node.keywords:
        if keyword.arg != "wait_list":
            raise ctx.refuse("K034", node, what=f"'{what}'", expected=form,
                             found=f"'{keyword.arg}'")
    if len(node.args) < least:
        raise ctx.refuse("K034", node, what=f"'{what}'", expected=form, found=len(node.args))
    values = ctx.operands(*node.args, *(k.value for k in node.keywords))
    waits: tuple[Value, ...] = ()
    if node.keywords:
        given = values.pop()
        if not isinstance(given, Several) or given.kind != "tuple":
            raise ctx.refuse("K049", node.keywords[0].value, found=describe(given),
                             expected="a tuple of events", help="write wait_list=(a, b)")
        if len(given.items) > MOST_WAITS:
            raise ctx.refuse("K117", node, what=f"a command waits for {MOST_WAITS} events at most, "
                             f"not {len(given.items)}", help="join some by enqueue_marker first")
        waits = given.items
    return values, waits


def _enqueue(ctx: Context, node: ast.Call, flags: Value, space: Space, rest: list[Value],
             waits: tuple[Value, ...], at: int) -> Value:
    """Note the child and write the record of the command."""
    kernel, *given = rest
    if not isinstance(flags, Constant) or not isinstance(flags.object, kernel_enqueue_flags):
        raise ctx.refuse("K117", node.args[0], what=f"{describe(flags)} is no flag of an enqueue",
                         help="write kernel_enqueue_flags.no_wait, wait_kernel or wait_work_group")
    path = _callable(ctx, kernel, node.args[at])
    _check_count(ctx, kernel, len(given), space[0], node)
    arguments: list[Scalar | Path] = []
    numbers: list[n.Expr] = []
    for value, place in zip(given, node.args[at + 1:], strict=True):
        found = _argument(ctx, value, place)
        if isinstance(found, n.Expr):
            arguments.append(found.type)
            numbers.append(_bits(ctx, found, place))
        else:
            arguments.append(found)
    if len(numbers) > MOST_NUMBERS:
        raise ctx.refuse("K117", node, what=f"a child takes {MOST_NUMBERS} numbers at most, not "
                         f"{len(numbers)}", help="put them in memory and pass that")
    kind, extent, offset, local = space
    child = ChildUse(path, kind, len(extent), local, tuple(arguments), "assert" in ctx.shape.checks)
    if child not in ctx.needs.children:
        if len(ctx.needs.children) >= _MOST_CHILDREN:
            raise ctx.refuse("K117", node, what=f"a kernel enqueues {_MOST_CHILDREN} different "
                             "kernels at most", help="enqueue some of them from a child")
        ctx.needs.children.append(child)
    head = [coerce.weak_scalar(k) for k in (ctx.needs.children.index(child), int(flags.object),
                                            len(waits))]
    event = ctx.call(ctx, Constant(device_queue.put, (("object", device_queue.put),)), [
        Several(tuple(head)), Several(tuple(extent)), Several(tuple(offset)),
        Several(tuple(coerce.weak_scalar(k) for k in local)), Several(waits),
        Several(tuple(numbers))], node)
    if "assert" in ctx.shape.checks:
        event = ctx.hold(ctx.to_scalar(event, node))
        holds = coerce.compare("ge", event, coerce.weak_scalar(0))
        assert holds is not None
        ctx.emit(n.Check(holds, (_FAILED, event, _STATUSES), span=ctx.span(node)))
    return event


def _space(ctx: Context, value: Value, node: ast.AST) -> Space:
    """Return the kind of an index space, its extents, its offset and its local range."""
    if isinstance(value, Several) and value.kind == "nd_range":
        whole, part, start = (_extents(ctx, x, node) for x in value.items)
        if part == [_OPEN]:
            return "range", whole, start, ()
        return "nd_range", whole, start, _known(ctx, part, node)
    whole = _extents(ctx, value, node)
    return "range", whole, [_ZERO] * len(whole), ()


def _extents(ctx: Context, value: Value, node: ast.AST) -> list[n.Expr]:
    items = value.items if isinstance(value, Several) and value.kind != "nd_range" else (value,)
    if not 1 <= len(items) <= 3:
        raise ctx.refuse("K049", node, found=describe(value), expected="a range of 1 to 3 "
                         "dimensions", help="write n, (n, m) or ndrange((n, m), (16, 16))")
    found = [ctx.to_scalar(x, node) for x in items]
    for x in found:
        if not x.type.dtype.is_integer:
            raise ctx.refuse("K049", node, found=x.type, expected="an integer extent",
                             help="use int(...)")
    return [ctx.hold(coerce.convert(x, WEAK_INT)) for x in found]


def _known(ctx: Context, local: list[n.Expr], node: ast.AST) -> tuple[int, ...]:
    sizes = []
    for x in local:
        known = ctx.constant(x)
        if known is None:
            raise ctx.refuse("K046", node, what="the local range of a child",
                             help="write it out: a kernel is compiled for one work-group size")
        if known.value < 1:
            raise ctx.refuse("K117", node, what=f"a local range of {known.value} has no work-items",
                             help="give 1 or more in each dimension")
        sizes.append(int(known.value))
    return tuple(sizes)


def _callable(ctx: Context, value: Value, node: ast.AST) -> Path:
    """Return the path to a child's callable; refuse what cannot be launched."""
    if isinstance(value, Closure):
        raise ctx.refuse("K117", node, what="a function defined inside a kernel cannot be enqueued",
                         help="define it beside the kernel and pass what it needs as arguments")
    if isinstance(value, Constant):
        inner = captures.unwrap(value.object)
        own = getattr(type(inner), "__call__", None)
        if isinstance(inner, FunctionType | MethodType) or (
                isinstance(own, FunctionType) and not isinstance(inner, type)):
            return value.path
    raise ctx.refuse("K117", node, what=f"{describe(value)} is no kernel that can be enqueued",
                     help="pass a Python function, a @sycl.kernel or an object with __call__")


def _check_count(ctx: Context, kernel: Value, given: int, kind: str, node: ast.AST) -> None:
    """Refuse a number of arguments that a child does not take, where it is enqueued."""
    assert isinstance(kernel, Constant)
    inner = captures.unwrap(kernel.object)
    bound = not isinstance(inner, FunctionType)
    function = inner if not bound else getattr(inner, "__func__", None) or type(inner).__call__
    code = function.__code__
    names = code.co_varnames[bound:code.co_argcount]
    index = kind != "single" and not getattr(kernel.object, "free", ())
    count = given + index
    least = len(names) - len(function.__defaults__ or ())
    # One more may be a kernel_handler, which nobody passes.
    if least <= count + 1 and count <= len(names) and (count >= least or _is_handler(
            names[-1], annotations_of(function).get(names[-1]))):
        return
    raise ctx.refuse("K034", node, what=f"the child '{function.__name__}'",
                     expected=f"({', '.join(names)})",
                     found=f"the index and {given}" if index else given)


def _argument(ctx: Context, value: Value, node: ast.AST) -> n.Expr | Path:
    """Return what a child gets: a number, or the path to what the parent captured."""
    if isinstance(value, Memory) and isinstance(value.base, n.Param) and not value.index \
            and value.window is None and value.base.path:
        return value.base.path
    if isinstance(value, Constant):
        if value.path:
            return value.path
        return (("object", value.object),)
    if isinstance(value, Memory) and len(value.index) < value.view.ndim:
        raise ctx.refuse("K117", node, what="a part of memory cannot be given to a child",
                         help="pass all of it, and where the part begins as a number")
    if isinstance(value, Several):
        raise ctx.refuse("K117", node, what=f"{describe(value)} cannot be given to a child",
                         help="pass its numbers one by one")
    return ctx.hold(ctx.to_scalar(value, node))


def _bits(ctx: Context, x: n.Expr, node: ast.AST) -> n.Expr:
    """Return a number as the low bytes of a 64-bit word."""
    if x.type.dtype.made or x.type.dtype.kind == "c":
        raise ctx.refuse("K117", node, what=f"a number of type {x.type} cannot be given to a child",
                         help="pass its parts, or put it in memory")
    x = coerce.convert(x, Scalar(x.type.dtype))
    if x.type.dtype.is_float:
        row: Any = DTYPES[f"int{x.type.dtype.bits}"]
        x = bit_patterns.regrouped(ctx, [x], Scalar(row), 1)[0]
    elif x.type == BOOL:
        x = coerce.convert(x, Scalar(DTYPES["int32"]))
    return coerce.convert(x, _INT64)


@form(device_queue.ndrange)
def _ndrange(ctx: Context, node: ast.Call) -> Value:
    """Lower ``ndrange(extent[, local[, offset]])``: three tuples; a local range left open is -1."""
    found = parameters(ctx, node, "ndrange", ("extent",), ("local", "offset"))
    whole = _extents(ctx, found["extent"], node)
    parts: list[list[n.Expr]] = [whole, [_OPEN], [_ZERO] * len(whole)]
    for k, name in ((1, "local"), (2, "offset")):
        value = found.get(name)
        if value is None or (isinstance(value, Constant) and value.object is None):
            continue
        parts[k] = _extents(ctx, value, node)
        if len(parts[k]) != len(whole):
            raise ctx.refuse("K037", node, what="the range of a child", expected=len(whole),
                             found=len(parts[k]), help="give all of it as many dimensions")
    kinds = ("range", "range", "id")
    return Several(tuple(Several(tuple(p), k) for p, k in zip(parts, kinds, strict=True)),
                   "nd_range")


@form(geometry.nd_range)
def _nd_range(ctx: Context, node: ast.Call) -> Value:
    raise ctx.refuse("K117", node, what="an nd_range is made on the host", help="in a kernel write "
                     "ndrange(global, local), of unisycl.ext.unisycl, for a kernel it enqueues")
