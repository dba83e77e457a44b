"""Complex numbers are NumPy's, on every device: bit by bit where NumPy only adds and multiplies."""

from __future__ import annotations

import cmath
from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree
from unisycl.testing import refused

pytestmark = pytest.mark.row("D-1")
N = 150
TYPES = pytest.mark.parametrize("name", ["complex64", "complex128"])


@pytest.fixture(autouse=True)
def _wide(request, device):
    """Devices without fp64 refuse complex128."""
    wide = getattr(request.node, "callspec", None)
    if wide is not None and wide.params.get("name") == "complex128" \
            and not device.has(sycl.aspect.fp64):
        with refused(device, sycl.aspect.fp64):
            yield
    else:
        yield


def numbers(name: str, seed: int = 0) -> np.ndarray:
    """Return numbers of all quadrants, with zeros, equal parts and some that cancel."""
    rng = np.random.default_rng(seed)
    z = (rng.normal(size=N) + 1j * rng.normal(size=N)).astype(name)
    z[:6] = [0, 1, 1j, -1 - 1j, 3 - 4j, complex(-0.0, 2)]
    return z


def parts(name: str, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=N).astype(np.dtype(name).type(0).real.dtype)


@TYPES
def test_sums_products_and_quotients_are_numpys(queue, name):
    def build(z, w, f, out):
        def kernel(i):
            out[i, 0] = z[i] + w[i] - f[i]
            out[i, 1] = z[i] * w[i] + 1j
            out[i, 2] = z[i] / w[i]
            out[i, 3] = 2 * z[i] - w[i] / 3 + 0.5
            out[i, 4] = -z[i] + (f[i] if i % 3 else w[i])
            out[i, 5] = 1j * f[i] + f[i]
            out[i, 6] = z[i] * z[i].conjugate()
            out[i, 7] = f[i] / (z[i] + 7)
        return kernel
    z, w = numbers(name), numbers(name, 1)
    w[:6] = [1, 2j, 1 + 1j, 1 - 3j, 2, -3j]
    agree(queue, build, N, z=z, w=w, f=parts(name), out=np.zeros((N, 8), name))


@TYPES
def test_whole_powers_multiply_as_numpys_do(queue, name):
    def build(z, out):
        def kernel(i):
            out[i, 0] = z[i] ** 2
            out[i, 1] = z[i] ** 3 + z[i] ** 1 + z[i] ** 0
            out[i, 2] = z[i] ** 7
            out[i, 3] = (z[i] + 9) ** -5
            out[i, 4] = z[i] ** 2.0
        return kernel
    agree(queue, build, N, z=numbers(name), out=np.zeros((N, 5), name))


@TYPES
def test_parts_comparisons_and_truth_are_numpys(queue, name):
    def build(z, w, f, tests, out):
        def kernel(i):
            tests[i, 0] = z[i] == w[i]
            tests[i, 1] = z[i] != w[i] or not z[i]
            tests[i, 2] = bool(z[i]) and z[i] == z[i].real
            f[i, 0] = z[i].real - z[i].imag
            f[i, 1] = np.real(z[i]) + np.imag(w[i]) + f[i, 2].real + f[i, 2].imag
            out[i] = complex(f[i, 2], z[i].real) + np.conj(w[i])
        return kernel
    z, w = numbers(name), numbers(name)
    w[::3] += 1j
    f = np.zeros((N, 3), z.real.dtype)
    f[:, 2] = parts(name)
    agree(queue, build, N, z=z, w=w, f=f, tests=np.zeros((N, 3), bool), out=np.zeros(N, name))


@TYPES
def test_nan_and_infinity_go_through_as_numpys_do(queue, name):
    def build(z, w, out):
        def kernel(i):
            out[i, 0] = z[i] * w[i]
            out[i, 1] = z[i] + w[i]
            out[i, 2] = z[i] / w[i]
        return kernel
    special = [complex(a, b) for a in (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan)
               for b in (0.0, -1.0, np.inf, np.nan)]
    z = np.array([a for a in special for _ in special], name)
    w = np.array([b for _ in special for b in special], name)
    agree(queue, build, len(z), z=z, w=w, out=np.zeros((len(z), 3), name))


@TYPES
def test_functions_are_close_to_numpys(queue, name):
    z, w = numbers(name)[6:], numbers(name, 1)[6:]
    z[:4] = [1 + 1e-4j, 0.6 + 0.8j, -1e-3 + 1j, 30 - 40j]
    count = len(z)
    out, sizes = np.zeros((count, 5), name), np.zeros((count, 3), z.real.dtype)

    def kernel(i):
        out[i, 0] = np.exp(z[i] / 8)
        out[i, 1] = np.sqrt(z[i])
        out[i, 2] = np.log(z[i])
        out[i, 3] = w[i] ** z[i] if abs(z[i]) < 10 else z[i] ** 0.5
        out[i, 4] = z[i] ** 0.25
        sizes[i, 0] = abs(z[i])
        sizes[i, 1] = np.abs(z[i])
        sizes[i, 2] = np.angle(z[i])
    queue.parallel_for(count, kernel).wait()
    wide, other = z.astype(complex), w.astype(complex)
    expected = np.stack([np.exp(wide / 8), np.sqrt(wide), np.log(wide),
                         np.where(abs(wide) < 10, other ** wide, wide ** 0.5), wide ** 0.25], 1)
    error = np.abs(out - expected) / np.abs(expected) / np.finfo(name).eps
    assert (error.max(0) < [4, 4, 6, 60, 8]).all()
    assert (error[:4, 2] < 6).all()
    np.testing.assert_allclose(sizes, np.stack(
        [abs(wide), abs(wide), np.angle(wide)], 1), rtol=6 * np.finfo(name).eps)


