"""Which kernels cannot tell short rows from one long row, and when."""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.backends.cpu.compile.plain import plain
from unisycl.backends.cpu.explain.said import outer, said
from unisycl.frontend.specialize import specialize
from unisycl.passes.simd import flat_rows

F = np.float32
flat, wide, cube = np.zeros(64, F), np.zeros((16, 4), F), np.zeros((4, 4, 4), F)


def when(function: Any, count: int = 2, ndim: int = 2, *args: Any) -> list[str] | None:
    """Return the tests under which the last dimensions are one; None if they never are."""
    kernel = plain(specialize(function, "range", ndim, args).kernel)
    found = flat_rows.conditions(kernel, count)
    return None if found is None else [outer(said(x)) for x in found]


def test_ids_that_are_used_together_are_one() -> None:
    def element(it):  # type: ignore[no-untyped-def]
        wide[it] = wide[it] + F(1)

    def linear(it):  # type: ignore[no-untyped-def]
        i = it.get_linear_id()
        if i < 60:
            flat[i] = flat[i // 2] * F(i)

    def by_hand(it, w):  # type: ignore[no-untyped-def]
        y, x = it[0], it[1]
        flat[y * w + x] = wide[y, x + 1]

    def colours(it):  # type: ignore[no-untyped-def]
        cube[it] = flat[(it[0] * 4 + it[1]) * 4 + it[2]]
    row = "(elements in a row of wide) == global_range[1]"
    assert when(element) == [row]
    assert when(linear) == []
    assert when(by_hand, 2, 2, 4) == ["w == global_range[1]", row]
    assert when(colours, 2, 3) == ["(elements in a row of cube) == global_range[2]",
                                   "4 == global_range[2]"]
    assert len(when(colours, 3, 3) or ()) == 4


def test_ids_that_are_used_alone_are_not_one() -> None:
    def column(it):  # type: ignore[no-untyped-def]
        wide[it] = wide[it] * F(it[1])

    def turned(it):  # type: ignore[no-untyped-def]
        cube[it[0], it[2], it[1]] = F(1)

    def guarded(it):  # type: ignore[no-untyped-def]
        if it[0] > 2:
            wide[it] = F(1)

    def twice(it):  # type: ignore[no-untyped-def]
        flat[it[0] * 4 + 2 * it[1]] = F(1)

    def looked_up(it):  # type: ignore[no-untyped-def]
        wide[it] = flat[it[1]]

    def counted(it):  # type: ignore[no-untyped-def]
        for k in range(it[1]):
            wide[it] = wide[it] + F(k)

    def kept(it):  # type: ignore[no-untyped-def]
        at = it[0]
        if flat[0] > 0:
            at = it[1]
        wide[it] = F(at)
    assert [f.__name__ for f in (column, guarded, twice, looked_up, counted, kept)
            if when(f) is not None] == []
    assert when(turned, 2, 3) is None
