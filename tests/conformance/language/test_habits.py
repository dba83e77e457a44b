"""What NumPy users write without thinking: truth values, tuples, small arrays, methods."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree

pytestmark = pytest.mark.row("D-11")
N = 40
B, C = (np.arange(N) % 3 == 0), (np.arange(N) % 4 < 2)
X = ((np.arange(N) * 7919 % 23 - 11) / 4).astype(np.float32)
K = (np.arange(N) * 31 % 17 - 8).astype(np.int32)


@pytest.mark.row("D-1")
def test_truth_values_are_numbers_and_bits_as_numpys(queue):
    def build(b, c, x, k, out, truth):
        def kernel(i):
            truth[i, 0] = (b[i] & c[i]) | (~b[i] ^ c[i])
            truth[i, 1] = np.logical_and(b[i], x[i]) or np.logical_not(c[i])
            truth[i, 2] = np.logical_xor(b[i], k[i]) == np.logical_or(x[i] > 1, c[i])
            truth[i, 3] = any((b[i], x[i] > 1)) and not all((c[i], k[i], True))
            out[i, 0] = b[i] + c[i] + b[i] * x[i] + (x[i] > 0) * 2.0 + (True + True)
            out[i, 1] = max(b[i], c[i]) + min(b[i], True) + abs(c[i]) + (b[i] << 1)
            count, found = 0, False
            for j in range(N):
                count += b[j]
                found |= x[j] > 2 and c[j]
            out[i, 2] = count + found
            truth[i, 4] = k[i]
            truth[i, 5] = x[i]
            out[i, 3] = c[i]
        return kernel
    agree(queue, build, N, b=B, c=C, x=X, k=K, out=np.zeros((N, 4)), truth=np.zeros((N, 6), bool))


@pytest.mark.row("D-3")
@pytest.mark.row("D-9")
@pytest.mark.row("D-40")
@pytest.mark.row("D-41")
def test_truth_values_live_in_every_memory_and_group_function(queue):
    b, out, counts = B.copy(), np.zeros((3, N), bool), np.zeros(N, np.int64)
    bool4, bool3 = sycl.vec(bool, 4), sycl.marray(bool, 3)

    def kernel(it, tile):
        i, k, g = it.get_global_id(0), it.get_local_id(0), it.get_group()
        own = sycl.private_array(bool, 4)
        for j in range(4):
            own[j] = b[(i + j) % N]
        own[2] = not own[2]
        own[1] |= own[0]
        tile[k] = own[k % 4]
        sycl.group_barrier(g)
        v = ~bool4(tile[7 - k], b[i], True, False) | bool4(b[i])
        m = bool3(b[i], own[0], True) & bool3(own[3])
        out[0, i] = v.x and m[1] or tile[7 - k]
        out[1, i] = sycl.permute_group_by_xor(it.get_sub_group(), b[i], 1)
        out[2, i] = sycl.inclusive_scan_over_group(g, b[i], sycl.logical_or)
        counts[i] = sycl.reduce_over_group(g, int(b[i]), sycl.plus)
    queue.parallel_for(sycl.nd_range(N, 8), kernel, sycl.local_accessor(bool, 8)).wait()
    rows = b.reshape(-1, 8)
    near = np.stack([np.roll(b, -j) for j in range(4)])
    own = np.stack([near[0], near[1] | near[0], ~near[2], near[3]])
    tile = own[np.arange(N) % 8 % 4, np.arange(N)].reshape(-1, 8)[:, ::-1].ravel()
    np.testing.assert_array_equal(out[0], ((~tile | b) & (own[0] & own[3])) | tile)
    if min(queue.get_device().get_info(sycl.info.device.sub_group_sizes)) > 1:
        np.testing.assert_array_equal(out[1], b.reshape(-1, 2)[:, ::-1].ravel())
    np.testing.assert_array_equal(out[2], np.logical_or.accumulate(rows, 1).ravel())
    np.testing.assert_array_equal(counts, np.repeat(rows.sum(1), 8))


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # the largest may be either
def test_tuples_repeat_and_unpack_with_a_star(queue):
    def build(x, k, out):
        def kernel(i):
            first, *rest = (x[i], k[i], 2) + (1,) * 2
            *most, last = rest
            left, *nothing = (k[i],)
            out[i] = first + sum(rest) + len(rest) + max(most) * last + left + len(nothing)
            total = 0.0
            for v in (x[i],) * 3:
                total += v
            out[i] += total
        return kernel
    agree(queue, build, N, x=X, k=K, out=np.zeros(N))


def test_small_arrays_are_filled_with_any_value(queue):
    def build(x, k, out):
        def kernel(i):
            a = np.full(4, x[i])
            b = np.full((2, 2), 2.5, np.float32)
            c = np.full(3, k[i] > 0)
            a[k[i] % 4] += 1
            b[1, 0] = a[0] + a[3]
            out[i] = a[1] + b[1, 0] + b[0, 1] + c[2]
        return kernel
    agree(queue, build, N, x=X, k=K, out=np.zeros(N))


@pytest.mark.row("D-1")
def test_numbers_have_numpys_methods(queue):
    def build(x, k, out):
        def kernel(i):
            weak = x[i].item() * k[i]  # Python's: the other operand's type
            out[i] = (x[i].astype(np.int8) + k[i].astype(np.float16) + x[i].astype(bool)
                      + weak + k[i].real - x[i].imag + x[i].conjugate())
            if x.dtype == np.float32 and x[i].dtype == np.float32:
                out[i] += 1
        return kernel
    agree(queue, build, N, x=X, k=K, out=np.zeros(N))


@pytest.mark.parametrize("count", [9, 500])
def test_tables_are_long_tuples_asked_by_any_index(queue, count):
    table = tuple(7 * k % 101 for k in range(count))

    def look_up(i, there, back):
        there[i] = table[i]
        back[i] = table[-1 - i]
    there, back = (sycl.buffer(np.zeros(count, np.int32)) for _ in range(2))
    queue.submit(lambda h: h.parallel_for(
        count, look_up, *(sycl.accessor(b, h, sycl.write_only) for b in (there, back))))
    assert list(table) == list(np.asarray(sycl.host_accessor(there, sycl.read_only)))
    assert list(table[::-1]) == list(np.asarray(sycl.host_accessor(back, sycl.read_only)))
