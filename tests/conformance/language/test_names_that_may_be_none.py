"""Names that are None on some paths: asked about while the kernel runs, used where they are not."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
ROWS, COLUMNS = 16, 8


class Hit(NamedTuple):
    t: float
    k: int


@dataclass
class Pair:
    x: int
    y: int


class Size(enum.Enum):
    SMALL = 1
    LARGE = 5


def find(a, i, key):  # type: ignore[no-untyped-def]
    for k in range(8):
        if a[i, k] == key:
            return k
    return None


def parts(a, b):  # type: ignore[no-untyped-def]
    if b == 0:
        return None
    return a // b, a % b


def ray(a, i, k):  # type: ignore[no-untyped-def]
    if a[i, k] > 3:
        return Hit(a[i, k] * 0.5, k)


def at_most(x, limit=None):  # type: ignore[no-untyped-def]
    if limit is not None and x > limit:
        return limit
    return x


def kept_in_loops(i, a, o):  # type: ignore[no-untyped-def]
    best = where = last = before = None
    rises = 0
    for k in range(8):
        x = a[i, k]
        if best is None or x < best:
            best, where = x, k
        if not last or x > last:
            last = x
        if before is not None and x > before:
            rises += 1
        before = None if x == 2 else x
    o[i, 0] = -1 if best is None else best
    o[i, 1] = where if where is not None else -1
    o[i, 2] = last or 77
    o[i, 3] = rises


def left_early(i, a, o):  # type: ignore[no-untyped-def]
    k, x = 0, None
    while x is None:
        if a[i, k] > 6 or k == 7:
            x = a[i, k]
        k += 1
    o[i, 0] = x + k
    total = None
    for k in range(8):
        if a[i, k] < 5:
            continue
        if total is None:
            total = a[i, k]
            continue
        total = total * 2 + a[i, k]
    o[i, 1] = 0 if total is None else total
    place = find(a, i, 4)
    if place is None:
        o[i, 2] = -5
        return
    o[i, 2] = place
    for k in range(place):
        o[i, 3] += a[i, k]


def of_functions(i, a, o):  # type: ignore[no-untyped-def]
    if (both := parts(a[i, 0], a[i, 1] % 3)) is not None:
        q, r = both
        o[i, 0] = q * 100 + r
    hit = None
    for k in range(8):
        new = ray(a, i, k)
        if new is not None and (hit is None or new.t < hit.t):
            hit = new
    o[i, 1] = -1 if hit is None else hit.k * 100 + hit.t
    limit = a[i, 1] if a[i, 0] > 5 else None
    o[i, 2] = at_most(a[i, 2]) + 10 * at_most(a[i, 2], 3) + 100 * at_most(a[i, 2], limit=limit)

    def most(f):  # type: ignore[no-untyped-def]
        found = None
        for k in range(8):
            x = f(a[i, k])
            if found is None or x > found:
                found = x
        return found

    m = most(lambda x: x % 5)
    assert m is not None
    o[i, 3] = m


def compared(i, a, o):  # type: ignore[no-untyped-def]
    x = a[i, 0] if a[i, 0] > 4 else None
    y = x
    x = None if a[i, 1] < 3 else x
    o[i, 0] = (y == 7) + 2 * (y != 8) + 4 * (y in (6, 9, None)) + 8 * (x == y) + 16 * (x != y)
    match y:
        case None:
            o[i, 1] = -3
        case 5 | 7:
            o[i, 1] = 50
        case _:
            o[i, 1] = 60
    size = None
    if a[i, 2] > 6:
        size = Size.SMALL
    elif a[i, 2] > 3:
        size = Size.LARGE
    o[i, 2] = (0 if size is None else size.value) + 10 * (size is Size.SMALL) + 20 * (not size)
    pair = None
    for k in range(8):
        if a[i, k] == 3:
            if pair is None:
                pair = Pair(k, 1)
            else:
                pair.y += k
        elif pair is not None and a[i, k] == 9:
            pair = None
    if pair:
        o[i, 3] = pair.x * 10 + pair.y


def matched(i, a, o):  # type: ignore[no-untyped-def]
    x = a[i, 0] if a[i, 0] > 4 else None
    match x:
        case None | 9 if a[i, 1] > 6:
            o[i, 0] = -1
        case None | 7:
            o[i, 0] = 1
        case 5:
            o[i, 0] = 2 + x
        case even if even % 2 == 0:
            o[i, 0] = 10 * even + x
        case _:
            o[i, 0] = 100 * x
    match find(a, i, 3):
        case None:
            o[i, 1] = -1
        case 0 | 1:
            o[i, 1] = 50
        case place:
            o[i, 1] = place
    pair = Pair(a[i, 2], 1) if a[i, 2] > 5 else Pair(a[i, 2], 2) if a[i, 2] > 2 else None
    match pair:
        case Pair(x, 1):
            o[i, 2] = x
        case Pair(x=x):
            o[i, 2] = 20 * x + pair.y
        case None:
            o[i, 2] = -1
    size = None
    for k in range(8):
        if a[i, k] > 7:
            size = Size.SMALL
        match size:
            case None if a[i, k] == 2:
                size = Size.LARGE
            case Size.LARGE:
                o[i, 3] += size.value
                size = None
    match size:
        case None:
            end = 100
        case Size.SMALL:
            end = 200
        case Size.LARGE:
            end = size.value
    o[i, 3] += end
    match x:
        case None:
            return
    o[i, 3] += 1000 * x


def rows() -> np.ndarray[Any, Any]:
    return np.random.default_rng(5).integers(0, 10, (ROWS, COLUMNS)).astype(np.int32)


@pytest.mark.parametrize("kernel", [kept_in_loops, left_early, of_functions, compared, matched])
def test_what_may_be_none_is_what_python_says(queue: sycl.queue,
                                              kernel: Callable[..., None]) -> None:
    found, wanted = np.zeros((ROWS, 4)), np.zeros((ROWS, 4))
    queue.parallel_for(ROWS, kernel, rows(), found).wait()
    for i in range(ROWS):
        kernel(i, rows(), wanted)
    np.testing.assert_array_equal(found, wanted)


def unasked(i, a, o):  # type: ignore[no-untyped-def]
    best = None
    for k in range(8):
        if a[i, k] > 8:
            best = a[i, k]
    o[i, 0] = best


def asked_in_vain(i, a, o):  # type: ignore[no-untyped-def]
    best = a[i, 0] if a[i, 1] > 3 else None
    if best is not None or a[i, 2] > 3:
        o[i, 0] = best + 1


def lost_again(i, a, o):  # type: ignore[no-untyped-def]
    best = a[i, 0] if a[i, 1] > 3 else None
    if best is not None:
        for k in range(8):
            o[i, 0] += best
            best = find(a, i, k)


def of_a_function(i, a, o):  # type: ignore[no-untyped-def]
    o[i, 0] = find(a, i, 3) + 1


def a_class(i, a, o):  # type: ignore[no-untyped-def]
    best = a[i, 0] if a[i, 1] > 3 else None
    o[i, 0] = isinstance(best, np.int32)


def the_first_of_two(i, a, o):  # type: ignore[no-untyped-def]
    best = a[i, 0] if a[i, 1] > 3 else None
    if best is not None and (best := find(a, i, 3)) != 5:
        o[i, 0] = best


def its_value(i, a, o):  # type: ignore[no-untyped-def]
    best = a[i, 0] if a[i, 1] > 3 else None
    o[i, 0] = a[i, 2] > 3 and best


def matched_in_vain(i, a, o):  # type: ignore[no-untyped-def]
    best = a[i, 0] if a[i, 1] > 3 else None
    match best:
        case None if a[i, 2] > 3:
            o[i, 0] = 1
        case k:
            o[i, 0] = k + 1


def given_anew_by_a_guard(i, a, o):  # type: ignore[no-untyped-def]
    best = a[i, 0] if a[i, 1] > 3 else None
    match best:
        case None:
            o[i, 0] = 1
        case _ if (best := find(a, i, 3)) != 5:
            o[i, 0] = best + 1


@pytest.mark.parametrize("kernel", [
    unasked, asked_in_vain, lost_again, of_a_function, a_class, the_first_of_two, its_value,
    matched_in_vain, given_anew_by_a_guard])
def test_what_could_be_none_where_it_is_used_is_refused(queue: sycl.queue,
                                                        kernel: Callable[..., None]) -> None:
    with pytest.raises(sycl.exception, match="K127.*may be None here"):
        queue.parallel_for(ROWS, kernel, rows(), np.zeros((ROWS, 4)))


def first_ones(i, a, o):  # type: ignore[no-untyped-def]
    o[i, 0] = next((k for k in range(8) if a[i, k] > 7), -1)
    low = next((x for x in a[i] if x < 1), None)
    o[i, 1] = -2 if low is None else low
    o[i, 2] = next((x * y for x in (1, 2, 3) for y in (4, 5) if x * y > a[i, 0]), 99)


def test_the_first_element_of_a_generator_or_none(queue: sycl.queue) -> None:
    found, wanted = np.zeros((ROWS, 4)), np.zeros((ROWS, 4))
    queue.parallel_for(ROWS, first_ones, rows(), found).wait()
    for i in range(ROWS):
        first_ones(i, rows(), wanted)
    np.testing.assert_array_equal(found, wanted)


def test_a_conversion_may_stand_before_a_format(queue: sycl.queue,
                                                capsys: pytest.CaptureFixture[str]) -> None:
    def kernel(i, x):  # type: ignore[no-untyped-def]
        print(f"{i[0]!r:>4}|{x[i]!s:<6}|{x[i]!r:>30}|")

    x = np.array([0.1, 1.0], np.float32)
    queue.parallel_for(2, kernel, x).wait()
    wanted = [f"{i!r:>4}|{x[i]!s:<6}|{x[i]!r:>30}|" for i in range(2)]
    assert sorted(capsys.readouterr().out.splitlines()) == wanted


@pytest.mark.parametrize("debug", [False, True])
def test_an_assertion_shows_that_a_name_is_not_none(queue: sycl.queue, debug: bool) -> None:
    @sycl.kernel(debug=debug)
    def kernel(i, a, o):  # type: ignore[no-untyped-def]
        place = find(a, i, 3)
        assert place is not None
        o[i] = place

    a, o = np.full((ROWS, COLUMNS), 3, np.int32), np.full(ROWS, -1)
    queue.parallel_for(ROWS, kernel, a, o).wait()
    assert not o.any()


def test_the_text_that_an_item_is_for_programmers_is_refused(queue: sycl.queue) -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        print(f"{i!r}")

    with pytest.raises(sycl.KernelError, match=r"leave the conversion out, .* parts: i\[0\]"):
        queue.parallel_for(2, kernel)
