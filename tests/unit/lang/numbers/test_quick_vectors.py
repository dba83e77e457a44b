"""What kernels on the host device do with vectors by short ways gives the bits of the long ones."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.lang.numbers import geometric
from unisycl.lang.numbers.elements import Operators

SPECIAL = (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e-30, 3e38, 1e-45, 65504.0)
ITEMS = 60


def bits(x):
    """Return what tells numbers apart, the sign of zeros included; NaN are all alike."""
    x = np.asarray(x)
    return np.where(np.isnan(x), 0, np.copysign(1, x)), np.nan_to_num(x, nan=7.0, posinf=np.inf,
                                                                     neginf=-np.inf), np.isnan(x)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(bits(one), bits(other), strict=True))


def numbers_of(kind):
    rng = np.random.default_rng(3)
    count, element = kind.count, kind.element
    a = np.zeros(ITEMS, kind.dtype)
    with np.errstate(all="ignore"):
        for k in range(ITEMS):
            numbers = np.where(rng.random(count) < 0.3, rng.choice(SPECIAL, count),
                               rng.normal(size=count) * 10.0 ** rng.integers(-3, 4, count))
            a[k] = kind(*numbers.astype(element))
    return a


def run(kernel, *arguments):
    queue = sycl.queue(sycl.host_selector_v)
    for _ in range(2):  # the first one goes the long way, and notes the short one
        queue.parallel_for(ITEMS, kernel, *arguments).wait_and_throw()


@pytest.mark.parametrize("kind", [sycl.float3, sycl.double3, sycl.half3, sycl.float4, sycl.double2,
                                  sycl.mfloat3, sycl.float8, sycl.float16])
def test_operators_of_vectors_and_numbers(kind):
    a, out = numbers_of(kind), np.zeros((ITEMS, 13), kind.dtype)
    three = kind.element.type(3)

    def kernel(i, a, out):
        x, y = a[i], a[ITEMS - 1 - i]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = x + y, x - y, x * y, x / y
        out[i, 4], out[i, 5], out[i, 6], out[i, 7] = x * three, three - x, three / x, x / three
        out[i, 8], out[i, 9], out[i, 10], out[i, 11] = x * 0.1, 1 - x, x / 0.0, 0.1 / x
        out[i, 12] = -x
    run(kernel, a, out)
    by = {name: getattr(Operators, f"__{name}__") for name in (
        "add", "sub", "mul", "truediv", "rsub", "rtruediv", "neg")}
    with np.errstate(all="ignore"):
        for k in range(ITEMS):
            x, y = a[k], a[ITEMS - 1 - k]
            expected = [by["add"](x, y), by["sub"](x, y), by["mul"](x, y), by["truediv"](x, y),
                        by["mul"](x, three), by["rsub"](x, three), by["rtruediv"](x, three),
                        by["truediv"](x, three), by["mul"](x, 0.1), by["rsub"](x, 1),
                        by["truediv"](x, 0.0), by["rtruediv"](x, 0.1), by["neg"](x)]
            for j, e in enumerate(expected):
                assert same(e._get(), out[k, j]._get()), (j, x, y)
    padding = out.view(kind.element).reshape(ITEMS, 13, kind.room)[..., kind.count:]
    assert not padding.any()


@pytest.mark.parametrize("kind", [sycl.float3, sycl.double3, sycl.half3, sycl.float4, sycl.float2])
def test_functions_of_vectors(kind):
    a, made = numbers_of(kind), np.zeros((ITEMS, 2), kind.dtype)
    ones, crosses = np.zeros((ITEMS, 3), kind.element), kind.count in (3, 4)

    def kernel(i, a, made, ones):
        x, y = a[i], a[ITEMS - 1 - i]
        made[i, 0] = sycl.normalize(x)
        if crosses:
            made[i, 1] = sycl.cross(x, y)
        ones[i, 0], ones[i, 1], ones[i, 2] = sycl.dot(x, y), sycl.length(x), sycl.distance(x, y)
    run(kernel, a, made, ones)
    with np.errstate(all="ignore"):
        for k in range(ITEMS):
            x, y = a[k], a[ITEMS - 1 - k]
            assert same(geometric._normalize(x)._get(), made[k, 0]._get()), x
            if crosses:
                assert same(geometric._cross(x, y)._get(), made[k, 1]._get()), (x, y)
            assert same(geometric._dot(x, y), ones[k, 0]), (x, y)
            assert same(geometric._length(x), ones[k, 1]), x
            assert same(geometric._length(Operators.__sub__(x, y)), ones[k, 2]), (x, y)


@pytest.mark.parametrize("kind", [sycl.float3, sycl.double2, sycl.int4, sycl.uchar3, sycl.half2])
def test_values_are_made_of_numbers_and_give_their_elements(kind):
    element = kind.element.type
    given = tuple(element(k + 2) for k in range(kind.count))
    count = kind.count
    counted = tuple(range(1, count + 1))
    made, read = np.zeros((2, 3), kind.dtype), np.zeros((2, 2), element)
    last, big = kind.count - 1, element(100) if kind.element.itemsize == 1 else element(1000)

    def kernel(i, made, read):
        x = kind(*given)
        made[i, 0], made[i, 1] = x, kind(*counted)
        made[i, 2] = kind(big)
        read[i, 0], read[i, 1] = x.y, x[last]
    sycl.queue(sycl.host_selector_v).parallel_for(2, kernel, made, read).wait_and_throw()
    for k in range(2):
        assert made[k, 0]._get().tolist() == [float(x) for x in given]
        assert made[k, 1]._get().tolist() == [*range(1, kind.count + 1)]
        assert made[k, 2]._get().tolist() == [float(big)] * kind.count
        assert read[k].tolist() == [3, kind.count + 1]
    assert type(made[0, 0]) is kind.value
    assert type(made[0, 0][1]) is element


def test_what_a_float32_cannot_hold_is_infinite_in_a_value_as_in_numpy():
    out = np.zeros(2, sycl.float2.dtype)

    def kernel(i, out):
        out[0] = sycl.float2(1e39, -1e39)
        out[1] = sycl.float2(16777217, 33554435)  # integers that are rounded once
    with np.errstate(over="ignore"):
        sycl.queue(sycl.host_selector_v).parallel_for(1, kernel, out).wait_and_throw()
    assert out[0]._get().tolist() == [np.inf, -np.inf]
    assert out[1]._get().tolist() == [np.float32(16777217), np.float32(33554435)]


def test_a_changed_value_is_a_copy_and_the_memory_stays():
    a, out = np.zeros(1, sycl.float3.dtype), np.zeros(2, sycl.float3.dtype)
    a[0] = sycl.float3(1, 2, 3)

    def kernel(i, a, out):
        x = a[0]
        x.y = np.float32(7)
        y = x * np.float32(1)
        y[2] = np.float32(9)
        out[0], out[1] = x, y
    sycl.queue(sycl.host_selector_v).parallel_for(1, kernel, a, out).wait_and_throw()
    assert [v._get().tolist() for v in (a[0], *out)] == [[1, 2, 3], [1, 7, 3], [1, 7, 9]]


def test_members_of_one_name_are_read_where_each_record_has_them():
    near = np.dtype([("x", "f4"), ("v", sycl.float3.dtype), ("n", "i8")])
    far = np.dtype([("n", "i2"), ("x", "f8"), ("v", sycl.int2.dtype)])
    alike = np.dtype([("x", "f4"), ("v", sycl.float4.dtype), ("n", "i4")])
    a, b, c = np.zeros(2, near), np.zeros(2, far), np.zeros(2, alike)
    a[1], b[1], c[1] = ((1.5, sycl.float3(1, 2, 3), 2 ** 40), (7, 0.1, sycl.int2(4, 5)),
                        (2.5, sycl.float4(6, 7, 8, 9), -3))
    out = np.zeros((2, 9), np.float64)

    def kernel(i, a, b, c, out):
        for k in range(2):
            out[k, 0], out[k, 1], out[k, 2] = a[k].x, a[k].v.z, a[k].n
            out[k, 3], out[k, 4], out[k, 5] = b[k].x, b[k].v.y, b[k].n
            out[k, 6], out[k, 7], out[k, 8] = c[k].x, c[k].v.w, c[k].n
    sycl.queue(sycl.host_selector_v).parallel_for(1, kernel, a, b, c, out).wait_and_throw()
    assert out.tolist() == [[0] * 9, [1.5, 3, 2 ** 40, 0.1, 5, 7, 2.5, 9, -3]]
