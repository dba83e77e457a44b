"""``nd_item``: ids and ranges of a work-item in a work-group."""

from itertools import product

import pytest

from unisycl.base.errors import UsageError
from unisycl.base.geometry import nd_range
from unisycl.lang.index.nd_item import nd_item
from unisycl.lang.index.place import Place, points

SHAPES = [((12,), (4,)), ((6, 4), (3, 2)), ((2, 4, 6), (1, 2, 3))]


@pytest.mark.parametrize(("whole", "local"), SHAPES)
def test_global_is_group_times_local_range_plus_local(whole, local):
    place = Place(whole, local, (10,) * len(whole), 8)
    items = [nd_item._make(place, at) for at in points(local)]
    seen = []
    for at in points(place.group_range):
        place.move_to(at)
        for it in items:
            for d in range(len(whole)):
                expected = it.get_group(d) * it.get_local_range(d) + it.get_local_id(d) + 10
                assert it.get_global_id(d) == expected == it.get_global_id()[d]
            seen.append(it.get_global_linear_id())
    assert sorted(seen) == list(range(len(list(product(*map(range, whole))))))


def test_ranges_and_linear_ids():
    place = Place((6, 4), (3, 2), (0, 0), 8)
    place.move_to((1, 1))
    it = nd_item._make(place, (2, 1))
    assert tuple(it.get_group_range()) == (2, 2)
    assert (it.get_global_range(0), it.get_local_range(1), it.get_group_range(1)) == (6, 2, 2)
    assert (it.get_local_linear_id(), it.get_group_linear_id()) == (5, 3)
    assert it.get_global_linear_id() == 5 * 4 + 3
    assert it.get_nd_range() == nd_range((6, 4), (3, 2))
    assert it.dimensions == 2


def test_a_dimension_that_does_not_exist_is_diagnosed():
    it = nd_item._make(Place((4,), (2,), (0,), 8), (0,))
    with pytest.raises(UsageError, match=r"nd_item.get_global_id: dimension 1 does not exist"):
        it.get_global_id(1)
    with pytest.raises(UsageError, match="dimension -1"):
        it.get_local_id(-1)


def test_it_can_be_neither_made_nor_made_to_wait_on_the_host():
    with pytest.raises(UsageError, match="cannot make a nd_item"):
        nd_item()
    it = nd_item._make(Place((4,), (2,), (0,), 8), (0,))
    with pytest.raises(UsageError, match="only be called from a kernel"):
        it.barrier()
    it.mem_fence()


def test_items_of_one_place_are_equal():
    place = Place((4,), (2,), (0,), 8)
    assert nd_item._make(place, (1,)) == nd_item._make(place, (1,))
    assert nd_item._make(place, (1,)) != nd_item._make(place, (0,))
