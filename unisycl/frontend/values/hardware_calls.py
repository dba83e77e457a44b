"""Calls of functions that a device's backend prints, for what its hardware does by itself.

Non-goals: which there are. Invariant: only a kernel whose device says that it has such hardware
makes one.
"""

from __future__ import annotations

import ast

from unisycl.base import dtypes
from unisycl.base.enums import address_space
from unisycl.frontend.values.kind import Lowering
from unisycl.frontend.values.memory import Memory
from unisycl.ir import nodes as n
from unisycl.ir.foreign_functions import ForeignFunction, ForeignParameter
from unisycl.ir.types import WEAK_INT, Scalar

_ADDRESS = Scalar(dtypes.UINT64)
_LONG = Scalar(dtypes.INT64)
_GENERIC = address_space.generic_space


def call(ctx: Lowering, name: str, memories: tuple[n.Expr, ...], numbers: tuple[n.Expr, ...],
         node: ast.AST) -> None:
    """Call a function that the backend has by its name: of pointers, then whole numbers."""
    assert ctx.target is not None
    parameters = (*(ForeignParameter("p", None, "void *", _GENERIC) for _ in memories),
                  *(ForeignParameter("x", _LONG, "") for _ in numbers))
    function = ForeignFunction(name, "", name, "", ctx.target.backend, parameters)
    args = (*memories, *(n.Cast(_LONG, x) for x in numbers))
    ctx.emit(n.Foreign((), function, args, span=ctx.span(node)))


def start(ctx: Lowering, memory: Memory, node: ast.AST) -> n.Expr:
    """Return where memory begins."""
    first = (memory.window[0],) if memory.window is not None else (
        () if memory.index else (n.Const(WEAK_INT, 0),))
    elem = memory.view.elem
    assert isinstance(elem, Scalar)
    return n.Address(_ADDRESS, n.Place(memory.base, (*memory.index, *first), elem,
                                       span=ctx.span(node)))