@pytest.mark.row("D-11")
def test_variables_loops_tuples_and_functions_hold_them(queue):
    def step(z, c):
        return z * z + c, z.conjugate()

    def build(c, out, counts):
        def kernel(i):
            z, last = 0j, 0.0
            k = 0
            while z.real * z.real + z.imag * z.imag <= 4 and k < 60:
                z, last = step(z, c[i])
                k += 1
            z, swapped = complex(z.imag, z.real), (z, last)
            total = 0
            for item in (z, swapped[0], 1j, c[i]):
                total += item if k % 2 else -item
            out[i] = total + swapped[k % 2]
            counts[i] = k
        return kernel
    c = (np.linspace(-2, 1, N) + 1j * np.linspace(-1, 1, N)).astype(np.complex64)
    agree(queue, build, N, c=c, out=np.zeros(N, np.complex64), counts=np.zeros(N, np.int32))


@pytest.mark.row("D-10")
@pytest.mark.row("D-11")
def test_records_private_and_local_memory_hold_them(queue):
    kind = np.dtype([("k", np.int16), ("z", np.complex64), ("w", np.complex64, (2,))])
    data, out = np.zeros(64, kind), np.zeros(64, np.complex64)
    data["z"], data["k"] = np.arange(64) * (1 - 2j), np.arange(64)
    data["w"] = np.arange(128).reshape(64, 2) * 1j

    def kernel(it, tile):
        i, k = it.get_global_id(0), it.get_local_id(0)
        own = sycl.private_array(np.complex64, 3)
        for j in range(3):
            own[j] = data[i].z * j
        tile[k] = own[k % 3] + data[i].w[1]
        kept = tile[k] * 1j
        sycl.group_barrier(it.get_group())
        out[i] = tile[15 - k] + kept
        data[i].w[0] = data[i].z + data[i].k
    queue.parallel_for(sycl.nd_range(64, 16), kernel,
                       sycl.local_accessor(np.complex64, 16)).wait()
    i = np.arange(64)
    tile = i * (1 - 2j) * (i % 16 % 3) + (2 * i + 1) * 1j
    np.testing.assert_array_equal(out, tile.reshape(4, 16)[:, ::-1].ravel() + tile * 1j)
    np.testing.assert_array_equal(data["w"][:, 0], i * (1 - 2j) + i)


@dataclass
class Wave:
    """A plane wave."""

    amplitude: complex
    phase: complex

    def at(self, x):
        return self.amplitude * x + self.phase


def test_captured_numbers_and_dataclasses_are_complex(queue):
    weak, strong, flat = 1 - 2j, np.complex64(3 + 4j), (2j, np.float32(2))

    def build(x, out):
        def kernel(i):
            wave = Wave(weak, strong)
            out[i] = wave.at(x[i]) + flat[0] * weak * strong
        return kernel
    agree(queue, build, N, x=parts("complex64"), out=np.zeros(N, np.complex64))

    def give(i, z, o):
        o[i] = z * (1 + i)
    for value in (2 + 1j, 5j, np.complex64(3 - 1j)):
        out = np.zeros(4, np.complex64)
        queue.parallel_for(4, give, value, out).wait()
        np.testing.assert_array_equal(out, value * np.arange(1, 5))


@pytest.mark.row("D-9")
def test_marrays_of_them_work_element_by_element(queue):
    c3 = sycl.marray(np.complex64, 3)
    out = np.zeros((N, 3), np.complex64)
    z = np.round(numbers("complex64") * 8)  # whole: NumPy may fuse the products of arrays

    def kernel(i):
        m = c3(z[i], 1j, 2)
        m = m * m + c3(1)
        for k in range(3):
            out[i, k] = m[k]
    queue.parallel_for(N, kernel).wait()
    np.testing.assert_array_equal(out, np.stack([z, z * 0 + 1j, z * 0 + 2], 1) ** 2 + 1)


