"""Corners of what Python defines that no other test turns: forms of calls, types, and orders."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.part("D-11")
N = 12
WORDS = (np.arange(N) * 7 % 11 - 5).astype(np.int64)
BYTES = (np.arange(N) * 53 % 256).astype(np.uint8)
SMALL = (np.arange(N) * 91 % 251 - 125).astype(np.int8)
FLAGS = np.arange(N) % 3 == 0


def test_least_and_greatest_of_every_form_of_arguments(queue):
    def build(x, u, s, b, out):
        def kernel(i):
            out[i, 0] = min(x[i], 2, -x[i], 1)
            out[i, 1] = max(x[i], -2, -x[i])
            out[i, 2] = min((x[i], 3, 1 - x[i]))
            out[i, 3] = max((x[i],))
            out[i, 4] = min(b[i], x[i] > 0)
            out[i, 5] = max(b[i], x[i] > 0)
            out[i, 6] = max(x[i] + k for k in range(3))
            out[i, 7] = min((k for k in range(x[i])), default=-7)
            out[i, 8] = max((k for k in range(x[i])), default=x[i])
            out[i, 9] = min(range(5), key=lambda k: abs(k - x[i]))
            out[i, 10] = max(x[i], 1, key=lambda k: -k)
            out[i, 11] = min(np.int64(u[i]), np.int64(s[i]), x[i])
            out[i, 12] = max(3, 7, 5)
            out[i, 13] = min(3, 7, 1)
            out[i, 14] = max(2, 2.5) > 2
            out[i, 15] = isinstance(max(u[i], np.uint8(3)), np.uint8)
        return kernel
    agree(queue, build, N, x=WORDS, u=BYTES, s=SMALL, b=FLAGS, out=ints(N, 16))


def test_magnitudes_and_rounding_keep_their_types(queue):
    def build(x, u, s, b, f, out, real):
        def kernel(i):
            out[i, 0] = abs(u[i])
            out[i, 1] = isinstance(abs(u[i]), np.uint8)
            out[i, 2] = abs(np.int64(s[i]))
            out[i, 3] = abs(x[i] > 0)
            out[i, 4] = abs(b[i])
            out[i, 5] = abs(-7)
            out[i, 6] = abs(True)
            out[i, 7] = round(f[i])
            out[i, 8] = round(x[i])
            out[i, 9] = isinstance(round(f[i], 1), np.float64)
            out[i, 10] = isinstance(round(u[i], 0), np.uint8)
            real[i, 0] = abs(f[i])
            real[i, 1] = abs(complex(3.0 * f[i], 4.0 * f[i]))
            real[i, 2] = round(f[i], 2)
            real[i, 3] = abs(-2.5)
        return kernel
    f = (np.arange(N) - 5) * 0.5
    agree(queue, build, N, x=WORDS, u=BYTES, s=SMALL, b=FLAGS, f=f, out=ints(N, 11),
          real=np.zeros((N, 4)))


def test_functions_of_math_with_every_number_of_arguments(queue):
    with sycl.testing.refused(queue.get_device(), sycl.aspect.fp64):
        def build(x, f, out, real):
            def kernel(i):
                n = abs(x[i])
                out[i, 0] = math.perm(n)
                out[i, 1] = math.perm(n, 2)
                out[i, 2] = math.comb(n + 3, 2)
                out[i, 3] = math.factorial(n)
                out[i, 4] = math.isqrt(n * n + n)
                out[i, 5] = math.gcd(x[i] * 6, 15)
                out[i, 6] = math.gcd(x[i])
                out[i, 7] = math.lcm(n + 1, 4, 6)
                out[i, 8] = math.gcd() + math.lcm() + math.gcd(12, 18, 27) + math.perm(4)
                out[i, 9] = math.floor(f[i]) * 100 + math.ceil(f[i]) * 10 + math.trunc(f[i])
                out[i, 10] = math.floor(x[i]) + math.ceil(x[i] > 0)
                out[i, 11] = math.isclose(f[i], f[i] * (1 + 1e-10))
                out[i, 12] = math.isclose(f[i], f[i] * (1 + 1e-8))
                out[i, 13] = math.isclose(f[i], f[i] + 0.25, abs_tol=0.5)
                out[i, 14] = math.isclose(f[i], 1.1 * f[i], rel_tol=0.2)
                out[i, 15] = math.isclose(1e-12, 0.0)
                real[i, 0] = math.degrees(f[i])
                real[i, 1] = math.radians(x[i])
            return kernel
        f = (np.arange(N) - 5) * 0.75
        made, wanted = (np.zeros((N, 2)) for _ in range(2))
        out = ints(N, 16)
        queue.parallel_for(N, build(WORDS, f, out, made)).wait()
        told = ints(N, 16)
        for i in range(N):
            build(WORDS.tolist(), f.tolist(), told, wanted)(i)
        assert told.tolist() == out.tolist()
        np.testing.assert_allclose(made, wanted, rtol=4e-16, atol=0)


def test_conditions_stop_where_python_stops(queue):
    """Each operand that is evaluated leaves a digit."""
    def build(x, trace, out):
        def kernel(i):
            def seen(digit, answer):
                trace[i] = trace[i] * 10 + digit
                return answer

            v = x[i]
            if seen(1, v > 0) and seen(2, v > 2) and seen(3, v > 4):
                trace[i] = -trace[i]
            out[i, 0] = trace[i]
            trace[i] = 0
            if seen(1, v > 3) or seen(2, v < -3) or seen(3, v == 0):
                trace[i] = -trace[i]
            out[i, 1] = trace[i]
            trace[i] = 0
            if (seen(1, v > 0) and seen(2, v > 2)) or (seen(3, v < -1) and not seen(4, v < -3)):
                trace[i] = -trace[i]
            out[i, 2] = trace[i]
            trace[i] = 0
            out[i, 3] = seen(1, v) or seen(2, v + 7)
            out[i, 4] = trace[i]
            trace[i] = 0
            out[i, 5] = seen(1, v) and seen(2, v + 7)
            out[i, 6] = trace[i]
            trace[i] = 0
            if -3 < seen(1, v) < seen(2, 2) != seen(3, v + 1):
                trace[i] = -trace[i]
            out[i, 7] = trace[i]
            trace[i] = 0
            out[i, 8] = 5 if seen(1, v < 0) else seen(2, 6)
            while seen(1, v > 3) and seen(2, v < 100):
                v += 50
            out[i, 9] = trace[i]
        return kernel
    agree(queue, build, N, x=WORDS, trace=ints(N), out=ints(N, 10))


def test_tuples_compare_as_tuples_do(queue):
    def build(x, out):
        def kernel(i):
            a, b = (x[i], 2), (2, x[i])
            out[i, 0] = a == b
            out[i, 1] = a != b
            out[i, 4] = a == (x[i], 2, 1)
            out[i, 5] = (1, (x[i], 3)) == (1, (3, x[i]))
            out[i, 6] = x[i] in (1, 2, 3)
            out[i, 7] = x[i] not in (1, 2, 3)
            out[i, 8] = (x[i], 2) in ((1, 2), (3, 2))
            out[i, 9] = () == ()
        return kernel
    agree(queue, build, N, x=WORDS, out=ints(N, 12))


def test_questions_about_types_take_one_class_or_several(queue):
    def build(x, u, f, out):
        def kernel(i):
            out[i, 0] = isinstance(u[i], np.uint8)
            out[i, 1] = isinstance(u[i], (np.int8, np.uint8))
            out[i, 2] = isinstance(u[i], (int, float))
            out[i, 3] = isinstance(f[i], np.floating)
            out[i, 5] = isinstance((x[i], 1), tuple)
            out[i, 6] = isinstance(x[i] > 0, (bool, np.bool_))
            out[i, 7] = isinstance(2.5, (int, str))
            out[i, 8] = any((x[i] > 3, x[i] < -3)) + 2 * all((x[i] > -3, x[i] < 3))
            out[i, 9] = any(x[i] == k for k in range(4)) + 2 * all(x[i] > -k for k in range(3))
            out[i, 10] = sum((x[i], 2, 3)) + sum((k * x[i] for k in range(4)), 5)
        return kernel
    agree(queue, build, N, x=WORDS, u=BYTES, f=np.ones(N, np.float32), out=ints(N, 11))
