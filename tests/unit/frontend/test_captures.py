"""Which objects are data, which constants, and why the others are neither."""

from __future__ import annotations

import enum

import numpy as np
import pytest

from unisycl.base import geometry
from unisycl.frontend import captures
from unisycl.ir.types import WEAK_BOOL, WEAK_FLOAT, WEAK_INT, Scalar, Struct, View


class Level(enum.IntEnum):
    LOW = 1


def test_numbers_arrays_and_records_are_data():
    assert (WEAK_INT, WEAK_FLOAT, WEAK_BOOL) == tuple(map(captures.data_type, (1, 1.0, True)))
    assert isinstance(captures.data_type(np.float32(1)), Scalar)
    assert isinstance(captures.data_type(np.zeros((2, 2))), View)
    assert isinstance(captures.data_type(np.zeros(1, [("x", "i4")])[0]), Struct)
    for other in (None, "a", (1,), Level.LOW, len, np.zeros((1,) * 4)):
        assert captures.data_type(other) is None


@pytest.mark.parametrize(("obj", "kind", "way"), [
    ([1], "list", "tuple"), ({}, "dict", "tuple"),
    (np.timedelta64(1, "s"), "timedelta64", "bool, integers"),
    (np.zeros(4, np.dtype("f4,i2"))["f0"], "unaligned array", "copy"),
    (np.zeros(4, [("a", "c16"), ("b", "f8")])["a"], "array whose strides are no whole elements",
     "ascontiguousarray"),
    (np.zeros((1,) * 4), "4-dimensional array", "three dimensions"),
    (np.array(["a"]), "array of <U1", "records")])
def test_the_others_are_explained(obj, kind, way):
    found, help = captures.why_not(obj)
    assert kind == found
    assert way in help


def test_functions_count_by_code_and_methods_by_code_and_class():
    def make(k):
        return lambda: k
    assert captures.signature(make(1)) == captures.signature(make(2))

    class A:
        def run(self):
            return 1
    assert captures.signature(A().run) == captures.signature(A().run)
    assert captures.signature(A()) == captures.signature(A())


def test_index_spaces_count_by_dimensions():
    assert captures.signature(geometry.range(1, 2)) == captures.signature(geometry.range(3, 4))
    assert captures.signature(geometry.range(1, 2)) != captures.signature(geometry.id(1, 2))


def test_missing_names_are_told_from_none():
    def f():
        return nothing  # noqa: F821
    assert captures.follow(f, "global", "nothing") is captures.MISSING
    assert captures.follow(f, "free", "nothing") is captures.MISSING
    assert captures.follow(f, "global", "len") is len
