"""Where work-groups are."""

import pytest

from unisycl.base.errors import UsageError
from unisycl.lang.index.place import Place, pick, points


def test_moving_changes_the_origin_with_the_offset():
    place = Place((4, 6), (2, 3), (10, 20), 8)
    place.move_to((1, 1))
    assert place.origin == (12, 23)
    assert place.global_id((1, 2)) == (13, 25)
    assert (place.group_range, place.items, place.group_linear()) == ((2, 2), 6, 3)


def test_points_run_the_last_dimension_fastest():
    assert list(points((2, 2))) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert list(points((0, 5))) == []


def test_pick_names_what_was_asked():
    assert pick((4, 5), 1, "x") == 5
    with pytest.raises(UsageError, match="x: dimension 2 does not exist; there are 2"):
        pick((4, 5), 2, "x")
