"""Deep programs compile; what is deeper still is refused: no RecursionError, no crash."""

from __future__ import annotations

import ast
import linecache
import sys

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("D-11", "D-60")

CALLS = "def f0(x):\n    return x + 1.0\n" + "".join(
    f"def f{k}(x):\n    y = f{k - 1}(x) * 1.5\n    return y - 1.0\n" for k in range(1, 300))
ELIF = "def kernel(i, out):\n    if i == 0:\n        out[i] = 7\n" + "".join(
    f"    elif i == {k}:\n        out[i] = {k * 3 % 7}\n" for k in range(1, 300))
IFS = "def kernel(i, out):\n    x = 0.0\n" + "".join(
    f"    if i % {k} == 1:\n        x += {k}.0\n" for k in range(2, 300)) + "    out[i] = x\n"
CASES = "def kernel(i, out):\n    n = int(out[i]) + i\n    match n:\n" + "".join(
    f"        case {k}:\n            x = {k * 5 % 11}.0\n" for k in range(200)) + (
    "        case _:\n            x = -1.0\n    out[i] = x\n")
RETURNS = "def chosen(x):\n" + "".join(
    f"    if x == {k}:\n        return {k * 3 % 7}.0 + x\n" for k in range(150)) + (
    "    return -1.0\n\ndef kernel(i, out):\n    out[i] = chosen(i * 20 + out[i])\n")
DEEP = {
    "a sum of 1,000 terms": "def kernel(i, out):\n    out[i] = " + " + ".join(
        f"out[i] * {k}.0" for k in range(1000)),
    "a chain of 300 elif": ELIF,
    "300 if one after another": IFS,
    "200 cases": CASES,
    "150 returns": RETURNS,
    "300 nested calls": CALLS + "def kernel(i, out):\n    out[i] = f299(out[i])\n",
    "150 calls of one another's results": CALLS + "def kernel(i, out):\n    out[i] = "
                                          + "f0(" * 150 + "out[i]" + ")" * 150,
    "180 parentheses": "def kernel(i, out):\n    out[i] = " + "(1 + " * 180 + "i" + ")" * 180,
    "a conjunction of 300": "def kernel(i, out):\n    if " + " and ".join(
        f"out[i] > -{k + 1}" for k in range(300)) + ":\n        out[i] = 5\n",
    "a disjunction of 300": "def kernel(i, out):\n    x = out[i] + i * 100\n    out[i] = 3 if " + (
        " or ".join(f"x == {k}" for k in range(300))) + " else 4\n",
    "a value of 100 numbers": "def kernel(i, out):\n    x = out[i] * i - 3.0\n    out[i] = " + (
        " or ".join(f"(x > {k} and out[(i + {k}) % 8] - {k}.0)" for k in range(100)) + " or i\n"),
    "90 branches one in another": "def kernel(i, out):\n" + "".join(
        " " * (k + 1) + f"if out[i] > -{k + 1}:\n" for k in range(90)) + " " * 92 + "out[i] = 5\n",
    "19 loops one in another": "def kernel(i, out):\n" + "".join(
        " " * (k + 1) + f"for j{k} in range(1):\n" for k in range(19)) + " " * 21 + "out[i] += 4\n",
}


def made(text):
    name = f"<deep {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {}
    exec(compile(text, name, "exec"), space)
    return space["kernel"]


@pytest.mark.parametrize("what", DEEP)
def test_deep_programs_compile_and_are_right(queue, what):
    kernel, out, expected = made(DEEP[what]), np.ones(8), np.ones(8)
    before = sys.getrecursionlimit()
    queue.parallel_for(8, kernel, out).wait()
    for i in range(8):
        kernel(i, expected)
    np.testing.assert_allclose(out, expected, rtol=1e-12)
    assert before == sys.getrecursionlimit()


def test_far_too_many_terms_are_refused_with_their_place(queue):
    """Python itself takes some thousands; what it takes and we do not is a diagnostic."""
    text = "def kernel(i, out):\n    out[i] = " + " + ".join(["out[i]"] * 2500)
    try:
        ast.parse(text)
        kernel = made(text)
    except (RecursionError, MemoryError):
        pytest.skip("this Python refuses the text itself")
    out, told = np.ones(8), ""
    try:
        queue.parallel_for(8, kernel, out).wait()
    except sycl.exception as error:
        told = str(error)
    assert [2500.0] * 8 == out.tolist() or "K001" in told or "nest" in told, told
