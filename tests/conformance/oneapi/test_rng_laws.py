"""Engines mt19937 and sobol, leapfrog, more distributions, engines in kernels (catalogue L-7)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi.mkl import rng

pytestmark = pytest.mark.row("L-7")
N = 400
ENGINES = {"philox": rng.philox4x32x10, "mcg59": rng.mcg59, "mrg32k3a": rng.mrg32k3a,
           "mt19937": rng.mt19937, "sobol": lambda q, seed: rng.sobol(q, 3)}


def words(engine, n: int = N) -> np.ndarray:
    out = np.zeros(n, engine.kind)
    rng.generate(rng.bits(), engine, out)
    return out


def test_the_twister_gives_the_numbers_of_numpy(queue: sycl.queue) -> None:
    for seed in (5489, 0, [0x123, 0x234, 0x345, 0x456]):
        theirs = np.random.RandomState(seed)
        engine = rng.mt19937(queue, seed)
        for n in (1, 3, 700, 20):
            assert np.array_equal(theirs.randint(0, 1 << 32, n, np.uint64), words(engine, n))
        copy = engine.copy()
        rng.skip_ahead(engine, 1000)
        theirs.randint(0, 1 << 32, 1000, np.uint64)
        expected = theirs.randint(0, 1 << 32, 9, np.uint64)
        assert np.array_equal(expected, words(engine, 9))
        assert np.array_equal(expected, words(copy, 1009)[1000:])
    published = words(rng.mt19937(queue, [0x123, 0x234, 0x345, 0x456]), 3)  # mt19937ar.out
    assert [1067595299, 955945823, 477289528] == published.tolist()


def test_sobols_points_are_those_of_scipy(queue: sycl.queue) -> None:
    qmc = pytest.importorskip("scipy.stats").qmc
    for dimensions in (1, 2, 7, 40):
        expected = qmc.Sobol(dimensions, scramble=False, bits=32).random_base2(4).ravel()
        engine = rng.sobol(queue, dimensions)
        found = np.concatenate([words(engine, 5), words(engine, expected.size - 5)])
        assert np.array_equal(expected, found / 2.0**32)


@pytest.mark.parametrize("name", ENGINES)
def test_frogs_share_a_stream(queue: sycl.queue, name: str) -> None:
    make = ENGINES[name]
    whole = words(make(queue, 3))
    for index in (0, 2):
        engine = make(queue, 3)
        rng.skip_ahead(engine, 10)
        rng.leapfrog(engine, index, 3)
        mine = whole[10 + index::3]
        assert np.array_equal(mine[:50], words(engine, 50))
        rng.skip_ahead(engine, 4)
        u = np.zeros(20, np.float32)
        rng.generate(rng.uniform(), engine, u)
        top = (mine[54:74] >> mine.dtype.type(engine.bits - 24)).astype(np.float64) * 2.0**-24
        assert np.array_equal(top.astype(np.float32), u)
    alone, single = make(queue, 3), make(queue, 3)
    rng.leapfrog(alone, 0, 1)
    assert np.array_equal(words(alone, 20), words(single, 20))


def uniform(queue: sycl.queue, kind=rng.mcg59, dtype=np.float64, n: int = N) -> np.ndarray:
    out = np.zeros(n, dtype)
    rng.generate(rng.uniform(dtype=dtype), kind(queue, 8), out)
    return out.astype(np.float64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_formulas_of_uniform_numbers(queue: sycl.queue, dtype: type) -> None:
    special = pytest.importorskip("scipy.special")
    u = uniform(queue, rng.mcg59, dtype)
    u = np.where(u > 0, u, 2.0**-33)
    near = 1e-5 if dtype is np.float32 else 1e-13
    for law, expected in (
            (rng.exponential(1, 2, dtype), 1 - 2 * np.log(u)),
            (rng.laplace(1, 2, dtype), 1 + 2 * np.sign(u - 0.5) * -np.log(
                2 * np.minimum(u, 1 - u))),
            (rng.weibull(1.5, 1, 2, dtype), 1 + 2 * (-np.log(u)) ** (1 / 1.5)),
            (rng.rayleigh(1, 2, dtype), 1 + 2 * np.sqrt(-np.log(u))),
            (rng.cauchy(1, 2, dtype), 1 - 2 / np.tan(np.pi * u)),
            (rng.gumbel(1, 2, dtype), 1 + 2 * np.log(-np.log(u))),
            (rng.gaussian(1, 2, dtype, method="icdf"), 1 + 2 * special.ndtri(u)),
            (rng.lognormal(0.5, 0.25, 3, 2, dtype=dtype, method="icdf"),
             3 + 2 * np.exp(0.5 + 0.25 * special.ndtri(u)))):
        out = np.zeros(N, dtype)
        rng.generate(law, rng.mcg59(queue, 8), out)
        np.testing.assert_allclose(out, expected, rtol=40 * near, atol=40 * near)
    pairs, logs = np.zeros(N, dtype), np.zeros(N, dtype)
    rng.generate(rng.gaussian(0.5, 0.25, dtype), rng.mrg32k3a(queue, 8), pairs)
    rng.generate(rng.lognormal(0.5, 0.25, 3, 2, dtype=dtype), rng.mrg32k3a(queue, 8), logs)
    np.testing.assert_allclose(logs, 3 + 2 * np.exp(pairs.astype(np.float64)), rtol=40 * near)


def test_whole_numbers_by_tables(queue: sycl.queue) -> None:
    stats = pytest.importorskip("scipy.stats")
    u = uniform(queue)
    for law, theirs in (
            (rng.bernoulli(0.3), stats.bernoulli(0.3)), (rng.poisson(0.7), stats.poisson(0.7)),
            (rng.poisson(1234.5), stats.poisson(1234.5)),
            (rng.binomial(20, 0.2), stats.binom(20, 0.2)),
            (rng.binomial(100000, 0.7), stats.binom(100000, 0.7)),
            (rng.geometric(0.25), stats.geom(0.25, loc=-1))):
        out = np.zeros(N, np.int32)
        rng.generate(law, rng.mcg59(queue, 8), out)
        expected = theirs.ppf(np.nextafter(u, 2)).astype(np.int32)
        assert np.array_equal(expected[u > 0], out[u > 0])
    weights, out = np.array([3, 0, 1, 4]), np.zeros(N, np.uint32)
    rng.generate(rng.discrete(weights, np.uint32), rng.mcg59(queue, 8), out)
    assert np.array_equal(np.searchsorted(np.cumsum(weights) / 8, u, "right"), out)
    rng.generate(rng.binomial(9, 1, np.uint32), rng.mcg59(queue, 8), out)
    assert (out == 9).all()


@pytest.mark.parametrize("name", ENGINES)
def test_ranges_of_whole_numbers_and_bits(queue: sycl.queue, name: str) -> None:
    engine = ENGINES[name](queue, 5)
    w = [int(x) >> engine.bits - 32 for x in words(engine.copy())]
    modulus = engine.modulus if engine.bits == 32 else 1 << 32
    for a, b in ((0, 10), (-(2**31), 2**31), (-7, -6)):
        out = np.zeros(N, np.int32)
        rng.generate(rng.uniform_int(a, b), engine.copy(), out)
        assert [a + x * (b - a) // modulus for x in w] == out.tolist()
    out = np.zeros(N, np.uint32)
    rng.generate(rng.uniform_bits(), engine.copy(), out)
    assert w == out.tolist()


def test_engines_in_kernels_are_those_over_memory(queue: sycl.queue) -> None:
    each, n = 6, 40
    raw, u, g = (np.zeros((n, each), t) for t in (np.uint32, np.float32, np.float64))
    long, v = np.zeros((n, each), np.uint64), np.zeros((n, each), np.float64)

    def fill(i, raw, u, g, long, v):
        first = rng.device.philox4x32x10(77, 6 * i)
        second = rng.device.philox4x32x10(77, 6 * i)
        third = rng.device.philox4x32x10(77, 6 * i)
        fourth = rng.device.mcg59(5, 6 * i)
        fifth = rng.device.mcg59(5, 6 * i)
        law = rng.device.uniform(np.float32(-1), np.float32(1))
        normal = rng.device.gaussian(np.float64(0), np.float64(1))
        for k in range(6):
            raw[i, k] = rng.device.generate(rng.device.bits(), first)
            u[i, k] = rng.device.generate(law, second)
            long[i, k] = rng.device.generate(rng.device.bits(), fourth)
            v[i, k] = rng.device.generate(rng.device.uniform(np.float64(0), np.float64(1)), fifth)
        for k in range(3):
            g[i, 2 * k], g[i, 2 * k + 1] = normal.both(third)

    queue.parallel_for(n, fill, raw, u, g, long, v).wait()
    assert np.array_equal(words(rng.philox4x32x10(queue, 77), n * each), raw.ravel())
    assert np.array_equal(words(rng.mcg59(queue, 5), n * each), long.ravel())
    for law, engine, found in ((rng.uniform(-1, 1), rng.philox4x32x10(queue, 77), u),
                               (rng.uniform(dtype=np.float64), rng.mcg59(queue, 5), v)):
        out = np.zeros(n * each, found.dtype)
        rng.generate(law, engine, out)
        assert np.array_equal(out, found.ravel())
    out = np.zeros(n * each)
    rng.generate(rng.gaussian(dtype=np.float64), rng.philox4x32x10(queue, 77), out)
    np.testing.assert_allclose(g.ravel(), out, rtol=1e-13, atol=1e-14)


def test_the_combined_engine_waits_and_skips_in_kernels(queue: sycl.queue) -> None:
    n, seed, device = 40, 2026, rng.device
    raw, u, waits = np.zeros((n, 5), np.uint32), np.zeros((3, n)), np.zeros(n, np.float32)

    def fill(i, raw, u, waits, far):
        first = device.mrg32k3a(seed, 5 * i)
        for k in range(5):
            raw[i, k] = device.generate(device.bits(), first)
        a, b, c = device.mrg32k3a(seed), device.mcg59(seed), device.philox4x32x10(seed, i)
        law = device.uniform(np.float64(2), np.float64(5))
        device.generate(law, a)
        device.skip_ahead(a, far + i)
        device.skip_ahead(b, far + i)
        waits[i] = device.generate(device.exponential(np.float32(1), np.float32(3)), c)
        device.skip_ahead(c, far)
        u[0, i], u[1, i], u[2, i] = (device.generate(law, a), device.generate(law, b),
                                     device.generate(law, c))

    far = (1 << 40) + 12345
    queue.parallel_for(n, fill, raw, u, waits, np.uint64(far)).wait()
    assert np.array_equal(words(rng.mrg32k3a(queue, seed), 5 * n), raw.ravel())
    out, short = np.zeros(n), np.zeros(n, np.float32)
    for kind, before, ours in ((rng.mrg32k3a, 1, u[0]), (rng.mcg59, 0, u[1]),
                               (rng.philox4x32x10, 1, u[2])):
        engine = kind(queue, seed)
        rng.skip_ahead(engine, far + before)
        rng.generate(rng.uniform(2, 5, np.float64), engine, out)
        assert np.array_equal(out, ours)
    rng.generate(rng.exponential(1, 3), rng.philox4x32x10(queue, seed), short)
    np.testing.assert_allclose(waits, short, rtol=1e-6)


def test_the_twister_and_sobols_points_in_kernels(queue: sycl.queue) -> None:
    n, each, seed, device = 25, 4, 2026, rng.device
    raw, u = np.zeros((2, n, each), np.uint32), np.zeros((2, n), np.float64)

    def fill(i, raw, u, dimensions):
        twister, points = device.mt19937(seed, 600 + each * i), device.sobol(dimensions, each * i)
        for k in range(each):
            raw[0, i, k] = device.generate(device.bits(), twister)
            raw[1, i, k] = device.generate(device.bits(), points)
        device.skip_ahead(twister, 650)
        device.skip_ahead(points, 10**9)
        law = device.uniform(np.float64(-1), np.float64(1))
        u[0, i], u[1, i] = device.generate(law, twister), device.generate(law, points)

    queue.parallel_for(n, fill, raw, u, 5).wait()
    last = np.zeros(each * (n - 1) + 1)
    for engine, ahead, far, ours, uniforms in zip(
            (rng.mt19937(queue, seed), rng.sobol(queue, 5)), (600, 0), (650, 10**9), raw, u,
            strict=True):
        rng.skip_ahead(engine, ahead)
        after = engine.copy()
        assert np.array_equal(words(engine, each * n), ours.ravel())
        rng.skip_ahead(after, each + far)
        rng.generate(rng.uniform(-1, 1, np.float64), after, last)
        assert np.array_equal(last[::each], uniforms)


def test_every_distribution_in_kernels_is_that_over_memory(queue: sycl.queue) -> None:
    n, seed, many, f = 60, 11, rng.poisson(4.5), np.float32
    laws = (rng.gaussian(1, 2, method="icdf"), rng.laplace(1, 2), rng.weibull(1.5, 1, 2),
            rng.rayleigh(1, 2), rng.cauchy(1, 2), rng.gumbel(1, 2))
    found = np.zeros((len(laws), n), f)
    pairs, whole = np.zeros(2 * n, f), np.zeros((4, n), np.int32)
    long = np.zeros((2, n), np.uint32)

    def fill(i, found, pairs, whole, long, table):
        device, one, two = rng.device, f(1), f(2)
        for k, law in enumerate((device.gaussian_icdf(one, two), device.laplace(one, two),
                                 device.weibull(f(1.5), one, two), device.rayleigh(one, two),
                                 device.cauchy(one, two), device.gumbel(one, two))):
            found[k, i] = device.generate(law, device.philox4x32x10(seed, i))
        log = device.lognormal(one, f(0.5), two, f(3))
        pairs[2 * i], pairs[2 * i + 1] = log.both(device.philox4x32x10(seed, 2 * i))
        die = device.uniform_int(np.int32(-3), np.int32(9))
        whole[0, i] = device.generate(die, device.mrg32k3a(seed, i))
        whole[1, i] = device.generate(die, device.mcg59(seed, i))
        whole[2, i] = device.generate(device.bernoulli(0.3), device.philox4x32x10(seed, i))
        law = device.tabled(table, many.low)
        whole[3, i] = device.generate(law, device.philox4x32x10(seed, i))
        long[0, i] = device.generate(device.uniform_bits(), device.mcg59(seed, i))
        long[1, i] = device.generate(device.uniform_bits(), device.philox4x32x10(seed, i))

    queue.parallel_for(n, fill, found, pairs, whole, long, many.table).wait()
    engine, mine = rng.philox4x32x10(queue, seed), np.zeros(n, f)
    for law, ours in zip(laws, found, strict=True):
        rng.generate(law, engine.copy(), mine)
        np.testing.assert_allclose(ours, mine, rtol=2e-6, atol=1e-6)
    both, numbers, words_ = np.zeros(2 * n, f), np.zeros(n, np.int32), np.zeros(n, np.uint32)
    rng.generate(rng.lognormal(1, 0.5, 2, 3), engine.copy(), both)
    np.testing.assert_allclose(pairs, both, rtol=2e-6)
    short, other = rng.mrg32k3a(queue, seed), rng.mcg59(queue, seed)
    for ours, law, of in zip(whole, (rng.uniform_int(-3, 9), rng.uniform_int(-3, 9),
                                     rng.bernoulli(0.3), many), (short, other, engine, engine),
                             strict=True):
        rng.generate(law, of.copy(), numbers)
        assert np.array_equal(numbers, ours)
    for ours, of in zip(long, (other, engine), strict=True):
        rng.generate(rng.uniform_bits(), of.copy(), words_)
        assert np.array_equal(words_, ours)


def test_what_no_distribution_has_is_refused(queue: sycl.queue) -> None:
    engine = rng.sobol(queue, 2)
    for call in (lambda: rng.sobol(queue, 0), lambda: rng.sobol(queue, 41),
                 lambda: rng.leapfrog(engine, 3, 3), lambda: rng.leapfrog(engine, 0, 0),
                 lambda: rng.discrete([]), lambda: rng.discrete([-1, 2]),
                 lambda: rng.bernoulli(1.5), lambda: rng.poisson(0), lambda: rng.poisson(math.inf),
                 lambda: rng.binomial(-1, 0.5), lambda: rng.binomial(3, 2),
                 lambda: rng.geometric(0), lambda: rng.exponential(0, 0),
                 lambda: rng.lognormal(0, -1), lambda: rng.gaussian(method="zigzag"),
                 lambda: rng.uniform_int(5, 5), lambda: rng.uniform_int(0, 2**31 + 1),
                 lambda: rng.poisson(3, np.float32), lambda: rng.weibull(-1)):
        with pytest.raises(sycl.UsageError):
            call()
    rng.skip_ahead(engine, 2**33 - 1)
    words(engine, 1)
    with pytest.raises(sycl.UsageError, match="2\\*\\*32 points"):
        words(engine, 1)
