"""``vec`` in kernels (SYCL 2020 §4.14.2): compared with NumPy on every device."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import unisycl as sycl

N = 37
SIZES = (1, 2, 3, 4, 8, 16)
TYPES = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64,
         np.float16, np.float32, np.float64)


def table(kind, rng, low=-9, high=9):
    """Return an array of vecs and its elements as rows, without zeros."""
    dtype = kind.element
    low = 1 if dtype.kind == "u" else low
    rows = rng.integers(low, high, (N, kind.count))
    rows = np.where(rows == 0, 1, rows).astype(dtype)
    return filled(kind, rows), rows


def filled(kind, rows):
    array = np.zeros(len(rows), kind)
    for k, name in enumerate(kind.dtype.names):
        array[name] = rows[:, k]
    return array


def rows_of(array):
    return np.stack([array[name] for name in array.dtype.names], axis=1)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.row("D-3", "D-4", "D-5")
@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.__name__)
@pytest.mark.parametrize("count", SIZES)
def test_every_type_and_size_goes_through_memory_and_arithmetic(queue, rng, dtype, count):
    kind = sycl.vec(dtype, count)
    a, x = table(kind, rng)
    b, y = table(kind, rng)
    out = np.zeros(N, kind)

    def kernel(i, a, b, out):
        out[i] = (a[i] + b[i]) * a[i] - 1
    queue.parallel_for(N, kernel, a, b, out).wait()
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(rows_of(out), (x + y) * x - dtype(1), strict=True)
    assert kind.dtype.itemsize == (4 if count == 3 else count) * np.dtype(dtype).itemsize


@pytest.mark.row("D-3")
def test_constructors_mix_numbers_vectors_and_swizzles(queue):
    out = np.zeros((7, 4), np.float32)

    def kernel(out):
        two = sycl.float2(1, 2)
        vectors = (sycl.float4(), sycl.float4(7), sycl.float4(two, 3, 4), sycl.float4(0, two, 9),
                   sycl.float4(two.yx, two), sycl.float4(sycl.float3(1, 2, 3), two.y),
                   sycl.float4(sycl.vec(np.float32, 1)(5), two.x, sycl.vec(np.float32, 2)(8)))
        for k, v in enumerate(vectors):
            for j in range(4):
                out[k, j] = v[j]
    queue.single_task(kernel, out).wait()
    assert out.tolist() == [[0] * 4, [7] * 4, [1, 2, 3, 4], [0, 1, 2, 9], [2, 1, 1, 2],
                            [1, 2, 3, 2], [5, 1, 8, 8]]


@pytest.mark.row("D-3")
def test_a_vec_of_one_is_a_number(queue):
    out = np.zeros(3, np.float32)

    def kernel(out):
        one = sycl.vec(np.float32, 1)(2.5)
        out[0] = one
        out[1] = one + 1
        out[2] = (sycl.float2(1, 2) * one).y
    queue.single_task(kernel, out).wait()
    assert out.tolist() == [2.5, 3.5, 5.0]


@pytest.mark.row("D-5")
def test_operators_of_floats(queue, rng):
    kind = sycl.float3
    a, x = table(kind, rng)
    b, y = table(kind, rng)
    outs = tuple(np.zeros(N, kind) for _ in range(9))

    def kernel(i):
        u, v = a[i], b[i]
        results = (u + v, u - v, u * v, u / v, 2 - u, v / 2, -u, +v, u ** 2)
        for k, r in enumerate(results):
            outs[k][i] = r
    queue.parallel_for(N, kernel).wait()
    expected = [x + y, x - y, x * y, x / y, 2 - x, y / 2, -x, y, x ** 2]
    for found, want in zip(outs, expected, strict=True):
        np.testing.assert_allclose(rows_of(found), want, rtol=1e-6)


@pytest.mark.row("D-5")
@pytest.mark.parametrize("kind", [sycl.int4, sycl.uchar8, sycl.short2, sycl.ulong3],
                         ids=lambda k: k.__name__)
def test_operators_of_integers(queue, rng, kind):
    a, x = table(kind, rng)
    b, y = table(kind, rng)
    outs = tuple(np.zeros(N, kind) for _ in range(11))

    def kernel(i):
        u, v = a[i], b[i]
        results = (u // v, u % v, u / v, u & v, u | v, u ^ v, u << 1, u >> 1, ~u, abs(u), 7 - u)
        for k, r in enumerate(results):
            outs[k][i] = r
    queue.parallel_for(N, kernel).wait()
    quotient = np.trunc(x.astype(float) / y.astype(float)).astype(x.dtype)
    one = x.dtype.type(1)
    expected = [x // y, x % y, quotient, x & y, x | y, x ^ y, x << one, x >> one, ~x, abs(x),
                x.dtype.type(7) - x]
    for found, want in zip(outs, expected, strict=True):
        np.testing.assert_array_equal(rows_of(found), want, strict=True)


@pytest.mark.row("D-5")
@pytest.mark.parametrize("kind", [sycl.float4, sycl.char16, sycl.double2, sycl.half3, sycl.ulong2],
                         ids=lambda k: k.__name__)
def test_comparisons_give_minus_one_and_zero_of_equal_width(queue, rng, kind):
    a, x = table(kind, rng, -2, 3)
    b, y = table(kind, rng, -2, 3)
    width = np.dtype(f"i{kind.element.itemsize}")
    outs = tuple(np.zeros(N, sycl.vec(width, kind.count)) for _ in range(7))

    def kernel(i):
        u, v = a[i], b[i]
        results = (u == v, u != v, u < v, u <= v, u > v, u >= v, 1 == u)
        for k, r in enumerate(results):
            outs[k][i] = r
    queue.parallel_for(N, kernel).wait()
    expected = [x == y, x != y, x < y, x <= y, x > y, x >= y, x == 1]
    for found, want in zip(outs, expected, strict=True):
        np.testing.assert_array_equal(rows_of(found), -want.astype(width), strict=True)


@pytest.mark.row("D-5")
def test_compound_assignment_and_mixed_forms(queue, rng):
    a, x = table(sycl.int4, rng)
    out = np.zeros(N, sycl.int4)

    def kernel(i):
        v = a[i]
        v += 2
        v *= a[i]
        v -= sycl.int4(1, 2, 3, 4)
        v <<= 1
        out[i] = v
        out[i] ^= 5
        out[i] += a[i].wzyx
    queue.parallel_for(N, kernel).wait()
    v = (((x + 2) * x - [1, 2, 3, 4]) << 1) ^ 5
    np.testing.assert_array_equal(rows_of(out), v + x[:, ::-1])


@pytest.mark.row("D-6")
def test_conversions_round_as_asked(queue):
    x = np.array([2.5, -2.5, 2.4, -2.6, 3.5, -0.5, 0.0, 7.0], np.float32)
    a = filled(sycl.float2, np.stack([x, -x], axis=1))
    modes = (sycl.rounding_mode.automatic, sycl.rounding_mode.rte, sycl.rounding_mode.rtz,
             sycl.rounding_mode.rtp, sycl.rounding_mode.rtn)
    outs = tuple(np.zeros(len(x), sycl.int2) for _ in modes)

    def kernel(i):
        for k, mode in enumerate(modes):
            outs[k][i] = a[i].convert(np.int32, mode)
    queue.parallel_for(len(x), kernel).wait()
    for found, rule in zip(outs, (np.trunc, np.rint, np.trunc, np.ceil, np.floor), strict=True):
        np.testing.assert_array_equal(found["x"], rule(x).astype(np.int32))
        np.testing.assert_array_equal(found["y"], rule(-x).astype(np.int32))


@pytest.mark.row("D-6")
@pytest.mark.parametrize(("source", "to"), [
    (np.float64, np.float32), (np.float32, np.float16), (np.float64, np.float16),
    (np.int64, np.float64), (np.uint64, np.float32), (np.int32, np.float32),
    (np.int64, np.float16)], ids=lambda t: t.__name__)
def test_conversions_to_a_narrower_float_take_the_neighbour_asked_for(queue, rng, source, to):
    if np.dtype(source).kind == "f":
        bits = 8 * np.dtype(source).itemsize
        x = rng.integers(0, 1 << (bits - 1), 90, dtype=np.int64).astype(f"u{bits // 8}")
        x = np.concatenate([x.view(source), rng.normal(0, 100, 50).astype(source)])
        x = np.concatenate([x[np.isfinite(x)], np.array([np.inf, -np.inf, 0.0, -0.0, 1e-30])])
        x = np.concatenate([x, -x]).astype(source)
    else:
        info = np.iinfo(source)
        x = np.concatenate([rng.integers(info.min, info.max, 90, dtype=source, endpoint=True),
                            np.array([info.min, info.max, 0, 1], source),
                            (rng.integers(-4000, 4000, 50) % 4000).astype(source)])
    modes = (sycl.rounding_mode.rte, sycl.rounding_mode.rtz, sycl.rounding_mode.rtp,
             sycl.rounding_mode.rtn)
    outs = tuple(np.zeros(len(x), to) for _ in modes)

    def kernel(i):
        v = sycl.vec(source, 1)(x[i])
        for k, mode in enumerate(modes):
            outs[k][i] = v.convert(to, mode)
    queue.parallel_for(len(x), kernel).wait()
    exact = [int(v) if np.dtype(source).kind != "f" else float(v) for v in x]
    zero, up, down = (outs[k].astype(np.float64) for k in (1, 2, 3))
    for k, v in enumerate(exact):
        if v in (float("inf"), float("-inf")):
            continue
        assert int(down[k]) <= v if down[k] > -np.inf and isinstance(v, int) else down[k] <= v
        assert up[k] >= v
        assert abs(zero[k]) <= abs(v)
    for directed in outs[1:]:
        gap = np.abs(directed.view(f"i{np.dtype(to).itemsize}").astype(np.int64)
                     - outs[0].view(f"i{np.dtype(to).itemsize}").astype(np.int64))
        sign = np.signbit(directed) == np.signbit(outs[0])
        assert (gap[sign] <= 1).all()


@pytest.mark.row("D-6")
def test_as_keeps_the_bits(queue, rng):
    a, x = table(sycl.float4, rng)
    outs = (np.zeros(N, sycl.int4), np.zeros(N, sycl.double2), np.zeros(N, sycl.ushort8),
            np.zeros(N, sycl.uchar16), np.zeros(N, sycl.float4), np.zeros(N, sycl.long2))

    def kernel(i):
        v = a[i]
        outs[0][i] = v.as_(sycl.int4)
        outs[1][i] = v.as_(sycl.double2)
        outs[2][i] = v.as_(sycl.ushort8)
        outs[3][i] = v.as_(sycl.uchar16)
        outs[4][i] = v.as_(sycl.uchar16).as_(sycl.half8).as_(sycl.float4)
        outs[5][i] = v.as_(sycl.long2)
    queue.parallel_for(N, kernel).wait()
    for out in outs:
        assert out.tobytes() == a.tobytes(), out.dtype


@pytest.mark.row("D-7")
def test_swizzles_read_any_elements_in_any_order(queue):
    v = np.arange(4, dtype=np.float32)
    out = np.zeros((12, 4), np.float32)

    def kernel(out):
        v = sycl.float4(0, 1, 2, 3)
        e = sycl.int8(0, 1, 2, 3, 4, 5, 6, 7)
        results = (v.xxzy, v.wzyx, v.bgra, v.xyz.zzxy, v.swizzle(3, 0, 3, 1), v.lo.xyxy,
                   sycl.float4(v.odd, v.even), sycl.float4(v.hi.yx, v.lo.lo, v.s1),
                   e.lo.convert(np.float32), e.hi.odd.xyxy.convert(np.float32),
                   e.even.convert(np.float32), e.swizzle(7, 7, 0, 5).convert(np.float32))
        for k, r in enumerate(results):
            out[k, 0], out[k, 1], out[k, 2], out[k, 3] = r
    queue.single_task(kernel, out).wait()
    expected = [[0, 0, 2, 1], [3, 2, 1, 0], [2, 1, 0, 3], [2, 2, 0, 1], [3, 0, 3, 1],
                [0, 1, 0, 1], [1, 3, 0, 2], [3, 2, 0, 1], [0, 1, 2, 3], [5, 7, 5, 7],
                [0, 2, 4, 6], [7, 7, 0, 5]]
    assert v.sum() == 6
    assert out.tolist() == expected


@pytest.mark.row("D-7")
def test_swizzles_are_assigned_in_variables_and_in_memory(queue, rng):
    a, x = table(sycl.float4, rng)
    out = np.zeros(N, sycl.float4)

    def kernel(i):
        v = sycl.float4(0, 1, 2, 3)
        v.yx = a[i].zw
        v.hi.y = 9
        v.lo.yx += 10
        v[2] = -1
        v.w *= 2
        out[i] = v
        a[i].zy = v.xw
        a[i].lo.x = 5
        a[i].w += 100
        a[i][i % 4] = 77
    queue.parallel_for(N, kernel).wait()
    want = np.stack([x[:, 3] + 10, x[:, 2] + 10, -np.ones(N), np.full(N, 18)], axis=1)
    np.testing.assert_array_equal(rows_of(out), want)
    y = x.copy()
    y[:, 2], y[:, 1], y[:, 0] = want[:, 0], want[:, 3], 5
    y[:, 3] += 100
    y[np.arange(N), np.arange(N) % 4] = 77
    np.testing.assert_array_equal(rows_of(a), y)


@pytest.mark.row("D-7")
def test_a_value_that_was_read_does_not_follow_the_memory(queue, rng):
    a, x = table(sycl.float2, rng)
    out = np.zeros(N, sycl.float2)

    def kernel(i):
        old = a[i]
        a[i].x = 50
        a[i] = a[i] * 2
        old.y = -3
        out[i] = old
    queue.parallel_for(N, kernel).wait()
    np.testing.assert_array_equal(rows_of(out), np.stack([x[:, 0], np.full(N, -3)], axis=1))
    np.testing.assert_array_equal(rows_of(a), np.stack([np.full(N, 100), x[:, 1] * 2], axis=1))


@pytest.mark.row("D-7")
def test_functions_take_return_and_change_vectors(queue, rng):
    a, x = table(sycl.float4, rng)
    out = np.zeros(N, sycl.float4)

    def mirrored(v):
        return v.wzyx

    def bump(v, by):
        v.x += by

    def either(v, w, first):
        if first:
            return v
        return w

    def kernel(i):
        v = mirrored(a[i])
        bump(v, 10)
        bump(v.hi, 20)
        w = either(v, v + 1, i % 2 == 0)
        u = w if i > 5 else sycl.float4(0)
        out[i] = u + mirrored(v)
    queue.parallel_for(N, kernel).wait()
    v = x[:, ::-1].copy()
    v[:, 0] += 10
    v[:, 2] += 20
    i = np.arange(N)[:, None]
    u = np.where(i > 5, np.where(i % 2 == 0, v, v + 1), 0)
    np.testing.assert_array_equal(rows_of(out), u + v[:, ::-1])


@pytest.mark.row("D-7")
def test_an_element_is_chosen_at_run_time(queue, rng):
    a, x = table(sycl.int8, rng)
    out = np.zeros(N, np.int32)

    def kernel(i):
        v = a[i]
        total = 0
        for k in range(8):
            v[k] = v[k] * (k + 1)
            total += v[k]
        out[i] = total + v[(i * 3) % 8] + a[i][i % 8]
    queue.parallel_for(N, kernel).wait()
    v = x * np.arange(1, 9)
    i = np.arange(N)
    np.testing.assert_array_equal(out, v.sum(axis=1) + v[i, i * 3 % 8] + x[i, i % 8])


@pytest.mark.row("D-8")
@pytest.mark.parametrize("count", SIZES[1:])
def test_load_and_store_match_slices(queue, rng, count):
    kind = sycl.vec(np.float32, count)
    x = rng.random(count * N, np.float32)
    out = np.zeros_like(x)

    def kernel(i):
        v = kind()
        v.load(i, x)
        v = v * 2
        v.store(N - 1 - i, out)
    queue.parallel_for(N, kernel).wait()
    np.testing.assert_array_equal(out.reshape(N, count), 2 * x.reshape(N, count)[::-1])


@pytest.mark.row("D-8")
def test_load_and_store_work_in_every_kind_of_memory(queue, rng):
    x = rng.random(4 * 64, np.float32)
    out = sycl.malloc_shared(4 * 64, np.float32, queue)
    with sycl.buffer(x) as b:
        @queue.submit
        def group(h):
            src = sycl.accessor(b, h, sycl.read_only)
            tile = sycl.local_accessor(np.float32, 4 * 16, h)

            @h.parallel_for(sycl.nd_range(64, 16))
            def kernel(it):
                g, k = it.get_global_id(0), it.get_local_id(0)
                v = sycl.float4()
                v.load(g, src)
                v.store(k, tile)
                sycl.group_barrier(it.get_group())
                w = sycl.float4()
                w.load(15 - k, tile)
                mine = sycl.private_array(np.float32, 8)
                w.wzyx.store(1, mine)
                w.load(1, mine)
                w.store(g, out)
    queue.wait()
    tiles = x.reshape(4, 16, 4)[:, ::-1, ::-1]
    np.testing.assert_array_equal(np.asarray(out), tiles.reshape(-1))
    sycl.free(out, queue)


@pytest.mark.row("D-4")
@pytest.mark.parametrize("kind", [sycl.float3, sycl.uchar4, sycl.double2, sycl.half8],
                         ids=lambda k: k.__name__)
def test_vectors_lie_in_buffers_usm_local_and_private_memory(queue, rng, kind):
    a, x = table(kind, rng)
    shared = sycl.malloc_shared(N, kind, queue)
    with sycl.buffer(a) as b:
        @queue.submit
        def group(h):
            A = sycl.accessor(b, h, sycl.read_write)
            tile = sycl.local_accessor(kind, 5, h)

            @h.parallel_for(sycl.nd_range(40, 5))
            def kernel(it):
                g, k = it.get_global_id(0), it.get_local_id(0)
                mine = sycl.private_array(kind, (2, 2))
                if g < N:
                    tile[k] = A[g]
                sycl.group_barrier(it.get_group())
                if g < N:
                    mine[k % 2, 1] = tile[k] + 1
                    shared[g] = mine[k % 2][1]
                    A[g] = A[g] + A[g]
    queue.wait()
    np.testing.assert_array_equal(rows_of(np.asarray(shared)), x + x.dtype.type(1))
    np.testing.assert_array_equal(rows_of(a), x + x)
    sycl.free(shared, queue)


@pytest.mark.row("D-4")
def test_a_captured_vec_is_a_copy_of_the_moment(queue):
    offset = sycl.float3(1, 2, 3)
    out = np.zeros(4, sycl.float3)

    def kernel(i, scale):
        out[i] = offset * i + scale.yxz
    event = queue.parallel_for(4, kernel, sycl.float3(10, 20, 30))
    offset.x = 99
    event.wait()
    assert rows_of(out).tolist() == [[20 + i, 10 + 2 * i, 30 + 3 * i] for i in range(4)]


@pytest.mark.row("D-4", "D-10")
def test_records_hold_vectors(queue, rng):
    body = np.dtype([("at", sycl.float3), ("id", np.int16), ("v", sycl.float2, (2,))])
    p = np.zeros(N, body)
    p["at"]["x"] = np.arange(N)
    p["id"] = np.arange(N)

    def kernel(i):
        one = p[i]
        one.at.y = one.id * 2
        one["at"].z += 3
        old = one.at
        one.at = old.zyx
        one.v[1] = old.xy
        one.v[0].x = 8
        one.v[i % 2].y -= 1
    queue.parallel_for(N, kernel).wait()
    i = np.arange(N)
    np.testing.assert_array_equal(rows_of(p["at"]), np.stack([np.full(N, 3), 2 * i, i], axis=1))
    v = np.stack([rows_of(p["v"][:, k]) for k in (0, 1)], axis=1)
    want = np.zeros((N, 2, 2))
    want[:, 1] = np.stack([i, 2 * i], axis=1)
    want[:, 0, 0] = 8
    want[i, i % 2, 1] -= 1
    np.testing.assert_array_equal(v, want)


@pytest.mark.row("D-19", "D-27", "D-30")
def test_functions_of_numbers_take_vectors(queue, rng):
    a, x = table(sycl.float4, rng)
    b, y = table(sycl.int4, rng)
    out = tuple(np.zeros(N, sycl.float4) for _ in range(4))
    ints = tuple(np.zeros(N, sycl.int4) for _ in range(4))

    def kernel(i):
        out[0][i] = sycl.sqrt(sycl.fabs(a[i]))
        out[1][i] = sycl.fmax(a[i], 0.5)
        out[2][i] = sycl.mix(a[i], a[i].wzyx, 0.25)
        out[3][i] = np.maximum(a[i], -a[i]) + np.float32(1)
        ints[0][i] = sycl.isgreater(a[i], 0.0)
        ints[1][i] = sycl.clamp(b[i], -2, 3)
        ints[2][i] = sycl.popcount(b[i])
        ints[3][i] = sycl.logical_and(b[i], b[i] - 1) + sycl.plus(b[i], b[i])
    queue.parallel_for(N, kernel).wait()
    expected = [np.sqrt(abs(x)), np.fmax(x, 0.5), x + (x[:, ::-1] - x) * np.float32(0.25),
                abs(x) + 1]
    for found, want in zip(out, expected, strict=True):
        np.testing.assert_allclose(rows_of(found), want, rtol=1e-6)
    logical = -((y != 0) & (y != 1)).astype(np.int32)
    expected = [-(x > 0).astype(np.int32), np.clip(y, -2, 3), np.bitwise_count(y.view(np.uint32)),
                logical + 2 * y]
    for found, want in zip(ints, expected, strict=True):
        np.testing.assert_array_equal(rows_of(found), want)


@pytest.mark.row("D-3")
def test_types_and_sizes_are_known_while_compiling(queue):
    out = np.zeros(6, np.int64)

    def zeros(kind, count):
        return sycl.vec(kind, count)(0)

    def kernel(out):
        v = zeros(np.int16, 8)
        out[0] = len(v)
        out[1] = v.size() + v.byte_size()
        out[2] = isinstance(v, sycl.short8)
        out[3] = isinstance(v, sycl.vec) and not isinstance(v.lo, sycl.short8)
        out[4] = isinstance(v.s0, np.int16)
        out[5] = len(sycl.vec[np.float32, 3](1))
    queue.single_task(kernel, out).wait()
    assert out.tolist() == [8, 24, 1, 1, 1, 3]


@pytest.mark.row("D-5")
def test_print_shows_a_vec_as_python_does(queue, capfd):
    def kernel():
        v = sycl.float3(0.5, 2, -3)
        print(v, (v.xy, 1))
    queue.single_task(kernel).wait()
    assert capfd.readouterr().out == "float3(0.5, 2.0, -3.0) (float2(0.5, 2.0), 1)\n"


@pytest.mark.row("D-5")
@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # the first turn does not ask
def test_loops_carry_vectors(queue, rng):
    a, x = table(sycl.float4, rng)
    out = np.zeros(N, sycl.float4)

    def kernel(i):
        total = sycl.float4(0)
        last = a[0]
        k = 0
        while k < 6:
            if k > 0:
                total = total + last * kept  # noqa: F823
            kept = a[(i + k) % N]
            last = kept.yxwz
            k += 1
            if total.x > 1e6:
                break
        first, second = total, last
        out[i] = first - second
    queue.parallel_for(N, kernel).wait()
    i = np.arange(N)
    kept = [x[(i + k) % N] for k in range(6)]
    swap = [1, 0, 3, 2]
    total = sum(k[:, swap] * k for k in kept[:-1])
    np.testing.assert_array_equal(rows_of(out), total - kept[5][:, swap])


@pytest.mark.row("D-53")
def test_patterns_match_struct_pack(queue):
    a = np.zeros(1, sycl.float2)
    a[0] = (1.5, -2.0)
    out = np.zeros(1, sycl.int2)

    def kernel(i):
        out[i] = a[i].as_(sycl.int2)
    queue.parallel_for(1, kernel).wait()
    assert struct.pack("ff", 1.5, -2.0) == out.tobytes()


@pytest.mark.row("D-5")
def test_a_name_may_hold_one_vec_type_after_another(queue):
    out = np.zeros((4, 2), np.int32)

    def kernel(i):
        v = sycl.float3(1, 2, 3)
        out[i, 0] = int(v.z)
        v = sycl.int2(i, 5)
        out[i, 0] += v.y
        for kind in (sycl.float4, sycl.char2, sycl.mint3):
            w = kind(i)
            out[i, 1] += len(w)
    queue.parallel_for(4, kernel).wait()
    assert out.tolist() == [[8, 9]] * 4
