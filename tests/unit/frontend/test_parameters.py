"""Spelling what a callee takes, and matching arguments to it."""

from __future__ import annotations

import pytest

from tests.unit.frontend.lowering import problems
from unisycl.frontend.parameters import spell


@pytest.mark.parametrize(("required", "optional", "text"), [
    ((), (), "()"), (("a", "b"), (), "(a, b)"), (("a",), ("b", "c"), "(a[, b[, c]])"),
    ((), ("a", "b"), "([a[, b]])")])
def test_parameters_are_spelt_as_documentation_does(required, optional, text):
    assert text == spell(required, optional)


def test_what_python_would_refuse_is_refused():
    def kernel(i):
        len(1, 2)
        len()
        isinstance(i, class_or_tuple=int, obj=i)
        divmod(1, y=2, z=3)
    assert ["K034"] * 4 == problems(kernel)
