"""Kernels that bring tables into the order that others read: columns, and dense rows.

Written in the kernel language. Non-goals: computing. Invariant: an element is written by one
work-item.
"""

from __future__ import annotations

from typing import Any

__kernel_language__ = True


def turn(it: Any, rows: Any, columns: Any, source: Any, out: Any) -> None:
    """Bring an element to its column."""
    f, i = it[0], it[1]
    out[f * rows + i] = source[i * columns + f]


def centre(it: Any, rows: Any, columns: Any, source: Any, shift: Any, out: Any) -> None:
    """Bring an element to its column, less a number of that column."""
    f, i = it[0], it[1]
    out[f * rows + i] = source[i * columns + f] - shift[f]


def convert(i: Any, source: Any, out: Any) -> None:
    """Bring an element into another type."""
    out[i] = source[i]


def expand(i: Any, columns: Any, stored: Any, out: Any) -> None:
    """Write a dense row from a compressed one."""
    for f in range(columns):
        out[i * columns + f] = 0
    for p in range(stored.offsets[i], stored.offsets[i + 1]):
        at = i * columns + stored.columns[p]
        out[at] = out[at] + stored.values[p]


def wrong(p: Any, count: Any, part: Any, source: Any, out: Any) -> None:
    """Count the elements of a part that are no finite numbers."""
    found = 0
    last = min((p + 1) * part, count)
    for i in range(p * part, last):
        x = source[i]
        if x - x != 0:
            found += 1
    out[p] = found
