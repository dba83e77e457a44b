"""Streams of text, and manipulators with a number (SYCL 2020 §4.16).

Non-goals: what is put into them (``forms.output``). Invariant: a work-item's text ends where it
ends.
"""

from __future__ import annotations

import ast

from unisycl.base.dataclass import dataclass
from unisycl.base.value_text import Shown
from unisycl.frontend.values.kind import Kind, Lowering, Piece
from unisycl.ir import nodes as n


@dataclass(frozen=True, slots=True)
class Stream(Kind):
    """A stream of text, by its number."""

    which: n.Expr

    def describe(self) -> str:
        return "a stream"


@dataclass(frozen=True, slots=True)
class Setting(Kind):
    """A manipulator of streams with a number: setw or setprecision."""

    name: str
    given: n.Expr

    def describe(self) -> str:
        return f"'{self.name}'"

    def streamed(self, ctx: Lowering, node: ast.AST) -> list[Piece] | None:
        return [Shown(self.name), self.given]


def endings(ctx: Lowering) -> list[n.Stmt]:
    """Return what writes the rest of a work-item's text where it ends."""
    return [n.Print((), number, end=True) for number in ctx.storage.streams.values()]
