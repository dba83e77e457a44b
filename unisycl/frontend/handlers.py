"""The kernel_handler of a kernel: whether it takes one, and the constants it answers with.

Non-goals: setting constants. Invariant: a kernel that read a constant is guarded by its value.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.frontend import captures, coerce, guards
from unisycl.frontend.context import Context
from unisycl.frontend.values import Constant, Value, describe
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar
from unisycl.lang.specialization import constant_of, specialization_id

METHODS = frozenset(("get_specialization_constant",))
_NAMES = ("kh", "kernel_handler")


def takes_handler(node: ast.FunctionDef | ast.Lambda, given: int) -> bool:
    """Say whether a kernel has one more parameter than it is given, and that is a handler."""
    known = [*node.args.posonlyargs, *node.args.args]
    if len(known) != given + 1:
        return False
    last = known[-1]
    note = last.annotation
    spelt = note.value if isinstance(note, ast.Constant) else ast.unparse(note) if note else ""
    return str(spelt).rpartition(".")[2] == "kernel_handler" or last.arg in _NAMES


def call_handler(ctx: Context, name: str, args: list[Value], node: ast.AST) -> Value:
    """Lower ``kh.get_specialization_constant(id)``: the value, as a constant."""
    asked = args[0].object if len(args) == 1 and isinstance(args[0], Constant) else None
    if not isinstance(asked, specialization_id):
        found = describe(args[0]) if len(args) == 1 else len(args)
        raise ctx.refuse("K034", node, what=f"'{name}'", expected="one specialization_id",
                         found=found)
    value = constant_of(ctx.arguments, asked)
    ctx.guards[(("constant", asked),), True] = _same(value)
    return _constant(value, asked.dtype)


def _constant(value: Any, kind: np.dtype[Any] | None) -> n.Expr:
    row = None if kind is None else dtypes.find_dtype(kind)
    return coerce.weak_scalar(value) if row is None else n.Const(Scalar(row), value.item())


def _same(value: Any) -> guards.Test:
    known = captures.signature(_plain(value), frozen=True)
    return lambda other: bool(captures.signature(_plain(other), frozen=True) == known)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

