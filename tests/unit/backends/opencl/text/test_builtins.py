"""Every builtin that kernels can call has a spelling in OpenCL C."""

from __future__ import annotations

import re

import pytest

from tests.unit.backends.opencl.test_texts import NEW
from unisycl.backends.cfamily.arithmetic import HELPERS
from unisycl.backends.opencl.text import builtins
from unisycl.backends.opencl.text.dialect import make_dialect
from unisycl.backends.opencl.text.quirks import Quirks
from unisycl.base.dtypes import DTYPES
from unisycl.ir.builtins import BUILTINS

ROWS = [row for row in BUILTINS.values() if not row.parts]
OPERANDS = {"f": ("float16", "float32", "float64"), "s": ("float32",), "j": ("int32", "uint32"),
            "i": ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
            "u": ("uint16", "uint32", "uint64"), "b": ("bool",)}
OPERANDS["n"] = OPERANDS["f"] + OPERANDS["i"]


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_it_is_spelled_for_all_its_types(row) -> None:
    for type in OPERANDS[row.operands[0]]:
        found = builtins.spelling(row, DTYPES[type])
        assert found is not None, type
        places = {int(k) for k in re.findall(r"\{(\d)\}", found)}
        assert set(range(row.arity)) == places


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_the_functions_it_needs_exist(row) -> None:
    for spell in (builtins.spelling, builtins.careful(tuple(builtins.CAREFUL))):
        text = spell(row, DTYPES[OPERANDS[row.operands[0]][0]]) or ""
        for name in re.findall(r"\{helper:(\w+)\}", text):
            assert name in builtins.HELPERS or name in HELPERS


def test_a_careless_driver_gets_functions_of_our_own() -> None:
    plain, careful = (make_dialect(NEW, Quirks(weak_functions=weak), offsets=False)
                      for weak in ((), ("sinpi",)))
    row = BUILTINS["sinpi"]
    assert "sinpi({0})" == plain.builtin(row, DTYPES["float32"])
    assert "{helper:sinpi_careful}({0})" == careful.builtin(row, DTYPES["float32"])
    sine = BUILTINS["sin"]
    assert plain.builtin(sine, DTYPES["float32"]) == careful.builtin(sine, DTYPES["float32"])


def test_sums_are_not_fused_where_the_pragma_is_not_obeyed() -> None:
    obeys, contracts = (make_dialect(NEW, Quirks(contracts=flag), offsets=False)
                        for flag in (False, True))
    assert obeys.helper("exact_sub") is None
    found = contracts.helper("exact_sub")
    assert found is not None
    text = found.text.format(name="exact_sub_double", T="double", bits=64)
    assert 'asm("sub.rn.f64 %0, %1, %2;" : "=d"(result) : "d"(a), "d"(b));' in text


def test_a_choice_of_small_integers_is_small() -> None:
    found = builtins.spelling(BUILTINS["select"], DTYPES["int16"])
    assert "({T})({2} ? {1} : {0})" == found
