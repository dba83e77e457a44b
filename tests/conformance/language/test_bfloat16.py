"""bfloat16 is ml_dtypes' on every device: 16 bits, computed in float32 and rounded each time."""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("M-11", "P-13")
bf16 = sycl.ext.oneapi.bfloat16
EVERY = np.arange(65536, dtype=np.uint16).view(bf16)
VALUES = (np.arange(65536, dtype=np.uint32) << 16).view(np.float32)
NUMBERS = EVERY[~np.isnan(VALUES)]
N = 150


def some(seed: int = 0, count: int = N) -> np.ndarray:
    """Return numbers of all sizes, zeros and infinities among them."""
    return np.random.default_rng(seed).choice(NUMBERS, count)


def bits(x: np.ndarray) -> np.ndarray:
    return x.view(f"u{x.dtype.itemsize}")


def same(found: np.ndarray, expected: np.ndarray) -> None:
    """Assert equality bit by bit; any NaN equals any other."""
    with np.errstate(invalid="ignore"):
        nan = np.isnan(expected.astype(np.float32))
        np.testing.assert_array_equal(np.isnan(found.astype(np.float32)), nan)
    np.testing.assert_array_equal(bits(found)[~nan], bits(expected)[~nan])


def test_the_name_is_the_packages_type(monkeypatch):
    assert ml_dtypes.bfloat16 is bf16
    assert sycl.SYCL_EXT_ONEAPI_BFLOAT16 == 1
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(sycl.UnsupportedError, match=r"pip install ml_dtypes") as found:
        _ = sycl.ext.oneapi.bfloat16
    assert found.value.code() == sycl.errc.feature_not_supported


def test_every_pattern_converts_to_other_types_as_ml_dtypes_does(queue):
    wide, half = np.zeros(65536, np.float32), np.zeros(65536, np.float16)
    words, copied = np.zeros(65536, np.uint16), np.zeros(65536, bf16)
    whole, truth = np.zeros(65536, np.int32), np.zeros(65536, bool)
    small = np.abs(VALUES) < 2**31

    def kernel(i):
        x = EVERY[i]
        wide[i] = x
        half[i] = np.float16(x)
        words[i] = sycl.bit_cast(np.uint16, x)
        copied[i] = sycl.bit_cast(bf16, words[i])
        whole[i] = np.int32(x) if small[i] else 0
        truth[i] = bool(x)
    queue.parallel_for(65536, kernel).wait()
    np.testing.assert_array_equal(bits(wide), bits(VALUES))  # NaN kept
    np.testing.assert_array_equal(words, np.arange(65536))
    np.testing.assert_array_equal(bits(copied), words)
    with np.errstate(all="ignore"):
        same(half, EVERY.astype(np.float16))
        np.testing.assert_array_equal(whole, np.where(small, EVERY, bf16(0)).astype(np.int32))
    np.testing.assert_array_equal(truth, VALUES != 0)


def test_float32_rounds_to_nearest_even_and_nan_stays_nan(queue):
    upper = np.arange(65536, dtype=np.uint32) << 16
    lower = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    for low in lower:
        x, out = (upper | low).view(np.float32), np.zeros(65536, bf16)

        def kernel(i, x, out):
            out[i] = x[i]
        queue.parallel_for(65536, kernel, x, out).wait()
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(bits(out), bits(x.astype(bf16)))


@pytest.mark.parametrize("name", ["float64", "float16", "int64", "int32", "uint8", "int8"])
def test_other_types_convert_as_ml_dtypes_converts_them(queue, name):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 256, 8 * 4096, dtype=np.uint8).view(name)
    out = np.zeros(len(x), bf16)

    def kernel(i):
        out[i] = x[i]
    queue.parallel_for(len(x), kernel).wait()
    with np.errstate(all="ignore"):
        same(out, x.astype(bf16))


