"""``item``: an int in one dimension, an id in any number."""

import math

import numpy as np
import pytest

from unisycl.base.errors import UsageError
from unisycl.base.geometry import id
from unisycl.lang.index.item import item
from unisycl.lang.index.place import Space

ONE = item._make((5,), Space((9,), (0,)))
TWO = item._make((1, 2), Space((3, 4), (0, 0)))


def test_a_program_cannot_make_one():
    with pytest.raises(UsageError, match="a program cannot make a item"):
        item(3)


def test_queries_answer_with_ids_ranges_and_ints():
    assert tuple(TWO.get_id()) == (1, 2)
    assert tuple(TWO.get_range()) == (3, 4)
    assert (TWO.get_id(0), TWO[1], TWO.get_range(1), TWO.get_linear_id()) == (1, 2, 4, 6)
    assert tuple(TWO) == (1, 2)
    assert tuple(id(TWO)) == (1, 2)
    assert type(ONE.get_id(0)) is int


def test_the_offset_is_part_of_the_id_and_not_of_the_linear_id():
    shifted = item._make((7,), Space((4,), (5,)))
    assert (shifted.get_id(0), shifted.get_linear_id(), shifted.get_offset()[0]) == (7, 2, 5)


def test_a_dimension_that_does_not_exist_is_named():
    with pytest.raises(UsageError, match="dimension 2 does not exist"):
        TWO.get_id(2)
    with pytest.raises(UsageError, match="dimension -1"):
        TWO[-1]


def test_one_dimension_is_an_int_in_arithmetic():
    assert (ONE + 1, 10 - ONE, ONE * 2, 11 // ONE, ONE % 3, ONE << 1, 2 ** ONE) == (
        6, 5, 10, 2, 2, 10, 32)
    assert (ONE / 2, -ONE, +ONE, abs(ONE), ~ONE, divmod(ONE, 2)) == (2.5, -5, 5, 5, -6, (2, 1))
    assert (ONE & 4, ONE | 2, ONE ^ 1, 1 | ONE, ONE - ONE) == (4, 7, 4, 5, 0)
    assert (ONE < 6, ONE <= 5, ONE > 4, ONE >= 5, ONE == 5, ONE != 4) == (True,) * 6
    assert [10, 11, 12, 13, 14, 15][ONE] == 15
    assert (math.sqrt(ONE), float(ONE), min(ONE, 3), bool(ONE)) == (math.sqrt(5), 5.0, 3, True)
    assert {ONE: "here"}[5] == "here"


@pytest.mark.parametrize("kind", [np.float32, np.int8, np.uint16, np.float64])
def test_numpy_takes_it_as_a_weak_int(kind):
    assert (kind(2) * ONE).dtype == np.dtype(kind)
    assert (ONE * kind(2)).dtype == np.dtype(kind)
    assert kind(ONE) == 5


def test_numpy_functions_take_it():
    assert np.sqrt(ONE) == np.sqrt(5)
    assert np.zeros(9)[ONE] == 0


def test_two_dimensions_are_no_int():
    with pytest.raises(TypeError, match="i, j = item"):
        TWO + 1
    assert TWO == id(1, 2)
    assert TWO != 6


def test_its_text_names_place_and_range():
    assert repr(TWO) == "item(1, 2 of 3, 4)"
