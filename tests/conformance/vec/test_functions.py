"""Vector forms of every function of the table, and the geometric functions (SYCL 2020 §4.17)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.property import reference
from unisycl.ir.builtins import BUILTINS
from unisycl.lang.numbers.geometric import OF_VECTORS
from unisycl.lang.numbers.math import FUNCTIONS

N = 7
ELEMENT = {"f": np.float32, "s": np.float32, "n": np.float32, "i": np.int32, "j": np.int32,
           "k": np.int32, "u": np.uint32, "b": np.int32}
ROWS = [row for name, row in sorted(BUILTINS.items()) if name not in OF_VECTORS and "." not in name]
CHUNKS = [ROWS[k:k + 12] for k in range(0, len(ROWS), 12)]


def operands(row, kind, rng):
    arrays = []
    for letter in row.operands:
        element = ELEMENT[letter]
        made = np.zeros(N, kind(np.uint16 if row.operands[0] == "u" else element, 3))
        for name in made.dtype.names:
            made[name] = rng.integers(1, 5, N) if made[name].dtype.kind in "iu" \
                else rng.uniform(0.1, 0.9, N)
        arrays.append(made)
    return tuple(arrays)


def results_of(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.row("D-19", "D-24", "D-25", "D-27", "D-28", "D-30")
@pytest.mark.parametrize(("kind", "rows"), [
    *((sycl.vec, rows) for rows in CHUNKS), *((sycl.marray, rows) for rows in CHUNKS)],
    ids=lambda x: x.__name__ if isinstance(x, type) else f"{x[0].name}-{x[-1].name}")
def test_functions_work_element_by_element(queue, kind, rows):
    rng = np.random.default_rng(8)
    cases, expected, outs = [], [], []
    for row in rows:
        fn = FUNCTIONS[row.name]
        given = operands(row, kind, rng)
        with np.errstate(all="ignore"):
            wanted = [results_of(fn(*(a[i] for a in given))) for i in range(N)]
            for i in range(N):  # a vector's function is that of its elements
                one = results_of(fn(*(a[i][1] for a in given)))
                for x, y in zip(one, wanted[i], strict=True):
                    same = -int(x) if isinstance(x, np.bool_ | bool) and kind is sycl.vec else x
                    assert y[1] == same or (y[1] != y[1] and same != same), row.name
        out = tuple(np.zeros(N, type(x)._type) for x in wanted[0])
        cases.append((fn, given, len(out)))
        outs.append(out)
        expected.append(wanted)
    cases, outs = tuple(cases), tuple(outs)

    def kernel(i):
        for k, (fn, given, count) in enumerate(cases):
            if len(given) == 1:
                found = fn(given[0][i])
            elif len(given) == 2:
                found = fn(given[0][i], given[1][i])
            else:
                found = fn(given[0][i], given[1][i], given[2][i])
            if count == 1:
                outs[k][0][i] = found
            else:
                for j, part in enumerate(found):
                    outs[k][j][i] = part
    queue.parallel_for(N, kernel).wait()
    for row, out, wanted in zip(rows, outs, expected, strict=True):
        rough = 2e-3 if row.name.startswith(("native", "half")) else 2e-6
        for j, found in enumerate(out):
            for name_k, name in enumerate(found.dtype.names):
                want = np.array([w[j][name_k] for w in wanted])
                np.testing.assert_allclose(found[name], want, rtol=rough, atol=rough,
                                           err_msg=f"{row.name}.{name}")


def rows_of(array):
    """Return vectors as an array with a row for each."""
    return np.stack([array[name] for name in array.dtype.names], axis=1)


def vectors(kind, rng):
    made = np.zeros(N, kind)
    for name in made.dtype.names:
        made[name] = rng.normal(size=N) * np.exp2(rng.integers(-6, 6, N))
    made[0] = np.zeros((), kind)[()]
    return made, rows_of(made)


KINDS = (sycl.float2, sycl.float3, sycl.float4, sycl.double3, sycl.half4, sycl.mfloat3, sycl.float8)


@pytest.mark.row("D-29")
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_geometric_functions_are_within_their_bounds(queue, kind):
    rng = np.random.default_rng(9)
    a, x = vectors(kind, rng)
    b, y = vectors(kind, rng)
    dot, length, distance = (np.zeros(N, kind.element) for _ in range(3))
    unit = np.zeros(N, kind)

    def kernel(i):
        dot[i] = sycl.dot(a[i], b[i])
        length[i] = sycl.length(a[i])
        distance[i] = sycl.distance(a[i], b[i])
        unit[i] = sycl.normalize(a[i])
    queue.parallel_for(N, kernel).wait()
    assert reference.beyond("dot", [x, y], dot) == []
    assert reference.beyond("length", [x], length) == []
    assert reference.beyond("distance", [x, y], distance) == []
    assert reference.beyond("normalize", [x], rows_of(unit)) == []


@pytest.mark.row("D-29")
def test_cross_products_and_fast_forms_are_within_their_bounds(queue):
    rng = np.random.default_rng(10)
    a, x = vectors(sycl.float3, rng)
    b, y = vectors(sycl.float3, rng)
    c, four = np.zeros(N, sycl.float3), np.zeros(N, sycl.float4)
    fast, unit = np.zeros((N, 2), np.float32), np.zeros(N, sycl.float3)

    def kernel(i):
        c[i] = sycl.cross(a[i], b[i])
        four[i] = sycl.cross(sycl.float4(a[i], 5), sycl.float4(b[i], 6))
        fast[i, 0] = sycl.fast_length(a[i])
        fast[i, 1] = sycl.fast_distance(a[i], b[i])
        unit[i] = sycl.fast_normalize(a[i])
    queue.parallel_for(N, kernel).wait()
    assert reference.beyond("cross", [x, y], rows_of(c)) == []
    assert reference.beyond("cross", [x, y], rows_of(four)[:, :3]) == []
    assert not four["w"].any()
    assert reference.beyond("fast_length", [x], fast[:, 0]) == []
    assert reference.beyond("fast_distance", [x, y], fast[:, 1]) == []
    assert reference.beyond("fast_normalize", [x], rows_of(unit)) == []


@pytest.mark.part("D-29")
def test_every_function_of_vectors_with_a_bound_has_a_reference():
    assert {*OF_VECTORS} - {"any", "all", "select"} | {"cross"} == reference.VECTORS.keys()


@pytest.mark.row("D-29")
@pytest.mark.parametrize("kind", [sycl.float2, sycl.double2], ids=lambda k: k.__name__)
def test_lengths_neither_overflow_nor_underflow(queue, kind):
    big, small = (1e30, 1e-30) if kind.element.itemsize == 4 else (1e300, 1e-300)
    rows = [(big, big), (small, small), (big, 0), (np.inf, 1), (np.nan, 1), (0, -0.0),
            (-np.inf, np.inf), (big, small), (1e-45, 0) if kind is sycl.float2 else (5e-324, 0)]
    a = np.zeros(len(rows), kind)
    for k, row in enumerate(rows):
        a[k] = kind(*row)
    out, unit = np.zeros(len(rows), kind.element), np.zeros(len(rows), kind)

    def kernel(i):
        out[i] = sycl.length(a[i])
        unit[i] = sycl.normalize(a[i])
    queue.parallel_for(len(rows), kernel).wait()
    x = np.array([[float(v) for v in one] for one in a])
    np.testing.assert_allclose(out, np.hypot(x[:, 0], x[:, 1]).astype(kind.element), rtol=1e-6)
    root = np.sqrt(0.5)
    want = [(root, root), (root, root), (1, 0), (1, 0), (np.nan, np.nan), (0, 0), (-root, root),
            (1, 0), (1, 0)]
    found = np.array([[float(v) for v in one] for one in unit])
    np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-30)


@pytest.mark.row("D-30")
def test_any_all_and_select(queue):
    rng = np.random.default_rng(11)
    a = np.zeros(N, sycl.float3)
    b = np.zeros(N, sycl.float3)
    for name in "xyz":
        a[name], b[name] = rng.integers(0, 3, N), rng.integers(0, 3, N)
    out = np.zeros((N, 5), np.int32)
    chosen, picked = np.zeros(N, sycl.float3), np.zeros(N, sycl.mfloat3)

    def kernel(i):
        less = a[i] < b[i]
        out[i, 0] = sycl.any(less)
        out[i, 1] = sycl.all(less)
        out[i, 2] = sycl.any(sycl.uint2(1, 5))
        out[i, 3] = sycl.all(sycl.uchar2(128, 255))
        m = sycl.mfloat3(a[i].x, a[i].y, a[i].z)
        out[i, 4] = sycl.any(m > 1)
        if sycl.all(a[i] == b[i]):
            out[i, 2] = 7
        chosen[i] = sycl.select(a[i], b[i], less)
        picked[i] = sycl.select(m, m * 2, m > 1)
    queue.parallel_for(N, kernel).wait()
    x, y = (np.stack([v[n] for n in "xyz"], axis=1) for v in (a, b))
    same = (x == y).all(axis=1)
    want = [(x < y).any(axis=1), (x < y).all(axis=1), np.where(same, 7, 0), np.ones(N),
            (x > 1).any(axis=1)]
    np.testing.assert_array_equal(out, np.stack(want, axis=1))
    found = np.stack([chosen[n] for n in "xyz"], axis=1)
    np.testing.assert_array_equal(found, np.where(x < y, y, x))
    found = np.stack([picked[n] for n in picked.dtype.names], axis=1)
    np.testing.assert_array_equal(found, np.where(x > 1, 2 * x, x))