def test_arithmetic_rounds_each_operation(queue):
    x, y, k = some(1), some(2), np.arange(N).astype(np.int8)

    def build(out, wide):
        def kernel(i):
            out[i, 0] = x[i] * y[i] + x[i]
            out[i, 1] = x[i] / y[i] - 1
            out[i, 2] = x[i] // y[i]
            out[i, 3] = x[i] % y[i]
            out[i, 4] = -x[i] ** 2 + x[i] ** 3
            out[i, 5] = x[i] * k[i] + True
            out[i, 6] = abs(x[i]) if x[i] < y[i] else max(x[i], y[i])
            wide[i, 0] = x[i] * 0.5 + 1.5
            wide[i, 1] = x[i] + wide[i, 2]
        return kernel
    found, expected = ((np.zeros((N, 7), bf16), np.ones((N, 3), np.float32)) for _ in range(2))
    with np.errstate(all="ignore"):
        for i in range(N):
            build(*expected)(i)
    queue.parallel_for(N, build(*found)).wait()
    for a, b in zip(found, expected, strict=True):
        same(a, b)


def test_functions_are_computed_in_float32_and_rounded(queue):
    x = some(3, 2000)
    x[:300] = np.random.default_rng(0).normal(size=300).astype(bf16)
    out = np.zeros((6, 2000), bf16)

    def kernel(i):
        out[0, i] = sycl.sqrt(x[i])
        out[1, i] = sycl.floor(x[i])
        out[2, i] = sycl.fma(x[i], x[i], x[i])
        out[3, i] = sycl.exp(x[i])
        out[4, i] = np.tanh(x[i])
        out[5, i] = sycl.fmin(x[i], bf16(2))
    queue.parallel_for(2000, kernel).wait()
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        exact = [np.sqrt(wide), np.floor(wide), wide * wide + wide, np.exp(wide), np.tanh(wide),
                 np.minimum(wide, 2)]
        for row, expected in zip(out, exact, strict=True):
            near = expected.astype(np.float32).astype(bf16)
            number = ~np.isnan(near.astype(np.float32))
            assert not np.isnan(row.astype(np.float32))[number].any()
            assert np.isnan(row.astype(np.float32))[~number].all()
            apart = np.abs(bits(row).astype(int) - bits(near).astype(int))[number]
            assert apart.max() <= 1
            assert (apart > 0).mean() < 0.002


@pytest.mark.row("D-5")
@pytest.mark.row("D-9")
@pytest.mark.row("D-10")
def test_vectors_records_and_all_memories_hold_them(queue):
    bf4, kind = sycl.vec(bf16, 4), np.dtype([("k", np.int8), ("x", bf16), ("v", bf16, (2,))])
    data = np.linspace(-3, 3, 256).astype(bf16)
    four = np.zeros(64, bf4.dtype)
    four.view(bf16).reshape(64, 4)[:] = data.reshape(64, 4)
    records, out, scale = np.zeros(64, kind), np.zeros((64, 4), bf16), bf16(1.5)
    records["x"] = data[:64]

    def kernel(it, tile, step):
        i, k = it.get_global_id(0), it.get_local_id(0)
        own = sycl.private_array(bf16, 2)
        v = four[i]
        v = v * v + v.wzyx - bf4(1)
        own[k % 2] = v.x * scale
        tile[k] = own[k % 2] + step
        sycl.group_barrier(it.get_group())
        out[i, 0] = tile[15 - k]
        out[i, 1] = sycl.group_broadcast(it.get_group(), v.y, 3)
        out[i, 2] = sycl.permute_group_by_xor(it.get_sub_group(), v.z, 1)
        records[i].v[1] = records[i].x + v.w
        out[i, 3] = sycl.marray(bf16, 3)(v.x, 2, step)[1] * records[i].v[1]
    queue.parallel_for(sycl.nd_range(64, 16), kernel, sycl.local_accessor(bf16, 16),
                       bf16(0.25)).wait()
    v = data.reshape(64, 4)
    v = v * v + v[:, ::-1] - bf16(1)
    tile = v[:, 0] * scale + bf16(0.25)
    member = data[:64] + v[:, 3]
    if min(queue.get_device().get_info(sycl.info.device.sub_group_sizes)) == 1:
        out[:, 2] = v[:, 2].reshape(32, 2)[:, ::-1].ravel()  # there is no other to exchange with
    expected = np.stack([
        tile.reshape(4, 16)[:, ::-1].ravel(), np.repeat(v[3::16, 1], 16),
        v[:, 2].reshape(32, 2)[:, ::-1].ravel(), bf16(2) * member], 1)
    same(out, expected)
    same(records["v"][:, 1], member)


