"""A use names code, never a function object."""

from __future__ import annotations

from dataclasses import fields

from unisycl.ir.function_uses import FunctionUse


def test_a_use_holds_no_function():
    kinds = {f.name: str(f.type) for f in fields(FunctionUse)}
    assert "CodeType" in kinds["code"]
    assert not [kind for kind in kinds.values() if "Callable" in kind or "FunctionType" in kind]
