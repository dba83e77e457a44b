"""Constant numbers in memory: a tuple that is indexed at run time.

Non-goals: which tuples are worth one. Invariant: it is only read, within its extent.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass
from unisycl.ir.nodes import Array


@dataclass(frozen=True, eq=False, slots=True)
class Table(Array):
    """An array of constant memory that holds these numbers; no kernel declares it."""

    values: tuple[int | float, ...] = ()
