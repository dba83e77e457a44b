"""Questions about elements that several algorithms ask.

Written in the kernel language. Non-goals: orders (``orders``). Invariant: nothing is written but
what a kernel here is for.
"""

from __future__ import annotations

from typing import Any

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
