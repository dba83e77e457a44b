"""Reductions of several variables, of all types and operators, over groups (SYCL 2020 §4.9.2)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import NUMPY, operands, operators

N = 500
INIT = sycl.property.reduction.initialize_to_identity()


@pytest.mark.row("D-44", "D-45")
@pytest.mark.parametrize("space", [sycl.range(N), sycl.range(20, 25), sycl.nd_range(N, 50),
                                   sycl.nd_range((20, 25), (4, 5))], ids=str)
def test_a_span_counts_by_class(queue, space):
    x = np.random.default_rng(1).integers(0, 37, N).astype(np.int32)
    counts, product = np.full(37, 1000, np.int32), np.ones(2, np.float64)

    def kernel(it, count, both):
        k = place(it)
        count[x[k]] += 1
        both[k % 2].combine(1.001)

    def of_groups(it):
        return it.get_global_linear_id()

    def of_range(it):
        return it.get_linear_id()
    place = of_groups if isinstance(space, sycl.nd_range) else of_range
    queue.parallel_for(space, sycl.reduction(counts, sycl.plus),
                       sycl.reduction(product, sycl.multiplies), kernel).wait()
    assert (np.bincount(x, minlength=37) + 1000).tolist() == counts.tolist()
    np.testing.assert_allclose(product, 1.001 ** (N / 2), rtol=1e-12)


@pytest.mark.row("D-44", "D-45")
def test_a_span_of_usm_memory_with_and_without_old_values(queue):
    p = sycl.malloc_shared(20, np.float32, queue)
    device = sycl.malloc_device(4, np.float32, queue)
    queue.fill(device, 7.0).wait()
    p[:] = 5

    def kernel(i, low, high):
        low[i % 8] += 1
        high[i % 4].combine(np.float32(i))
    queue.parallel_for(64, sycl.reduction(sycl.span(p, 8), sycl.plus, INIT),
                       sycl.reduction(sycl.span(device, 4), sycl.maximum), kernel).wait()
    assert [8.0] * 8 + [5.0] * 12 == p[:].tolist()
    out = np.zeros(4, np.float32)
    queue.memcpy(out, device).wait()
    assert [60, 61, 62, 63] == out.tolist()


@pytest.mark.row("D-45")
def test_a_span_by_an_operator_of_ones_own_without_identity(queue):
    best = np.full(5, 40, np.int64)
    fresh = np.full(5, 7, np.int64)

    def longest(a, b):
        return a if a % 50 > b % 50 else b

    def kernel(i, r, s):
        if i % 5 != 3:
            r[i % 5].combine(i)
            s[i % 5].combine(i)
    queue.parallel_for(200, sycl.reduction(best, longest),
                       sycl.reduction(fresh, np.int64(0), longest, INIT), kernel).wait()
    seen = [[i for i in range(200) if i % 5 == k and k != 3] for k in range(5)]
    assert [max(v % 50 for v in (*s, 40)) for s in seen] == [int(v) % 50 for v in best]
    assert best[3] == 40
    assert [max((v % 50 for v in s), default=0) for s in seen] == [int(v) % 50 for v in fresh]
    assert fresh[3] == 0


@pytest.mark.row("D-44")
@pytest.mark.parametrize("count", [1, 8, 1000])
def test_a_span_without_identity_remembers_what_came(queue, count):
    def larger(a, b):
        return a if abs(a) > abs(b) else b

    def kernel(i, far, x):
        far[i % 2].combine(x[i])
    x, found = np.full(count, -1, np.float32), np.zeros(2, np.float32)
    queue.parallel_for(count, sycl.reduction(found, larger), kernel, x).wait()
    assert [-1, -1 if count > 1 else 0] == found.tolist()


@pytest.mark.row("D-44", "D-31")
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                                   "int64", "uint64", "float16", "float32", "float64"])
def test_every_operator_on_every_type(queue, dtype):
    x = operands(dtype, N)
    for name in operators(dtype):
        op = getattr(sycl, name)
        with np.errstate(over="ignore"):
            total = NUMPY[name].reduce(x, dtype=None if "logical" in name else x.dtype)
        for space in (sycl.range(N), sycl.nd_range(N, 50)):
            result = x[:1].copy()  # the old value takes part: combining x[0] twice

            def grouped(it, r):
                r.combine(x[it.get_global_id(0)])

            def plain(i, r):
                r.combine(x[i])
            queue.parallel_for(space, sycl.reduction(result, op),
                               plain if isinstance(space, sycl.range) else grouped).wait()
            with np.errstate(over="ignore"):
                both = NUMPY[name](np.asarray(total).astype(dtype), x[:1])
            assert both.astype(dtype).tolist() == result.tolist(), name


@pytest.mark.row("D-44")
def test_sums_are_the_same_every_time(queue):
    x = np.random.default_rng(3).random(4096).astype(np.float32)

    def kernel(it, total, parts):
        total += x[it.get_global_id(0)]
        parts[it.get_local_id(0) % 3] += x[it.get_global_id(0)]
    seen = set()
    for _ in range(4):
        total, parts = np.zeros(1, np.float32), np.zeros(3, np.float32)
        queue.parallel_for(sycl.nd_range(4096, 64), sycl.reduction(total, sycl.plus),
                           sycl.reduction(parts, sycl.plus), kernel).wait()
        seen.add((total.tobytes(), parts.tobytes()))
    assert len(seen) == 1
    np.testing.assert_allclose([total[0], parts.sum()], x.sum(dtype=np.float64), rtol=1e-5)


@pytest.mark.row("D-46")
def test_the_tutorials_form_takes_an_accessor_and_no_handler(queue):
    ones = np.ones(N, np.int32)
    for mode, start, expected in ((sycl.write_only, 0, N), (sycl.read_write, 5, N + 5)):
        total = np.full(1, start, np.int32)
        with sycl.buffer(ones) as data, sycl.buffer(total) as result:
            def group(h):
                x = sycl.accessor(data, h, sycl.read_only)
                acc = sycl.accessor(result, h, mode)
                h.parallel_for(N, sycl.reduction(acc, 0, sycl.plus()),
                               lambda i, r: r.combine(x[i]))
            queue.submit(group)
        assert [expected] == total.tolist()
    total = np.full(1, 77, np.int32)
    with sycl.buffer(ones) as data, sycl.buffer(total) as result:
        def dropping(h):
            x = sycl.accessor(data, h, sycl.read_only)
            acc = sycl.accessor(result, h, sycl.write_only, sycl.no_init)
            h.parallel_for(N, sycl.reduction(acc, 0, sycl.plus()), lambda i, r: r.combine(x[i]))
        queue.submit(dropping)
    assert [N] == total.tolist()


@pytest.mark.row("D-44", "F-10")
def test_wrong_variables_are_refused(queue):
    wide = sycl.buffer(np.zeros(2, np.int32))
    two = sycl.malloc_shared(2, np.int32, queue)
    wrong = [lambda h: sycl.reduction(sycl.accessor(wide, h), sycl.plus),
             lambda h: sycl.reduction(sycl.accessor(wide, h, sycl.range(1), sycl.read_only),
                                      sycl.plus),
             lambda h: sycl.reduction(np.zeros((2, 2)), sycl.plus),
             lambda h: sycl.reduction(np.zeros(0), sycl.plus),
             lambda h: sycl.reduction([0], sycl.plus),
             lambda h: sycl.span(two, 3), lambda h: sycl.span(two, 0),
             lambda h: sycl.span(np.zeros((2, 2)))]
    for make in wrong:
        with pytest.raises(sycl.exception, match="reduction|span") as caught:
            queue.submit(make)
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("D-44")
def test_an_empty_space_leaves_old_values_or_identities(queue):
    kept, fresh = np.full(3, 9, np.int32), np.full(3, 9, np.int32)
    queue.parallel_for(0, sycl.reduction(kept, sycl.plus),
                       sycl.reduction(fresh, sycl.multiplies, INIT), lambda i, a, b: None).wait()
    assert ([9, 9, 9], [1, 1, 1]) == (kept.tolist(), fresh.tolist())


@pytest.mark.row("D-63")
def test_the_host_device_checks_subscripts_of_spans():
    queue, cells = sycl.queue(sycl.host_selector_v), np.zeros(3, int)

    def kernel(i, r):
        r[i] += 1
    with pytest.raises(sycl.DeviceError, match="no variable 3 in a reduction of 3"):
        queue.parallel_for(4, sycl.reduction(cells, sycl.plus), kernel).wait()
