"""Fourier transforms against sums of longer floats and NumPy: lengths, dimensions, layouts."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import unisycl as sycl
from tests.sampling import by_turns
from unisycl.oneapi import mkl

dft = mkl.dft
SINGLE, DOUBLE = dft.precision.SINGLE, dft.precision.DOUBLE
REAL, COMPLEX = dft.domain.REAL, dft.domain.COMPLEX
KEY, VALUE = dft.config_param, dft.config_value
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 11, 12, 30, 64, 94, 100, 101, 128, 210, 1024)
SHAPES = ((4, 6), (5, 7), (16, 8), (2, 3, 4), (8, 8, 8), (3, 5, 7))
PROVIDERS = [p for p in mkl.available("mkl.dft") if p != "cufft"]  # on the processor

pytestmark = pytest.mark.row("L-6")


@functools.lru_cache
def definition(n, sign):
    """Return the matrix of the transform, in longer floats."""
    k = np.outer(np.arange(n), np.arange(n)) % n
    angle = sign * 2 * np.pi * k.astype(np.longdouble) / n
    return np.cos(angle) + 1j * np.sin(angle)


def slow(x, sign):
    """Return the transform by its definition; of many elements by NumPy's, in longer floats."""
    x = x.astype(np.clongdouble)
    return definition(x.size, sign) @ x if x.size <= 128 else np.fft.fft(x)


def near(found, right, kind, size):
    eps = np.finfo(kind).eps
    bound = 20 * eps * max(1, np.log2(max(size, 2))) * max(np.abs(right).max(), 1e-3)
    assert np.abs(found - right).max() <= bound, (size, np.abs(found - right).max(), bound)


def kinds(queue):
    return [(SINGLE, np.float32)] + [(DOUBLE, np.float64)] * bool(
        queue.get_device().has(sycl.aspect.fp64))


def memory(queue, values, size=None):
    found = sycl.malloc_shared(size or values.size, values.dtype, queue)
    found[:values.size] = values.ravel()
    return found


