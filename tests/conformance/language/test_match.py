"""``match`` on values: Python's choice of a case, on every device."""

from __future__ import annotations

import enum
from typing import NamedTuple

import numpy as np
import pytest

from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 29
K = (np.arange(N) * 31 % 11 - 3).astype(np.int32)


class Kind(enum.IntEnum):
    """Names with dots."""

    FEW = 1
    MANY = 4


class Limits:
    low, high = -2, 6


class Pair(NamedTuple):
    left: int
    right: int


def test_cases_are_taken_as_in_python(queue):
    def build(k, out):
        def grade(v):
            match v:
                case 0:
                    return 10
                case 2 | 3 | Limits.low:
                    return 20
                case Kind.FEW:
                    return 30
                case w if w > 5:
                    return w * 100
                case Limits.high | Kind.MANY as y:
                    return 40 + y
                case _:
                    return -1

        def kernel(i):
            out[i, 0] = grade(k[i])
            match k[i] + 1:
                case 1:
                    out[i, 1] = 1
                case 5:
                    out[i, 1] = 5
            match i % 4, k[i]:
                case 0, 0 | 1:
                    out[i, 2] = 1
                case 1, v:
                    out[i, 2] = v * 2
                case a, b if a < b:
                    out[i, 2] = a + 10 * b
                case _, -1:
                    out[i, 2] = 7
                case whole:
                    out[i, 2] = whole[0] - whole[1]
            for j in range(4):
                match j:
                    case 1:
                        continue
                    case 3 if k[i] > 2:
                        break
                out[i, 3] += 1 + j
            match Pair(i % 3, k[i]):
                case (0, right):
                    out[i, 4] = right
                case (1, *rest):
                    out[i, 4] = rest[0] + 50
                case (first, second, *_):
                    out[i, 4] = first * second
        return kernel
    agree(queue, build, N, k=K, out=ints(N, 5))


def test_floats_and_truth_values_are_matched_as_python_does(queue):
    def build(k, out, x):
        def kernel(i):
            match x[i]:
                case 0.5:
                    out[i] = 1
                case -1 | 2:
                    out[i] = 2
            match i > 4:
                case True:
                    out[i] += 10
                case False:
                    out[i] += 20
            match k[i] > 4:  # NumPy's truth value is not the object True
                case True:
                    out[i] += 100
                case 1:
                    out[i] += 200
        return kernel
    agree(queue, build, N, k=K, x=(K / 2).astype(np.float32), out=ints(N))


@pytest.mark.parametrize("op", ["add", "scale", None, (1, 2), "none of these"])
def test_constants_decide_while_compiling(queue, op):
    def build(k, out):
        def kernel(i):
            match op:
                case "add":
                    out[i] = k[i] + 1
                case "scale":
                    out[i] = k[i] * 3
                case None:
                    out[i] = 99
                case (1, second):
                    own = np.zeros(second, np.int32)
                    out[i] = len(own)
                case _:
                    out[i] = -7
        return kernel
    agree(queue, build, N, k=K, out=ints(N))


def test_the_subject_is_evaluated_once_and_cases_in_turn(queue):
    def build(k, out, calls):
        def subject(i):
            calls[i, 0] += 1
            return k[i]

        def ask(i, answer):
            calls[i, 1] += 1
            return answer

        def kernel(i):
            match subject(i):
                case 1 if ask(i, k[i] < 0):
                    out[i] = 1
                case 1 | 2 if ask(i, i % 2 == 0):
                    out[i] = 2
                case x if ask(i, x > 3):
                    out[i] = 3
                    k[i] = 0
                case _:
                    out[i] = 4
        return kernel
    agree(queue, build, N, k=K, out=ints(N), calls=ints(N, 2))


def test_a_case_for_each_member_leaves_nothing_out(queue):
    def build(k, out):
        def kernel(i):
            kind = Kind.MANY if k[i] > 2 else Kind.FEW
            match kind:
                case Kind.FEW if k[i] < 0:
                    found = 1
                case Kind.FEW:
                    found = 2
                case Kind.MANY:
                    found = 3
            out[i] = found
        return kernel
    agree(queue, build, N, k=K, out=ints(N))  # and no warning of a name without a value
