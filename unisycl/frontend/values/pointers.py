"""Pointers in kernels: ``multi_ptr``, its arithmetic, casts of address spaces (SYCL 2020 §4.7.7).

A pointer is a span of memory whose beginning may move: which memory it points into is always known
while compiling, so its address space is, too. Non-goals: pointers to pointers. Invariants: a
pointer never changes the memory it points into (SYCL 2020 §5.9); it equals ``lang.memory.pointer``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.frontend import coerce
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import match, parameters
from unisycl.frontend.values import stored_pointers
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Lowering, Value, describe
from unisycl.frontend.values.memory import Memory, no_pointer
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT
from unisycl.lang.memory.pointer import (
    address_space_cast,
    khr,
    multi_ptr,
    named_space,
    pointer_type,
)

_GENERIC = address_space.generic_space


def point(ctx: Lowering, value: Value, space: address_space | None, node: ast.AST) -> Memory:
    """Return a pointer to the first element of memory, or to what another pointer points to."""
    if not isinstance(value, Memory):
        raise no_pointer(ctx, value, node)
    return value.point(ctx, space, node)


@form(multi_ptr)
def lower_multi_ptr(ctx: Lowering, node: ast.Call) -> Value:
    """Lower ``multi_ptr(memory, space, decorated)``."""
    found = parameters(ctx, node, "multi_ptr", ("source",), ("space", "form"))
    if stored_pointers.kind_of(found["source"]):
        return found["source"]
    return point(ctx, found["source"], _space(ctx, found.get("space"), node), node)


def _space(ctx: Lowering, value: Value | None, node: ast.AST) -> address_space | None:
    """Return the address space an argument names."""
    if value is None:
        return None
    space = value.object if isinstance(value, Constant) else None
    if not isinstance(space, address_space):
        raise ctx.refuse("K046", node, what="the address space of a pointer",
                         help="name one of unisycl.address_space")
    return space


def call_type(ctx: Lowering, kind: pointer_type, args: Sequence[Value], node: ast.AST) -> Value:
    """Return ``local_ptr(memory)``."""
    found = match(ctx, node, kind.__name__, args, {}, ("source",))
    return point(ctx, found["source"], kind.address_space, node)


def _cast(name: str, *, checked: bool, static: bool) -> Callable[[Lowering, ast.Call], Value]:
    """Make the lowering of a cast of address spaces.

    ``checked``: a wrong space gives None where the pointer was generic; ``static``: never.
    """
    def lower(ctx: Lowering, node: ast.Call) -> Value:
        found = parameters(ctx, node, name, ("space", "pointer"), ("form",))
        space = _space(ctx, found["space"], node)
        pointer = point(ctx, found["pointer"], None, node)
        wrong = space is not None and space is not _GENERIC \
            and named_space(space) is not pointer.view.space
        if wrong and not static and (checked or pointer.pointer is _GENERIC):
            return Constant(None)
        return point(ctx, pointer, space, node)
    return lower


form(address_space_cast)(_cast("address_space_cast", checked=False, static=False))
form(khr.static_addrspace_cast)(_cast("static_addrspace_cast", checked=False, static=True))
form(khr.dynamic_addrspace_cast)(_cast("dynamic_addrspace_cast", checked=True, static=False))


# ---- arithmetic
def operate(ctx: Lowering, op: str, symbol: str, left: Value, right: Value,
            node: ast.AST) -> Value | None:
    """Return ``p + n``, ``n + p``, ``p - n`` or ``p - q``; None if no pointer is an operand."""
    found = stored_pointers.operate(ctx, op, symbol, left, right, node)
    if found is not None:
        return found
    left, right = ctx.of(left).decayed(ctx), ctx.of(right).decayed(ctx)
    if not is_pointer(left) and not is_pointer(right):
        return None
    if isinstance(left, Memory) and isinstance(right, Memory):
        if op != "sub" or not is_pointer(left) or not is_pointer(right):
            raise ctx.refuse("K036", node, op=symbol, types="pointers", help="")
        first, second = _starts(ctx, left, right, symbol, node)
        return coerce.binary("sub", first, second, WEAK_INT)
    pointer, other = (left, right) if isinstance(left, Memory) else (right, left)
    assert isinstance(pointer, Memory)
    assert pointer.window is not None
    step = ctx.to_scalar(other, node)
    if not step.type.dtype.is_integer or op not in ("add", "sub") or (
            op == "sub" and pointer is right):
        raise ctx.refuse("K036", node, op=symbol, types=f"{describe(left)} and {describe(right)}",
                         help="pointers move by integers: p + n, p - n")
    step = ctx.once(coerce.convert(step, WEAK_INT))
    first, size = pointer.window
    back = "sub" if op == "add" else "add"
    return replace(pointer, window=(coerce.binary(op, first, step, WEAK_INT),
                                    coerce.binary(back, size, step, WEAK_INT)))


def is_pointer(value: Value) -> bool:
    """Say whether a value is a pointer."""
    return isinstance(value, Memory) and value.pointer is not None


def _starts(ctx: Lowering, left: Memory, right: Memory, symbol: str,
            node: ast.AST) -> tuple[n.Expr, n.Expr]:
    """Return where two pointers into one memory point, row after row; refuse others."""
    if left.base is not right.base:
        raise ctx.refuse("K085", node, what=f"'{symbol}' of pointers into different memory "
                         f"('{left.name}' and '{right.name}')",
                         help="only pointers into one memory have an order and a distance")
    rows = left.index != right.index
    return _position(left, rows=rows), _position(right, rows=rows)


def _position(pointer: Memory, *, rows: bool) -> n.Expr:
    """Return which element a pointer points to, of its row or, with ``rows``, of all."""
    assert pointer.window is not None
    total = pointer.window[0]
    for d, x in enumerate(pointer.index if rows else ()):
        first = coerce.binary("mul", coerce.convert(x, WEAK_INT),
                              n.Pitch(WEAK_INT, pointer.base, d), WEAK_INT)
        total = coerce.binary("add", first, total, WEAK_INT)
    return total


def compare(ctx: Lowering, op: str, symbol: str, left: Value, right: Value,
            node: ast.AST) -> Value | None:
    """Return a comparison of two pointers; None if there are not two."""
    if not (isinstance(left, Memory) and isinstance(right, Memory)
            and is_pointer(left) and is_pointer(right)):
        return None
    if op in ("eq", "ne") and left.base is not right.base:
        return coerce.weak_scalar(op == "ne")
    first, second = _starts(ctx, left, right, symbol, node)
    return coerce.compare(op, first, second)
