"""Group functions called where there is no group."""

import pytest

from unisycl.base.errors import UsageError
from unisycl.lang.groups import group_functions
from unisycl.lang.numbers import function_objects

CALLS = {
    "group_barrier": (), "group_broadcast": (1,), "any_of_group": (True,), "all_of_group": (True,),
    "none_of_group": (True,), "shift_group_left": (1,), "shift_group_right": (1,),
    "permute_group_by_xor": (1, 1), "select_from_group": (1, 0),
    "reduce_over_group": (1, function_objects.plus),
    "inclusive_scan_over_group": (1, function_objects.plus),
    "exclusive_scan_over_group": (1, function_objects.plus),
}


@pytest.mark.parametrize("name", CALLS)
def test_outside_a_kernel_they_say_where_they_belong(name):
    with pytest.raises(UsageError, match=f"^{name} is a group function: .*nd_range"):
        getattr(group_functions, name)(None, *CALLS[name])


def test_every_one_of_them_has_a_docstring_that_cites_its_clause():
    for name in CALLS:
        assert "SYCL 2020 §4.17" in getattr(group_functions, name).__doc__