def lengths_one(queue, some=list) -> None:
    rng = np.random.default_rng(2)
    for precision, kind in kinds(queue):
        for n in some(LENGTHS):
            x = (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(
                np.result_type(kind, np.complex64))
            plan = dft.descriptor(precision, COMPLEX, n)
            plan.commit(queue)
            a, out = memory(queue, x), memory(queue, np.zeros_like(x))
            dft.compute_forward(plan, a, out).wait()
            near(out[:], slow(x, -1), kind, n)
            assert np.array_equal(a[:], x)
            dft.compute_backward(plan, out).wait()
            near(out[:], x * kind(n), kind, n)
            real = x.real.copy()
            plan = dft.descriptor(precision, REAL, n)
            plan.set_value(KEY.BACKWARD_SCALE, 1 / n)
            plan.commit(queue)
            b, half = memory(queue, real), memory(queue, np.zeros(n // 2 + 1, x.dtype))
            dft.compute_forward(plan, b, half).wait()
            near(half[:], slow(real, -1)[:n // 2 + 1], kind, n)
            back = memory(queue, np.zeros_like(real))
            dft.compute_backward(plan, half, back).wait()
            near(back[:], real, kind, n)
            for m in (a, out, b, half, back):
                sycl.free(m, queue)


def more_dimensions(queue, some=list) -> None:
    rng = np.random.default_rng(3)
    for precision, kind in kinds(queue):
        for shape in some(SHAPES):
            x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(
                np.result_type(kind, np.complex64))
            plan = dft.descriptor(precision, COMPLEX, list(shape))
            plan.commit(queue)
            a = memory(queue, x)
            dft.compute_forward(plan, a).wait()
            near(a[:].reshape(shape), np.fft.fftn(x.astype("D")), kind, x.size)
            dft.compute_backward(plan, a).wait()
            near(a[:].reshape(shape), x * kind(x.size), kind, x.size)
            real = x.real.copy()
            plan = dft.descriptor(precision, REAL, list(shape))
            plan.commit(queue)
            right = np.fft.rfftn(real.astype(float))
            row = 2 * (shape[-1] // 2 + 1)
            padded = np.zeros((*shape[:-1], row), kind)
            padded[..., :shape[-1]] = real
            b = memory(queue, padded)
            dft.compute_forward(plan, b).wait()
            found = b[:].view(x.dtype).reshape(right.shape)
            near(found, right, kind, x.size)
            dft.compute_backward(plan, b).wait()
            near(b[:].reshape(padded.shape)[..., :shape[-1]], real * kind(x.size), kind, x.size)
            sycl.free(a, queue)
            sycl.free(b, queue)


def batches(queue, some=list) -> None:
    rng = np.random.default_rng(4)
    for n in some((8, 12, 15)):
        x = (rng.standard_normal((n, 3)) + 1j * rng.standard_normal((n, 3))).astype(np.complex64)
        plan = dft.descriptor(SINGLE, COMPLEX, n)
        plan.set_value(KEY.NUMBER_OF_TRANSFORMS, 3)
        plan.set_value(KEY.FWD_STRIDES, [1, 3])
        plan.set_value(KEY.FWD_DISTANCE, 1)
        plan.set_value(KEY.BWD_STRIDES, [0, 1])
        plan.set_value(KEY.BWD_DISTANCE, n)
        plan.set_value(KEY.PLACEMENT, VALUE.NOT_INPLACE)
        plan.set_value(KEY.FORWARD_SCALE, 0.5)
        plan.commit(queue)
        a = memory(queue, np.concatenate([[7], x.ravel()]).astype(x.dtype))
        out = memory(queue, np.zeros(3 * n, x.dtype))
        dft.compute_forward(plan, a, out).wait()
        near(out[:].reshape(3, n).T, np.fft.fft(x.astype("D"), axis=0) / 2, np.float32, n)
        dft.compute_backward(plan, out, a).wait()
        near(a[1:].reshape(n, 3), x * np.float32(n / 2), np.float32, n)
        assert a[0] == 7
        sycl.free(a, queue)
        sycl.free(out, queue)
    real = rng.standard_normal((4, 10)).astype(np.float32)
    plan = dft.descriptor(SINGLE, REAL, [2, 5])
    plan.set_value(KEY.NUMBER_OF_TRANSFORMS, 4)
    plan.set_value(KEY.FWD_DISTANCE, 10)  # no room for a spectrum in place
    plan.commit(queue)
    a, out = memory(queue, real), memory(queue, np.zeros(24, np.complex64))
    dft.compute_forward(plan, a, out).wait()
    right = np.fft.rfft2(real.reshape(4, 2, 5).astype(float))
    near(out[:].reshape(4, 2, 3), right, np.float32, 10)
    with pytest.raises(mkl.invalid_argument, match="elements overlap"):
        dft.compute_forward(plan, a)
    sycl.free(a, queue)
    sycl.free(out, queue)


PARTS = (lengths_one, more_dimensions, batches)


@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.__name__)
def test_transforms_are_right(queue: sycl.queue, part) -> None:
    """In every way; of lengths and shapes two devices of a sample take half each."""
    assert part(queue, functools.partial(by_turns, queue.get_device())) is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_transforms_right(provider: str) -> None:
    with mkl.using("mkl.dft", provider):
        for part in PARTS:
            if provider != "kernels" or part is not lengths_one:
                assert part(sycl.queue(sycl.cpu_selector_v)) is None


@pytest.mark.parametrize("provider", PROVIDERS)
def test_in_place_and_back_nothing_else_changes(provider: str) -> None:
    queue, rng = sycl.queue(sycl.cpu_selector_v), np.random.default_rng(5)
    with mkl.using("mkl.dft", provider):
        plan = dft.descriptor(SINGLE, REAL, [6, 10])  # rows have room for their spectra
        plan.set_value(KEY.FWD_STRIDES, [1, 13, 1])
        plan.set_value(KEY.BWD_STRIDES, [0, 7, 1])
        plan.set_value(KEY.BACKWARD_SCALE, 1 / 60)
        plan.commit(queue)
        wide = np.full(1 + 6 * 14, 7, np.float32)
        rows = wide[1:79].reshape(6, 13)
        rows[:, :10] = x = rng.standard_normal((6, 10)).astype(np.float32)
        spectrum = np.zeros(6 * 7, np.complex64)
        dft.compute_forward(plan, wide[:79], spectrum).wait()
        near(spectrum.reshape(6, 7)[:, :6], np.fft.rfft2(x.astype("d")), np.float32, 60)
        assert (wide[79:] == 7).all()
        assert wide[0] == 7
        assert not spectrum.reshape(6, 7)[:, 6].any()
        before, back = spectrum.copy(), np.full(79, 7, np.float32)
        dft.compute_backward(plan, spectrum, back).wait()
        assert (spectrum == before).all()
        near(back[1:].reshape(6, 13)[:, :10], x, np.float32, 60)
        assert (back[1:].reshape(6, 13)[:, 10:] == 7).all()
        row = dft.descriptor(SINGLE, REAL, 9)
        row.set_value(KEY.BACKWARD_SCALE, 1 / 9)
        row.commit(queue)
        data = np.zeros(10, np.float32)
        data[:9] = x.ravel()[:9]
        dft.compute_forward(row, data).wait()
        near(data.view(np.complex64), np.fft.rfft(x.ravel()[:9].astype("d")), np.float32, 9)
        dft.compute_backward(row, data).wait()
        near(data[:9], x.ravel()[:9], np.float32, 9)


def test_a_short_transform_that_comes_again_is_checked_again() -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    plan, rng = dft.descriptor(SINGLE, COMPLEX, 30), np.random.default_rng(3)
    plan.commit(queue)
    out = np.zeros(30, np.complex64)
    for _ in range(3):
        x = rng.standard_normal(60).astype(np.float32).view(np.complex64)
        dft.compute_forward(plan, x, out).wait()
        near(out, np.fft.fft(x.astype("D")), np.float32, 30)
    for bad, why in ((out, "overlap"), (np.zeros(60, np.complex64)[::2], "gaps"),
                     (np.zeros(29, np.complex64), "29 elements"), (np.zeros(30), "float64")):
        with pytest.raises(mkl.invalid_argument, match=why):
            dft.compute_forward(plan, bad, out)
    plan.set_value(KEY.FORWARD_SCALE, 2)
    with pytest.raises(mkl.uninitialized):
        dft.compute_forward(plan, x, out)
    plan.commit(queue)
    dft.compute_forward(plan, x, out).wait()
    near(out, 2 * np.fft.fft(x.astype("D")), np.float32, 30)


def test_the_tutorials_transform_is_numpys(queue: sycl.queue) -> None:
    n = 1000
    signal = np.sin(np.arange(n) / 7).astype(np.float32)
    transform = dft.descriptor(SINGLE, REAL, n)
    transform.commit(queue)
    found = np.zeros(n // 2 + 1, np.complex64)
    with sycl.buffer(signal) as data, sycl.buffer(found) as spectrum:
        dft.compute_forward(transform, data, spectrum)
    near(found, np.fft.rfft(signal.astype(float)), np.float32, n)


def test_bad_input_is_refused(queue: sycl.queue) -> None:
    plan = dft.descriptor(SINGLE, COMPLEX, 8)
    data = sycl.malloc_shared(8, np.complex64, queue)
    other = sycl.malloc_shared(8, np.complex64, queue)
    with pytest.raises(mkl.uninitialized, match="not committed"):
        dft.compute_forward(plan, data)
    plan.set_value(KEY.PLACEMENT, VALUE.INPLACE)
    plan.commit(queue)
    assert plan.get_value(KEY.COMMIT_STATUS) is VALUE.COMMITTED
    plan.set_value(KEY.FORWARD_SCALE, 2)
    with pytest.raises(mkl.uninitialized, match="not committed"):
        dft.compute_forward(plan, data)
    plan.commit(queue)
    assert plan.get_value(KEY.FWD_STRIDES) == [0, 1]
    short = sycl.malloc_shared(7, np.complex64, queue)
    bad = {
        "got 2 memories": lambda: dft.compute_forward(plan, data, other),
        "the data has 7 elements where 8": lambda: dft.compute_forward(plan, short),
        "elements of float64": lambda: dft.compute_forward(plan, np.zeros(8)),
        "1 to 3 dimensions": lambda: dft.descriptor(SINGLE, REAL, [2, 2, 2, 2]),
        "a length must be at least 1": lambda: dft.descriptor(SINGLE, REAL, 0),
        "the precision must be one of": lambda: dft.descriptor("SINGLE", REAL, 4),
        "there is no parameter": lambda: plan.set_value("COLOUR", 1),
        "LENGTHS cannot be changed": lambda: plan.set_value(KEY.LENGTHS, 9),
        "an offset and a stride": lambda: plan.set_value(KEY.FWD_STRIDES, [1]),
        "the first argument is a descriptor": lambda: dft.compute_forward(data),
    }
    for text, call in bad.items():
        with pytest.raises(sycl.UsageError, match=text):
            call()
    plan.set_value(KEY.NUMBER_OF_TRANSFORMS, 2)
    plan.set_value(KEY.FWD_DISTANCE, 4)
    with pytest.raises(mkl.invalid_argument, match="elements overlap in memory"):
        plan.commit(queue)
    for m in (data, other, short):
        sycl.free(m, queue)


@pytest.mark.part("L-24")
def test_reruns_give_the_same_bits(queue: sycl.queue) -> None:
    n = 210
    x = np.random.default_rng(1).standard_normal(2 * n).astype(np.float32)
    a, out = memory(queue, x.view(np.complex64)), memory(queue, np.zeros(n, np.complex64))
    c = memory(queue, np.zeros(400, np.float32))
    plan = dft.descriptor(SINGLE, COMPLEX, n)
    plan.commit(queue)
    found = set()
    b = memory(queue, x[:400])
    for _ in range(3):
        dft.compute_forward(plan, a, out).wait()
        mkl.blas.gemm(queue, mkl.transpose.nontrans, mkl.transpose.trans, 20, 20, 20, 1, b, 20, b,
                      20, 0, c, 20).wait()
        found.add((out[:].tobytes(), c[:].tobytes()))
    assert len(found) == 1
    for m in (a, b, c, out):
        sycl.free(m, queue)


@pytest.mark.part("L-6")
def test_half_of_a_spectrum_lies_as_complex_numbers(queue: sycl.queue) -> None:
    param, value = mkl.dft.config_param, mkl.dft.config_value
    made = mkl.dft.descriptor(mkl.dft.precision.SINGLE, mkl.dft.domain.REAL, 6)
    made.set_value(param.PACKED_FORMAT, value.CCE_FORMAT)
    made.set_value(param.CONJUGATE_EVEN_STORAGE, value.COMPLEX_COMPLEX)
    made.set_value(param.REAL_STORAGE, value.REAL_REAL)
    with pytest.raises(mkl.invalid_argument, match="COMPLEX_STORAGE must be one of config_value.C"):
        made.set_value(param.COMPLEX_STORAGE, value.REAL_REAL)
    made.commit(queue)
    x, y = sycl.malloc_shared(6, np.float32, queue), sycl.malloc_shared(4, np.complex64, queue)
    x[:] = [1, 4, 2, 5, 0, 3]
    mkl.dft.compute_forward(made, x, y).wait()
    assert np.allclose(np.asarray(y), np.fft.rfft([1, 4, 2, 5, 0, 3]), atol=1e-5)
    assert made.get_value(param.PACKED_FORMAT) is value.CCE_FORMAT
