"""Errors of mathematical functions against the tables of the specification (D-20 to D-25).

``python -m tests.property.accuracy`` does the same with as many operands as one likes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.property import accuracy
from unisycl.backends.cpu.compile import options
from unisycl.ir.builtins import BUILTINS

COUNT = {"float16": 1 << 16, "float32": 20_000, "float64": 1_500}
CASES = [(row.name, type) for row in accuracy.measured() for type in accuracy.types_of(row)]


def check(queue, name: str, type: str, count: int) -> None:
    row = BUILTINS[name]
    error, operands, result = accuracy.worst(queue, row, type, count, size=count // 5)
    bound = row.bound.ulp(8 * np.dtype(type).itemsize)
    assert error <= bound, (operands, result)


@pytest.mark.row("D-19", "D-20", "D-22", "D-24", "D-25", "D-28")
@pytest.mark.parametrize(("name", "type"), CASES)
def test_functions_are_as_accurate_as_the_table_asks(queue, device, name, type):
    slow = device.get_backend().name == "host"
    check(queue, name, type, 300 if slow else COUNT[type])


@pytest.mark.part("D-20", "D-22")
@pytest.mark.parametrize(("name", "type", "bits"), [
    (*c, bits) for bits in (128, 256) for c in CASES if c[1] != "float16" and (
        bits == 256 or c[0] in ("exp", "pow", "erf", "sin"))])
def test_older_processors_are_as_accurate(queue, device, monkeypatch, name, type, bits):
    if device.get_backend().name != "cpu":
        pytest.skip("only the native CPU has code for several vector sizes")
    found = options.machine()
    monkeypatch.setattr(options, "machine", lambda: replace(found, vector_bits=bits))
    check(queue, name, type, 1000)
