"""What NumPy computes of a whole row, and slices behind other indices."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree
from unisycl.testing import refused

pytestmark = pytest.mark.part("D-11")
N = 3
LENGTHS = (7, 8, 129, 1031)  # below and around eight sums, a block of 128, and halves


def numbers(kind, length):
    rng = np.random.default_rng(length)
    x = rng.standard_normal((N, length)) * (1 if kind is np.float16 else 50)
    return x.astype(kind)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16])
def test_floats_are_added_bit_by_bit_as_numpy_adds_them(queue, kind):
    def build(a, b, c, d, out):
        def kernel(i):
            out[i, 0], out[i, 1] = a[i].sum(), np.sum(b[i])
            out[i, 2], out[i, 3] = c[i].sum(), np.sum(d[i, 1:])
        return kernel
    with refused(queue.get_device(), *((sycl.aspect.fp16,) if kind is np.float16 else ())):
        agree(queue, build, N, out=np.zeros((N, 4), kind),
              **{name: numbers(kind, n) for name, n in zip("abcd", LENGTHS, strict=True)})


def test_sums_and_products_of_integers_have_numpys_types(queue):
    def build(a, u, flags, out, unsigned, kinds):
        def kernel(i):
            out[i, 0], out[i, 1], out[i, 2] = a[i].sum(), a[i].prod(), flags[i].sum()
            unsigned[i] = np.prod(u[i])
            kinds[0] = a[i].sum().dtype == np.int64
            kinds[1] = u[i].sum().dtype == np.uint64
            kinds[2] = a[i].max().dtype == np.int8
            kinds[3] = a[i].argmin().dtype == np.int64
            kinds[4] = flags[i].sum().dtype == np.int64
        return kernel
    a = np.array([[100, 100, 100], [-128, -128, 3], [1, 0, 5]], np.int8)
    u = np.array([[2**31, 5], [2**32 - 1, 2**32 - 1], [0, 1]], np.uint32)
    agree(queue, build, N, a=a, u=u, flags=a > 2, out=np.zeros((N, 3), np.int64),
          unsigned=np.zeros(N, np.uint64), kinds=np.zeros(5, np.bool_))


def test_means_and_products_of_floats(queue):
    def build(a, b, k, out, wide):
        def kernel(i):
            out[i, 0], out[i, 1] = np.mean(a[i]), a[i, 2:9].prod()
            wide[i, 0], wide[i, 1] = b[i].mean(), k[i].mean()
        return kernel
    agree(queue, build, N, a=numbers(np.float32, 131), b=numbers(np.float64, 9),
          k=numbers(np.int32, 11), out=np.zeros((N, 2), np.float32), wide=np.zeros((N, 2)))


def test_extremes_and_their_places(queue):
    def build(x, k, out, places, some):
        def kernel(i):
            out[i, 0], out[i, 1] = x[i].max(), np.min(x[i])
            out[i, 2], out[i, 3] = np.amax(k[i]), k[i].min()
            places[i, 0], places[i, 1] = x[i].argmax(), np.argmin(x[i])
            places[i, 2], places[i, 3] = np.argmax(k[i]), k[i, 1:].argmin()
            some[i, 0], some[i, 1] = k[i].any(), np.all(k[i])
            some[i, 2], some[i, 3] = (x[i].max() > 4), some[i, :2].all()
        return kernel
    nan, inf = np.nan, np.inf
    x = np.array([[1, 5, 5, -2, -2], [1, nan, 9, nan, -9], [-inf, 0, inf, inf, 3]], np.float32)
    k = np.array([[0, 0, 0, 0], [7, -7, 7, -7], [3, 0, 1, 0]], np.int16)
    agree(queue, build, N, x=x, k=k, out=np.zeros((N, 4), np.float32),
          places=np.zeros((N, 4), np.int32), some=np.zeros((N, 4), np.bool_))


def test_memory_of_every_kind_has_rows(queue):
    out = np.zeros((N, 3), np.float32)

    def kernel(it, tile, out):
        i = it.get_local_id(0)
        mine = sycl.private_array(np.float32, 4)
        for c in range(4):
            mine[c] = i * c
            tile[i, c] = i - c
        sycl.group_barrier(it.get_group())
        out[i] = mine.sum(), tile[2 - i].max(), mine[1:3].mean()

    queue.submit(lambda h: h.parallel_for(
        sycl.nd_range(N, N), kernel, sycl.local_accessor(np.float32, (N, 4), h), out)).wait()
    assert out.tolist() == [[6.0 * i, 2.0 - i, 1.5 * i] for i in range(N)]


def test_slices_stand_behind_other_indices(queue):
    def build(image, out):
        def kernel(i):
            row = image[i, 1, 1:-1]
            out[i, 0] = row[0] + 10 * row[-1] + 100 * len(row)
            out[i, 1:3] = row[1], 5
            out[i, 3:] = i
            for v in image[i, 0, :]:
                out[i, 0] += v
        return kernel
    image = (np.arange(N * 10) * 7 % 13).reshape(N, 2, 5).astype(np.int32)
    agree(queue, build, N, image=image, out=np.zeros((N, 5), np.int32))


@pytest.mark.parametrize(("write", "said"), [
    (lambda i, a, out: a.sum(), r"'sum' of 2 dimensions.*row by row: a\[i\].sum\(\)"),
    (lambda i, a, out: a[i].sum(axis=0), "has no 'axis' in a kernel"),
    (lambda i, a, out: np.max((1, 2)), "a row of memory is needed"),
    (lambda i, a, out: np.dot(a[i], a[i]), r"sum\(x \* y for x, y in zip\(a, b\)\)"),
])
def test_what_is_no_row_is_refused(queue, write, said):
    def kernel(i, a, out):
        out[i] = write(i, a, out)
    with pytest.raises(sycl.KernelError, match=f"(?s){said}"):
        queue.parallel_for(N, kernel, numbers(np.float32, 4), np.zeros(N, np.float32))


def test_an_empty_row_has_no_extremes(queue):
    def kernel(i, a, out):
        out[i] = a[i, 2:2].max()
    out = np.zeros(N, np.float32)
    told = sycl.queue(queue.get_device(), sycl.property.queue.debug("assert"))
    with pytest.raises(sycl.exception, match="zero-size array to reduction operation maximum"):
        told.parallel_for(N, kernel, numbers(np.float32, 4), out).wait_and_throw()


BODY = np.dtype([("a", np.float32, (43,)), ("k", np.int16, (3, 2)), ("tag", np.uint8)])


def bodies():
    rng = np.random.default_rng(5)
    found = np.zeros(N, BODY)
    found["a"], found["k"] = rng.standard_normal((N, 43)), rng.integers(-9, 9, (N, 3, 2))
    return found


def test_arrays_in_records_are_rows(queue):
    def build(r, out, places):
        def spread(row):
            return row.max() - np.min(row)

        def kernel(i):
            mine = copy.copy(r[i])
            mine.a[7] = 50
            out[i, 0], out[i, 1], out[i, 2] = r[i]["a"].sum(), np.mean(r[i].a), mine.a.sum()
            out[i, 3], out[i, 4] = spread(r[i].a), mine["a"].min()
            places[i, 0], places[i, 1] = r[i]["k"][1].sum(), mine.k[i].argmin()
            places[i, 2], places[i, 3] = mine.a.argmax(), r[i]["k"][2].any()
        return kernel
    agree(queue, build, N, r=bodies().view(np.recarray), out=np.zeros((N, 5), np.float32),
          places=np.zeros((N, 4), np.int64))


def test_arrays_in_a_record_given_by_value_are_rows(queue):
    def kernel(i, one, out):
        out[i] = one.a.sum() + one["k"][i].max()
    out, one = np.zeros(N, np.float32), bodies()[1]
    queue.parallel_for(N, kernel, one, out).wait()
    assert out.tolist() == [np.float32(one["a"].sum() + one["k"][i].max()) for i in range(N)]


def test_arrays_in_records_of_several_dimensions_are_refused(queue):
    def kernel(i, r, out):
        out[i] = r[i].k.sum()
    with pytest.raises(sycl.KernelError, match=r"(?s)'sum' of 2 dimensions.*row by row"):
        queue.parallel_for(N, kernel, bodies(), np.zeros(N, np.int64))


def checked(queue, words):
    if queue.get_device().get_backend().name == "opencl":
        pytest.skip("this device does not look at it")
    return sycl.queue(queue.get_device(), sycl.property.queue.debug(words))


@pytest.mark.parametrize("words", ["1", "races", "uninitialised"])
def test_checked_kernels_take_windows_and_rows(queue, words):
    def kernel(i, a, out):
        mine = sycl.private_array(np.float32, (2, 4))
        mine[0, :] = 1
        mine[1, 0:2] = 2, i
        out[i, 0:2] = a[i, 1:3].sum(), mine[1, 0:2].max()
        out[i, 2:] = mine[0].sum()
    a, out = numbers(np.float32, 4), np.zeros((N, 3), np.float32)
    checked(queue, words).parallel_for(N, kernel, a, out).wait_and_throw()
    assert out.tolist() == [[a[i, 1:3].sum(), 2, 4] for i in range(N)]


def test_a_row_is_read_as_races_see_it(queue):
    if queue.get_device().get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("races are found on the CPU and the host device")

    def kernel(i, a, out):
        a[i, 0] = i
        out[i] = a[(i + 1) % N].sum()
    with pytest.raises(sycl.exception, match="data race"):
        checked(queue, "races").parallel_for(
            N, kernel, numbers(np.float32, 4), np.zeros(N, np.float32)).wait_and_throw()


def test_a_row_has_to_be_written_before_it_is_added_up(queue):
    def kernel(i, out):
        mine = sycl.private_array(np.float32, 4)
        for k in range(3):
            mine[k] = k
        out[i] = mine.sum()
    with pytest.raises(sycl.exception, match="nobody has written"):
        checked(queue, "uninitialised").parallel_for(
            N, kernel, np.zeros(N, np.float32)).wait_and_throw()