@pytest.mark.row("B-1")
def test_buffers_and_usm_hold_them(queue):
    z = numbers("complex64").reshape(10, 15)
    usm = sycl.malloc_shared((10, 15), np.complex64, queue)
    usm[:] = 0
    expected = z * 2j + 1
    with sycl.buffer(z) as b:
        def group(h):
            a = sycl.accessor(b, h, sycl.read_write)

            def kernel(i):
                a[i] = a[i] * 2j + 1
                usm[i] = a[i].conjugate()
            h.parallel_for(b.get_range(), kernel)
        queue.submit(group)
    queue.wait()
    np.testing.assert_array_equal(z, expected)
    np.testing.assert_array_equal(np.asarray(usm), expected.conj())
    sycl.free(usm, queue)


@pytest.mark.row("D-38")
@pytest.mark.row("D-40")
@pytest.mark.row("D-41")
@pytest.mark.row("D-42")
def test_groups_add_and_exchange_them(queue):
    z = np.round(numbers("complex64")[:64] * 8)
    out = np.zeros((5, 64), np.complex64)

    def kernel(it):
        i, g, s = it.get_global_id(0), it.get_group(), it.get_sub_group()
        out[0, i] = sycl.reduce_over_group(g, z[i], sycl.plus)
        out[1, i] = sycl.inclusive_scan_over_group(g, z[i], sycl.plus)
        out[2, i] = sycl.exclusive_scan_over_group(g, z[i], 1j, sycl.plus)
        out[3, i] = sycl.group_broadcast(g, z[i], 3)
        out[4, i] = sycl.permute_group_by_xor(s, z[i], 1)
    queue.parallel_for(sycl.nd_range(64, 16), kernel).wait()
    rows = z.reshape(4, 16)
    np.testing.assert_array_equal(out[0], np.repeat(rows.sum(1), 16))
    np.testing.assert_array_equal(out[1], rows.cumsum(1).ravel())
    np.testing.assert_array_equal(out[2], (rows.cumsum(1) - rows + 1j).ravel())
    np.testing.assert_array_equal(out[3], np.repeat(rows[:, 3], 16))
    if min(queue.get_device().get_info(sycl.info.device.sub_group_sizes)) > 1:
        np.testing.assert_array_equal(out[4], z.reshape(32, 2)[:, ::-1].ravel())


@pytest.mark.row("D-24")
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan", "sinh", "cosh", "tanh", "log2", "log10"])
def test_more_functions_are_numpys(queue: sycl.queue, name: str, dtype: str) -> None:
    if dtype == "complex128" and not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip("this device has no doubles")
    rng = np.random.default_rng(7)
    z = (rng.uniform(-3, 3, 200) + 1j * rng.uniform(-3, 3, 200)).astype(dtype)
    edges = [1e-6 + 1e-6j, 30 + 1j, -30 + 2j, 1 + 30j, -2 - 30j, 1j, -1j, 1 + 0j, -2.5 + 0j]
    z = np.concatenate([z, np.array(edges, dtype)])
    out = np.zeros_like(z)
    call = getattr(np, name)

    def kernel(i, z, out):
        out[i] = call(z[i])

    queue.parallel_for(len(z), kernel, z, out).wait()
    wanted = call(z.astype(np.complex128))
    bound = 16 * np.finfo(dtype).eps
    assert (np.abs(out - wanted) <= bound * np.abs(wanted)).all()


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_functions_of_cmath_give_pythons_numbers(queue: sycl.queue, name: str) -> None:
    z = numbers(name)[1:]
    out, rest = np.zeros((len(z), 13), np.complex128), np.zeros((len(z), 7))

    def every(i, z, out, rest):
        w = z[i]
        out[i, 0] = cmath.exp(w)
        out[i, 1] = cmath.log(w)
        out[i, 2] = cmath.log(w, 3)
        out[i, 3] = cmath.sqrt(w)
        out[i, 4] = cmath.sin(w)
        out[i, 5] = cmath.cos(w)
        out[i, 6] = cmath.tan(w)
        out[i, 7] = cmath.sinh(w)
        out[i, 8] = cmath.cosh(w)
        out[i, 9] = cmath.tanh(w)
        out[i, 10] = cmath.log10(w)
        out[i, 11] = cmath.rect(abs(complex(w)), cmath.phase(w)) + cmath.pi * cmath.infj.real
        radius, angle = cmath.polar(w)
        out[i, 12] = cmath.exp(1.5) + cmath.rect(1.0, 0.5)
        rest[i, 0], rest[i, 1], rest[i, 2] = radius, angle, cmath.phase(w)
        rest[i, 3] = cmath.isnan(w) + 2 * cmath.isinf(w) + 4 * cmath.isfinite(w)
        odd = complex(w.real, float("inf") if i % 2 else float("nan"))
        rest[i, 4] = cmath.isnan(odd)
        rest[i, 5] = cmath.isinf(odd)
        rest[i, 6] = cmath.isfinite(odd) or not cmath.isfinite(w)

    with refused(queue.get_device(), sycl.aspect.fp64):
        queue.parallel_for(len(z), every, z, out, rest).wait()
    wanted, others = np.zeros_like(out), np.zeros_like(rest)
    for i in range(len(z)):
        every(i, z, wanted, others)
    np.testing.assert_allclose(out, wanted, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(rest, others, rtol=1e-13, atol=1e-14)
