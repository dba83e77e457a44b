"""Questions about elements that several algorithms ask.

Written in the kernel language. Non-goals: orders (``orders``). Invariant: nothing is written but
what a kernel here is for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__kernel_language__ = True


def equal(a: Any, b: Any) -> Any:
    """Say whether two elements are equal."""
    return a == b


def among(k: Any, source: Any, wanted: Any, count: Any, end: Any, out: Any) -> None:
    """Write the position of an element that is among some values, else the end."""
    x = source.load(k)
    found = False
    for j in range(count):
        found = found or bool(x == wanted.load(j))
    out.store(k, k if found else end)


@dataclass(eq=False)
class matches:
    """Positions at which other elements stand one after the other; ``missing`` elsewhere."""

    source: Any
    wanted: Any
    count: Any
    same: Any
    missing: Any

    def load(self, i: Any) -> Any:
        """Return the position if all are there."""
        j = np.int64(0)
        while j < self.count and self.same(self.source.load(i + j), self.wanted.load(j)):
            j += np.int64(1)
        return np.int64(i) if j == self.count else self.missing


@dataclass(eq=False)
class first_order:
    """Twice a position where one of two elements comes before the other, and which one does."""

    a: Any
    b: Any
    before: Any
    missing: Any

    def load(self, i: Any) -> Any:
        """Return an even number if it is the first of both, an odd one if it is the second."""
        x, y = self.a.load(i), self.b.load(i)
        found = self.missing
        if self.before(x, y):
            found = np.int64(i) * np.int64(2)
        elif self.before(y, x):
            found = np.int64(i) * np.int64(2) + np.int64(1)
        return found
