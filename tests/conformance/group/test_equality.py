"""Index objects are equal by value (SYCL 2020 §4.5.3), and pointers are shown as addresses."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def same_group(g, h):
    return g == h


def compare(it, out):
    k = it.get_global_linear_id()
    g, sg = it.get_group(), it.get_sub_group()
    out[k, 0] = g == it.get_group()
    out[k, 1] = g != it.get_group()
    out[k, 2] = sg == it.get_sub_group()
    out[k, 3] = it == it
    out[k, 4] = it != it
    out[k, 5] = 1 if same_group(g, it.get_group()) else 0
    out[k, 6] = g in (it.get_group(), sg)
    out[k, 7] = (g, sg) == (it.get_group(), it.get_sub_group())


@pytest.mark.row("A-32", "D-15", "D-16", "D-17", "P-16")
@pytest.mark.parametrize("space", [((8,), (4,)), ((4, 4), (2, 2)), ((2, 2, 4), (1, 2, 4))])
def test_a_work_item_has_one_group_sub_group_and_nd_item(queue: sycl.queue, space) -> None:
    items = int(np.prod(space[0]))
    out = np.full((items, 8), 7, np.int32)
    with sycl.buffer(out) as b:
        queue.submit(lambda h: h.parallel_for(sycl.nd_range(*space), compare,
                                              sycl.accessor(b, h))).wait()
    assert [[1, 0, 1, 1, 0, 1, 1, 1]] * items == out.tolist()


def compare_items(it, out):
    k = it.get_linear_id()
    out[k, 0] = it == it
    out[k, 1] = it != it
    out[k, 2] = it.get_id() == it.get_id()


@pytest.mark.row("A-32", "D-14", "P-16")
@pytest.mark.parametrize("space", [(6,), (2, 3), (1, 2, 3)])
def test_items_are_equal_to_themselves(queue: sycl.queue, space) -> None:
    out = np.full((6, 3), 7, np.int32)
    with sycl.buffer(out) as b:
        queue.submit(lambda h: h.parallel_for(space, compare_items, sycl.accessor(b, h))).wait()
    assert [[1, 0, 1]] * 6 == out.tolist()


def handed_on(it):
    return it


def copies(it, out):
    k = it.get_global_linear_id()
    same, (paired, g), sg = it, (it, it.get_group()), it.get_sub_group()
    twin, other = handed_on(it), sg
    out[k, 0] = same == it and twin == it and paired == same
    out[k, 1] = twin.get_global_linear_id() == k
    out[k, 2] = handed_on(g) == it.get_group()
    out[k, 3] = handed_on(other) == sg
    out[k, 4] = same.get_local_id() == it.get_local_id()


@pytest.mark.row("A-32")
def test_copies_of_nd_items_groups_and_sub_groups_are_equal(queue: sycl.queue) -> None:
    """Kept in a variable or a tuple, passed to a function and returned from it."""
    out = np.full((8, 5), 7, np.int32)
    with sycl.buffer(out) as b:
        queue.submit(lambda h: h.parallel_for(sycl.nd_range(8, 4), copies, sycl.accessor(b, h)))
    assert [[1] * 5] * 8 == out.tolist()


def copied_items(it, out):
    same, twin = it, handed_on(it)
    moved = twin.get_id()
    moved += 1
    k = it.get_linear_id()
    out[k, 0] = same == it and twin == same
    out[k, 1] = twin.get_id() == it.get_id() and moved != it.get_id()
    out[k, 2] = twin.get_range() == it.get_range()


@pytest.mark.row("A-32")
def test_copies_of_items_are_equal_and_their_ids_are_copies(queue: sycl.queue) -> None:
    out = np.full((6, 3), 7, np.int32)
    with sycl.buffer(out) as b:
        queue.submit(lambda h: h.parallel_for((2, 3), copied_items, sycl.accessor(b, h)))
    assert [[1] * 3] * 6 == out.tolist()


def in_groups(group, out):
    def each(h):
        k = h.get_global_id(0)
        out[k, 0] = h == h
        out[k, 1] = h.get_local() == h.get_local()
        out[k, 2] = h.get_global() == h.get_local()
        same = h
        out[k, 3] = group == group and same == h and handed_on(h) == same
    group.parallel_for_work_item(each)


@pytest.mark.row("A-32", "C-8", "P-16")
def test_h_items_and_the_items_they_have(queue: sycl.queue) -> None:
    """A global item equals the local one only where both ids and ranges are alike."""
    for groups in (1, 2):
        out = np.full((3 * groups, 4), 7, np.int32)
        with sycl.buffer(out) as b:
            queue.submit(lambda h, n=groups, b=b: h.parallel_for_work_group(
                n, 3, in_groups, sycl.accessor(b, h))).wait()
        assert [[1, 1, groups == 1, 1]] * (3 * groups) == out.tolist()


@pytest.mark.row("D-16")
def test_which_object_it_is_cannot_be_asked(queue: sycl.queue) -> None:
    def kernel(it, out):
        out[0] = it.get_group() is it.get_group()

    with pytest.raises(sycl.exception, match="compare them by =="):
        queue.parallel_for(sycl.nd_range(4, 4), kernel, np.zeros(1, np.int32))


@pytest.mark.row("D-47", "D-50")
def test_a_stream_shows_where_pointers_point(queue: sycl.queue, capsys) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    places = sycl.malloc_shared(2, sycl.global_ptr[np.int32], queue)
    places[0], places[1] = p, None

    def group(h):
        out = sycl.stream(1024, 256, h)

        def kernel(p, places):
            out << places[0] << " " << places[1] << " " << p + 1 << " " << sycl.multi_ptr(p) \
                << sycl.dec << sycl.showpos << " "
            out << sycl.setw(6) << places[1] << "|" << p << sycl.endl
        h.single_task(kernel, p, places)

    queue.submit(group).wait()
    at = p.address()
    assert f"{at:#x} 0x0 {at + 4:#x} {at:#x}    0x0|{at:#x}\n" == capsys.readouterr().out
