"""Names without a value of one kind: nothing, what was refused, and what several ways brought.

Non-goals: which ways bring what (``syntax.flow``). Invariant: none of these reaches an operation
unseen: it is resolved, refused, or gives up the statement.
"""

from __future__ import annotations

import ast
from typing import Any

from unisycl.base.dataclass import dataclass, field
from unisycl.frontend.values.kind import Kind, Lowering, Value
from unisycl.ir import nodes as n


@dataclass(frozen=True, slots=True)
class Nothing(Kind):
    """The result of something that returns nothing."""

    def when_bound(self, ctx: Lowering, node: ast.AST) -> Value:
        raise ctx.refuse("K049", node, found="nothing", expected="a value",
                         help="the function called here returns nothing")


@dataclass(frozen=True, slots=True)
class Poison(Kind):
    """The value of something already refused; using it says nothing more.

    ``missing``: of a name that has none on this path, and no variable that could be zero.
    """

    missing: bool = False

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        raise ctx.unknown(node)


class MayBeNone(Kind):
    """A value that is None on some ways to where it stands (``optionals``)."""

    __slots__ = ()


@dataclass(frozen=True, eq=False, slots=True)
class Pending(Kind):
    """What a name stands for that several ways brought different things for; nobody read it yet.

    ``site`` and ``name`` say which variable it is in the next round if somebody does; ``values``
    are what was brought, ``definition`` where.
    """

    site: Any
    name: Any
    values: tuple[Any, ...]
    definition: Any


@dataclass(frozen=True, slots=True)
class Lost(Kind):
    """What a name stands for that turns of a loop leave different kinds of things in.

    ``id`` and ``facts``: the diagnostic for whoever reads it; ``spans``: where it gets values.
    """

    id: str
    facts: tuple[tuple[str, str], ...]
    spans: tuple[Any, ...] = field(default=(), compare=False)
