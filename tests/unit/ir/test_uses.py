"""A use names code, never a function object."""

from __future__ import annotations

from dataclasses import fields

from unisycl.ir.uses import FunctionUse


def test_a_use_holds_no_function():
    assert ["code", "source", "convergent"] == [f.name for f in fields(FunctionUse)]
