"""The table of builtins is complete in itself."""

from __future__ import annotations

import numpy as np
import pytest

from unisycl.ir.builtins import BUILTINS, BY_MATH, BY_NUMPY

RULES = {"float", "int", "any", "float_test", "float_int"}


@pytest.mark.parametrize("row", BUILTINS.values(), ids=str)
def test_a_row_says_what_it_must(row):
    assert row.rule in RULES
    assert 1 <= row.arity <= 3
    assert row.doc.endswith(".")
    assert row.llvm.split(":")[0] in ("llvm.sqrt", "expand", "libm", "cmp", "sat") or (
        row.llvm.startswith("llvm."))
    assert row.section.startswith("4.17.")


def takes(row, dtype):
    return row.rule == "any" or (np.dtype(dtype).kind == "f") == (row.rule != "int")


@pytest.mark.parametrize(("row", "dtype"), [
    (row, dtype) for row in BUILTINS.values()
    for dtype in (np.float32, np.float16, np.float64, np.int32, np.uint8) if takes(row, dtype)])
def test_the_host_meaning_keeps_its_operands_type(row, dtype):
    with np.errstate(all="ignore"):
        result = row.host(*[dtype(1)] * row.arity)
    assert (np.bool_ if row.rule == "float_test" else dtype) is type(result)


def test_names_of_numpy_and_math_lead_to_the_same_rows():
    assert BY_NUMPY["arctan2"] is BUILTINS["atan2"] is BY_MATH["atan2"]
    assert all(hasattr(np, name) for name in BY_NUMPY)
