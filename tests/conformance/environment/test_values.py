"""Classes with value semantics (SYCL 2020 §4.5.3), and linear ids (§3.11.1)."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("A-32")
def test_ids_and_ranges_compare_and_copy_by_value() -> None:
    made = {
        "id": lambda: sycl.id(1, 2), "range": lambda: sycl.range(1, 2),
        "nd_range": lambda: sycl.nd_range((4, 2), (2, 1))}
    for (name, first), (other, second) in itertools.product(made.items(), made.items()):
        assert (first() == second()) == (name == other)
    for make in made.values():
        one, same = make(), copy.copy(make())
        assert one == make() == same == copy.deepcopy(one)
        assert hash(one) == hash(make())
    assert sycl.id(1, 2) != sycl.id(2, 1)
    changed = copy.copy(sycl.id(1, 2)) + sycl.id(1, 0)
    assert (sycl.id(2, 2), sycl.id(1, 2)) == (changed, sycl.id(1, 2))


@pytest.mark.row("A-32")
def test_index_objects_compare_by_value_in_kernels(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = -1

    def kernel(it, p):
        same = it.get_global_id() == sycl.id(it.get_global_id(0))
        other = it.get_global_id() == sycl.id(it.get_global_id(0) + 1)
        p[it.get_global_id(0)] = 1 if same and not other else 0
    queue.parallel_for(sycl.nd_range(8, 4), kernel, p).wait()
    assert [1] * 8 == p[:].tolist()


def copies(it, out):
    g = it.get_global_linear_id()
    one, extent, space = it.get_global_id(), it.get_global_range(), it.get_nd_range()
    other, wide, same = one, extent, space
    other += 1
    wide *= 2
    out[g, 0] = one[0] == g
    out[g, 1] = other[0] == g + 1
    out[g, 2] = one != other
    out[g, 3] = other - 1 == one
    out[g, 4] = extent == sycl.range(8)
    out[g, 5] = wide == sycl.range(16)
    out[g, 6] = space == same
    out[g, 7] = sycl.id(one) == one


@pytest.mark.row("A-32")
def test_changing_a_copy_leaves_the_original_in_kernels(queue: sycl.queue) -> None:
    out = np.zeros((8, 8), np.int32)
    with sycl.buffer(out) as b:
        queue.submit(lambda h: h.parallel_for(sycl.nd_range(8, 4), copies, sycl.accessor(b, h)))
    assert [[1] * 8] * 8 == out.tolist()


@pytest.mark.row("A-32")
def test_items_cannot_be_made_by_programs() -> None:
    for kind in (sycl.item, sycl.nd_item, sycl.group, sycl.sub_group, sycl.h_item):
        with pytest.raises(sycl.exception) as caught:
            kind()
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("B-52")
def test_linear_ids_are_row_major(queue: sycl.queue) -> None:
    for shape in ((7,), (3, 5), (2, 3, 4)):
        out = sycl.malloc_shared(shape, np.int64, queue)
        out[...] = -1
        total = int(np.prod(shape))

        def kernel(it, out):
            flat = it.get_linear_id()
            out[it.get_id()] = flat
        queue.parallel_for(shape, kernel, out).wait()
        want = [np.ravel_multi_index(at, shape) for at in np.ndindex(*shape)]
        assert want == out.get_view().reshape(-1).tolist() == list(range(total))
        sycl.free(out, queue)
