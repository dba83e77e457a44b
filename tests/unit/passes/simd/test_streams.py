"""Which outputs are streams."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.passes.simd import streams

a, b, c = (np.zeros(64, np.float32) for _ in range(3))
small = np.zeros(64, np.int8)


def found(function: object) -> str:
    found = streams.output(specialize(function, "range", 1).kernel)
    param = found and found.param
    return param.name if param is not None else ""


def test_an_array_only_written_at_the_own_id_is_a_stream() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        c[i] = a[i] + b[i]
    assert found(kernel) == "c"


def test_an_array_that_is_also_read_is_none() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        c[i] = c[i] + b[i]
    assert found(kernel) == ""


def test_an_array_written_at_the_id_plus_a_constant_is_a_stream() -> None:
    def shifted(i):  # type: ignore[no-untyped-def]
        x = i + 1
        c[x - 3] = a[i]
    assert found(shifted) == "c"
    stream = streams.output(specialize(shifted, "range", 1).kernel)
    assert stream is not None
    assert stream.shift == (-2,)


def test_a_store_elsewhere_or_under_a_condition_is_none() -> None:
    def shifted(i):  # type: ignore[no-untyped-def]
        x = i + 1
        if a[i] > 0:
            x = i
        c[x] = a[i]

    def guarded(i):  # type: ignore[no-untyped-def]
        if a[i] > 0:
            c[i] = a[i]

    def narrow(i):  # type: ignore[no-untyped-def]
        small[i] = 1
    assert ["", "", ""] == [found(shifted), found(guarded), found(narrow)]


def test_vectors_may_begin_at_lines_of_what_is_written_along_rows() -> None:
    def far(i, n):  # type: ignore[no-untyped-def]
        for k in range(3):
            c[i + k * n] += a[i]

    def both(i, n):  # type: ignore[no-untyped-def]
        c[n + i - 1] = a[i]
        c[i] = a[i]

    def backwards(i, n):  # type: ignore[no-untyped-def]
        c[n - i] = a[i]

    def by_data(i, n):  # type: ignore[no-untyped-def]
        c[i + int(a[0])] = 1

    def twice(i, n):  # type: ignore[no-untyped-def]
        c[i * 2] = a[i]
    lined = [streams.lines(specialize(f, "range", 1, (64,)).kernel) is not None
             for f in (far, both, backwards, by_data, twice)]
    assert lined == [True, True, False, False, False]
