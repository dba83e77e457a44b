"""Arrays a kernel declares itself: private memory of constant shape (SYCL 2020 §3.8.2).

Non-goals: local memory, which the launch allocates. Invariant: shape and type are constants.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from unisycl.base.enums import access_mode, address_space
from unisycl.frontend import coerce
from unisycl.frontend.access import as_dtype
from unisycl.frontend.context import Context
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import (
    Constant,
    Memory,
    Several,
    Value,
)
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, Scalar, View


def private_array(ctx: Context, node: ast.Call) -> Value:
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


def filled(name: str, value: int | None) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of numpy.zeros and its kin: a private array with these elements."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, f"numpy.{name}", ("shape",), ("dtype",))
        memory = _declare(ctx, found.get("dtype", Constant(np.float64)), found["shape"], node)
        if value is not None:
            _fill(ctx, memory, n.Const(WEAK_INT, value))
        return memory
    return lower


def _fill(ctx: Context, memory: Memory, value: n.Expr) -> None:
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

__all__ = ["filled", "private_array"]
