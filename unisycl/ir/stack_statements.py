"""Stacks that the lanes of a vector have in common, each entry for some of them.

What a lane finds on such a stack is what it pushed, in the order it pushed it. Non-goals: what
users write (private arrays). Invariant: a target whose items run one by one gets none.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass
from unisycl.ir.nodes import Expr, Local, Stmt
from unisycl.ir.types import Scalar


@dataclass(frozen=True, eq=False, slots=True)
class Stack:
    """A stack of whole numbers; no lane ever has more than ``room`` on it."""

    name: str
    type: Scalar
    room: int


@dataclass(frozen=True, slots=True)
class Begun(Stmt):
    """Nothing is on a stack, and lanes may push."""

    stack: Stack


@dataclass(frozen=True, slots=True)
class Pushed(Stmt):
    """Put a number on a stack, for the lanes that are on."""

    stack: Stack
    value: Expr


@dataclass(frozen=True, slots=True)
class Popped(Stmt):
    """Take the last entry off: its number, and in each lane whether it is that lane's.

    ``some`` says whether there was one; if not, the others hold anything.
    """

    stack: Stack
    value: Local
    mine: Local
    some: Local


@dataclass(frozen=True, slots=True)
class Ended(Stmt):
    """The lanes that are on have nothing on a stack any more."""

    stack: Stack


STACK_STATEMENTS = (Begun, Pushed, Popped, Ended)
