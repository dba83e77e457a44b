"""Attributes about to be called: a value, the name of one of its methods, and what is given.

Non-goals: what a method does, which its owner knows. Invariant: the owner has the method.
"""

from __future__ import annotations

import ast

from unisycl.base.dataclass import dataclass
from unisycl.frontend.values.kind import Kind, Lowering, Value
from unisycl.ir import nodes as n


@dataclass(frozen=True, slots=True)
class Method(Kind):
    """An attribute of a value, about to be called; ``given`` are arguments it has already."""

    owner: Value
    name: str
    given: tuple[Value, ...] = ()

    def describe(self) -> str:
        return f"the method '{self.name}'"

    @property
    def is_function(self) -> bool:
        return True

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        found = self.when_bound(ctx, node)
        if isinstance(found, n.Expr):
            return found
        return Kind.number(self, ctx, node, unsure=unsure)

    def when_bound(self, ctx: Lowering, node: ast.AST) -> Value:
        size = ctx.of(self.owner).size(ctx) if self.name == "size" else None
        return self if size is None else size  # NumPy's attribute, where SYCL has a method

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        return ctx.of(self.owner).call_method(ctx, self.name, [*self.given, *args], keywords,
                                              node)


def constant_dimension(ctx: Lowering, args: list[Value], count: int, node: ast.AST,
                       what: str) -> int:
    """Return the constant dimension argument of a query."""
    d = ctx.constant(args[0]) if len(args) == 1 else None
    if d is None:
        raise ctx.refuse("K046", node, what="the dimension")
    if not 0 <= int(d.value) < count:
        raise ctx.refuse("K045", node, found=d.value, what=what, expected=f"{count} dimension(s)")
    return int(d.value)
