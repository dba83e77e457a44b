"""Types of the IR follow NumPy's layouts."""

from __future__ import annotations

import numpy as np
import pytest

from unisycl.ir.types import WEAK_FLOAT, WEAK_INT, Scalar, Struct, View, element_type


def test_weak_types_are_called_by_pythons_names():
    assert ("Python int", "Python float") == (str(WEAK_INT), str(WEAK_FLOAT))


def test_structs_have_numpys_offsets_and_sizes():
    dtype = np.dtype([("a", np.int8), ("b", np.float64), ("c", np.int16, (2, 3))], align=True)
    kind = element_type(dtype)
    assert isinstance(kind, Struct)
    assert dtype.itemsize == kind.size
    assert [dtype.fields[f.name][1] for f in kind.fields] == [f.offset for f in kind.fields]
    assert (2, 3) == kind.field("c").shape
    assert kind.field("d") is None
    assert "struct {a: int8, b: float64, c: int16}" == str(kind)


@pytest.mark.parametrize("dtype", ["U3", "O", "c8", "c16", ">i4", "M8[s]", "f2", "?"])
def test_only_plain_numbers_of_the_machines_byte_order_are_elements(dtype):
    assert (dtype in ("c8", "c16", "f2", "?")) == isinstance(element_type(np.dtype(dtype)), Scalar)


def test_a_struct_with_a_strange_member_is_none():
    assert element_type(np.dtype([("a", "i4"), ("b", "O")])) is None


def test_views_describe_themselves():
    assert "2-d global memory of float32" == str(View(element_type(np.dtype("f4")), 2))
