"""What statements of text become: literals are joined while compiling, values are shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.unit.frontend.lowering import found, lower
from unisycl.base import checked_mode
from unisycl.base.value_text import Shown
from unisycl.ir import nodes as n
from unisycl.lang.kernels import stream

NAME, FORMAT = "ab", "%s=%d"


def pieces(function: Callable[..., Any]) -> list[tuple[Any, ...]]:
    """Return the pieces of each text of a kernel, "value" for what is computed."""
    return [tuple("value" if isinstance(p, n.Expr) else p for p in text.pieces)
            for text in found(lower(function), n.Print)]


def test_what_is_known_while_compiling_is_one_literal():
    def kernel(i):
        print("a", f"<{NAME:4}>", f"{NAME!r:>5}", f"{NAME!a}", NAME, sep="|")
        print("no end", end="")
        print("none", end=None)
        stream.printf("%s has %%", NAME)

    assert pieces(kernel) == [("a|<ab  >| 'ab'|'ab'|ab\n",), ("no end",), ("none\n",),
                              ("ab has %",)]


def test_values_keep_their_format():
    def kernel(i):
        k = i[0] * 2
        print(f"{k:5d}", f"{k > 3:d}", f"{k!r}", f"{k!s}", end="")
        print(f"{np.float32(k)}", f"{np.float64(k):.1f}")
        stream.printf(FORMAT, NAME, k)

    assert pieces(kernel) == [
        (Shown("format", 1, "5d"), "value", " ", Shown("format", 1, "d"), "value", " ",
         Shown("repr"), "value", " ", Shown("str"), "value"),
        (Shown("format", 1), "value", " ", Shown("format", 1, ".1f"), "value", "\n"),
        ("ab=", Shown("printf", 1, "%d"), "value")]


def test_an_assertion_says_its_message_or_its_own_line():
    def kernel(i):
        assert i[0] < 5
        assert i[0] < 6, f"{i[0]} is beyond"

    checks = found(lower(kernel, checks=checked_mode.parse("assert")), n.Check)
    said = [tuple("value" if isinstance(p, n.Expr) else p for p in c.pieces) for c in checks]
    assert said[0] == ("AssertionError: assert i[0] < 5",)
    assert said[1][0] == "AssertionError: "
    assert said[1][-2:] == ("value", " is beyond")
