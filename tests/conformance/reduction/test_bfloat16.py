"""Reductions of bfloat16: SYCL's operators combine in float32 and round once, the user's do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = [pytest.mark.row("M-11"), pytest.mark.row("D-44")]
bf16 = sycl.ext.oneapi.bfloat16
N = 1000


def rounded(x: float) -> Any:
    return np.float32(x).astype(bf16)


def take(i, r, x):
    r.combine(x[i])


def test_a_sum_is_exact_where_float32_is_and_rounded_once(queue: sycl.queue) -> None:
    x = np.random.default_rng(1).integers(0, 64, N).astype(bf16)
    total, fresh = np.full(1, 3, bf16), np.full(1, 3, bf16)
    exact = x.astype(np.float64).sum()
    assert exact > 4096 * 4  # a sum rounded each time would stop long before
    queue.parallel_for(N, sycl.reduction(total, sycl.plus), take, x).wait()
    queue.parallel_for(sycl.nd_range(N, 100), sycl.reduction(
        fresh, sycl.plus, sycl.property.reduction.initialize_to_identity()),
        lambda it, r, x: r.combine(x[it.get_global_id(0)]), x).wait()
    assert rounded(exact + 3) == total[0]
    assert rounded(exact) == fresh[0]


@pytest.mark.parametrize("op", ["multiplies", "minimum", "maximum", "logical_and", "logical_or"])
def test_every_operator_that_half_has(queue: sycl.queue, op: str) -> None:
    x = np.random.default_rng(2).choice([1, -1, 2, 0.5, -2, -0.5], N).astype(bf16)
    start, combine = bf16(2), getattr(sycl, op)
    total, three = np.full(1, start, bf16), np.full(3, start, bf16)

    def both(i, r, many, x):
        r.combine(x[i])
        many[i % 3].combine(x[i])
    queue.parallel_for(N, sycl.reduction(total, combine), sycl.reduction(three, combine), both,
                       x).wait()

    def expected(part: np.ndarray) -> Any:
        wide = part.astype(np.float64)
        return rounded({
            "multiplies": lambda: wide.prod() * 2, "minimum": wide.min,
            "maximum": lambda: max(2, wide.max()), "logical_and": lambda: float(wide.all()),
            "logical_or": lambda: float(wide.any())}[op]())
    assert expected(x) == total[0]
    assert [expected(x[k::3]) for k in range(3)] == list(three)


def test_the_users_own_operator_gets_bfloat16_and_may_have_no_identity(queue: sycl.queue) -> None:
    x = np.random.default_rng(3).choice(np.array([-3, 0.75, 5, 700], bf16), N)

    def larger(a, b):
        return a if abs(a) > abs(b) else b

    def kernel(i, far, none, two, x):
        far.combine(x[i])
        two[i % 2].combine(x[i] if i % 2 else bf16(-1))
    far, none, two = np.full(1, 0.5, bf16), np.full(1, 7, bf16), np.zeros(2, bf16)
    queue.parallel_for(N, sycl.reduction(far, larger), sycl.reduction(none, larger),
                       sycl.reduction(two, larger), kernel, x).wait()
    assert far[0] == 700
    assert none[0] == 7
    assert two.tolist() == [-1, 700]

    seen = np.full(1, 256, bf16)  # one more is lost each time: the operator rounds
    queue.parallel_for(1, sycl.reduction(seen, lambda a, b: a + b), lambda i, r: r.combine(
        1)).wait()
    assert seen[0] == 256


def test_values_are_converted_first_and_the_identity_is_a_bfloat16(queue: sycl.queue) -> None:
    total = np.zeros(2, bf16)

    def kernel(i, r, s):
        r += 1.00390625 + i  # a tie, which becomes the even one of both neighbours
        s.combine(s.identity())
        s.combine(np.int32(3))
    queue.parallel_for(1, sycl.reduction(total[:1], sycl.plus),
                       sycl.reduction(total[1:], 2, sycl.maximum), kernel).wait()
    assert total.tolist() == [1, 3]


def test_usm_and_buffers(queue: sycl.queue) -> None:
    x = np.arange(64).astype(bf16)
    p = sycl.malloc_shared(64, bf16, queue)
    p[:] = 1
    queue.parallel_for(64, sycl.reduction(p, sycl.plus), take, x).wait()
    assert [2016, 1] == list(p[:2])
    whole = np.full(1, -1, bf16)
    with sycl.buffer(whole) as b:
        queue.submit(lambda h: h.parallel_for(
            64, sycl.reduction(b, h, sycl.maximum), take, x))
    assert whole[0] == 63


def test_what_half_lacks_is_refused(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="'bit_xor' is not defined for bfloat16"):
        queue.parallel_for(4, sycl.reduction(np.zeros(1, bf16), sycl.bit_xor),
                           lambda i, r: r.combine(1))
