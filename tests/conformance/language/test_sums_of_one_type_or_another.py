"""Of a sum whose type the path decides only the low bits are known, wherever it goes after that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.frontend.specialize import forget

pytestmark = pytest.mark.part("D-1")
N = 6


def stored(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = s + s


def converted(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = np.int64(s * 3)


def as_float(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = np.float64(s * 3) > 150.0


def joined(i, s, out, c):  # type: ignore[no-untyped-def]
    w = s + s
    if i == 4:
        w = np.int16(3)
    out[i] = w


def joined_with_itself(i, s, out, c):  # type: ignore[no-untyped-def]
    w = s - 100
    if i == 4:
        w = s
    out[i] = w


def joined_with_a_float(i, s, out, c):  # type: ignore[no-untyped-def]
    w = s + s
    if i == 4:
        w = np.float32(0.5)
    out[i] = w > 0


def turned(i, s, out, c):  # type: ignore[no-untyped-def]
    for _ in range(i % 3):
        s = s + s
    out[i] = s


def one_of_two(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = s + s if i != 4 else np.int16(3)


def either_or(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = (i == 4 and np.int16(3)) or s + s


def part(i, s, out, c):  # type: ignore[no-untyped-def]
    t = (s + s, 1)
    if i == 4:
        t = (np.int16(3), 2)
    out[i] = t[0]


def element(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = (s + s, np.int16(3))[i % 2]


def result(i, s, out, c):  # type: ignore[no-untyped-def]
    def twice(x):  # type: ignore[no-untyped-def]
        if i == 4:
            return np.int16(3)
        return x + x
    out[i] = twice(s)


def index(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = c[s + s]


def place(i, s, out, c):  # type: ignore[no-untyped-def]
    out[s + s] = i


def cut(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = c[s + s:][0]


def bound(i, s, out, c):  # type: ignore[no-untyped-def]
    for _ in range(s + s):
        out[i] += 1


def truth(i, s, out, c):  # type: ignore[no-untyped-def]
    if s * 128:
        out[i] = 1


def vector(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = sycl.long2(s + s, 1).x


def atomic(i, s, out, c):  # type: ignore[no-untyped-def]
    sycl.atomic_ref(out, i).fetch_add(s + s)


def atomic_place(i, s, out, c):  # type: ignore[no-untyped-def]
    sycl.atomic_ref(out, s + s).fetch_add(1)


def rounded(i, s, out, c):  # type: ignore[no-untyped-def]
    out[i] = round(s + s)


def printed(i, s, out, c):  # type: ignore[no-untyped-def]
    print(s + s)


WIDE = (stored, converted, as_float, joined, joined_with_itself, joined_with_a_float, turned,
        one_of_two, either_or, part, element, result, index, place, cut, bound, truth, vector,
        atomic, atomic_place, rounded, printed)


@pytest.mark.parametrize("use", WIDE, ids=lambda use: use.__name__)
def test_more_than_the_low_bits_is_refused(queue: sycl.queue, use: Any) -> None:
    def kernel(i, a, b, out, c):  # type: ignore[no-untyped-def]
        use(i, a[i] if i % 2 else b[i], out, c)

    given = np.full(N, 100, np.int8), np.arange(N, dtype=np.int32)
    with pytest.raises(sycl.KernelError, match="K087"):
        queue.parallel_for(N, kernel, *given, np.zeros(N, np.int64), np.zeros(N, np.int64))


def test_the_low_bits_are_the_same_on_every_path(queue: sycl.queue) -> None:
    def kernel(i, a, b, out):  # type: ignore[no-untyped-def]
        s = a[i] if i % 2 else b[i]
        w = s + s
        if i == 4:
            w = np.int16(3)
        out[i] = w
        out[i + N] = np.int8(w * 3)

    a, b = np.full(N, 100, np.int8), np.arange(N, dtype=np.int32) * 1000
    out = np.zeros(2 * N, np.int8)
    queue.parallel_for(N, kernel, a, b, out).wait()
    s = np.where(np.arange(N) % 2, a, b)
    w = np.where(np.arange(N) == 4, 3, s + s)
    assert out.tolist() == np.concatenate([w, 3 * w]).astype(np.int8).tolist()


def sum_of_ids(i, n, out):  # type: ignore[no-untyped-def]
    out[i] = min(i, n) + 1


def sum_of_ids_or_more(i, n, out):  # type: ignore[no-untyped-def]
    w = min(i, n) + 1
    if i == 3:
        w = np.int32(7)
    out[i] = w


def sum_of_ids_in_turns(i, n, out):  # type: ignore[no-untyped-def]
    node = i
    for _ in range(i):
        node = min(node, n) + 1
    out[i] = node


@pytest.mark.parametrize("kernel", [sum_of_ids, sum_of_ids_or_more, sum_of_ids_in_turns],
                         ids=lambda kernel: kernel.__name__)
def test_sums_of_ids_are_exact_and_told(queue: sycl.queue, kernel: Any) -> None:
    n, out, wanted = np.int32(2), np.zeros(N, np.int64), np.zeros(N, np.int64)
    for i in range(N):
        kernel(i, n, wanted)
    forget()
    with pytest.warns(sycl.KernelWarning, match="is a Python int or int32 here"):
        queue.parallel_for(N, kernel, n, out).wait()
    assert out.tolist() == wanted.tolist()


def test_an_unsigned_number_inverts_in_its_own_bits(queue: sycl.queue) -> None:
    def kernel(i, a, b, out):  # type: ignore[no-untyped-def]
        s = a[i] if i % 2 else b[i]
        out[i] = ~s

    a, b = np.full(N, 100, np.uint8), np.arange(N, dtype=np.int32)
    out = np.zeros(N, np.uint8)
    queue.parallel_for(N, kernel, a, b, out).wait()
    assert out.tolist() == [(~x).astype(np.uint8) for x in np.where(np.arange(N) % 2, a, b)]
    with pytest.raises(sycl.KernelError, match="K087"):
        queue.parallel_for(N, kernel, a, b, np.zeros(N, np.int64))


def literal_sum(i, s, out):  # type: ignore[no-untyped-def]
    out[i] = np.int8(s + 300)


def literal_mask(i, s, out):  # type: ignore[no-untyped-def]
    out[i] = s & 300


def literal_first(i, s, out):  # type: ignore[no-untyped-def]
    out[i] = np.int8(-200 - s)


@pytest.mark.parametrize("use", [literal_sum, literal_mask, literal_first],
                         ids=lambda use: use.__name__)
def test_a_literal_has_to_fit_every_type(queue: sycl.queue, use: Any) -> None:
    """NumPy raises where the path made the other number an int8."""
    def kernel(i, a, b, out):  # type: ignore[no-untyped-def]
        use(i, a[i] if i % 2 else b[i], out)

    with pytest.raises(sycl.KernelError, match="K087"):
        queue.parallel_for(N, kernel, np.ones(N, np.int8), np.ones(N, np.int32),
                           np.zeros(N, np.int64))
