"""Vector mathematics and summary statistics against longer floats."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import mkl

vm, stats = mkl.vm, mkl.stats

pytestmark = pytest.mark.row("L-8")

X = np.array([0.1, 0.4, 0.9, 0.25, 0.75], np.float64)
WIDE = np.array([1.5, 2.25, 10.0, 1.0, 3.75], np.float64)
ONES = {
    "sqrt": mpmath.sqrt, "cbrt": mpmath.cbrt, "exp": mpmath.exp, "exp2": lambda v: mpmath.mpf(2)**v,
    "exp10": lambda v: mpmath.mpf(10)**v, "expm1": mpmath.expm1, "ln": mpmath.log,
    "log2": lambda v: mpmath.log(v, 2), "log10": mpmath.log10, "log1p": mpmath.log1p,
    "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "asin": mpmath.asin,
    "acos": mpmath.acos, "atan": mpmath.atan, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
    "tanh": mpmath.tanh, "asinh": mpmath.asinh, "atanh": mpmath.atanh, "erf": mpmath.erf,
    "erfc": mpmath.erfc, "tgamma": mpmath.gamma, "lgamma": mpmath.loggamma,
    "floor": mpmath.floor, "ceil": mpmath.ceil, "trunc": mpmath.floor, "rint": mpmath.nint,
    "round": lambda v: mpmath.floor(v + mpmath.mpf(0.5)), "nearbyint": mpmath.nint,
    "sinpi": mpmath.sinpi, "cospi": mpmath.cospi, "tanpi": lambda v: mpmath.tan(mpmath.pi * v),
    "asinpi": lambda v: mpmath.asin(v) / mpmath.pi, "acospi": lambda v: mpmath.acos(v) / mpmath.pi,
    "atanpi": lambda v: mpmath.atan(v) / mpmath.pi, "invsqrt": lambda v: 1 / mpmath.sqrt(v),
    "sqr": lambda v: v * v, "inv": lambda v: 1 / v, "abs": abs,
    "pow2o3": lambda v: mpmath.cbrt(v) ** 2, "pow3o2": lambda v: v * mpmath.sqrt(v),
    "acosh": None,
}
TWOS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "pow": lambda a, b: a**b, "powr": lambda a, b: a**b,
    "hypot": mpmath.hypot, "atan2": mpmath.atan2,
    "atan2pi": lambda a, b: mpmath.atan2(a, b) / mpmath.pi, "fmod": lambda a, b: a % b,
    "remainder": lambda a, b: a - b * mpmath.nint(a / b), "copysign": lambda a, b: abs(a),
    "fdim": lambda a, b: max(a - b, 0), "fmax": max, "fmin": min,
}


def near(found, right, kind, ulps=32):
    right = np.array([float(r) for r in right])
    assert np.all(np.abs(found - right) <= ulps * np.finfo(kind).eps * np.maximum(
        np.abs(right), 0.01)), (found, right)


def shared(queue, x):
    found = sycl.malloc_shared(x.size, x.dtype, queue)
    found[:] = x.ravel()
    return found


def kinds_of(queue):
    return [np.float32] + [np.float64] * bool(queue.get_device().has(sycl.aspect.fp64))


@pytest.mark.parametrize("name", [*ONES, *TWOS])
def test_functions_of_elements(queue: sycl.queue, name: str) -> None:
    for kind in kinds_of(queue):
        a, b, y = (shared(queue, v.astype(kind)) for v in (X, WIDE, X))
        if name in ONES:
            source, f = (b, mpmath.acosh) if ONES[name] is None else (a, ONES[name])
            getattr(vm, name)(queue, 5, source, y).wait()
            near(y[:], [f(mpmath.mpf(float(v))) for v in source[:]], kind)
        else:
            getattr(vm, name)(queue, 5, a, b, y, vm.mode.ha).wait()
            near(y[:], [TWOS[name](mpmath.mpf(float(v)), mpmath.mpf(float(w)))
                        for v, w in zip(a[:], b[:], strict=True)], kind)
        for memory in (a, b, y):
            sycl.free(memory, queue)


def test_functions_with_two_results_in_place_and_of_complex_numbers(queue: sycl.queue) -> None:
    for kind in kinds_of(queue):
        a, b, y, z = (shared(queue, v.astype(kind)) for v in (X, WIDE, X, X))
        vm.sincos(queue, 5, a, y, z).wait()
        near(y[:], [mpmath.sin(float(v)) for v in a[:]], kind)
        near(z[:], [mpmath.cos(float(v)) for v in a[:]], kind)
        a[:] = [1.5, -2.25, np.inf, -0.0, 3]
        vm.modf(queue, 5, a, y, z).wait()
        for v, whole, rest in zip(a[:], y[:], z[:], strict=True):
            assert (rest, whole) == math.modf(v)
            assert math.copysign(1, rest) == math.copysign(1, v)
        vm.nextafter(queue, 5, a, b, y).wait()
        assert np.array_equal(np.nextafter(a[:], b[:]), y[:])
        vm.sqr(queue, 5, b, b).wait()
        assert np.array_equal((WIDE * WIDE).astype(kind), b[:])
        for memory in (a, b, y, z):
            sycl.free(memory, queue)
    c = shared(queue, (X + 1j * WIDE).astype(np.complex64))
    d, e = shared(queue, (WIDE - 2j * X).astype(np.complex64)), shared(queue, X.astype("F"))
    for name, right in (("mul", c[:] * d[:]), ("mulbyconj", c[:] * d[:].conj()),
                        ("add", c[:] + d[:]), ("div", c[:] / d[:])):
        getattr(vm, name)(queue, 5, c, d, e).wait()
        assert np.allclose(e[:], right, rtol=1e-5)
    vm.conj(queue, 5, c, e).wait()
    assert np.array_equal(c[:].conj(), e[:])
    for memory in (c, d, e):
        sycl.free(memory, queue)


def test_statistics(queue: sycl.queue) -> None:
    rng = np.random.default_rng(4)
    small = queue.get_device().has(sycl.aspect.host_debuggable)
    kinds = [np.float32] + [np.float64] * bool(queue.get_device().has(sycl.aspect.fp64))
    for kind, n in [(k, n) for k in kinds for n in ((50,) if small else (7, 20001))]:
        x = (rng.standard_normal((3, n)) + [[5], [1e6 if kind is np.float32 else 100], [-3]])
        x = x.astype(kind)
        wide = x.astype(np.longdouble)
        for lying, values in ((stats.layout.row_major, x), (stats.layout.col_major, x.T.copy())):
            memory, out = shared(queue, values), shared(queue, np.zeros(3, kind))
            data = stats.make_dataset(3, n, memory, lying=lying)
            about = wide - wide.mean(1, keepdims=True)
            moments = {k: (about**k).mean(1) for k in (2, 3, 4)}
            cases = {
                "mean": wide.mean(1), "raw_sum": wide.sum(1), "variance": wide.var(1, ddof=1),
                "skewness": moments[3] / moments[2] ** 1.5,
                "kurtosis": moments[4] / moments[2] ** 2 - 3,
                "variation": np.sqrt(wide.var(1, ddof=1)) / wide.mean(1),
                "min": wide.min(1), "max": wide.max(1), "central_moment": moments[2],
                "central_sum": moments[2] * n, "raw_moment": (wide**2).mean(1)}
            for name, right in cases.items():
                getattr(stats, name)(queue, data, out).wait()
                roundings = 16 if kind is np.float32 and len(kinds) > 1 else 3000  # in float64
                bound = roundings * np.finfo(kind).eps * np.maximum(np.abs(right), 1)
                assert (np.abs(out[:] - right) <= bound).all(), (name, n, out[:], right)
            q = shared(queue, np.zeros(9, kind))
            if n < 100:
                stats.quantiles(queue, data, [0, 0.5, 0.9], q).wait()
                assert np.allclose(q[:].reshape(3, 3), np.quantile(x, [0, 0.5, 0.9], axis=1).T,
                                   rtol=1e-6)
            for m in (memory, out, q):
                sycl.free(m, queue)


def test_bad_input_is_refused(queue: sycl.queue) -> None:
    a = np.ones(4)
    bad = {
        "exp: it takes \\(queue, n, a, y": lambda: vm.exp(queue, 4, a),
        "y has 4 elements where 5": lambda:
        vm.add(queue, 5, np.ones(5), np.ones(5), a),
        "a has elements of int64": lambda: vm.exp(queue, 4, a.astype(int), a),
        "overlap, and are not the same": lambda: vm.exp(queue, 3, a[:3], a[1:]),
        "the mode must be one of": lambda: vm.exp(queue, 4, a, a.copy(), 3),
        "weights are not served": lambda: stats.make_dataset(1, 4, a, a),
        "4 elements where 8": lambda: stats.make_dataset(2, 4, a),
        "it takes \\(queue, dataset, result": lambda: stats.mean(queue, a, a),
        "numbers from 0 to 1": lambda: stats.quantiles(
            queue, stats.make_dataset(1, 4, a), [2], np.zeros(1)),
        "the order is 2, 3 or 4": lambda: stats.central_moment(
            queue, stats.make_dataset(1, 4, a), np.zeros(1), 5),
    }
    for text, call in bad.items():
        with pytest.raises(sycl.UsageError, match=text):
            call()
    assert (a == 1).all()
