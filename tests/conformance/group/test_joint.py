"""Group algorithms over memory, and slices of memory (SYCL 2020 §4.17.4)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import NUMPY, operands, operators

LOCAL = 40
SIZES = [0, 1, LOCAL, 3 * LOCAL + 7]


def reductions(x, out, ops):
    def kernel(it):
        g, s, k = it.get_group(), it.get_sub_group(), it.get_global_id(0)
        for j, fn in enumerate(ops):
            out[j, 0, k] = sycl.joint_reduce(g, x, fn)
            out[j, 1, k] = sycl.joint_reduce(s, x, fn)
            out[j, 2, k] = sycl.joint_reduce(g, x, x[0], fn)
    return kernel


@pytest.mark.row("D-41")
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16",
                                   "float32", "float64"])
def test_reductions_over_memory(queue, dtype):
    names = operators(dtype)
    ops = tuple(getattr(sycl, name) for name in names)
    for size in SIZES[1:]:
        x, out = operands(dtype, size), np.zeros((len(ops), 3, LOCAL), dtype)
        for j, op in enumerate(ops):  # one by one: some compilers take long for many barriers
            queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), reductions(x, out[j:j + 1], (op,)))
        queue.wait()
        for j, name in enumerate(names):
            with np.errstate(over="ignore"):
                kind = None if "logical" in name else x.dtype
                total = NUMPY[name].reduce(x, dtype=kind).astype(dtype)
                more = NUMPY[name].reduce(np.append(x, x[0]), dtype=kind).astype(dtype)
            assert [[total] * LOCAL] * 2 == out[j, :2].tolist(), name
            assert [more] * LOCAL == out[j, 2].tolist(), name


@pytest.mark.row("D-41", "D-42")
def test_nothing_reduces_to_the_initial_value(queue):
    x, out = np.arange(8, dtype=np.int32), np.full((4, LOCAL), -1)

    def kernel(it):
        g, k = it.get_group(), it.get_global_id(0)
        out[0, k] = sycl.joint_reduce(g, x[3:3], 7, sycl.plus)
        out[1, k] = sycl.joint_reduce(g, x[3:3], sycl.multiplies)
        out[2, k] = sycl.joint_any_of(g, x[3:3], lambda v: True)
        out[3, k] = sycl.joint_inclusive_scan(g, x[3:3], x, sycl.plus)
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    assert [[7] * LOCAL, [1] * LOCAL, [0] * LOCAL, [0] * LOCAL] == out.tolist()


@pytest.mark.row("D-39")
@pytest.mark.parametrize("size", SIZES)
def test_votes_over_memory(queue, size):
    x, out = np.arange(size, dtype=np.int32), np.full((6, LOCAL), -1)

    def kernel(it):
        g, s, k = it.get_group(), it.get_sub_group(), it.get_global_id(0)
        out[0, k] = sycl.joint_any_of(g, x, lambda v: v == size - 1)
        out[1, k] = sycl.joint_all_of(g, x, lambda v: v < size - 1)
        out[2, k] = sycl.joint_none_of(g, x, lambda v: v >= size)
        out[3, k] = sycl.joint_any_of(s, x, lambda v: v > size)
        out[4, k] = sycl.joint_all_of(s, x, lambda v: v < size)
        out[5, k] = sycl.joint_none_of(s, x, lambda v: v == 0)
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    expected = [size > 0, size == 0, True, False, True, size == 0]
    assert [[int(v)] * LOCAL for v in expected] == out.tolist()


@pytest.mark.row("D-42")
@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("name", ["plus", "maximum", "bit_xor"])
def test_scans_over_memory(queue, name, size):
    op = getattr(sycl, name)
    x = operands("int16", size)
    r = np.zeros((4, size), np.int16)
    place, ends = x.copy(), np.zeros(5, np.int64)

    def kernel(it):
        g = it.get_group()
        ends[0] = sycl.joint_inclusive_scan(g, x, r[0], op)
        ends[1] = sycl.joint_exclusive_scan(g, x, r[1], op)
        ends[2] = sycl.joint_inclusive_scan(g, x, r[2], op, 3)
        ends[3] = sycl.joint_exclusive_scan(g, x, r[3], 3, op)
        ends[4] = sycl.joint_inclusive_scan(g, place, place, op)
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    identity = sycl.known_identity(op, np.int16)
    for start, rows in ((identity, (r[0], r[1])), (np.int16(3), (r[2], r[3]))):
        with np.errstate(over="ignore"):
            whole = NUMPY[name].accumulate(np.append(start, x), dtype=np.int16)
        assert whole[1:].tolist() == rows[0].tolist()
        assert whole[:-1].tolist() == rows[1].tolist()
    assert r[0].tolist() == place.tolist()
    assert [size] * 5 == ends.tolist()


@pytest.mark.row("D-42", "D-41")
def test_older_names_mean_the_same(queue):
    x, out = operands("int32", LOCAL), np.zeros((3, LOCAL), np.int32)

    def kernel(it):
        g, k = it.get_group(), it.get_global_id(0)
        out[0, k] = sycl.group_reduce(g, x[k], sycl.plus)
        out[1, k] = sycl.group_scan_inclusive(g, x[k], sycl.plus)
        out[2, k] = sycl.group_scan_exclusive(g, x[k], sycl.plus)
    queue.parallel_for(sycl.nd_range(LOCAL, LOCAL), kernel).wait()
    sums = np.add.accumulate(x, dtype=np.int32)
    assert [sums[-1]] * LOCAL == out[0].tolist()
    assert sums.tolist() == out[1].tolist()
    assert [0, *sums[:-1].tolist()] == out[2].tolist()


@pytest.mark.row("D-60")
def test_a_slice_is_a_window_on_memory(queue):
    x, y, out = np.arange(20), np.arange(40).reshape(4, 10), np.zeros(12, np.int64)
    from_here = 3

    def middle(part):
        return part[1:len(part) - 1]

    def kernel(i):
        part = x[from_here:13]
        out[0] = part[0] + len(part) * 100
        inner = middle(part)
        out[1] = inner[0] + inner.size() * 100
        out[2] = inner.get_range(0)
        out[3] = y[2][4:][1]
        out[4] = len(y[2][4:])
        out[5] = inner.shape[0]
        k = 0
        while k < 3:
            turn = x[k:k + 2]
            out[6 + k] = turn[1]
            k += 1
        target = x[15:]
        target[1] = 99
        target[2] += 5
        sycl.atomic_ref(target, 3, sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(1000)
        out[9] = part[:0].empty()
        out[10] = part[:2][1]
    queue.parallel_for(1, kernel).wait()
    assert [1003, 804, 8, 25, 6, 8, 1, 2, 3, 1, 4, 0] == out.tolist()
    assert [15, 99, 22, 1018, 19] == x[15:].tolist()


@pytest.mark.row("D-63")
def test_the_host_device_checks_slices():
    queue = sycl.queue(sycl.host_selector_v)
    x = np.arange(20)

    def kernel(i):
        x[0] = x[5:25][0]
    with pytest.raises(sycl.DeviceError, match=r"5:25 is outside 'x' \(range 20\)"):
        queue.parallel_for(1, kernel).wait()


@pytest.mark.row("D-63")
def test_an_error_in_an_algorithm_names_the_users_line():
    queue = sycl.queue(sycl.host_selector_v)
    x, short = np.arange(20), np.zeros(3, int)

    def kernel(it):
        sycl.joint_inclusive_scan(it.get_group(), x, short, sycl.plus)
    with pytest.raises(sycl.DeviceError, match=r"test_joint.py:\d+: index 3 is outside"):
        queue.parallel_for(sycl.nd_range(8, 8), kernel).wait()


@pytest.mark.row("D-41", "D-42")
def test_memory_of_the_work_item_itself(queue):
    """Every work-item of a group gives the same numbers, so a private array may hold them."""
    out = np.zeros((8, 3), np.int32)

    def kernel(it, out):
        i, g = it.get_global_id(0), it.get_group()
        own = sycl.private_array(np.int32, 5)
        for k in range(5):
            own[k] = k + it.get_group(0)
        out[i, 0] = sycl.joint_reduce(g, own, sycl.plus())
        out[i, 1] = sycl.joint_reduce(g, own[1:3], sycl.maximum())
        out[i, 2] = sycl.joint_any_of(g, own, lambda x: x == 5)

    queue.parallel_for(sycl.nd_range(8, 4), kernel, out).wait()
    for group in (0, 1):
        mine, own = out[4 * group:4 * group + 4], np.arange(5) + group
        assert mine[:, 0].tolist() == [own.sum()] * 4
        assert mine[:, 1].tolist() == [own[1:3].max()] * 4
        assert mine[:, 2].tolist() == [5 in own] * 4
