"""The kernel_handler of a kernel: whether it takes one, and the constants it answers with.

Non-goals: setting constants. Invariant: a kernel that read a constant is guarded by its value.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass
from unisycl.frontend import coerce, guards
from unisycl.frontend.values import vectors
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Kind, Lowering, Value, describe
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar
from unisycl.lang.kernels.specialization import constant_of, likeness, specialization_id
from unisycl.lang.numbers.elements import elements_type

METHODS = frozenset(("get_specialization_constant",))
_NAMES = ("kh", "kernel_handler")


@dataclass(frozen=True, slots=True)
class KernelHandler(Kind):
    """The kernel_handler parameter."""

    def describe(self) -> str:
        return "a kernel_handler"

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        return Method(self, name) if name in METHODS else None

    def names(self) -> Iterable[str]:
        return METHODS

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        return call_handler(ctx, name, args, node)


def takes_handler(node: ast.FunctionDef | ast.Lambda, given: int) -> bool:
    """Say whether a kernel has one more parameter than it is given, and that is a handler."""
    known = [*node.args.posonlyargs, *node.args.args]
    if len(known) != given + 1:
        return False
    note = known[-1].annotation
    spelt = note.value if isinstance(note, ast.Constant) else ast.unparse(note) if note else ""
    return is_handler(known[-1].arg, spelt)


def is_handler(name: str, annotation: object) -> bool:
    """Say whether a parameter is a handler's, by its name or its annotation."""
    spelt = getattr(annotation, "__name__", annotation)
    return str(spelt).rpartition(".")[2] == "kernel_handler" or name in _NAMES


def call_handler(ctx: Lowering, name: str, args: list[Value], node: ast.AST) -> Value:
    """Lower ``kh.get_specialization_constant(id)``: the value, as a constant."""
    asked = args[0].object if len(args) == 1 and isinstance(args[0], Constant) else None
    if not isinstance(asked, specialization_id):
        found = describe(args[0]) if len(args) == 1 else len(args)
        raise ctx.refuse("K034", node, what=f"'{name}'", expected="one specialization_id",
                         found=found)
    value = constant_of(ctx.arguments, asked)
    ctx.needs.guards[(("constant", asked),), True] = _same(value)
    return _constant(ctx, value, node)


def _constant(ctx: Lowering, value: Any, node: ast.AST) -> Value:
    own = getattr(value, "_type", None)
    if isinstance(own, elements_type):
        parts = np.frombuffer(value.tobytes(), own.element)[:own.count]
        return vectors.of(own, [n.Const(vectors.scalar_of(own), x.item()) for x in parts])
    if isinstance(value, np.generic):
        row = dtypes.find_dtype(value.dtype)
        if row is not None:
            return n.Const(Scalar(row), value.item())
    elif isinstance(value, bool | int | float | complex):
        return coerce.weak_scalar(value)
    elif isinstance(value, tuple):
        return Several(tuple(_constant(ctx, v, node) for v in value))
    elif dataclasses.is_dataclass(value):
        names = tuple(f.name for f in dataclasses.fields(value))
        return Instance(type(value), names, tuple(
            _constant(ctx, getattr(value, name), node) for name in names))
    raise ctx.refuse("K040", node, name="the constant", kind=type(value).__name__,
                     help="fields of constants are numbers, vec and marray values, tuples, and "
                     "dataclasses of these")


def _same(value: Any) -> guards.Test:
    known = likeness(value)
    return lambda other: bool(likeness(other) == known)

