"""``vec`` as an ordinary Python object, and with NumPy."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import unisycl as sycl
from unisycl.lang.index.environment import inside_kernel
from unisycl.lang.numbers.vec import ALIASES

float4, float3, float2, int4 = sycl.float4, sycl.float3, sycl.float2, sycl.int4


def test_a_type_is_the_same_object_however_it_is_named():
    assert sycl.vec(np.float32, 4) is float4
    assert sycl.vec[np.float32, 4] is float4
    assert sycl.vec("int16", 8) is sycl.short8
    assert repr(float4) == "<class 'unisycl.float4'>"
    assert len(ALIASES) == 55
    assert all(issubclass(getattr(sycl, name), sycl.vec) for name in ALIASES)


@pytest.mark.parametrize("name", ALIASES)
def test_layouts_are_those_of_the_specification(name):
    kind = getattr(sycl, name)
    room = 4 if kind.count == 3 else kind.count
    assert kind.dtype.itemsize == room * kind.element.itemsize
    assert np.dtype(kind) == kind.dtype
    assert kind(1).byte_size() == kind.dtype.itemsize
    assert kind(1).size() == kind.count


def test_values_are_instances_of_their_type_only():
    v = float4(1)
    assert isinstance(v, float4)
    assert isinstance(v, sycl.vec)
    assert isinstance(v.lo, float2)
    assert not isinstance(v, int4)
    assert not isinstance(1.0, float4)


def test_arrays_of_vectors_are_ordinary_arrays():
    a = np.zeros(5, float4)
    a[1] = float4(1, 2, 3, 4)
    a[2].y = 7
    a[3].lo.x = 8
    assert isinstance(a[1], float4)
    assert a["y"].tolist() == [0, 2, 7, 0, 0]
    assert a["x"][3] == 8
    assert np.array([a[1], a[2]]).dtype == float4.dtype
    assert a.view(np.float32).reshape(5, 4)[1].tolist() == [1, 2, 3, 4]
    assert np.dtype([("at", float4), ("m", np.float32)]).itemsize == 20


def test_numpy_numbers_and_functions_take_vectors():
    v = float4(1, 4, 9, 16)
    for product in (np.float32(2) * v, v * np.float32(2), 2 * v, np.multiply(v, 2)):
        assert tuple(product) == (2, 8, 18, 32)
    assert tuple(np.sqrt(v)) == (1, 2, 3, 4)
    assert tuple(np.float32(5) < v) == (0, 0, -1, -1)
    assert tuple(-v) == (-1, -4, -9, -16)
    assert tuple(np.negative(v)) == tuple(-v)
    assert isinstance(v.x, np.float32)
    with pytest.raises(TypeError):
        np.arange(4) * v


def test_showing():
    assert repr(float3(1, 2.5, -0.0)) == "float3(1.0, 2.5, -0.0)"
    assert str(sycl.vec(np.int8, 1)(3)) == "vec(int8, 1)(3)"
    assert f"{float2(1, 2):.2f}" == "float2(1.00, 2.00)"


def test_equality_is_element_by_element_and_has_no_truth_or_hash():
    assert tuple(float2(1, 2) == float2(1, 3)) == (-1, 0)
    assert isinstance(float2(1) == 1, sycl.int2)
    with pytest.raises(TypeError, match="ambiguous"):
        bool(float2(1) == 1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(float2(1))
    assert hash(tuple(float2(1, 2))) == hash((1.0, 2.0))


def test_pickling_and_copying():
    v = float4(1, 2, 3, 4)
    assert pickle.loads(pickle.dumps(float4)) is float4
    assert pickle.loads(pickle.dumps(sycl.vec)) is sycl.vec
    assert pickle.loads(pickle.dumps(sycl.vec(np.bool_, 2))) is sycl.vec(np.bool_, 2)
    a = np.zeros(3, float4)
    a[1] = v
    b = pickle.loads(pickle.dumps(a))
    assert isinstance(b[1], float4)
    assert tuple(b[1]) == tuple(v)
    for other in (pickle.loads(pickle.dumps(v)), copy.copy(v), copy.deepcopy(v), float4(v)):
        other.x = 50
        assert tuple(v) == (1, 2, 3, 4)
        assert tuple(other) == (50, 2, 3, 4)
    assert tuple(pickle.loads(pickle.dumps(v.wz))) == (4, 3)


def test_functions_of_swizzles_do_not_remember_another_type():
    v, w = float4(1, 2, 3, 4), sycl.double4(1, 2, 3, 4)
    for _ in range(2):
        assert sycl.dot(v.xy, v.zw) == 11
        assert sycl.dot(v.xyz, float3(1, 1, 2)) == 9
        assert sycl.dot(w.lo, w.even) == 7
        assert sycl.length(v.wx) == np.float32(np.sqrt(17))
        assert sycl.distance(v.xyz, v.zyx) == np.float32(np.sqrt(8))
        assert tuple(sycl.normalize(v.zw)) == (np.float32(0.6), np.float32(0.8))
        assert tuple(sycl.cross(v.xyz, v.yzx)) == (-7, 5, -1)


def test_a_swizzle_is_a_view():
    v = float4(1, 2, 3, 4)
    low = v.lo
    v.x = 9
    assert tuple(low) == (9, 2)
    low.y = 8
    low[0] += 1
    v.wz = low
    assert tuple(v) == (10, 8, 8, 10)
    v.hi.lo = 0
    assert v.z == 0
    assert tuple(low + v.hi) == (10, 18)
    assert np.asarray(v.xyz).dtype == float3.dtype


def test_sequences():
    v = int4((0, 1, 2, 3))
    assert len(v) == 4
    assert list(v) == [0, 1, 2, 3]
    x, *_, w = v
    assert (x, w) == (0, 3)
    v[3] = 7
    assert v.w == 7
    assert tuple(float4(np.arange(4))) == (0, 1, 2, 3)


def test_load_and_store():
    x = np.arange(12, dtype=np.float32)
    v = float4()
    v.load(2, x)
    assert tuple(v) == (8, 9, 10, 11)
    v.yx.store(0, x)
    assert x[:2].tolist() == [9, 8]
    with pytest.raises(sycl.exception, match="float64"):
        v.store(0, np.zeros(4))


@pytest.mark.parametrize(("wrong", "text"), [
    (lambda: sycl.vec(np.float32, 5), "5 elements are not possible"),
    (lambda: sycl.vec(np.complex64, 2), "use an marray of it"),
    (lambda: sycl.vec(np.float32), "vec takes an element type"),
    (lambda: sycl.vec(np.float32, "4"), "must be an integer"),
    (lambda: float4(1, 2), "has 4 elements; 2 given"),
    (lambda: float4(int4(1)), "convert it first"),
    (lambda: float4("abcd"), "made of numbers"),
    (lambda: sycl.char4(300), "300 does not fit in int8"),
    (lambda: float4(1) + float2(1), "not defined for float4 and float2"),
    (lambda: float4(1) % 2, "needs integers"),
    (lambda: ~float4(1), "'~' is not defined"),
    (lambda: float4(1) * np.float64(2), "not defined for float4 and float64"),
    (lambda: int4(1) + 0.5, "not defined for int4 and Python float"),
    (lambda: float4(1)[4], "element 4 of a float4 does not exist"),
    (lambda: float4(1)["q"], "no field of name q"),
    (lambda: float4(1)[1.5], "indexed by an integer"),
    (lambda: float4(1).swizzle(0, 1, 2, 3, 0), "1, 2, 3, 4, 8 or 16"),
    (lambda: setattr(float4(1), "xx", 1), "names an element twice"),
    (lambda: setattr(float4(1), "xy", float3(1)), "cannot be assigned to 2"),
    (lambda: setattr(float4(1), "foo", 1), "no element 'foo'"),
    (lambda: float4(1).foo, "no attribute 'foo'"),
    (lambda: sycl.vec(np.float32, 1)(1).hi, "no attribute 'hi'"),
    (lambda: float4(1).as_(sycl.int2), "16 bytes"),
    (lambda: float(float4(1)), "no number"),
    (lambda: sycl.fmax(float4(1), float2(1)), "not defined for float4 and float2"),
])
def test_wrong_uses_say_what_is_wrong(wrong, text):
    with pytest.raises((sycl.exception, AttributeError, TypeError, ValueError), match=text):
        wrong()


@pytest.mark.parametrize("kind", [sycl.float3, sycl.int4, sycl.vec(np.uint8, 2), sycl.half8,
                                  sycl.marray(np.float64, 5), sycl.marray(np.int16, 3)])
def test_operators_give_in_kernels_what_numpy_gives(kind):
    rng = np.random.default_rng(1)
    element, count = kind.element, kind.count
    a, b = (rng.integers(1, 100, count).astype(element) for _ in range(2))
    if element.kind == "f":
        a[0], b[1] = np.inf, 0
    v, w, one = kind(*a), kind(*b), element.type(3)
    with np.errstate(all="ignore"):
        pairs = [(lambda x, y: x + y, a + b), (lambda x, y: x * y, a * b),
                 (lambda x, y: y - x, b - a), (lambda x, y: x % y, a % b) if element.kind != "f"
                 else (lambda x, y: x / y, a / b), (lambda x, y: x - one, a - one),
                 (lambda x, y: one - x, one - a), (lambda x, y: 2 * x, 2 * a)]
        with inside_kernel():
            for k, (operate, expected) in enumerate(pairs):
                found = operate(v, w)
                assert type(found) is kind.value, k
                np.testing.assert_array_equal(np.array(list(found)), expected, str(k))
            assert [bool(x) for x in v < w] == list(a < b)
            found[0] = 1  # a value of its own: the operands stay
            assert (v[0], w[0]) == (a[0], b[0])


def test_lengths_are_those_of_float64_rounded_once():
    rng = np.random.default_rng(2)
    for count in (2, 3, 4, 8):
        kind = sycl.vec(np.float64, count)
        for x in rng.standard_normal((50, count)) * 10.0 ** rng.integers(-200, 200, (50, 1)):
            most = np.max(np.abs(x))
            norm = most * np.sqrt(np.sum((x / most) ** 2))
            assert float(sycl.length(kind(*x))) == norm
            assert list(sycl.normalize(kind(*x))) == list(x / norm)
    odd = [(0, 0, 0), (np.inf, 1, 0), (np.nan, 1, 0), (np.nan, np.inf, 0), (-np.inf, np.inf, 0)]
    lengths = [float(sycl.length(float3(*x))) for x in odd]
    np.testing.assert_array_equal(lengths, [0, np.inf, np.nan, np.nan, np.inf])
