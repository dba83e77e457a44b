"""Rows of memory: unpacked, assigned from tuples, filled with a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree

pytestmark = pytest.mark.row("D-11")
N = 7
P = ((np.arange(N * 3) * 31 % 19 - 9) / 4).reshape(N, 3).astype(np.float32)


def test_rows_are_unpacked(queue):
    def build(p, out):
        def kernel(i):
            x, y, z = p[i]
            out[i, 0] = x + 10 * y + 100 * z
            (a, b), c = p[i][0:2], i
            out[i, 1] = a - b * c
            for x, y, z in p:
                out[i, 2] += x * y - z * i
            x, y = y, x
            out[i, 3] = x - y
        return kernel
    agree(queue, build, N, p=P, out=np.zeros((N, 4)))


def test_fewer_indices_than_dimensions_lead_to_rows(queue):
    def build(image, grey, out):
        def kernel(i):
            for x in range(4):
                r, g, b = image[i, x]
                grey[i, x] = r * 77 + g * 150 + b * 29
                out[i, x] = image[i, x][2], g, image[i, -1 - x][0]
                out[i, x][1] += image[i][x, -1]
                for c, v in enumerate(image[-1, x]):
                    grey[i, x] += c * v
            out[i, -1] = 7
        return kernel
    image = (np.arange(N * 12) * 37 % 251).reshape(N, 4, 3).astype(np.int32)
    agree(queue, build, N, image=image, grey=np.zeros((N, 4), np.int64),
          out=np.zeros((N, 5, 3), np.float32))


def test_rows_are_assigned_from_tuples_and_filled(queue):
    def build(p, out, few):
        def kernel(i):
            x, y, z = p[i]
            out[i] = z, x, y
            out[i][1:3] = 2 * x, i
            few[i] = (x > 0, i)
            few[i] = 300 - i if i % 3 == 0 else few[i][1]
        return kernel
    agree(queue, build, N, p=P, out=np.zeros((N, 3)), few=np.zeros((N, 2), np.int16))


def test_rows_are_the_arguments_of_functions_that_take_as_many(queue):
    @dataclass
    class Point:
        x: float
        y: float
        z: float

    def scaled(by, x, y, z):
        return by * (x - y * z)

    def build(p, out):
        def kernel(i):
            least = lambda x, y, z: min(x, y, z)  # noqa: E731
            at = Point(*p[i])
            out[i, 0] = scaled(2, *p[i]) + scaled(1, *p[i][0:2], z=at.z)
            out[i, 1] = least(*p[i])
        return kernel
    agree(queue, build, N, p=P, out=np.zeros((N, 2)))


def test_local_and_private_memory_is_filled(queue):
    out = np.zeros((8, 4), np.int32)

    def kernel(it, out):
        i, table = it.get_global_id(0), np.zeros((2, 3), np.int32)
        shared = sycl.ext.oneapi.group_local_memory_for_overwrite((np.int32, 4), it.get_group())
        if it.get_local_id(0) == 0:
            shared[:] = 7
        sycl.group_barrier(it.get_group())
        table[0][:] = 2
        table[1] = (i, 5, 6)
        table[1][1:] = 3
        out[i] = table[0, 2], table[1, 0], table[1, 2], shared[i % 4]
    queue.parallel_for(sycl.nd_range(8, 4), kernel, out).wait()
    ids = np.arange(8)
    np.testing.assert_array_equal(out, np.stack([0 * ids + 2, ids, 0 * ids + 3, 0 * ids + 7], 1))


@pytest.mark.parametrize(("name", "said"), [
    ("three", "too many values to unpack"),
    ("five", r"not enough values to unpack \(expected 5, got 4\)"),
    ("store", r"could not broadcast input array from shape \(3,\) into shape \(4,\)")])
def test_debugged_kernels_tell_another_length(device, name, said):
    @sycl.kernel(debug=True)
    def three(i, a):
        x, y, z = a[i]
        a[i, 0] = x + y + z

    @sycl.kernel(debug=True)
    def five(i, a):
        x, y, z, u, v = a[i]
        a[i, 0] = x + y + z + u + v

    @sycl.kernel(debug=True)
    def store(i, a):
        a[i] = 1, 2, 3
    kernel = {"three": three, "five": five, "store": store}[name]
    with pytest.raises(sycl.exception, match=said):
        sycl.queue(device).parallel_for(1, kernel, np.zeros((2, 4))).wait_and_throw()


def test_copies_of_memory_to_memory_are_refused(queue):
    def kernel(i, a, b):
        a[0:4] = b[1:5]
    with pytest.raises(sycl.exception, match=r"K049.*\n.*\n.*\n.*copy in a loop"):
        queue.parallel_for(1, kernel, np.zeros(8), np.zeros(8))


def test_arrays_in_records_are_unpacked(queue):
    kind = np.dtype([("v", np.float32, (3,)), ("m", np.int16, (2, 2)), ("k", np.int32)])
    p, out = np.zeros(N, kind), np.zeros((N, 5), np.float32)
    p["v"], p["m"], p["k"] = P, np.arange(N * 4).reshape(N, 2, 2) - 9, np.arange(N)
    want = np.stack([p["v"] @ [1, 10, 100], p["v"][:, 2], p["m"][:, 0, 0] - p["m"][:, 1, 1],
                     p["m"][:, 1].sum(1), p["v"][:, 1] + 1], 1)

    def kernel(i, p, out):
        x, y, z = p[i].v
        out[i, 0] = x + 10 * y + 100 * z
        *_, last = p[i].v
        out[i, 1] = last
        (a, _), (_, d) = p[i]["m"]
        out[i, 2] = a - d
        _, row = p[i].m
        out[i, 3] = row[0] + row[1]
        p[i].v[0], p[i].v[2] = (y + 1, x)
        x, y, z = p[i].v
        out[i, 4] = x
    queue.parallel_for(N, kernel, p, out).wait()
    np.testing.assert_array_equal(out, want)
    np.testing.assert_array_equal(p["v"][:, 2], P[:, 0])


def test_an_array_of_another_length_is_told(queue):
    p = np.zeros(N, np.dtype([("v", np.float32, (3,))]))

    def kernel(i, p):
        x, y = p[i].v
        p[i].v[0] = x + y
    with pytest.raises(sycl.exception, match="K047.*\n|3"):
        queue.parallel_for(N, kernel, p).wait()
