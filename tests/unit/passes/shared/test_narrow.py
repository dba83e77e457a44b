"""64-bit integers that fit are computed in 32 bits, and only those."""

from __future__ import annotations

import numpy as np

from unisycl.base.dtypes import INT32, INT64
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT
from unisycl.passes.shared import narrow, ranges

data = np.zeros(64, np.float32)
whole = np.zeros(64, np.int64)
few = np.zeros(64, np.int32)


def narrowed(function: object, *, ids_below: int = 1 << 31) -> dict[str, object]:
    kernel = narrow.run(specialize(function, "range", 1).kernel, ids_below)
    return {x.name: x.type.dtype for x in visit.assigned(kernel.body)}


def test_a_counter_bounded_by_its_loop_condition_takes_32_bits() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        n = 0
        while n < 256 and data[i] < 4:
            data[i] += 1
            n += 1
        whole[i] = n
    assert INT32 is narrowed(kernel)["n"]


def test_a_counter_without_a_bound_keeps_64_bits() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        n = 0
        while data[i] < 4:
            data[i] += 1
            n += 1
        whole[i] = n
    assert INT64 is narrowed(kernel)["n"]


def test_a_product_of_ids_keeps_64_bits() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        p = i * 3
        q = p * p
        whole[i] = q
    found = narrowed(kernel)
    assert INT64 is found["q"]
    assert INT64 is found["p"]


def test_ids_of_a_huge_range_keep_64_bits() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        p = i + 1
        whole[i] = p
    assert INT64 is narrowed(kernel, ids_below=1 << 40)["p"]


def test_conditions_bound_what_is_read_under_them() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        n = whole[i]
        m = 0
        if 0 <= n:
            if n < 100:
                m = n * 1000
        whole[i] = m
    assert INT32 is narrowed(kernel)["m"]


def test_what_a_condition_chooses_is_bounded_by_it() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        n = int(few[i])
        m = n + 9 if n < 0 else n
        k = n if n < 5 else n + 9
        whole[i] = m
        whole[i + 1] = k
    found = narrowed(kernel)
    assert INT32 is found["m"]
    assert INT64 is found["k"], "2**31 - 1 and 9"


def test_intervals_follow_python_division() -> None:
    seven, two = n.Const(WEAK_INT, -7), n.Const(WEAK_INT, 2)
    quotient = n.Binary(WEAK_INT, "floordiv", seven, two)
    assert ranges.Interval(-4, -4) == ranges.Ranges(1 << 31).of(quotient)


def test_an_index_of_a_list_is_asked_for_its_sign_where_it_may_be_below_zero() -> None:
    def counted(i):  # type: ignore[no-untyped-def]
        v = [0] * 8
        for k in range(8):
            v[k] = few[i]
        whole[i] = v[7]

    def given(i):  # type: ignore[no-untyped-def]
        v = [0] * 8
        v[few[i]] = 1
        whole[i] = v[7]

    def asks(function: object) -> bool:
        body = narrow.run(specialize(function, "range", 1).kernel, 1 << 31).body
        return any(isinstance(x, n.Select) for s in visit.statements(body)
                   for e in visit.expressions(s) for x in visit.walk(e))
    assert not asks(counted)
    assert asks(given)
