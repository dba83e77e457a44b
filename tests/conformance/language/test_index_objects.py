"""Every query of item, nd_item, group, sub_group and h_item, and the operators of id and range."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.arithmetic import make
from tests.conformance.language.compare import ints

RANGES = [(7,), (5, 9), (3, 2, 5)]
ND_RANGES = [((24,), (6,)), ((6, 8), (3, 4)), ((4, 2, 6), (2, 2, 3)), ((40,), (20,)),
             ((2, 32), (1, 16))]


def points(extent):
    return list(np.ndindex(*extent))


def linear(point, extent):
    return int(np.ravel_multi_index(point, extent))


def ask(queue, space, texts, count):
    """Return what expressions over the index object ``it`` are in every work-item, in order."""
    out = ints(count, len(texts))
    lines = "\n".join(f"    out[n, {k}] = {text}" for k, text in enumerate(texts))
    where = "get_global_linear_id" if isinstance(space, sycl.nd_range) else "get_linear_id"
    kernel = make(f"def kernel(it):\n    n = it.{where}()\n{lines}", out=out)
    queue.parallel_for(space, kernel).wait()
    return out.tolist()


@pytest.mark.row("D-14")
@pytest.mark.parametrize("extent", RANGES)
def test_items_know_where_they_are(queue, extent):
    dims = range(len(extent))
    texts = [t for d in dims for t in (f"it.get_id({d})", f"it[{d}]", f"it.get_id()[{d}]",
                                       f"it.get_id().get({d})", f"it.get_range({d})",
                                       f"it.get_range()[{d}]")]
    texts += ["it.get_linear_id()", "it.get_range().size()", "sum(tuple(it))", "len(it.get_id())"]
    expected = [[v for d in dims for v in (p[d], p[d], p[d], p[d], extent[d], extent[d])]
                + [linear(p, extent), int(np.prod(extent)), sum(p), len(extent)]
                for p in points(extent)]
    assert expected == ask(queue, sycl.range(*extent), texts, int(np.prod(extent)))


@pytest.mark.row("D-14")
def test_items_unpack_and_convert_to_their_id(queue):
    out = ints(6, 4)

    def kernel(it):
        y, x = it
        where = sycl.id(it)
        out[y * 3 + x, 0] = y * 10 + x
        out[y * 3 + x, 1] = where[0] * 10 + where[1]
        out[y * 3 + x, 2] = sycl.id(x, y)[0]
        out[y * 3 + x, 3] = it.get_id() == sycl.id(1, 2)

    queue.parallel_for((2, 3), kernel).wait()
    expected = [[y * 10 + x, y * 10 + x, x, (y, x) == (1, 2)] for y, x in points((2, 3))]
    assert expected == out.tolist()


@pytest.mark.row("D-14")
def test_an_item_of_one_dimension_is_an_integer(queue):
    out, x = np.zeros((9, 8)), np.arange(9, dtype=np.float32)

    def kernel(i):
        out[i, 0] = i * 2.5
        out[i, 1] = i / 4 + (i // 2) + (i % 3) + (-i) + abs(i) + (~i) + (i << 1)
        out[i, 2] = x[i] * i + x[i - i]
        out[i, 3] = 3 < i <= 6
        out[i, 4] = i ** 2
        out[i, 5] = i and 5
        out[i, 6] = max(i, 3) + min(1, i)
        out[i, 7] = np.float32(i) * 0.1

    queue.parallel_for(9, kernel).wait()
    for i in range(9):
        assert [i * 2.5, i / 4 + (i // 2) + (i % 3) + (-i) + abs(i) + (~i) + (i << 1),
                float(x[i] * i + x[0]), 3 < i <= 6, i ** 2, i and 5, max(i, 3) + min(1, i),
                float(np.float32(i) * 0.1)] == out[i].tolist()


@pytest.mark.row("D-15", "D-16")
@pytest.mark.parametrize(("whole", "local"), ND_RANGES)
def test_nd_items_and_groups_know_where_they_are(queue, whole, local):
    dims = range(len(whole))
    groups = tuple(g // s for g, s in zip(whole, local))
    texts, rows = [], {p: [] for p in points(whole)}

    def expect(text, fn):
        texts.append(text)
        for p in rows:
            part = tuple(x % s for x, s in zip(p, local))
            group = tuple(x // s for x, s in zip(p, local))
            rows[p].append(int(fn(p, part, group)))
    for d in dims:
        for name, fn in (("get_global_id", lambda p, q, g, d=d: p[d]),
                         ("get_local_id", lambda p, q, g, d=d: q[d]),
                         ("get_global_range", lambda p, q, g, d=d: whole[d]),
                         ("get_local_range", lambda p, q, g, d=d: local[d]),
                         ("get_group_range", lambda p, q, g, d=d: groups[d])):
            expect(f"it.{name}({d})", fn)
            expect(f"it.{name}()[{d}]", fn)
        for text in (f"it.get_group({d})", f"it.get_group()[{d}]",
                     f"it.get_group().get_group_id({d})", f"it.get_group().get_group_id()[{d}]"):
            expect(text, lambda p, q, g, d=d: g[d])
        expect(f"it.get_group().get_local_id({d})", lambda p, q, g, d=d: q[d])
        expect(f"it.get_group().get_local_range({d})", lambda p, q, g, d=d: local[d])
        expect(f"it.get_group().get_max_local_range()[{d}]", lambda p, q, g, d=d: local[d])
        expect(f"it.get_group().get_group_range({d})", lambda p, q, g, d=d: groups[d])
        expect(f"it.get_nd_range().get_global_range()[{d}]", lambda p, q, g, d=d: whole[d])
        expect(f"it.get_nd_range().get_local_range()[{d}]", lambda p, q, g, d=d: local[d])
        expect(f"it.get_nd_range().get_group_range()[{d}]", lambda p, q, g, d=d: groups[d])
    expect("it.get_global_linear_id()", lambda p, q, g: linear(p, whole))
    expect("it.get_local_linear_id()", lambda p, q, g: linear(q, local))
    expect("it.get_group_linear_id()", lambda p, q, g: linear(g, groups))
    expect("it.get_group().get_group_linear_id()", lambda p, q, g: linear(g, groups))
    expect("it.get_group().get_local_linear_id()", lambda p, q, g: linear(q, local))
    expect("it.get_group().get_group_linear_range()", lambda p, q, g: np.prod(groups))
    expect("it.get_group().get_local_linear_range()", lambda p, q, g: np.prod(local))
    expect("it.get_group().leader()", lambda p, q, g: not any(q))
    found = ask(queue, sycl.nd_range(whole, local), texts, int(np.prod(whole)))
    wrong = {text for row, values in zip(rows.values(), found)
             for text, e, f in zip(texts, row, values) if e != f}
    assert wrong == set()


@pytest.mark.row("D-17")
@pytest.mark.parametrize(("whole", "local"), ND_RANGES)
def test_sub_groups_cut_the_group_in_linear_order(queue, whole, local):
    texts = [f"it.get_sub_group().{name}" for name in (
        "get_group_linear_id()", "get_local_linear_id()", "get_local_range()[0]",
        "get_max_local_range()[0]", "get_group_range()[0]", "leader()", "get_group_id()[0]",
        "get_local_id()[0]", "get_group_linear_range()", "get_local_linear_range()")]
    texts += ["it.get_local_linear_id()", "it.get_group_linear_id()"]
    size = int(np.prod(local))
    for row in ask(queue, sycl.nd_range(whole, local), texts, int(np.prod(whole))):
        number, place, count, most, groups, leads, number2, place2, groups2, count2, n, _ = row
        assert (number, place, count, groups) == (number2, place2, count2, groups2)
        assert (number, place) == (n // most, n % most)
        assert groups == -(-size // most)
        assert count == min(most, size - number * most)
        assert leads == (place == 0)


@pytest.mark.row("D-12")
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_operators_of_ids_and_ranges_work_by_dimension(queue, ndim):
    left, right = (9, 14, 23)[:ndim], (2, 5, 3)[:ndim]
    ops = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv,
           "//": operator.floordiv, "%": operator.mod, "<<": operator.lshift,
           ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
           "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
    a, b = sycl.id(left), sycl.range(right)
    lines, expected = [], []
    for sign, fn in ops.items():
        for text, values in ((f"a {sign} sycl.id(a - 4)", [fn(x, x - 4) for x in left]),
                             (f"a {sign} 3", [fn(x, 3) for x in left]),
                             (f"3 {sign} b", [fn(3, y) for y in right]),
                             (f"b {sign} b", [fn(y, y) for y in right])):
            if sign in "<>=" or sign in ("<=", ">="):
                if ndim == 1:
                    text = f"({text}) * 1"
                    lines.append(f"    out[{len(expected)}] = {text}")
                    expected.append(int(values[0]))
                    continue
            for d in range(ndim):
                lines.append(f"    out[{len(expected)}] = ({text})[{d}]")
                expected.append(int(values[d]))
    out = ints(len(expected))
    source = "def kernel():\n" + "\n".join(lines)
    queue.single_task(make(source, out=out, a=a, b=b, sycl=sycl)).wait()
    assert expected == out.tolist()


@pytest.mark.row("D-12")
def test_ids_compare_negate_and_update(queue):
    out = ints(6)
    a = sycl.id(3, 4)

    def kernel():
        p = sycl.id(3, 4)
        out[0] = (a == p) + 2 * (a != p) + 4 * (a == sycl.id(3, 5))
        p += 2
        p *= sycl.id(2, 3)
        out[1] = p[0] * 100 + p[1]
        q = -p
        out[2] = (+q)[1]
        out[3] = sycl.range(4, 5).size() * len(a)
        k = 1
        out[4] = a[k] * 10 + a.get(0)
        out[5] = isinstance(a, sycl.id) + 2 * isinstance(a, sycl.range)

    queue.single_task(kernel).wait()
    assert [1, 1018, -18, 40, 43, 1] == out.tolist()


@pytest.mark.row("D-12")
def test_an_id_of_one_dimension_meets_floats_as_its_integer(queue):
    out = np.zeros((6, 6))
    x = np.arange(6, dtype=np.float32)

    def kernel(it):
        g = it.get_id()
        out[g, 0] = g * 0.5
        out[g, 1] = x[g] * g
        out[g, 2] = g / 4.0 + np.float32(2) / (g + 1)
        out[g, 3] = (g + 1) / 2
        out[g, 4] = 2.0 ** g
        j = g
        j = j + 3
        out[g, 5] = j

    queue.parallel_for(6, kernel).wait()
    for g in range(6):
        f32 = np.float32
        assert [g * 0.5, float(x[g] * g), float(g / 4.0 + f32(2) / (g + 1)), (g + 1) // 2, 2.0 ** g,
                g + 3] == out[g].tolist()


@pytest.mark.row("D-12")
def test_memory_is_indexed_by_ids_items_and_chains(queue):
    a = np.arange(24).reshape(4, 6)
    out = ints(4, 6)

    def kernel(it):
        g = it.get_id()
        row = a[it[0]]
        out[it] = a[g] + a[g[0], g[1]] * 100 + row[it[1]] * 10000 + a[it[0]][it[1]]
        out[g] += a[sycl.id(3, 5) - g]

    queue.parallel_for((4, 6), kernel).wait()
    assert np.array_equal(a + a * 100 + a * 10000 + a + a[::-1, ::-1], out)


@pytest.mark.row("D-13")
def test_an_offset_moves_ids_and_nothing_else(queue):
    space = sycl.nd_range(sycl.range(4, 4), sycl.range(2, 2), sycl.id(10, 20))
    texts = ["it.get_global_id(0)", "it.get_global_id(1)", "it.get_offset()[0]",
             "it.get_nd_range().get_offset()[1]", "it.get_local_id(0)", "it.get_group(1)"]
    found = ask(queue, space, texts, 16)
    assert [[y + 10, x + 20, 10, 20, y % 2, x // 2]
            for y, x in itertools.product(range(4), range(4))] == found


@pytest.mark.row("D-16")
def test_h_items_speak_of_logical_and_physical_places(queue):
    out = ints(2, 7, 12)

    def kernel(group):
        def each(h):
            k = h.get_local_id(0)
            g = group[0]
            out[g, k, 0] = h.get_global_id(0)
            out[g, k, 1] = h.get_logical_local_id()[0]
            out[g, k, 2] = h.get_physical_local_id(0)
            out[g, k, 3] = h.get_global_range(0)
            out[g, k, 4] = h.get_local_range(0)
            out[g, k, 5] = h.get_logical_local_range(0)
            out[g, k, 6] = h.get_physical_local_range(0)
            out[g, k, 7] = h.get_global().get_id(0)
            out[g, k, 8] = h.get_local().get_linear_id()
            out[g, k, 9] = h.get_physical_local()[0] * 10 + h.get_physical_local().get_range(0)
            out[g, k, 10] = h.get_global().get_linear_id()
            out[g, k, 11] = h.get_logical_local() + 1
        group.parallel_for_work_item(sycl.range(7), each)

    queue.submit(lambda h: h.parallel_for_work_group(2, 4, kernel)).wait()
    for g in range(2):
        for k in range(7):
            p = k % 4
            assert [g * 4 + p, k, p, 8, 7, 7, 4, g * 4 + p, k, p * 10 + 4, g * 4 + p, k + 1] == out[
                g, k].tolist()


@pytest.mark.row("D-54")
def test_index_objects_can_be_passed_to_helpers(queue):
    def place(it, d):
        return it.get_group(d) * it.get_local_range(d) + it.get_local_id(d)

    out = ints(12)

    def kernel(it):
        out[place(it, 0)] = isinstance(it, sycl.nd_item) + 2 * isinstance(
            it.get_group(), sycl.group) + 4 * isinstance(it, sycl.item)

    queue.parallel_for(sycl.nd_range(12, 4), kernel).wait()
    assert [3] * 12 == out.tolist()
