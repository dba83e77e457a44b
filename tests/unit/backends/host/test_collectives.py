"""What group functions compute from the operands of a group."""

import numpy as np
import pytest

from unisycl.backends.host.collectives import COLLECTIVES
from unisycl.base.errors import UsageError
from unisycl.lang.groups import group_functions as lang
from unisycl.lang.index.groups import group, sub_group
from unisycl.lang.index.place import Place
from unisycl.lang.numbers.function_objects import logical_and, minimum, plus

PLACE = Place((8,), (4,), (0,), 4)
GROUP, SUB_GROUP = group._make(PLACE, (0,)), sub_group._make(PLACE, 0)


def compute(function, where, *each):
    collective = COLLECTIVES[function]
    return list(collective.combine([collective.prepare(where, *a)[1] for a in each]))


def test_small_integers_wrap_in_their_own_type():
    with np.errstate(over="ignore"):
        got = compute(lang.reduce_over_group, GROUP, *[(np.int8(100), plus)] * 2)
    assert got == [-56, -56]
    assert isinstance(got[0], np.int8)


def test_an_initial_value_joins_types_as_numpy_does():
    got = compute(lang.reduce_over_group, GROUP, *[(np.int32(1), 0.5, plus)] * 2)
    assert got == [2.5, 2.5]
    narrow = compute(lang.reduce_over_group, GROUP, *[(np.float32(1), 0.5, plus)] * 2)
    assert narrow[0].dtype == np.float32


def test_python_numbers_stay_python_numbers():
    got = compute(lang.exclusive_scan_over_group, GROUP, (5, plus), (6, plus))
    assert got == [0, 5]
    assert type(got[1]) is int


def test_scans_take_operator_and_initial_value_in_either_order():
    a, b, scan = np.int32(1), np.int32(2), lang.inclusive_scan_over_group
    one = compute(scan, GROUP, (a, plus, 10), (b, plus, 10))
    two = compute(scan, GROUP, (a, 10, plus), (b, 10, plus))
    assert one == two == [11, 13]


def test_an_operator_of_the_users_is_refused():
    with pytest.raises(UsageError, match="SYCL's function objects"):
        COLLECTIVES[lang.reduce_over_group].prepare(GROUP, 1, lambda a, b: a)


def test_an_operator_without_identity_needs_an_initial_value():
    with pytest.raises(UsageError, match="no identity"):
        compute(lang.exclusive_scan_over_group, GROUP, (np.int32(1), logical_and))


def test_shuffles_want_a_sub_group_and_any_of_them_wants_a_group():
    with pytest.raises(UsageError, match="get_sub_group"):
        COLLECTIVES[lang.shift_group_left].prepare(GROUP, 1)
    with pytest.raises(UsageError, match="first argument"):
        COLLECTIVES[lang.group_barrier].prepare(5)


def test_predicates_are_applied_by_each_item():
    def large(x):
        return x > 1
    assert compute(lang.any_of_group, GROUP, (1, large), (2, large)) == [True, True]
    assert compute(lang.none_of_group, SUB_GROUP, (1, large)) == [True]


def test_minimum_over_floats():
    got = compute(lang.inclusive_scan_over_group, SUB_GROUP,
                  *[(np.float32(x), minimum) for x in (3, 1, 2)])
    assert got == [3, 1, 1]
