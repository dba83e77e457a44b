"""Splines against SciPy's: coefficients, derivatives, conditions at the ends, layouts."""

from __future__ import annotations

import threading
from itertools import product

import numpy as np
import pytest
from scipy import interpolate as scipy_interpolate

import unisycl as sycl
from tests.sampling import by_turns
from unisycl.oneapi import mkl

fitting = mkl.data_fitting
linear = fitting.linear_spline.default_type
cubic, bc, hint = fitting.cubic_spline, fitting.bc_type, fitting.interpolate_hint
D = fitting.derivative
ALL = D.zero | D.first | D.second | D.third
SITES = 31

pytestmark = pytest.mark.part("L-8")


def shared(queue, x, kind):
    found = sycl.malloc_shared(max(np.size(x), 1), kind, queue)
    found[:np.size(x)] = np.ravel(x)
    return found


def reference(kind, x, y, ends, given, inside):
    """Return SciPy's spline of one function; None where it has none of this kind."""
    if kind is linear:
        return scipy_interpolate.PPoly(np.stack([np.diff(y) / np.diff(x), y[:-1]]), x)
    if kind is cubic.natural:
        return scipy_interpolate.CubicSpline(x, y, bc_type={
            None: "natural", bc.free_end: "natural", bc.not_a_knot: "not-a-knot",
            bc.first_derivative: ((1, given[0]), (1, given[1])),
            bc.second_derivative: ((2, given[0]), (2, given[1]))}[ends])
    if ends is bc.first_derivative:
        slopes = inside
        if kind is cubic.bessel:
            h, s = np.diff(x), np.diff(y) / np.diff(x)
            slopes = (h[1:] * s[:-1] + h[:-1] * s[1:]) / (h[1:] + h[:-1])
        if kind is not cubic.akima:
            return scipy_interpolate.CubicHermiteSpline(x, y, [given[0], *slopes, given[1]])
    if kind is cubic.akima and ends is None and len(x) > 2:
        return scipy_interpolate.Akima1DInterpolator(x, y)
    return None


def cases():
    for kind in (linear, cubic.natural, cubic.bessel, cubic.akima, cubic.hermite):
        for ends in (None, *((bc.free_end, bc.first_derivative, bc.second_derivative,
                              bc.not_a_knot) if kind is not linear else ())):
            yield kind, ends


def made(queue, kind, ends, x, y, given, inside, number):
    s = fitting.spline(queue, kind, len(y))
    s.set_partitions(shared(queue, x, number), len(x)).set_function_values(shared(queue, y, number))
    if kind is cubic.hermite:
        s.set_internal_conditions(shared(queue, inside, number))
    if ends in (bc.first_derivative, bc.second_derivative):
        s.set_boundary_conditions(shared(queue, given, number), ends)
    elif ends is not None:
        s.set_boundary_conditions(None, ends)
    return s.set_coefficients(shared(queue, np.zeros(s.get_required_coeffs_size()), number))


def test_splines_are_those_of_scipy(queue: sycl.queue) -> None:
    number = np.float64 if queue.get_device().has(sycl.aspect.fp64) else np.float32
    rng = np.random.default_rng(3)
    tolerance = 1e-9 if number is np.float64 else 2e-3
    for (kind, ends), nx in product(by_turns(queue.get_device(), cases()), (2, 3, 4, 9)):
        if ends is bc.not_a_knot and nx < 4:
            continue
        x = (np.cumsum(rng.random(nx) + 0.1)).astype(number).astype(float)
        y = rng.standard_normal((2, nx)).astype(number).astype(float)
        given, inside = rng.standard_normal((2, 2)), rng.standard_normal((2, nx - 2))
        at = np.concatenate([x, x[0] - 0.2 + rng.random(SITES - nx) * (x[-1] - x[0] + 0.4)])
        s = made(queue, kind, ends, x, y, given.T, inside, number)
        assert s.is_initialized()
        s.construct()
        found = shared(queue, np.zeros(2 * SITES * 4), number)
        sites = shared(queue, at, number)
        fitting.interpolate(s, sites, SITES, found, ALL).wait()
        values = np.asarray(found, float).reshape(2, SITES, 4)
        assert np.allclose(values[:, :nx, 0], y, atol=tolerance)
        for f in range(2):
            right = reference(kind, x, y[f], ends, given[f], inside[f])
            for d in range(4 if right is not None else 0):
                want = right(at, nu=d, extrapolate=True)
                error = np.abs(values[f, :, d] - want)
                inner = np.ones(SITES, bool) if d < 1 else np.arange(SITES) >= nx
                assert error[inner].max() <= tolerance * (1 + np.abs(want).max()), (
                    kind, ends, nx, d)
        for memory in (found, sites):
            sycl.free(memory, queue)


