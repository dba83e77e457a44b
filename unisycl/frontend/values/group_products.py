"""``group_product`` in kernels, where hardware multiplies for a work-group.

Non-goals: what is done with one (``forms.group_products``). Invariant: it is one thing, however
many names it has.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass
from unisycl.base.matrices import matrix_type
from unisycl.frontend.values.kind import Kind
from unisycl.frontend.values.memory import Memory


@dataclass(frozen=True, slots=True)
class GroupProduct(Kind):
    """A product; ``memory`` has its stages, ``cells`` are the work-item's numbers.

    ``turned``: columns of B lie together, not rows.
    """

    kind: matrix_type
    rows: int
    stages: int
    turned: bool
    memory: Memory
    cells: Memory

    @property
    def suffix(self) -> str:
        """What the names of its functions end in."""
        order = "col" if self.turned else "row"
        return f"{self.kind.name}_{order}_{self.rows}_{self.stages}"

    def describe(self) -> str:
        return f"a group_product of {self.rows} rows"
