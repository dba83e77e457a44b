"""Calls of functions in a device's own language: there by name, elsewhere their Python body.

Non-goals: the text and its types (``lang.kernels.foreign_functions``). Invariants: a kernel that
makes such a call has asked its device for its backend, so one compiled for another device is never
taken; arguments have the parameters' types either way.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from unisycl.base import dtypes
from unisycl.base.architecture import fits
from unisycl.base.enums import address_space
from unisycl.base.errors import UnsupportedError, errc
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.parameters import match
from unisycl.frontend.paths import Path
from unisycl.frontend.values import addresses, pointers, stored_pointers
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.foreign_functions import ForeignFunction, ForeignParameter
from unisycl.ir.types import PointerType, Scalar, Struct
from unisycl.lang.kernels.foreign_functions import extern_function

_ADDRESS = Scalar(dtypes.UINT64)
_BYTE = Scalar(dtypes.UINT8)


def call(ctx: Context, callee: extern_function, path: Path, args: Sequence[Value],
         keywords: dict[str, Value], node: ast.AST) -> Value:
    """Return what a call of such a function gives."""
    function = callee.signature
    ctx.guard(path, callee, frozen=True)
    found = match(ctx, node, function.name, args, keywords,
                  tuple(p.name for p in function.parameters))
    values = [_argument(ctx, function, p, found[p.name], node) for p in function.parameters]
    ctx.needs.asked[function.target] = there = fits(ctx.target, function.target)
    if there:
        return _call_there(ctx, function, values, node)
    if callee.body is None:
        raise UnsupportedError(errc.kernel_not_supported, f"{ctx.span(node).place()}: "
                               f"'{function.name}' is a function in {function.language} without a "
                               f"Python body, so only devices of the {function.target.name} "
                               "backend can call it; give it a body that says the same")
    result = ctx.call(ctx, Constant(callee.body, (*path, ("attr", "body"))), values, node)
    if ctx.needs.uses[callee.body.__code__][1]:
        raise ctx.refuse("K052", node, what="a barrier or group function",
                         where=f"in the Python body of '{function.name}'",
                         help="call it in the kernel, before or after")
    return _returned(ctx, function, result, node)


def _call_there(ctx: Context, function: ForeignFunction, values: Sequence[Value],
                node: ast.AST) -> Value:
    """Call the function by its name."""
    if ctx.shape.kind == "work_group" and not ctx.in_items:
        raise ctx.refuse("K052", node, what=f"'{function.name}'", where="at group scope",
                         help="call it in parallel_for_work_item, or launch over an nd_range")
    numbers: list[n.Expr] = []
    for value in values:
        if isinstance(value, Memory):
            numbers.append(_address(ctx, value, node))
        elif isinstance(value, Vector):
            numbers += value.loaded(ctx).items
        else:
            numbers.append(value if isinstance(value, n.Expr) else n.Const(_ADDRESS, 0))
    kinds = _elements(function.result)
    results = tuple(n.Local("t", kind) for kind in kinds)
    ctx.emit(n.Foreign(results, function, tuple(numbers), span=ctx.span(node)))
    reads = tuple(n.Read(x.type, x) for x in results)
    for kind in kinds[:1]:
        ctx.need(kind, node)
    if isinstance(function.result, Struct):
        return Vector(function.result, reads, exact=False)
    return reads[0] if reads else Nothing()


def _elements(kind: Scalar | Struct | None) -> list[Scalar]:
    """Return the types of the numbers that a value is made of."""
    if isinstance(kind, Struct):
        return [f.type for f in kind.fields if isinstance(f.type, Scalar)]
    return [] if kind is None else [kind]


def _address(ctx: Context, pointer: Memory, node: ast.AST) -> n.Expr:
    """Return the address of what a pointer points to."""
    assert pointer.window is not None
    elem = pointer.view.elem
    kind = elem if isinstance(elem, Scalar) else _BYTE
    index = (*pointer.index, pointer.window[0])
    return n.Address(_ADDRESS, n.Place(pointer.base, index, kind, span=ctx.span(node)))


# ---- arguments and results
def _argument(ctx: Context, function: ForeignFunction, parameter: ForeignParameter, value: Value,
              node: ast.AST) -> Value:
    """Return an argument as the parameter takes it; refuse what it does not take."""
    if parameter.space is not None:
        return _pointer(ctx, function, parameter, value, node)
    kind = parameter.type
    if isinstance(kind, Struct):
        if isinstance(value, Vector) and value.type == kind:
            return value
        raise _refused(ctx, function, parameter, value, node)
    assert kind is not None
    if not isinstance(value, n.Expr):
        value = ctx.to_scalar(value, node)
    found = value.type.dtype.kind
    if isinstance(value.type, PointerType) or found == "c" or (
            found == "f" and not kind.dtype.is_float):
        raise _refused(ctx, function, parameter, value, node)
    ctx.need(kind, node)
    return coerce.stored(value, kind)


def _pointer(ctx: Context, function: ForeignFunction, parameter: ForeignParameter, value: Value,
             node: ast.AST) -> Value:
    """Return a pointer as the parameter takes it: memory, an address, or None."""
    space = parameter.space
    if isinstance(value, Constant) and value.object is None:
        return value
    kind = stored_pointers.kind_of(value)
    if kind is not None:
        known = (address_space.global_space, address_space.generic_space)
        if parameter.type not in (None, kind.elem) or space not in known:
            raise _refused(ctx, function, parameter, value, node)
        addresses.know(ctx, node)
        return value
    if not isinstance(value, Memory):
        raise _refused(ctx, function, parameter, value, node)
    pointer = pointers.point(ctx, value, space, node)
    mode = pointer.view.mode
    if parameter.type not in (None, pointer.view.elem):
        raise _refused(ctx, function, parameter, value, node)
    if not mode.writes and not parameter.const:
        raise ctx.refuse("K039", node, name=value.name)
    if not mode.reads and parameter.const:
        raise ctx.refuse("K058", node, name=value.name)
    return pointer


def _refused(ctx: Context, function: ForeignFunction, parameter: ForeignParameter, value: Value,
             node: ast.AST) -> Exception:
    """Refuse an argument of the wrong type."""
    return ctx.refuse("K049", node, found=describe(value), expected=f"'{parameter.spelt}' for "
                      f"'{parameter.name}' of '{function.name}'",
                      help=f"convert it first, or change the text in {function.language}")


def _returned(ctx: Context, function: ForeignFunction, value: Value, node: ast.AST) -> Value:
    """Return what a Python body gave in the type that the text has."""
    kind = function.result
    if kind is None:
        return Nothing()
    if isinstance(kind, Scalar):
        return coerce.convert(ctx.to_scalar(value, node), kind)
    if not isinstance(value, Vector) or value.type != kind:
        raise ctx.refuse("K049", node, found=describe(value), expected=f"a {kind}, which "
                         f"'{function.name}' returns", help="return that from its Python body")
    return value
