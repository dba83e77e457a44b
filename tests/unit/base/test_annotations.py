"""Annotations of functions, in every version of Python."""

from __future__ import annotations

import sys
from types import FunctionType

import pytest

from unisycl.base.annotations import annotations_of, copy_annotations, signature_of

TEXT = """
def late(i: int, x: NotThere, y: "text" = 1) -> None: ...
"""


def late() -> FunctionType:
    """A function of a module without the future import; a name is not there if it may be so."""
    names: dict[str, object] = {} if sys.version_info >= (3, 14) else {"NotThere": int}
    exec(compile(TEXT, "late.py", "exec", dont_inherit=True), names)
    found = names["late"]
    assert isinstance(found, FunctionType)
    return found


def test_annotations_and_parameters_are_told_though_a_name_is_not_there() -> None:
    function = late()
    assert ["i", "x", "y", "return"] == list(annotations_of(function))
    assert int is annotations_of(function)["i"]
    assert ["i", "x", "y"] == list(signature_of(function).parameters)


def test_a_copy_has_the_same_annotations() -> None:
    function = late()
    twin = FunctionType(function.__code__, function.__globals__)
    copy_annotations(function, twin)
    assert list(annotations_of(function)) == list(annotations_of(twin))


@pytest.mark.parametrize("thing", [None, 3, len, type("C", (), {})()])
def test_what_has_none_has_none(thing: object) -> None:
    assert {} == annotations_of(thing)
