"""What kernels are told in one argument.

Written in the kernel language. Invariant: data alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class stored:
    """A table in compressed rows."""

    values: Any
    columns: Any
    offsets: Any


@dataclass(eq=False)
class rows:
    """Elements row by row: how many rows, how many columns, and in a part of the rows."""

    at: Any
    count: Any
    width: Any
    part: Any = 0


@dataclass(eq=False)
class side:
    """Elements row by row, and the number that is taken from each column."""

    at: Any
    width: Any
    shift: Any


@dataclass(eq=False)
class tiles:
    """Pairs of tiles that are multiplied: down and along, and how many there are."""

    high: Any
    wide: Any
    count: Any


@dataclass(eq=False)
class rule:
    """How two rows are compared: what is added for each column, and what is made of the sum."""

    step: Any
    last: Any
    kind: Any
    a: Any
    b: Any


@dataclass(eq=False)
class best:
    """The nearest rows found so far, and how far away they are."""

    ids: Any
    far: Any
    count: Any


@dataclass(eq=False)
class graph:
    """Which rows are neighbours: where the ids of each begin, the ids, and who is a core row."""

    starts: Any
    ids: Any
    core: Any
