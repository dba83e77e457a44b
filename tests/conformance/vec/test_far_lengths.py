"""Lengths and directions of vectors whose squares no float holds, of infinities, and of nothing."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-27")
FAR = {np.float32: (3e38, 1e-38, 1e20, 2e-44), np.float64: (1.5e308, 1e-307, 1e200, 5e-324)}
"""Close to the largest number, to the least normal one, beyond its square's, and the least."""


def rows(kind: type) -> np.ndarray:
    """Return vectors of three elements: of one size, of two, and of both signs."""
    found = [(0, 0, 0), (3, 4, 12), (-3, 0, 4)]
    for size in FAR[kind]:
        found += [(size, 0, 0), (0, -size, 0), (0, 0, size), (size / 3, -size / 3, size / 2),
                  (size, 1, 0), (0, 1, -size)]
    return np.array(found, kind)


def exact(x: np.ndarray) -> np.ndarray:
    """Return lengths in longer floats, by elements that are divided by the largest."""
    wide = x.astype(np.longdouble)
    most = np.abs(wide).max(axis=1, keepdims=True)
    most[most == 0] = 1
    return np.sqrt(((wide / most) ** 2).sum(axis=1)) * most[:, 0]


@pytest.mark.parametrize("kind", FAR)
def test_lengths_distances_and_directions_lose_nothing(queue: sycl.queue, kind: type) -> None:
    vec = sycl.vec[kind, 3]
    x = rows(kind)
    long, far, unit = np.zeros(len(x), kind), np.zeros(len(x), kind), np.zeros((len(x), 3), kind)

    def kernel(i, x, long, far, unit):  # type: ignore[no-untyped-def]
        v = vec(x[i, 0], x[i, 1], x[i, 2])
        long[i] = sycl.length(v)
        far[i] = sycl.distance(vec(kind(0), x[i, 1], kind(0)), vec(x[i, 0], kind(0), -x[i, 2]))
        u = sycl.normalize(v)
        unit[i, 0], unit[i, 1], unit[i, 2] = u[0], u[1], u[2]
    queue.parallel_for(len(x), kernel, x, long, far, unit).wait()
    wanted = exact(x)
    fits = wanted <= np.finfo(kind).max
    least = np.finfo(kind).smallest_subnormal
    for found in (long, far):
        assert np.isinf(found[~fits]).all()
        assert (np.abs(found[fits] - wanted[fits]) <= 4 * np.finfo(kind).eps * wanted[fits]
                + least).all(), found
    some = wanted > 0
    right = x[some].astype(np.longdouble) / wanted[some, None]
    np.testing.assert_allclose(unit[some].astype(float), right.astype(float), rtol=0,
                               atol=8 * np.finfo(kind).eps)
    assert not unit[~some].any()


@pytest.mark.parametrize("kind", FAR)
def test_infinities_decide_and_what_is_no_number_stays(queue: sycl.queue, kind: type) -> None:
    vec, inf, nan = sycl.vec[kind, 3], np.inf, np.nan
    x = np.array([(inf, 1, 2), (-inf, 5, inf), (3, inf, -7), (1, 2, -inf), (inf, inf, inf),
                  (nan, 1, 2), (1, 2, nan)], kind)
    long, unit = np.zeros(len(x), kind), np.zeros((len(x), 3), kind)

    def kernel(i, x, long, unit):  # type: ignore[no-untyped-def]
        v = vec(x[i, 0], x[i, 1], x[i, 2])
        long[i] = sycl.length(v)
        u = sycl.normalize(v)
        unit[i, 0], unit[i, 1], unit[i, 2] = u[0], u[1], u[2]
    queue.parallel_for(len(x), kernel, x, long, unit).wait()
    assert np.isinf(long[:5]).all()
    assert np.isnan(long[5:]).all()
    half, third = np.sqrt(0.5), np.sqrt(1 / 3)
    np.testing.assert_allclose(unit[:5], np.array(
        [(1, 0, 0), (-half, 0, half), (0, 1, 0), (0, 0, -1), (third, third, third)]), atol=2e-7)
    assert np.isnan(unit[5:]).any(axis=1).all()


@pytest.mark.parametrize("kind", FAR)
def test_the_fourth_element_of_a_cross_product_is_nothing(queue: sycl.queue, kind: type) -> None:
    rng = np.random.default_rng(3)
    x, y = (rng.integers(-9, 9, (6, 4)).astype(kind) for _ in range(2))
    four, three = np.ones((6, 4), kind), np.ones((6, 3), kind)

    def kernel(i, x, y, four, three):  # type: ignore[no-untyped-def]
        a = sycl.vec[kind, 4](x[i, 0], x[i, 1], x[i, 2], x[i, 3])
        b = sycl.vec[kind, 4](y[i, 0], y[i, 1], y[i, 2], y[i, 3])
        c = sycl.cross(a, b)
        four[i, 0], four[i, 1], four[i, 2], four[i, 3] = c[0], c[1], c[2], c[3]
        d = sycl.cross(sycl.vec[kind, 3](x[i, 0], x[i, 1], x[i, 2]),
                       sycl.vec[kind, 3](y[i, 0], y[i, 1], y[i, 2]))
        three[i, 0], three[i, 1], three[i, 2] = d[0], d[1], d[2]
    queue.parallel_for(6, kernel, x, y, four, three).wait()
    wanted = np.cross(x[:, :3], y[:, :3])
    np.testing.assert_array_equal(three, wanted)
    np.testing.assert_array_equal(four, np.concatenate([wanted, np.zeros((6, 1))], axis=1))
