"""Random numbers: published vectors, skipping, and one stream on every device (catalogue L-7)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi.mkl import rng

pytestmark = pytest.mark.row("L-7")
ENGINES = [rng.philox4x32x10, rng.mcg59, rng.mrg32k3a]
N = 301


def words(engine, n: int = N) -> np.ndarray:
    out = np.zeros(n, engine.kind)
    rng.generate(rng.bits(), engine, out)
    return out


def philox(key: int, counter: int) -> list[int]:
    """Return four words by Python's integers (Salmon and others, 2011)."""
    c = [counter >> 32 * k & 0xFFFFFFFF for k in range(4)]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p, r = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [r >> 32 ^ c[1] ^ k[0], r & 0xFFFFFFFF, p >> 32 ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def test_philox_gives_the_vectors_of_random123(queue: sycl.queue) -> None:
    every = 2**64 - 1
    for seed, expected in (
            ([0, 0, 0], "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
            ([every, every, every], "408f276d 41c83b0e a20bc7c6 6d5451fd"),
            ([0x299F31D0A4093822, 0x85A308D3243F6A88, 0x0370734413198A2E],
             "d16cfe09 94fdcceb 5001e420 24126ea1")):
        found = words(rng.philox4x32x10(queue, seed), 4)
        assert expected.split() == [f"{w:08x}" for w in found]


def test_philox_counts_in_128_bits(queue: sycl.queue) -> None:
    first = 2**64 - 3
    expected = [w for k in range(6) for w in philox(99, first + k)]
    assert expected == words(rng.philox4x32x10(queue, [99, first]), 24).tolist()
    last = 2**128 - 2
    expected = [w for k in range(4) for w in philox(5, (last + k) % 2**128)]
    engine = rng.philox4x32x10(queue, [5, last % 2**64, last >> 64])
    assert expected == words(engine, 16).tolist()


def test_the_other_engines_are_their_recurrences(queue: sycl.queue) -> None:
    x, expected = 77, []
    for _ in range(N):
        expected.append(x)
        x = x * 13**13 % 2**59
    assert expected == words(rng.mcg59(queue, 77)).tolist()
    m1, m2 = 2**32 - 209, 2**32 - 22853
    x, y, expected = [77, 1, 1], [1, 1, 1], []
    for _ in range(N):
        x = [*x[1:], (1403580 * x[1] - 810728 * x[0]) % m1]
        y = [*y[1:], (527612 * y[2] - 1370589 * y[0]) % m2]
        expected.append((x[2] - y[2]) % m1)
    assert expected == words(rng.mrg32k3a(queue, 77)).tolist()
    published = [0.1270111220465773, 0.3185275653967945, 0.3091860155832701]  # L'Ecuyer's program
    found = words(rng.mrg32k3a(queue, [12345] * 6), 3) / (m1 + 1)
    np.testing.assert_allclose(found, published, rtol=1e-14)


@pytest.mark.parametrize("kind", ENGINES, ids=lambda e: e.__name__)
def test_skipping_and_parts_align(queue: sycl.queue, kind) -> None:
    whole = words(kind(queue, 3))
    for k in (0, 1, 2, 3, 4, 5, 130):
        engine = kind(queue, 3)
        rng.skip_ahead(engine, k)
        assert np.array_equal(whole[k:], words(engine, N - k))
    engine = kind(queue, 3)
    parts = [words(engine, n) for n in (1, 2, 100, 0, 198)]
    assert np.array_equal(whole, np.concatenate(parts))
    copy = engine.copy()
    assert np.array_equal(words(engine, 5), words(copy, 5))
    far = [kind(queue, 3), kind(queue, 3)]
    rng.skip_ahead(far[0], 2**62 + 7)
    for k in (2**61, 2**61 + 7):
        rng.skip_ahead(far[1], k)
    assert np.array_equal(words(far[0], 9), words(far[1], 9))


@pytest.mark.parametrize("kind", ENGINES, ids=lambda e: e.__name__)
def test_uniform_numbers_are_the_words_scaled_bit_for_bit(queue: sycl.queue, kind) -> None:
    w = words(kind(queue, 11))
    top = (w >> w.dtype.type(kind.bits - 24)).astype(np.float64) * 2.0**-24
    single, double = np.zeros(N, np.float32), np.zeros(N, np.float64)
    rng.generate(rng.uniform(), kind(queue, 11), single)
    assert np.array_equal(top.astype(np.float32), single)
    rng.generate(rng.uniform(-2, 6), kind(queue, 11), single)
    assert np.array_equal((top * 8 - 2).astype(np.float32), single)
    rng.generate(rng.uniform(-1.5, 0.3, np.float64), kind(queue, 11), double)
    drop = max(kind.bits - 53, 0)
    unit = 2**drop / kind.modulus
    exact = [Fraction(float(v >> drop) * unit) * Fraction(0.3 + 1.5) - Fraction(1.5)
             for v in w.tolist()]
    assert [float(v) for v in exact] == double.tolist()


@pytest.mark.parametrize("kind", ENGINES, ids=lambda e: e.__name__)
def test_gaussian_numbers_are_two_of_two(queue: sycl.queue, kind) -> None:
    for dtype, near in ((np.float32, 2e-6), (np.float64, 1e-14)):
        u, g = np.zeros(N + 1, dtype), np.zeros(N, dtype)
        rng.generate(rng.uniform(dtype=dtype), kind(queue, 8), u)
        engine = kind(queue, 8)
        rng.generate(rng.gaussian(3, 2, dtype), engine, g)
        assert engine.position == N + 1
        u = u.astype(np.float64)
        radius = 2 * np.sqrt(-2 * np.log(np.where(u[::2] > 0, u[::2], 2.0**-33)))
        expected = np.stack([3 + radius * np.cos(2 * np.pi * u[1::2]),
                             3 + radius * np.sin(2 * np.pi * u[1::2])], 1).ravel()[:N]
        np.testing.assert_allclose(g, expected, rtol=near, atol=20 * near)
        for k in (2, 4, 6):
            engine, part = kind(queue, 8), np.zeros(N - k, dtype)
            rng.skip_ahead(engine, k)
            rng.generate(rng.gaussian(3, 2, dtype), engine, part)
            assert np.array_equal(g[k:], part)
    odd = kind(queue, 8), kind(queue, 8)
    rng.skip_ahead(odd[0], 1)
    words(odd[1], 1)
    a, b = np.zeros(9, np.float32), np.zeros(9, np.float32)
    rng.generate(rng.gaussian(), odd[0], a)
    rng.generate(rng.gaussian(), odd[1], b)
    assert np.array_equal(a, b)


def test_moments_are_those_of_the_distribution() -> None:
    q = sycl.queue(sycl.cpu_selector_v)
    for kind in ENGINES:
        x = np.zeros(1 << 18, np.float32)
        rng.generate(rng.uniform(), kind(q, 1), x)
        assert abs(x.mean(dtype=np.float64) - 0.5) < 0.003
        assert np.abs(np.bincount((x * 16).astype(int), minlength=16) - x.size / 16).max() < 700
        rng.generate(rng.gaussian(1, 3), kind(q, 1), x)
        assert abs(x.mean(dtype=np.float64) - 1) < 0.03
        assert abs(x.std(dtype=np.float64) - 3) < 0.03


def test_memory_of_every_kind_and_the_first_numbers_of_it(queue: sycl.queue) -> None:
    expected = words(rng.philox4x32x10(queue), 20)
    memory, buffer = sycl.malloc_shared(20, np.uint32, queue), sycl.buffer(np.zeros(20, np.uint32))
    engine = rng.philox4x32x10(queue)
    rng.generate(rng.bits(), engine, 12, memory)
    done = rng.generate_async(rng.bits(), engine, 8, buffer)
    done.wait()
    with sycl.host_accessor(buffer) as a:
        assert np.array_equal(expected, [*memory[:12], *a[:8]])
    sycl.free(memory, queue)


def test_what_does_not_fit_is_refused(queue: sycl.queue) -> None:
    engine, out = rng.philox4x32x10(queue), np.zeros(9, np.float32)
    for call in (lambda: rng.generate(rng.bits(), engine, out),
                 lambda: rng.generate(rng.uniform(dtype=np.float64), engine, out),
                 lambda: rng.generate(rng.uniform(), engine, 10, out),
                 lambda: rng.generate(engine, rng.bits(), out), lambda: rng.uniform(1, 1),
                 lambda: rng.uniform(dtype=np.int32), lambda: rng.gaussian(0, -1),
                 lambda: rng.gaussian(0, np.inf), lambda: rng.philox4x32x10(queue, -1),
                 lambda: rng.philox4x32x10(queue, [1, 2, 3, 4]), lambda: rng.mcg59(3),
                 lambda: rng.skip_ahead(engine, 1.5), lambda: rng.skip_ahead(out, 1)):
        with pytest.raises(sycl.UsageError):
            call()
    assert engine.position == 0