def test_results_lie_as_asked_and_points_may_be_even(queue: sycl.queue) -> None:
    rng = np.random.default_rng(4)
    y, at = rng.standard_normal((3, 6)), np.linspace(-1, 2, 5)
    right = scipy_interpolate.CubicSpline(np.linspace(-1, 2, 6), y, axis=1, bc_type="natural")
    want = np.stack([right(at, nu=d) for d in (0, 2)], axis=-1)  # functions, sites, derivatives
    s = fitting.spline(queue, cubic.natural, 3)
    s.set_partitions(shared(queue, [-1, 2], np.float32), 6, fitting.partition_hint.uniform)
    s.set_function_values(shared(queue, y.T, np.float32), fitting.storage_hint.col_major)
    s.set_coefficients(shared(queue, np.zeros(s.get_required_coeffs_size()), np.float32))
    s.construct().wait()
    sites = shared(queue, at, np.float32)
    found = shared(queue, np.zeros(want.size), np.float32)
    for option, axes in ((hint.funcs_sites_ders, (0, 1, 2)), (hint.funcs_ders_sites, (0, 2, 1)),
                         (hint.sites_funcs_ders, (1, 0, 2)), (hint.sites_ders_funcs, (1, 2, 0))):
        fitting.interpolate(s, sites, 5, found, D.zero | D.second, ResultHint=option).wait()
        assert np.allclose(found[:], want.transpose(axes).ravel(), atol=2e-4)


def test_coefficients_may_come_from_elsewhere(queue: sycl.queue) -> None:
    s = fitting.spline(queue, linear, 1, True)
    s.set_partitions(shared(queue, [0, 1, 3], np.float32), 3)
    s.set_coefficients(shared(queue, [5, 1, 6, -2], np.float32))
    found = shared(queue, np.zeros(3), np.float32)
    fitting.interpolate(s, shared(queue, [0.5, 2, 4], np.float32), 3, found).wait()
    assert list(found[:3]) == [5.5, 4, 0]


def test_what_is_wrong_with_a_spline_is_told() -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    x, y, out = np.arange(3.0), np.ones(3), np.zeros(8)
    s = fitting.spline(queue, cubic.natural)
    with pytest.raises(mkl.uninitialized, match="call set_partitions, set_coefficients, "
                       "set_function_values"):
        s.construct()
    with pytest.raises(mkl.uninitialized, match="call set_partitions first"):
        s.set_function_values(y)
    with pytest.raises(mkl.invalid_argument, match="the points must ascend"):
        s.set_partitions(x[::-1].copy(), 3)
    with pytest.raises(mkl.invalid_argument, match="nx must be at least 2"):
        s.set_partitions(x, 1)
    s.set_partitions(x, 3).set_function_values(y).set_coefficients(out)
    with pytest.raises(mkl.uninitialized, match="no coefficients; call construct"):
        fitting.interpolate(s, x, 3, np.zeros(3))
    with pytest.raises(mkl.invalid_argument, match="takes 2 derivatives"):
        s.set_boundary_conditions(None, bc.first_derivative)
    with pytest.raises(mkl.invalid_argument, match="only .*hermite.* takes slopes"):
        s.set_internal_conditions(y)
    s.set_boundary_conditions(None, bc.not_a_knot)
    with pytest.raises(mkl.invalid_argument, match="not_a_knot needs 4 partition points"):
        s.construct()
    s.set_boundary_conditions()
    s.construct().wait()
    with pytest.raises(mkl.invalid_argument, match="results has 2 elements where 3 are needed"):
        fitting.interpolate(s, x, 3, np.zeros(2))
    with pytest.raises(mkl.invalid_argument, match="overlap"):
        fitting.interpolate(s, x, 3, x)
    with pytest.raises(mkl.invalid_argument, match="the kind must be one of"):
        fitting.spline(queue, "cubic")
    assert (y == 1).all()


