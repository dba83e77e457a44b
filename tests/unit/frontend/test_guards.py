"""Guards notice every change that could change the code, and no other."""

from __future__ import annotations

import enum

import numpy as np
import pytest

from unisycl.frontend import guards, specialize


class Colour(enum.Enum):
    RED = 1


class Size(enum.IntEnum):
    SMALL = 2


def double(x):
    return 2 * x


@pytest.mark.parametrize(("obj", "same", "other"), [
    (3, 4, 3.0), (1.5, 2.5, 1), (True, False, 1), (np.int8(3), np.int8(4), np.int16(3)),
    (np.zeros(3), np.ones(7), np.zeros((3, 1))), (np.zeros(3), np.ones(3), np.zeros(3, np.int8)),
    ("a", "a", "b"), (None, None, 0), (Colour.RED, Colour.RED, None),
    ((1, "x"), (1, "x"), (2, "x")),
    (double, double, len), (len, len, abs), (np, np, enum)])
def test_data_counts_by_type_and_constants_by_value(obj, same, other):
    test = guards.test(obj, frozen=False)
    assert test(obj)
    assert test(same)
    assert not test(other)


@pytest.mark.parametrize(("obj", "other"), [(3, 4), (1.5, 2.5), (0.0, -0.0), (True, 1), (1, True)])
def test_frozen_numbers_count_by_value(obj, other):
    test = guards.test(obj, frozen=True)
    assert test(obj)
    assert not test(other)


def test_nan_is_like_itself():
    assert guards.test(float("nan"), frozen=True)(float("nan"))


def test_tables_of_numbers_count_by_each_number_its_type_and_its_sign():
    table = (3, 1.5, True, 2j, float("nan"), 0.0, (7, (8.0,)), 1 << 70)
    test = guards.test(table, frozen=False)
    assert isinstance(test, guards.Table)
    assert test(table)
    equal = (*table[:6], (7, (float("8"),)), 1 << 70)
    assert test(equal)
    assert test(table)
    for k, changed in enumerate((4, 1.25, 1, -2j, 0.5, -0.0, (7, (9.0,)), 1 << 71)):
        assert not test((*table[:k], changed, *table[k + 1:]))
    assert not test(list(table))
    assert not test(table[:-1])
    assert not guards.test((1, 2), frozen=False)((1, Size.SMALL))
    assert not guards.test((1.0, 2.0), frozen=False)((1.0, np.float64(2)))
    assert not guards.test((1,), frozen=False)((len,))


def test_a_kernel_depends_on_all_numbers_of_a_table_by_one_guard():
    def kernel(i, out):
        out[i] = table[i] + rows[1][0]
    table, rows = tuple(range(300)), ((1, 2), (3, 4))
    out = np.zeros(8, np.int64)
    made = [specialize.find(kernel, "range", 1, (out,))[0]]
    assert [("free", "table"), ("free", "rows")] == [
        p[-1] for p, test in made[0].guards if isinstance(test, guards.Table)]
    assert len(made[0].guards) < 8
    table, rows = tuple(range(300)), ((1, 2), (3, 4))
    assert specialize.find(kernel, "range", 1, (out,))[0] is made[0]
    table = (*range(299), 0)
    made.append(specialize.find(kernel, "range", 1, (out,))[0])
    rows = ((1, 2), (3.0, 4))
    made.append(specialize.find(kernel, "range", 1, (out,))[0])
    assert 3 == len({id(one) for one in made})


def test_arrays_that_became_strided_or_read_only_are_noticed():
    test = guards.test(np.zeros((4, 4)), frozen=False)
    assert not test(np.zeros((4, 8))[:, ::2])
    frozen = np.zeros((4, 4))
    frozen.flags.writeable = False
    assert not test(frozen)


def test_paths_lead_through_closures_globals_attributes_and_tuples():
    pair = (1, "two")

    def kernel():
        return pair, np
    get = guards.getter((("free", "pair"), ("item", 1)))
    assert "two" == get(kernel, (), ())
    assert np.sqrt is guards.getter((("global", "np"), ("attr", "sqrt")))(kernel, (), ())
    assert len is guards.getter((("global", "len"),))(kernel, (), ())
    assert 7 == guards.getter((("arg", 1),))(kernel, (6, 7), ())
    assert 5 == guards.getter((("reduction", 0), ("attr", "real")))(kernel, (), (5,))
    assert kernel is guards.getter(())(kernel, (), ())


def test_a_path_that_is_gone_is_a_change():
    check = (guards.getter((("arg", 3),)), guards.test(1, frozen=False))
    assert not guards.unchanged((check,), double, (), ())


def test_records_count_by_their_members_also_where_a_program_renames_them():
    inner = np.dtype([("k", "i2"), ("y", "f4")])
    dtype = np.dtype([("x", "f4"), ("p", inner)])
    for one in (np.zeros(3, dtype), np.zeros(3, dtype)[0]):
        test = guards.test(one, frozen=False)
        assert test(one)
        assert test(np.ones(3, np.dtype(dtype.descr)) if one.ndim else np.ones(1, dtype.descr)[0])
        assert not test(np.ones(3, np.dtype([("x", "f4"), ("p", [("k", "i2"), ("z", "f4")])]))
                        if one.ndim else np.zeros(1, inner)[0])
        assert not test(np.zeros(3, "f4") if one.ndim else np.float32(1))
        assert test(one)
        for renamed in (dtype, dtype["p"]):
            names = renamed.names
            renamed.names = names[::-1]
            assert not test(one)
            renamed.names = names
            assert test(one)
