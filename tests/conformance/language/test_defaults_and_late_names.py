"""Defaults of functions in kernels, and names of things that only a loop binds, as Python has them.

A name of a number is zero where it has no value; one of a function or a memory has no such value,
so a path on which it has none decides nothing: the statements that read it stay.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
N = 9


def lambdas(i, o, a):  # type: ignore[no-untyped-def]
    c = 2
    f = lambda x, c=c: x + c  # noqa: E731
    c = 50
    o[0, i] = f(i) + c


def stated(i, o, a):  # type: ignore[no-untyped-def]
    c = a[i]

    def f(x, y=c, *rest, z=c + 1):  # type: ignore[no-untyped-def]
        return x + y * 10 + z * 100 + sum(rest)

    c = 5
    a[i] = 77
    o[0, i], o[1, i], o[2, i] = f(i) + c, f(i, 1, 2, 3), f(i, z=7, y=9)


def of_each_turn(i, o, a):  # type: ignore[no-untyped-def]
    for k in range(i):
        def f(x, k=k, pair=(k, 2)):  # type: ignore[no-untyped-def]
            return x * 10 + k + pair[0] * pair[1]

        if k == 1:
            g = f
        elif k == 0:
            g = lambda x, k=k + 5: x - k  # noqa: E731
        o[0, i] += g(i) + f(1)


def of_unrolled_turns(i, o, a):  # type: ignore[no-untyped-def]
    for k in (3, 1, 2):
        def f(x, k=k):  # type: ignore[no-untyped-def]
            return x * 10 + k

        o[0, i] += f(i)
    k = 99
    o[1, i] = f(k)


def chosen(i, o, a):  # type: ignore[no-untyped-def]
    x = 5
    f = (lambda a, b=x: a + b) if i > 3 else (lambda a, b=x * 2: a - b)
    fs = lambda a, b=x: a * b, lambda a, b=x + 1: a * b + 1
    x = 1000
    o[0, i], o[1, i] = f(i), fs[i % 2](i)


def made_by_calls(i, o, a):  # type: ignore[no-untyped-def]
    def outer(n):  # type: ignore[no-untyped-def]
        def inner(x, n=n, row=a):  # type: ignore[no-untyped-def]
            return x * n + row[x]
        n = 99
        return inner

    o[0, i], o[1, i] = outer(3)(i), outer(i)(i)


def function_of_a_turn(i, o, a):  # type: ignore[no-untyped-def]
    for k in range(i):
        if k == 0:
            g = lambda x: x - 7  # noqa: E731
        o[0, i] += g(i) + 1


def functions_of_turns(i, o, a):  # type: ignore[no-untyped-def]
    n = 0
    while n < i:
        if n == 0:
            f = abs
        elif n == 1:
            f = lambda x: x * 3  # noqa: E731
        elif n == 2:
            f = functools.partial(lambda y, x: x + y * 10, n)
        o[0, i] += f(-n)
        n += 1


def text_of_a_turn(i, o, a):  # type: ignore[no-untyped-def]
    for k in range(i):
        if k == 0:
            mode, nothing = "add", None
        o[0, i] += 3 if mode == "add" and nothing is None else 5


def memory_of_a_turn(i, o, a):  # type: ignore[no-untyped-def]
    for k in range(i):
        if k == 0:
            row = o[1]
            m = a
        elif k == 2:
            row = o[2]
        row[i] += m[k]


def memories_of_turns(i, o, a):  # type: ignore[no-untyped-def]
    for k in range(i):
        if k == 1:
            m = a[0:5]
        elif k == 0:
            m = a[2:7]
        o[0, i] += m[k % 5]


def function_left_by_break(i, o, a):  # type: ignore[no-untyped-def]
    for k in range(i):
        if k == 2:
            f = lambda x: x + 1  # noqa: E731
            row = o[1]
            break
        f = lambda x: x * 2  # noqa: E731
        row = o[2 + k % 2]
    if i > 0:
        row[i] = f(i)


KERNELS = (lambdas, stated, of_each_turn, of_unrolled_turns, chosen, made_by_calls,
           function_of_a_turn, functions_of_turns, text_of_a_turn, memory_of_a_turn,
           memories_of_turns, function_left_by_break)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_do_what_python_does(queue: sycl.queue, kernel: Callable[..., None]) -> None:
    found, wanted = np.zeros((4, N), np.int64), np.zeros((4, N), np.int64)
    given, read = np.arange(3, 3 + N), np.arange(3, 3 + N)
    for i in range(N):
        kernel(i, wanted, read)
    with warnings.catch_warnings():  # some names have no value where a loop has no turn
        warnings.simplefilter("ignore", sycl.KernelWarning)
        queue.parallel_for(N, kernel, found, given).wait()
    np.testing.assert_array_equal(found, wanted)


def read_before_the_turn_that_binds_it(i, o):  # type: ignore[no-untyped-def]
    for k in range(i):
        if k > 0:
            o[i] += f(k)  # noqa: F821
        f = lambda x: x + 1  # noqa: E731, F841


def bound_only_where_the_kernel_ends(i, o):  # type: ignore[no-untyped-def]
    for k in range(i):
        if k >= 0:
            f = abs
            return
    o[i] = f(-1)


@pytest.mark.parametrize("kernel", [read_before_the_turn_that_binds_it,
                                    bound_only_where_the_kernel_ends])
def test_a_read_that_has_nothing_to_read_is_refused_not_left_out(
        queue: sycl.queue, kernel: Callable[..., None]) -> None:
    found: np.ndarray[Any, Any] = np.zeros(N, np.int64)
    with pytest.raises(sycl.exception, match="'f' (is read before|may have no value)"):
        queue.parallel_for(N, kernel, found).wait()


def a_vector_as_default(i, o):  # type: ignore[no-untyped-def]
    v = sycl.int2(i, 1)

    def f(w=v):  # type: ignore[no-untyped-def]
        w.x += 1
        return w.x

    o[i] = f() + f()


def test_a_vector_that_calls_would_share_is_refused_as_default(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="default of 'w'"):
        queue.parallel_for(N, a_vector_as_default, np.zeros(N, np.int64)).wait()
