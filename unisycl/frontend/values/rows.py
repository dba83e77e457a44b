"""What memory is a row of numbers to ``row_functions``.

Non-goals: what they compute. Invariant: a row has a length.
"""

from __future__ import annotations

from unisycl.frontend.values.kind import Kind
from unisycl.ir.types import Scalar


class RowMemory(Kind):
    """Memory that may be a row of numbers, as a whole or with some indices given."""

    __slots__ = ()

    def row_of_numbers(self) -> tuple[Scalar, int] | None:
        """Return what it is made of, and how many dimensions it has left; None if it is no row."""
        raise NotImplementedError
