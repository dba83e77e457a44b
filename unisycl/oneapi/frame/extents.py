"""The memory that operands touch, and which element of it stands at which position.

Non-goals: what is done with it. Invariant: two extents that are ``same`` have element ``i`` at one
place, for each ``i`` that both have; where this is not known they are not the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Extent:
    """The memory that an operand may touch: of a buffer, or at addresses.

    Args:
        owner: the buffer's memory; None of addresses.
        first: the first byte.
        last: the byte behind the last.
        at: where element 0 stands, a byte; or anything that is equal for equal elements alone.
        step: how many bytes further the next element stands.
        item: the bytes of an element.
        read: whether it is only read where the operand is written, as an index is.
    """

    owner: Any
    first: int
    last: int
    at: Any
    step: int
    item: int
    read: bool = False

    def meets(self, other: Extent) -> bool:
        """Say whether two share a byte."""
        if self.owner is not other.owner or self.first >= other.last or other.first >= self.last:
            return False
        step = abs(self.step)
        if abs(other.step) != step or not (isinstance(self.at, int) and isinstance(other.at, int)):
            return True
        between = (self.at - other.at) % step if step else 0
        return between < other.item or step - between < self.item

    def same(self, other: Extent) -> bool:
        """Say whether they have the very same elements, each at its position."""
        return (self.owner is other.owner and (self.at, self.item) == (other.at, other.item)
                and (self.step == other.step or self.last - self.first <= self.item))

    def turned(self, count: int) -> Extent:
        """Return what a reader from the last of so many elements has."""
        at = self.at + (count - 1) * self.step if isinstance(self.at, int) else ("turned", self.at)
        return replace(self, at=at, step=-self.step)

    def permuted(self, index: Any) -> Extent:
        """Return what a reader of elements at the positions of an index has."""
        return replace(self, at=(self.at, self.step, index), step=0)
