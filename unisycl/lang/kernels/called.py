"""A function called with numbers, to find out which types its results have.

Written in the kernel language; never run. Non-goals: what the types are (``frontend.results``).
Invariant: every number is known at run time only, so that all paths of the function count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class one:
    """A number."""

    value: Any

    def get(self) -> Any:
        """Return the number."""
        return self.value


@dataclass(eq=False)
class row:
    """A tuple of numbers and of tuples."""

    parts: Any

    def get(self) -> Any:
        """Return the tuple."""
        return tuple(part.get() for part in self.parts)


call = lambda function, *operands: function(*(x.get() for x in operands))  # noqa: E731
