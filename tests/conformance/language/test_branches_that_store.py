"""Stores on both sides of a branch, or before it and in it: each item's as Python has it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
SIZE = 61
Kernel = Callable[..., None]


def both(i, a, b, c):
    if a[i] > 3:
        b[i] = a[i] * 2
        c[i] = a[i] - b[i]
    else:
        b[i] = -a[i]
        c[i] = b[i] + c[i]


def nested(i, a, b, c):
    if a[i] > 3:
        if c[i] > 4:
            b[i] = 1
        else:
            b[i] = a[i]
    elif a[i] == 2:
        b[i] = c[i]
    else:
        b[i] = a[i] + c[i]


def chain(i, a, b, c):
    b[i] = a[i] * c[i]
    if b[i] < 9:
        b[i] = 9
    if c[i] > 4:
        b[i] += 100
        if a[i] > 5:
            b[i] = c[i]
    if b[i] == 100:
        b[i] = a[i]


def early(i, a, b, c):
    b[i] = 7
    if a[i] > 6:
        return
    if a[i] < 2:
        b[i] = c[i]
    for k in range(3):
        if a[i] == k:
            continue
        c[i] = k
        if a[i] < 4:
            c[i] = k + 10


def looped(i, a, b, c):
    b[i] = 0
    if a[i] > 2:
        total = c[i]
        for k in range(a[i]):
            total += a[(i + k) % a.shape[0]]
            if total > 30:
                break
        b[i] = total


def private(i, a, b, c):
    own = sycl.private_array(np.int32, 4)
    for k in range(4):
        own[k] = k
        if a[i] > k:
            own[k] = c[i]
    if a[i] > 4:
        own[a[i] % 4] = 50
    else:
        own[a[i] % 4] = 60
    b[i] = own[0] + own[1] * 2 + own[2] * 3 + own[3] * 4


def some(i, a, b, c):
    if a[i] > 5:
        b[i] = c[i]
        c[i] = 3
        return
    n = a[i] + c[i]
    if n > 8:
        n = n - n + 6
        a[i] = 5
        b[i] = a[i] + n
    else:
        b[i] = n
    c[i] = n + 1


def apart(i, a, b, c):
    if a[i] > 4:
        b[(i * 7 + 3) % 61] = a[i]
    if a[i] & 1:
        c[60 - i] += a[i]


KERNELS: tuple[Kernel, ...] = (both, nested, chain, early, looped, private, some, apart)


def operands(kind: type = np.int32) -> list[np.ndarray]:
    random = np.random.default_rng(5)
    return [random.integers(0, 9, SIZE).astype(kind) for _ in range(3)]


@pytest.mark.parametrize("kernel", KERNELS)
def test_each_item_stores_what_python_stores(queue: sycl.queue, kernel: Kernel) -> None:
    expected, given = operands(), operands()
    for i in range(SIZE):
        kernel(i, *expected)
    queue.parallel_for(SIZE, kernel, *given).wait()
    for one, two in zip(expected, given, strict=True):
        np.testing.assert_array_equal(two, one)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.float16, np.int64])
def test_short_elements_are_stored_by_some_items(queue: sycl.queue, kind: type) -> None:
    def kernel(i, a, b, c):
        if a[i] > 4:
            b[i] = b[i] + c[i]
            c[60 - i] = a[i]
        elif a[i] != 2:
            b[i] = a[i]
    if kind is np.float16 and not queue.get_device().has(sycl.aspect.fp16):
        pytest.skip("no float16")
    expected, given = operands(kind), operands(kind)
    expected[2], given[2] = (np.arange(SIZE).astype(kind) for _ in range(2))
    for i in range(31):
        kernel(i, *expected)
    queue.parallel_for(31, kernel, *given).wait()
    for one, two in zip(expected, given, strict=True):
        np.testing.assert_array_equal(two, one)


@pytest.mark.parametrize("kernel", [both, nested, chain, early, some])
def test_operands_that_are_one_memory_are_read_as_written(queue: sycl.queue,
                                                          kernel: Kernel) -> None:
    for order in ((0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 0)):
        expected, given = operands(), operands()
        for i in range(SIZE):
            kernel(i, *(expected[k] for k in order))
        queue.parallel_for(SIZE, kernel, *(given[k] for k in order)).wait()
        for one, two in zip(expected, given, strict=True):
            np.testing.assert_array_equal(two, one)
