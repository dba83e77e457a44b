"""Batches of LAPACK in groups: lists of sizes and options, one a group, and of memories.

Non-goals: who computes. Invariant: all problems are checked before any runs.
"""

from __future__ import annotations

from typing import Any

from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas.table import Memory, Row
from unisycl.oneapi.mkl.lapack.arguments import Given, Reader, names_of


def words(row: Row) -> list[str]:
    """Return the names of the arguments of a batch in groups, without the scratchpad."""
    return [*names_of(row, batch=False), "group_count", "group_sizes"]


def problems(name: str, row: Row, given: dict[str, Any]) -> list[Given]:
    """Return the problems of all groups, one after the other, checked."""
    groups = names.whole(name, "group_count", given["group_count"])
    sizes = [names.whole(name, "group_sizes", n)
             for n in _list(name, "group_sizes", given["group_sizes"], groups)]
    memory = {a.name for a in row.arguments if isinstance(a, Memory)}
    columns = {n: _list(name, n, given[n], sum(sizes) if n in memory else groups)
               for n in names_of(row, batch=False)}
    found: list[Given] = []
    for g, size in enumerate(sizes):
        for _ in range(size):
            one = {n: c[len(found)] if n in memory else c[g] for n, c in columns.items()}
            found.append(Reader(name, row, one, batch=False).read())
    if len({read.letter for read in found}) > 1:
        raise names.invalid_argument(f"{name}: the problems have different types; give each type "
                                     "a call of its own")
    memories.check_apart(name, [h for read in found for h in read.held if h.writes])
    return found


def _list(name: str, what: str, x: Any, count: int) -> list[Any]:
    if not isinstance(x, list | tuple) and not hasattr(x, "tolist"):
        raise names.invalid_argument(f"{name}: {what} must be a list, got {type(x).__name__}")
    if len(x) != count:
        raise names.invalid_argument(f"{name}: {what} has {len(x)} entries where {count} are "
                                     "needed")
    return list(x)