def complete(queue, nx=7, kind=np.float32):
    x = np.linspace(0, 6, nx).astype(kind)
    s = fitting.spline(queue, cubic.natural)
    s.set_partitions(shared(queue, x, kind), nx)
    s.set_function_values(shared(queue, np.sin(x), kind))
    s.set_coefficients(shared(queue, np.zeros(s.get_required_coeffs_size()), kind))
    return s


def test_another_partition_does_not_use_memory_or_results_of_the_one_before(queue):
    sites, found = (shared(queue, np.ones(2), np.float32) for _ in range(2))
    s = complete(queue)
    room = shared(queue, np.full(4 * 99, 7), np.float32)
    s.set_coefficients(room)
    points = shared(queue, np.linspace(0, 6, 100), np.float32)
    s.set_partitions(points, 100).set_function_values(points)
    with pytest.raises(mkl.uninitialized, match="set_coefficients"):
        s.construct()
    assert (np.asarray(room) == 7).all()
    s.set_coefficients(room).construct().wait()
    fitting.interpolate(s, sites, 2, found).wait()
    assert np.allclose(found[:], 1)
    s.set_partitions(points, 100).set_function_values(points)
    with pytest.raises(mkl.uninitialized, match="construct"):
        fitting.interpolate(s, sites, 2, found)
    s = complete(queue)
    s.construct().wait()
    s.set_coefficients(shared(queue, np.full(24, 9), np.float32))
    with pytest.raises(mkl.uninitialized, match="construct"):
        fitting.interpolate(s, sites, 2, found)


def test_another_type_does_not_keep_coefficients_or_conditions(queue):
    s = complete(queue)
    s.set_boundary_conditions(shared(queue, [0, 0], np.float32), bc.first_derivative)
    x = np.linspace(0, 6, 7)
    s.set_partitions(x, 7).set_function_values(x)
    with pytest.raises(mkl.uninitialized, match="set_coefficients, set_boundary_conditions"):
        s.construct()


def test_coefficients_that_were_computed_before_are_not_computed_again(queue):
    given = shared(queue, np.arange(24), np.float32)
    s = fitting.spline(queue, cubic.natural, 1, True)
    s.set_partitions(shared(queue, np.arange(7), np.float32), 7).set_coefficients(given)
    with pytest.raises(mkl.invalid_argument, match="were_coeffs_computed"):
        s.construct()
    assert (given[:] == np.arange(24)).all()
    for wrong in ("first", 0, 16, None):
        with pytest.raises(mkl.invalid_argument, match="DerIndicator"):
            fitting.interpolate(s, given, 0, given, wrong)


def test_points_are_looked_at_behind_what_writes_them(device: sycl.device) -> None:
    queue, go = sycl.queue(device, sycl.property.queue.in_order()), sycl.ext.unisycl.user_event()
    x = sycl.malloc_shared(4, np.float32, queue)
    x[:] = 0
    queue.copy(np.arange(4, dtype=np.float32), x, depends_on=[go])
    threading.Timer(0.02, go.set).start()
    made = mkl.data_fitting.spline(queue, mkl.data_fitting.linear_spline.default_type)
    assert made.set_partitions(np.asarray(x), 4) is made
    sycl.free(x, queue)
