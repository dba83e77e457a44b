"""``group``, ``sub_group`` and ``h_item``."""

import pytest

from unisycl.base.errors import UsageError
from unisycl.lang.index.groups import group, h_item, sub_group
from unisycl.lang.index.place import Place, points


def test_a_group_has_exactly_one_leader():
    place = Place((4, 4), (2, 2), (0, 0), 8)
    groups = [group._make(place, at) for at in points((2, 2))]
    assert [g.leader() for g in groups] == [True, False, False, False]
    assert [g.get_local_linear_id() for g in groups] == [0, 1, 2, 3]


def test_group_queries():
    place = Place((4, 6), (2, 2), (0, 0), 8)
    place.move_to((1, 2))
    g = group._make(place, (1, 0))
    assert (tuple(g.get_group_id()), g[1], g.get_group_id(0), g.get_id(1)) == ((1, 2), 2, 1, 2)
    assert (g.get_group_linear_id(), g.get_linear_id(), g.get_group_linear_range()) == (5, 5, 6)
    assert (tuple(g.get_local_range()), tuple(g.get_max_local_range())) == ((2, 2), (2, 2))
    assert (g.get_local_linear_range(), g.get_local_id(0), g.get_global_range(1)) == (4, 1, 6)


def test_no_work_item_is_calling_at_group_scope():
    g = group._make(Place((4,), (2,), (0,), 8), None)
    for query in (g.get_local_id, g.get_local_linear_id, g.leader):
        with pytest.raises(UsageError, match="no meaning at group scope"):
            query()


@pytest.mark.parametrize(("items", "size"), [(16, 8), (20, 8), (3, 8), (7, 1)])
def test_sub_groups_cut_the_group_into_consecutive_runs(items, size):
    place = Place((items,), (items,), (0,), size)
    every = [sub_group._make(place, k) for k in range(items)]
    count = every[0].get_group_linear_range()
    sizes = {sg.get_group_linear_id(): sg.get_local_linear_range() for sg in every}
    assert sum(sizes.values()) == items
    assert list(sizes) == list(range(count))
    assert sum(sg.leader() for sg in every) == count
    for k, sg in enumerate(every):
        assert sg.get_group_linear_id() * size + sg.get_local_linear_id() == k
        assert int(sg.get_local_id()) == sg.get_local_id(0) == sg.get_local_linear_id()
    assert int(every[0].get_max_local_range()) == min(size, items)


def test_h_items_of_a_logical_range_wrap_onto_physical_ones():
    place = Place((8,), (4,), (0,), 8)
    place.move_to((1,))
    seen = []
    group._make(place, None).parallel_for_work_item((6,), seen.append)
    assert [h.get_logical_local_id(0) for h in seen] == [0, 1, 2, 3, 4, 5]
    assert [h.get_physical_local_id(0) for h in seen] == [0, 1, 2, 3, 0, 1]
    assert [h.get_global_id(0) for h in seen] == [4, 5, 6, 7, 4, 5]
    h = seen[5]
    assert (h.get_local_range(0), h.get_physical_local_range(0), h.get_global_range(0)) == (6, 4, 8)
    assert (int(h.get_local()), int(h.get_physical_local()), int(h.get_global())) == (5, 1, 5)


def test_a_work_item_loop_may_be_written_as_decorator():
    g, seen = group._make(Place((2,), (2,), (0,), 8), None), []

    @g.parallel_for_work_item((3,))
    def body(h):
        seen.append(h.get_local_id(0))
    assert seen == [0, 1, 2]


def test_a_work_item_loop_checks_its_range_and_where_it_stands():
    g = group._make(Place((2,), (2,), (0,), 8), None)
    with pytest.raises(UsageError, match="2 dimension"):
        g.parallel_for_work_item((2, 2), lambda h: None)
    with pytest.raises(UsageError, match="group scope"):
        group._make(Place((2,), (2,), (0,), 8), (0,)).parallel_for_work_item(lambda h: None)
    with pytest.raises(UsageError, match="got 3 arguments"):
        g.parallel_for_work_item(1, 2, lambda h: None)


@pytest.mark.parametrize("kind", [group, sub_group, h_item])
def test_a_program_cannot_make_them(kind):
    with pytest.raises(UsageError, match=f"cannot make a {kind.__name__}"):
        kind()
