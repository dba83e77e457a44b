"""``reducer``: combining only."""

import numpy as np
import pytest

from unisycl.base.errors import UsageError
from unisycl.lang.groups.reducer import reducer
from unisycl.lang.numbers import function_objects

INT32 = np.dtype(np.int32)


def test_it_combines_by_method_and_by_the_matching_operator():
    one = reducer._make(function_objects.plus, INT32, 0)
    one += 3
    assert one.combine(4) is one
    place = np.full(1, 10, np.int32)
    one._finish(place, dropped=False)
    assert place[0] == 17
    one._finish(place, dropped=True)
    assert place[0] == 7


@pytest.mark.parametrize(("op", "method", "expected"), [
    (function_objects.multiplies, "__imul__", 12), (function_objects.bit_and, "__iand__", 2),
    (function_objects.bit_or, "__ior__", 6), (function_objects.bit_xor, "__ixor__", 4)])
def test_each_operator_has_its_assignment(op, method, expected):
    one = reducer._make(op, INT32, function_objects.known_identity(op, INT32))
    getattr(one, method)(6)
    getattr(one, method)(2)
    assert one._value == expected


def test_another_operators_assignment_is_refused():
    one = reducer._make(function_objects.minimum, INT32, 5)
    with pytest.raises(UsageError, match="combines by minimum: call combine"):
        one += 1


def test_operands_are_converted_first_and_sums_wrap():
    one = reducer._make(function_objects.plus, INT32, 0)
    with np.errstate(all="ignore"):
        one.combine(2.9).combine(2**31 - 1)
    assert one._value == -(2**31) + 1


def test_without_identity_nothing_combined_changes_nothing():
    one = reducer._make(lambda a, b: a + b, INT32, None)
    place = np.full(1, 4, np.int32)
    one._finish(place, dropped=True)
    assert place[0] == 4
    with pytest.raises(UsageError, match="no identity"):
        one.identity()


def test_it_cannot_be_read_or_made():
    one = reducer._make(function_objects.plus, INT32, 0)
    with pytest.raises(TypeError):
        int(one)
    with pytest.raises(UsageError, match="cannot make a reducer"):
        reducer()