@pytest.mark.row("B-1")
def test_buffers_and_usm_hold_them(queue):
    x = some(4)
    usm = sycl.malloc_shared(N, bf16, queue)
    usm[:] = x
    with sycl.buffer(x.copy()) as b:
        def group(h):
            a = sycl.accessor(b, h, sycl.read_write)

            def kernel(i):
                a[i] += 1
                usm[i] = usm[i] - a[i]
            h.parallel_for(b.get_range(), kernel)
        queue.submit(group)
        queue.wait()
        with np.errstate(all="ignore"):
            same(np.asarray(sycl.host_accessor(b)), x + bf16(1))
            same(np.asarray(usm), x - (x + bf16(1)))
    sycl.free(usm, queue)


@pytest.mark.row("D-62")
@pytest.mark.parametrize(("write", "message"), [
    (lambda x, k: x + k, r"'\+' is not defined for bfloat16 and int32"),
    (lambda x, k: sycl.nextafter(x, x), "'nextafter' is not defined for bfloat16"),
    (lambda x, k: print(x) or x, "a value of bfloat16 cannot be used here")])
def test_what_has_no_meaning_is_refused(queue, write, message):
    x, k = some(), np.zeros(N, np.int32)

    def kernel(i):
        x[i] = write(x[i], k[i])
    with pytest.raises(sycl.exception, match=message):
        queue.parallel_for(N, kernel)


@pytest.mark.row("D-41")
@pytest.mark.row("D-42")
@pytest.mark.parametrize("op", ["plus", "multiplies", "minimum", "maximum"])
def test_groups_combine_in_float32_and_round_once(queue, op):
    x = np.random.default_rng(4).uniform(0.5, 1.5, 64).astype(np.float32).astype(bf16)
    out = np.zeros((5, 64), bf16)
    combine = getattr(sycl, op)()

    def kernel(it):
        i, g = it.get_global_id(0), it.get_group()
        out[0, i] = sycl.reduce_over_group(g, x[i], combine)
        out[1, i] = sycl.inclusive_scan_over_group(g, x[i], combine)
        out[2, i] = sycl.exclusive_scan_over_group(g, x[i], combine)
        out[3, i] = sycl.reduce_over_group(g, x[i], bf16(2), combine)
        out[4, i] = sycl.inclusive_scan_over_group(it.get_sub_group(), x[i], combine)
    queue.parallel_for(sycl.nd_range(64, 16), kernel)
    queue.wait()
    ufunc = {"plus": np.add, "multiplies": np.multiply, "minimum": np.minimum,
             "maximum": np.maximum}[op]
    rows = x.astype(np.float64).reshape(4, 16)
    scans = ufunc.accumulate(rows, 1)
    start = {"plus": 0, "multiplies": 1, "minimum": np.inf, "maximum": -np.inf}[op]
    for k, wanted in enumerate([
            np.repeat(scans[:, -1:], 16, 1), scans,
            np.concatenate([np.full((4, 1), start), scans[:, :-1]], 1),
            np.repeat(ufunc(scans[:, -1:], 2), 16, 1)]):
        np.testing.assert_allclose(out[k].astype(float), wanted.ravel(), rtol=2 ** -8)
