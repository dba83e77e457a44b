"""Arrays that are parts of others as kernel arguments, in place: any strides of whole elements."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib import stride_tricks

import unisycl as sycl

pytestmark = pytest.mark.row("C-13", "I-15")
KINDS = [np.int8, np.uint16, np.int32, np.int64, np.float32, np.bool_, np.complex64]
PARTS = {
    "step": lambda a: a[::2], "backwards": lambda a: a[::-1], "inner": lambda a: a[5:50:3],
    "inner backwards": lambda a: a[50:5:-7], "one": lambda a: a[3:4:9], "none": lambda a: a[9:9:2],
    "column": lambda a: a.reshape(8, 8)[:, 3], "every ninth": lambda a: a[::9],
}
PLANES = {
    "transposed": lambda a: a.T, "both backwards": lambda a: a[::-1, ::-1],
    "steps": lambda a: a[1:10:2, 2:12:3], "window": lambda a: a[2:7, 3:9],
    "rows": lambda a: a[::3], "rows backwards": lambda a: a[::-1], "columns": lambda a: a[:, ::-2],
    "Fortran": np.asfortranarray, "one column": lambda a: a[:, 4:5], "one row": lambda a: a[4:5].T,
}


def values(count, kind):
    return (np.arange(count) % 120 - (0 if np.dtype(kind).kind in "ub" else 50)).astype(kind)


def twice(i, dst, src):
    dst[i] = src[i] + src[i]


def triple_1(it, dst, src):
    dst[it] = 3 * src[it]


def triple_2(it, dst, src):
    dst[it] = 3 * src[it[0], it[1]]


def triple_3(it, dst, src):
    dst[it[0], it[1], it[2]] = 3 * src[it]


TRIPLE = (triple_1, triple_2, triple_3)


def twice_there(it, dst, src):
    y, x = it
    dst[y, x] = src[y, x] + src[y][x]


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: np.dtype(k).name)
def test_one_dimension_in_every_type(queue, kind):
    for part in PARTS.values():
        base, whole = values(64, kind), values(64, kind)
        expected = whole.copy()
        source = part(base)
        part(expected)[...] = source + source
        if len(source):
            queue.parallel_for(len(source), twice, part(whole), source).wait()
        assert whole.tolist() == expected.tolist()  # what lies between stays as it was


@pytest.mark.parametrize("name", PLANES)
def test_two_dimensions(queue, name):
    part = PLANES[name]
    base = values(120, np.int32).reshape(10, 12)
    source = part(base)
    for make in (lambda s: np.full((2 * s[0], 3 * s[1]), 7, np.int32)[1::2, ::-3],
                 lambda s: np.zeros(s, np.int32, order="F"), lambda s: np.zeros(s, np.int32)):
        target = make(source.shape)
        around = target if target.base is None else target.base
        expected = around.copy()
        queue.parallel_for(source.shape, twice_there, target, source).wait()
        assert (target == 2 * source).all()
        if around is not target:
            view = expected[1::2, ::-3]
            view[...] = 2 * source
            assert (around == expected).all()


def test_three_dimensions_and_chains_of_subscripts(queue):
    base = values(6 * 7 * 8, np.int32).reshape(6, 7, 8)
    for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)):
        source = base[::-1, 1::2, ::3].transpose(axes)
        target = np.zeros(source.shape[::-1], np.int32).T

        def kernel(it):
            z, y, x = it
            row = source[z]
            target[z][y][x] = row[y, x] * len(source) + source.shape[2] * row[y][x]
        queue.parallel_for(source.shape, kernel).wait()
        assert (target == source * (source.shape[0] + source.shape[2])).all()


def test_random_parts_of_arrays(queue):
    rng = np.random.default_rng(5)
    for _ in range(25):
        ndim = int(rng.integers(1, 4))
        shape = tuple(int(k) for k in rng.integers(1, 9, ndim))
        order = rng.permutation(ndim)

        def part(array, order=order, seed=int(rng.integers(1 << 30)), shape=shape):
            pick = np.random.default_rng(seed)
            cuts = []
            for k in order:
                step = int(pick.choice([-3, -2, -1, 1, 2, 3]))
                ends = (0, shape[k]) if step > 0 else (shape[k] - 1, None)
                cuts.append((ends, step))
            back = np.argsort(order)
            whole = tuple(slice(*cuts[j][0], cuts[j][1]) for j in back)
            return array[whole].transpose(order)
        base = values(int(np.prod(shape)), np.int32).reshape(shape)
        source, result = part(base), np.zeros(shape, np.int32)
        target, expected = part(result), np.zeros(shape, np.int32)
        part(expected)[...] = 3 * source
        queue.parallel_for(sycl.range(*source.shape), TRIPLE[ndim - 1], target, source).wait()
        assert (result == expected).all()


def test_records_vectors_and_members_of_records(queue):
    kind = np.dtype([("a", np.int32), ("b", np.float32, (2,)), ("c", np.int32)])
    base = np.zeros(20, kind)
    base["a"], base["c"] = np.arange(20), 100 + np.arange(20)
    records, numbers = base[::-2], base["c"][1::3]
    quads = np.zeros(20, sycl.float4)
    quads.view(np.float32)[:] = np.arange(80)
    backwards, out = quads[::-3], np.zeros((3, 14), np.int32)[:, ::2]

    def kernel(i):
        one = records[i]
        one.b[1] = one.a + 0.5
        out[0, i] = one.a
        if i < len(numbers):
            out[1, i] = numbers[i]
        v = backwards[i]
        out[2, i] = int(v.x + v.w)
        backwards[i].y = -1
    queue.parallel_for(7, kernel).wait()
    assert (base["b"][::-2, 1][:7] == base["a"][::-2][:7] + 0.5).all()
    assert not base["b"][::2].any()
    assert out[0].tolist() == base["a"][::-2][:7].tolist()
    assert out[1, :7].tolist() == [*base["c"][1::3], *[0] * (7 - len(numbers))][:7]
    flat = np.arange(80, dtype=np.float32).reshape(20, 4)
    assert out[2].tolist() == (flat[::-3, 0] + flat[::-3, 3]).tolist()
    flat[::-3, 1] = -1
    assert (quads.view(np.float32).reshape(20, 4) == flat).all()


def test_one_kernel_with_one_layout_after_the_other(queue):
    @sycl.kernel
    def add(i, out, a):
        out[i] += a[i]
    base = np.arange(32, dtype=np.int32)
    for source in (base[:8], base[::4], base[::-4], base[8:16], np.broadcast_to(np.int32(5), 8),
                   base[::4], base.reshape(8, 4)[:, 1], base[:8]):
        for out in (np.ones(8, np.int32), np.ones(16, np.int32)[::2], np.ones(8, np.int32)):
            queue.parallel_for(8, add, out, source).wait()
            assert out.tolist() == (1 + source).tolist()


def test_broadcast_arrays_are_read(queue):
    row = np.arange(6, dtype=np.float32)
    for source in (np.broadcast_to(row, (4, 6)), np.broadcast_to(row[:, None], (6, 4)),
                   np.broadcast_to(np.float32(2), (3, 5)),
                   stride_tricks.sliding_window_view(row, 3)):
        out = np.zeros(source.shape, np.float32)
        queue.parallel_for(source.shape, twice_there, out, source).wait()
        assert (out == 2 * source).all()


@pytest.mark.parametrize("make", [
    lambda: np.broadcast_to(np.zeros(1, np.int32), 8),
    lambda: stride_tricks.as_strided(np.zeros(1, np.int32), (8,), (0,)),
    lambda: stride_tricks.as_strided(np.zeros(9, np.int32), (8,), (0,))[::-1],
    lambda: memoryview(bytes(8)), lambda: np.frombuffer(bytes(8), np.uint8),
    lambda: readonly(np.zeros(16, np.int32)[::2]), lambda: readonly(np.zeros(8, np.int32))],
    ids=["broadcast_to", "as_strided", "backwards", "memoryview", "bytes", "strided", "dense"])
def test_what_is_not_to_be_changed_is_read_and_refused_where_it_is_written(queue, make):
    source, out = np.asarray(make()), np.ones(8, np.int32)

    def reads(i):
        out[i] = source[i]

    def writes(i):
        source[i] = 1

    def adds(i):
        source[i] += 1

    def counts(i):
        sycl.atomic_ref(source, i, sycl.memory_order.relaxed, sycl.memory_scope.device).store(1)
    queue.parallel_for(8, reads).wait()
    assert not out.any()
    for kernel in (writes, adds, counts):
        with pytest.raises(sycl.KernelError, match="read-only here") as caught:
            queue.parallel_for(8, kernel)
        place = f"test_strided_arrays.py:{kernel.__code__.co_firstlineno + 1}:"
        assert place in str(caught.value)
    assert not np.asarray(source).any()


def readonly(array):
    array.flags.writeable = False
    return array


def test_windows_that_share_elements_are_only_read(queue):
    x = np.arange(10, dtype=np.int32)
    windows = stride_tricks.as_strided(x, (8, 3), (4, 4))
    out = np.zeros(8, np.int32)

    def sums(i):
        out[i] = windows[i, 0] + windows[i, 1] + windows[i, 2]

    def writes(i):
        windows[i, 0] = 1
    queue.parallel_for(8, sums).wait()
    assert out.tolist() == (3 * x[:8] + 3).tolist()
    with pytest.raises(sycl.KernelError, match="several indices lead to"):
        queue.parallel_for(8, writes)


def test_overlapping_parts_are_ordinary_aliases(queue):
    def chase(there, here, count):
        for k in range(count):
            there[k] = here[k] + 1
    for shift in (slice(1, None), slice(None, -1)):
        x, y = np.arange(20), np.arange(20)
        here, there = x[::-1], x[shift]
        queue.single_task(chase, there, here, 19).wait()
        chase(y[shift], y[::-1], 19)
        assert x.tolist() == y.tolist()


def test_groups_local_memory_atomics_and_slices(queue):
    x, counts = np.arange(64, dtype=np.int32)[::-2], np.zeros(8, np.int32)[::-2]
    sums, sorted_out = np.zeros(8, np.int64)[::2], np.zeros(64, np.int32)[1::2]

    def group(h):
        tile = sycl.local_accessor(np.int32, 8, h)

        @h.parallel_for(sycl.nd_range(32, 8))
        def kernel(it):
            g, m, k = it.get_group(), it.get_group_linear_id(), it.get_local_id(0)
            it.async_work_group_copy(tile, x[m * 8:], 8).wait()
            part = x[m * 8:m * 8 + 8]
            total = sycl.reduce_over_group(g, part[k], sycl.plus)
            if g.leader():
                sums[m] = total
            sycl.atomic_ref(counts, m, sycl.memory_order.relaxed,
                            sycl.memory_scope.device).fetch_add(tile[k] % 5)
            it.async_work_group_copy(sorted_out[m * 8:], tile, 8).wait()
    queue.submit(group).wait()
    rows = x.reshape(4, 8)
    assert sums.tolist() == rows.sum(1).tolist()
    assert counts.tolist() == (rows % 5).sum(1).tolist()
    assert sorted_out.tolist() == x.tolist()


def test_vectors_are_loaded_from_elements_that_lie_apart(queue):
    x, out = np.arange(64, dtype=np.float32)[::-2], np.zeros(64, np.float32)[::2]

    def kernel(i):
        v = sycl.float4()
        v.load(i, x)
        v += 1
        v.store(7 - i, out)
    queue.parallel_for(8, kernel).wait()
    assert (out.reshape(8, 4)[::-1] == x.reshape(8, 4) + 1).all()
    assert not out.base[1::2].any()


def test_reductions_read_strided_arrays(queue):
    x, total = np.arange(1000, dtype=np.int64).reshape(20, 50).T[::-3, 1::2], np.zeros(1, np.int64)

    def kernel(it, result):
        result += x[it[0], it[1]]
    queue.parallel_for(x.shape, sycl.reduction(total, sycl.plus), kernel).wait()
    assert x.sum() == total[0]


def test_pointers_into_them_are_refused_with_a_way_out(queue):
    x, rows = np.zeros(16, np.int32)[::2], np.zeros((4, 8), np.int32)[:, :4]

    def first(i):
        sycl.multi_ptr(x)[i] = 1

    def second(i):
        sycl.global_ptr(rows)[i] = 1
    for kernel in (first, second):
        with pytest.raises(sycl.KernelError, match=r"K085[^$]*ascontiguousarray"):
            queue.parallel_for(4, kernel)


def test_checks_speak_of_the_indices_of_the_part(queue):
    x, out = np.arange(40, dtype=np.int32)[::4], np.zeros(20, np.int32)[::2]
    table = np.zeros((6, 8), np.int32)[::2, ::-2]

    @sycl.kernel(debug=True)
    def gather(i):
        out[i] = x[i + 4]

    @sycl.kernel(debug=True)
    def beyond(i):
        table[2, i] = 1
    for kernel, told in ((gather, r"index 10 is outside 'x' \(range 10\): valid is 0 to 9"),
                         (beyond, r"index 4 in dimension 1 is outside 'table' \(range 3, 4\)")):
        with pytest.raises(sycl.exception, match=told):
            queue.parallel_for(10 if kernel is gather else 5, kernel).wait()


@pytest.mark.parametrize(("make", "told"), [
    (lambda: np.zeros(9, np.uint8)[1:].view(np.int32)[::1], "unaligned array"),
    (lambda: np.zeros(33, np.uint8)[1:].view(np.int32)[::2], "unaligned array"),
    (lambda: np.zeros(8, np.dtype(np.int32).newbyteorder())[::2], "array of >i4"),
    (lambda: np.zeros(8, [("a", "c16"), ("b", "f8")])["a"], "strides are no whole elements")],
    ids=["unaligned", "unaligned strided", "swapped", "fractions"])
def test_arrays_that_no_kernel_can_take_say_why(queue, make, told):
    x, out = make(), np.zeros(2, np.float64)

    def kernel(i):
        out[i] = x[i].real
    with pytest.raises(sycl.KernelError, match=told):
        queue.parallel_for(2, kernel)


def test_bound_launches_and_graphs_keep_to_the_part(queue):
    x = np.zeros((5, 8), np.int32)
    column, backwards = x[:, 3], x[2, ::-2]

    def add(i, where, step):
        where[i] += step
    bound = queue.bind(5, add, column, 3)
    for _ in range(4):
        bound().wait()
    graph = sycl.ext.oneapi.experimental.command_graph(queue.get_context(), queue.get_device())
    graph.begin_recording(queue)
    queue.parallel_for(4, add, backwards, 10)
    queue.parallel_for(5, add, column, 100)
    graph.end_recording()
    ready = graph.finalize()
    for _ in range(3):
        queue.ext_oneapi_graph(ready).wait()
    expected = np.zeros((5, 8), np.int32)
    expected[:, 3] += 312
    expected[2, ::-2] += 30
    assert x.tolist() == expected.tolist()


def test_parts_in_tuples_objects_and_closures(queue):
    class Scale:
        def __init__(self, data, factor):
            self.data, self.factor = data, factor

        def __call__(self, i):
            self.data[i] *= self.factor
    x = np.arange(24, dtype=np.int32)
    pair = (x[::2], x[1::2][::-1])
    queue.parallel_for(12, Scale(x[::2], 10)).wait()

    def inner(i):
        pair[1][i] += pair[0][i]
    queue.parallel_for(12, inner).wait()
    y = np.arange(24, dtype=np.int32)
    y[::2] *= 10
    y[1::2][::-1] += y[::2]
    assert x.tolist() == y.tolist()


def test_graphs_are_updated_with_parts_of_other_layouts(queue):
    a, b, c = np.zeros(16, np.int32), np.zeros(16, np.int32), np.zeros((8, 4), np.int32)
    oneapi = sycl.ext.oneapi.experimental
    graph = oneapi.command_graph(queue.get_context(), queue.get_device())
    where = oneapi.dynamic_parameter(graph, a[::2])

    def add(i, out):
        out[i] += i + 1
    node = graph.add(lambda h: h.parallel_for(8, add, where))
    ready = graph.finalize(oneapi.property.graph.updatable())
    queue.ext_oneapi_graph(ready).wait()
    for part in (b[::-2], c[:, 1], b[:8]):
        before = part.copy()
        where.update(part)
        ready.update(node)
        queue.ext_oneapi_graph(ready).wait()
        assert (part == before + np.arange(1, 9)).all()
    assert a[::2].tolist() == list(range(1, 9))
    assert not a[1::2].any()
    assert not c[:, 2:].any()


def test_large_outputs_that_are_parts(queue):
    if queue.get_backend() is sycl.backend.host:
        pytest.skip("so many work-items take minutes in Python")
    around, source = np.zeros((2048, 4100), np.float64), np.arange(2048 * 4000, dtype=np.float64)
    source = source.reshape(2048, 4000)

    def copy(it, dst, src):
        dst[it] = src[it]
    part = around[:, 1:4001]
    queue.parallel_for(part.shape, copy, part, source).wait()
    assert (part == source).all()
    assert not around[:, 0].any()
    assert not around[:, 4001:].any()
    line = np.zeros(40_000_000, np.float32)[1::2]

    def number(i, dst):
        dst[i] = i % 1000
    queue.parallel_for(len(line), number, line).wait()
    assert (line[::777] == np.arange(len(line))[::777] % 1000).all()
    assert not line.base[::2].any()


def test_hierarchical_kernels_and_joint_functions(queue):
    a, b = np.arange(64), np.arange(64)
    part, found = a.reshape(8, 8)[::2, ::-2], np.zeros(2, np.int64)
    backwards = np.arange(64)[::-2]

    def group(h):
        @h.parallel_for_work_group(4, 4)
        def kernel(g):
            def one(it):
                part[g[0], it.get_local_id(0)] += 100
            g.parallel_for_work_item(one)
    queue.submit(group).wait()
    b.reshape(8, 8)[::2, ::-2] += 100
    assert a.tolist() == b.tolist()

    def total(it):
        g = it.get_group()
        result = sycl.joint_reduce(g, backwards[2:22], sycl.plus)
        if g.leader():
            found[0] = result
    queue.parallel_for(sycl.nd_range(8, 8), total).wait()
    assert backwards[2:22].sum() == found[0]
