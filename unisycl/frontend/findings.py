"""What lowering a kernel finds out on its way, in tables by topic.

Non-goals: what is done with it, once the kernel is lowered (``specialize``). Invariant: each round
of lowering starts with empty tables, but for ``Doubts.sums``.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from unisycl.base.dataclass import dataclass, field
from unisycl.base.spans import Span
from unisycl.frontend.paths import Meeting, Path, Question
from unisycl.frontend.source import FunctionSource
from unisycl.ir import nodes as n
from unisycl.ir.function_uses import ChildUse, Position
from unisycl.ir.types import Scalar


@dataclass(eq=False, slots=True)
class Doubts:
    """What programs are warned of, or refused for, once their kernel is lowered.

    ``sums``: numbers that are exact here and wrap in Python on some paths; ``beyond``: results that
    a literal's type has and another one has not, ``absorbed``: which literals a variable took;
    ``powers`` of integers; ``indices`` that are names; ``unassigned``: reads of names that may have
    no value.
    """

    sums: dict[Span, Scalar] = field(default_factory=dict)
    beyond: dict[Span, tuple[str, Scalar, int]] = field(default_factory=dict)
    absorbed: dict[int, tuple[object, set[int]]] = field(default_factory=dict)
    powers: dict[Span, n.Expr] = field(default_factory=dict)
    indices: dict[Span, tuple[str, n.Expr]] = field(default_factory=dict)
    unassigned: dict[Span, tuple[str, Any]] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Storage:
    """What memory a kernel has: parameters by the path they were captured by, and its own arrays.

    ``copies`` are arrays of the work-item that hold a copy of a record, ``fresh`` those that no
    name has yet; ``pointed``: memory of several dimensions that pointers go through; ``memories``:
    those that a name may stand for, by names that hold in every round; ``owned``: captured
    memory of a group, and the path that it was captured by first, by every path that leads to it.
    """

    params: dict[Path, n.Param] = field(default_factory=dict)
    arrays: list[n.Array] = field(default_factory=list)
    copies: set[n.Param | n.Array] = field(default_factory=set)
    fresh: set[n.Param | n.Array] = field(default_factory=set)
    pointed: dict[n.Param | n.Array, None] = field(default_factory=dict)
    memories: dict[Any, Any] = field(default_factory=dict)
    streams: dict[Path, n.Expr] = field(default_factory=dict)
    owned: dict[Path, tuple[Any, Path]] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Dependencies:
    """What a kernel's code depends on, and what it asks for: objects, functions, aspects, kernels.

    ``libraries`` are paths to functions of ours; ``asked``: what a kernel asked about its device;
    ``sub_group``: the size that its sub-groups need to have, 0 if any will do; ``meetings``:
    whether two paths lead to one object.
    """

    guards: dict[tuple[Path, bool], Callable[[Any], bool]] = field(
        default_factory=dict)
    libraries: set[Path] = field(default_factory=set)
    meetings: dict[tuple[Path, Path], bool] = field(default_factory=dict)
    uses: dict[CodeType, tuple[FunctionSource, set[Position]]] = field(default_factory=dict)
    places: dict[CodeType, set[Position]] = field(default_factory=dict)
    children: list[ChildUse] = field(default_factory=list)
    aspects: set[str] = field(default_factory=set)
    asked: dict[Any, bool] = field(default_factory=dict)
    sub_group: int = 0
    notes: list[tuple[str, str]] = field(default_factory=list)

    def questions(self) -> tuple[tuple[Path, Question], ...]:
        """Return what each launch is asked before it gets the code; objects before meetings."""
        return (*((path, test) for (path, _), test in self.guards.items()),
                *((path, Meeting(other, met)) for (path, other), met in self.meetings.items()))
