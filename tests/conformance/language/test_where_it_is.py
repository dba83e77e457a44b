"""What a kernel that cannot be compiled says: file, line, column, the text, who called (§5.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl


def inner(x):  # type: ignore[no-untyped-def]
    return x.nowhere


def outer(x):  # type: ignore[no-untyped-def]
    return inner(x) + 1


def calls(i, p):  # type: ignore[no-untyped-def]
    p[i] = outer(p[i])


def line(function: Any) -> int:
    return int(function.__code__.co_firstlineno) + 1


@pytest.mark.row("F-21")
def test_an_error_points_into_the_users_source_and_says_who_called(queue: sycl.queue) -> None:
    p = np.zeros(4, np.int32)
    with pytest.raises(sycl.KernelError) as caught:
        queue.parallel_for(4, calls, p)
    error, text = caught.value, str(caught.value)
    assert isinstance(error, sycl.exception)
    assert error.code() is sycl.errc.kernel
    (found,) = error.diagnostics
    assert f"{__file__}:{line(inner)}:12: error K032: " in text
    assert f"{line(inner):5} |     return x.nowhere\n      |            ^^^^^^^^^" in text
    assert f"called from here, in 'outer' ({__file__}:{line(outer)}:12)" in text
    assert f"called from here, in 'calls' ({__file__}:{line(calls)}:12)" in text
    assert found is not None
    queue.parallel_for(4, lambda i: None).wait()
    assert p.tolist() == [0] * 4


def add(a, b):  # type: ignore[no-untyped-def]
    return a + b


def times(a, b):  # type: ignore[no-untyped-def]
    return a * b


def below(a, b):  # type: ignore[no-untyped-def]
    return a < b


@pytest.mark.row("D-12")
@pytest.mark.parametrize("operate", [add, times, below], ids=lambda f: f.__name__)
def test_ids_and_ranges_of_other_dimensions_are_not_mixed(queue: sycl.queue, operate: Any) -> None:
    for kind in (sycl.id, sycl.range):
        a, b, out = kind(1, 2), kind(1, 2, 3), np.zeros(1, np.int32)
        with pytest.raises(sycl.exception, match="differ in dimensions"):
            operate(a, b)

        def kernel(a: Any = a, b: Any = b, out: Any = out) -> None:
            out[0] = operate(a, b)[0]
        with pytest.raises(sycl.KernelError, match="dimensions must agree"):
            queue.single_task(kernel)
