"""``joint_matrix`` in kernels: an array of the work-item's, and who holds which element.

Non-goals: what is done with one (``forms.matrices``, ``lang.library.joint_matrices``). Invariants:
its type, use and shape are constants; it is one thing, however many names it has.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unisycl.base.dataclass import dataclass
from unisycl.base.matrices import Arrangement, layout, matrix_type, use
from unisycl.frontend import coerce
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Value
from unisycl.frontend.values.memory import Memory
from unisycl.lang.memory.joint_matrix import attribute, joint_matrix

_NAMES = ("rows", "cols", "use", "layout", "dtype")


@dataclass(frozen=True, slots=True)
class Matrix(Kind):
    """A matrix of a sub-group; ``cells`` are those of the work-item."""

    kind: matrix_type
    use: use
    layout: layout
    arrangement: Arrangement
    cells: Memory

    def describe(self) -> str:
        shape = f"{self.arrangement.rows}x{self.arrangement.cols}"
        return f"a {shape} joint_matrix of {self.kind.name} for use.{self.use.name}"

    def number_help(self) -> str:
        return "store it to memory, or change its elements by joint_matrix_apply"

    def memory_help(self) -> str:
        return self.number_help()

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        return issubclass(joint_matrix, classes)

    def names(self) -> Iterable[str]:
        return _NAMES

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if name == "cells":
            return self.cells
        if name in ("use", "layout"):
            return Constant(getattr(self, name))
        try:
            found = attribute(self.arrangement, self.kind, name)
        except AttributeError:
            return None
        return coerce.weak_scalar(found) if isinstance(found, int) else Constant(found)
