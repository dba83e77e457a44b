"""What an expression of the kernel language denotes while it is compiled.

A scalar is an IR expression; everything else here exists at compile time only. Non-goals: types of
the IR. Invariant: values are immutable.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from unisycl.base.enums import memory_order, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, Struct, View

if TYPE_CHECKING:
    from unisycl.frontend.context import Frame

Path: TypeAlias = tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True)
class Several:
    """Several values under one name: ``kind`` is tuple, id or range."""

    items: tuple[Value, ...]
    kind: str = "tuple"


@dataclass(frozen=True, slots=True)
class Memory:
    """A view with its leading ``index`` already given (``a[i]`` of a two-dimensional ``a``)."""

    base: n.Param | n.Array
    view: View
    index: tuple[n.Expr, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A struct, or an array member of one, in memory; ``shape`` is what is left to index."""

    base: n.Param | n.Array
    index: tuple[n.Expr, ...]
    type: Scalar | Struct
    shape: tuple[int, ...] = ()
    offset: int = 0
    inner: tuple[tuple[n.Expr, int], ...] = ()
    writable: bool = True
    readable: bool = True
    name: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """An index object: ``kind`` is item, nd_item, group, sub_group or h_item."""

    kind: str
    ndim: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A Python object known while compiling, and the path it was captured by."""

    object: Any
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Closure:
    """A function defined inside the kernel, with the frame it sees."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame = field(compare=False)


@dataclass(frozen=True, slots=True)
class Method:
    """An attribute of a value, about to be called."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class Atomic:
    """An ``atomic_ref``."""

    place: n.Place
    order: memory_order
    scope: memory_scope


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reducer parameter."""

    index: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """The result of something that returns nothing."""


@dataclass(frozen=True, slots=True)
class Poison:
    """The value of something already refused; using it says nothing more."""


Value: TypeAlias = (n.Expr | Several | Memory | Record | Item | Constant | Closure | Method | Atomic
                    | Reduction | Nothing | Poison)


def describe(value: Value) -> str:
    """Name a value for a message, in the user's words."""
    match value:
        case n.Expr():
            return str(value.type)
        case Several():
            return f"a {value.kind} of {len(value.items)}"
        case Memory():
            left = value.view.ndim - len(value.index)
            return f"{left}-dimensional {value.view.space.value} memory of {value.view.elem}"
        case Record():
            return str(value.type) + ("".join(f"[{e}]" for e in value.shape))
        case Item():
            return "an item" if value.kind in ("item", "global", "logical", "physical") \
                else f"an {value.kind}" if value.kind[0] in "hn" else f"a {value.kind}"
        case Constant():
            if isinstance(value.object, type):
                return f"the type '{value.object.__name__}'"
            if value.object is None or isinstance(value.object, str):
                return repr(value.object)
            name = getattr(value.object, "__name__", None)
            return f"'{name}'" if name else f"an object of type '{type(value.object).__name__}'"
        case Closure():
            return "a function"
        case Method():
            return f"the method '{value.name}'"
        case Atomic():
            return "an atomic_ref"
        case Reduction():
            return "a reducer"
    return "nothing"
