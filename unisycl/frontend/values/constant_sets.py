"""Captured sets: what is in them is known while compiling.

Non-goals: sets of a module that programs may change (K048), sets made in kernels. Invariant: code
that depends on what is in one is guarded by it.
"""

from __future__ import annotations

import ast
from typing import Any

from unisycl.base.dataclass import dataclass
from unisycl.frontend import coerce
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Value
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n


@dataclass(frozen=True, slots=True)
class ConstantSet(Kind):
    """A set or frozenset: its elements, in the order in which Python goes over them."""

    items: tuple[Value, ...]
    name: str

    def describe(self) -> str:
        return f"the set '{self.name}'"

    def known_truth(self) -> bool | None:
        return bool(self.items)

    def as_static(self, ctx: Lowering) -> Value:
        return Several(self.items)

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        return self.items

    def length(self) -> n.Expr | None:
        return coerce.weak_scalar(len(self.items))

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        return self.items


def captured(found: Any, name: str) -> ConstantSet | None:
    """Return a set that was captured; None if it holds more than numbers, texts and constants."""
    items: list[Value] = []
    for item in found:
        if isinstance(item, bool | int | float):
            items.append(coerce.weak_scalar(item))
        elif isinstance(item, str):
            items.append(Constant(item))
        else:
            return None
    return ConstantSet(tuple(items), name)
