"""Which Python functions became part of a kernel, and where they meet other work-items.

Non-goals: what they mean. Invariant: positions are those of the syntax tree the user's text has.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, TypeAlias

from unisycl.base.dataclass import dataclass
from unisycl.base.spans import Span
from unisycl.ir.types import Scalar

Position: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class FunctionUse:
    """A Python function that became part of a kernel (the kernel itself is the first).

    ``code`` is what all function objects made by one ``def`` or ``lambda`` share; no function
    object is kept, so what a closure captured is free once its launch is over. ``source`` has the
    tree (``node``) and the text (``file``).
    ``convergent`` holds the positions (line, column, end line, end column of the AST node) of the
    calls in it that reach a barrier or group function; ``places`` those of the expressions that
    stand for a vec in memory itself, not for a copy of it, because an element of it is assigned,
    and of the calls (``atomic_ref(a[i])``) whose first argument stands for memory.
    ``asks``: the kernel asks for its work-item without a parameter (``this_nd_item``).
    ``tangles``: it asks which work-items are here in the same control flow (``entangle``).
    """

    code: CodeType
    source: Any
    convergent: frozenset[Position]
    places: frozenset[Position] = frozenset()
    asks: bool = False
    tangles: bool = False


@dataclass(frozen=True, slots=True)
class ChildUse:
    """A kernel that another one enqueues: where it was found, and how it is launched.

    ``path`` leads to the callable from the parent, as those of ``arguments`` do that are no
    numbers; of those the type is given. ``kind``, ``ndim`` and ``local`` are those of its launch.
    ``checked``: the parent is debugged, so that a command that does not fit is an error.
    """

    path: tuple[tuple[str, Any], ...]
    kind: str
    ndim: int
    local: tuple[int, ...]
    arguments: tuple[Scalar | tuple[tuple[str, Any], ...], ...]
    checked: bool
    span: Span | None = None
