"""Views of memory with checked indices, and private arrays."""

import numpy as np
import pytest

from unisycl.base.enums import access_mode
from unisycl.base.errors import BoundsError, UsageError
from unisycl.base.geometry import id
from unisycl.lang.index.item import item
from unisycl.lang.index.place import Space
from unisycl.lang.memory.views import HostView, private_array

AT = item._make((1, 2), Space((2, 3), (0, 0)))


@pytest.mark.parametrize("index", [(1, 2), id(1, 2), AT, (np.int8(1), np.uint64(2))])
def test_an_element_is_named_by_tuple_id_or_item(index):
    view = HostView(np.arange(6).reshape(2, 3), "v")
    assert view[index] == 5
    view[index] = 9
    assert view[1][2] == 9


def test_a_chain_of_indices_reaches_rows_and_elements():
    data = np.arange(24).reshape(2, 3, 4)
    view = HostView(data, "v")
    view[1][2][3] = -1
    assert data[1, 2, 3] == -1
    assert (len(view), len(view[1]), view[0].shape, view.ndim) == (2, 3, (3, 4), 3)


@pytest.mark.parametrize("index", [-1, 4, np.int32(-2), 2**70])
def test_an_index_outside_is_an_index_error_that_names_all(index):
    view = HostView(np.zeros(4), "pixels")
    with pytest.raises(BoundsError, match=rf"index {index} is outside 'pixels' \(range 4\): "
                                          "valid is 0 to 3"):
        view[index]
    with pytest.raises(IndexError):
        view[index] = 1


def test_a_row_is_named_in_messages():
    with pytest.raises(BoundsError, match=r"'m\[1\]' \(range 3\)"):
        HostView(np.zeros((2, 3)), "m")[1][3]
    with pytest.raises(BoundsError, match="in dimension 0"):
        HostView(np.zeros((2, 3)), "m")[5]
    with pytest.raises(BoundsError, match="it is empty"):
        HostView(np.zeros(0), "none")[0]


def test_wrong_rank_and_wrong_kind_of_index_are_refused():
    view = HostView(np.zeros((2, 3)), "m")
    with pytest.raises(BoundsError, match="has 2 dimension"):
        view[1, 2, 3]
    with pytest.raises(UsageError, match="not by float"):
        HostView(np.zeros(2), "m")[1.0]


def test_a_row_is_filled_or_given_a_tuple_of_its_length():
    data = np.zeros((2, 3), np.int16)
    view = HostView(data, "m")
    view[1] = 7
    view[0] = 1, 2, 70000
    np.testing.assert_array_equal(data, [[1, 2, 70000 - 65536], [7, 7, 7]])
    with pytest.raises(ValueError, match=r"\(2,\) into shape \(3,\)"):
        view[0] = 1, 2


@pytest.mark.parametrize(("value", "stored"), [
    (300, 44), (-1, 255), (np.int64(-2), 254), (3.9, 3), (True, 1), (np.float32(7.5), 7)])
def test_stores_convert_as_devices_do(value, stored):
    view = HostView(np.zeros(1, np.uint8), "v")
    view[0] = value
    assert view[0] == stored


def test_what_fits_no_integer_is_stored_without_an_error():
    view = HostView(np.zeros(2, np.int32), "v")
    view[0] = float("nan")
    view[1] = np.float64(1e30)
    assert view[0].dtype == np.int32


def test_modes_are_kept_in_rows_too():
    with pytest.raises(UsageError, match="read-only"):
        HostView(np.zeros((2, 2)), "r", access_mode.read)[0][0] = 1
    with pytest.raises(UsageError, match="write-only"):
        HostView(np.zeros((2, 2)), "w", access_mode.write)[0][0]


def test_memory_without_dimensions_is_one_element():
    view = HostView(np.zeros((), np.int32), "v")
    view[()] = 3
    assert (view[()], view[0]) == (3, 3)


def test_memory_answers_how_large_it_is():
    view = HostView(np.zeros((2, 3), np.int16), "v")
    assert (view.size(), view.get_count(), view.byte_size(), view.get_size()) == (6, 6, 12, 12)
    assert (tuple(view.get_range()), view.get_range(1), view.empty()) == ((2, 3), 3, False)


def test_a_private_array_is_checked_and_shows_that_nobody_wrote_it():
    array = private_array(np.float32, (2, 2))
    assert np.isnan(array[1, 1])
    array[1][1] = 4
    assert array[1, 1] == 4
    assert private_array(np.int32, 3)[0] != 0
    with pytest.raises(BoundsError, match="private array"):
        array[2, 0]


@pytest.mark.parametrize(("dtype", "shape"), [
    ("U3", 3), ("f4", 0), ("f4", (1, 1, 1, 1)), ("f4", ())])
def test_private_arrays_that_no_device_has_are_refused(dtype, shape):
    with pytest.raises(UsageError, match="private_array"):
        private_array(dtype, shape)
