"""Engines and distributions inside kernels: ``generate(distribution, engine)`` returns a number.

Written in the kernel language. A work-item makes an engine of its own, mostly of one seed and an
offset that is far from those of others. Numbers are those of the engines of the same name over
memory. Non-goals: seeds that are lists. Invariant: an engine's state is the work-item's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.frame import views
from unisycl.oneapi.mkl.rng import kernels, law_kernels
from unisycl.oneapi.mkl.rng.device_sequences import mt19937, sobol

__all__ = ["bernoulli", "bits", "cauchy", "exponential", "gaussian", "gaussian_icdf", "generate",
           "gumbel", "laplace", "lognormal", "mcg59", "mrg32k3a", "mt19937", "philox4x32x10",
           "rayleigh", "skip_ahead", "sobol", "tabled", "uniform", "uniform_bits", "uniform_int",
           "weibull"]
__kernel_language__ = True
_M1, _M2 = (1 << 32) - 209, (1 << 32) - 22853
"""The moduli of mrg32k3a."""


@dataclass(eq=False)
class _philox:
    """A key, the next number's place in the stream, and the words around it."""

    key: Any
    at: Any
    w0: Any
    w1: Any
    w2: Any
    w3: Any
    bits = 32
    modulus = 1 << 32

    def next(self) -> Any:
        """Return the next number of 32 bits."""
        j = self.at & np.uint64(3)
        low, high = self.w1 if j == 1 else self.w0, self.w3 if j == 3 else self.w2
        self.at = self.at + np.uint64(1)
        if j == 3:
            self.w0, self.w1, self.w2, self.w3 = kernels.philox(
                self.key, self.at >> np.uint64(2), np.uint64(0))
        return high if j > 1 else low

    def skip(self, count: Any) -> None:
        """Go on by so many numbers."""
        self.at = self.at + np.uint64(count)
        self.w0, self.w1, self.w2, self.w3 = kernels.philox(
            self.key, self.at >> np.uint64(2), np.uint64(0))


def philox4x32x10(seed: Any, offset: Any = 0) -> Any:
    """Return an engine at a place of the stream of ``rng.philox4x32x10(queue, seed)``."""
    key, at = np.uint64(seed), np.uint64(offset)
    w = kernels.philox(key, at >> np.uint64(2), np.uint64(0))
    return _philox(key, at, w[0], w[1], w[2], w[3])


@dataclass(eq=False)
class _mcg59:
    """The next number."""

    x: Any
    bits = 59
    modulus = 1 << 59

    def next(self) -> Any:
        """Return the next number of 59 bits."""
        found = self.x
        self.x = (found * np.uint64(302875106592253)) & np.uint64((1 << 59) - 1)
        return found

    def skip(self, count: Any) -> None:
        """Go on by so many numbers, in a step for each bit of how many."""
        x, every = self.x, np.uint64((1 << 59) - 1)
        left, power = np.uint64(count), np.uint64(302875106592253)
        while left > np.uint64(0):
            if left & np.uint64(1) != 0:
                x = (x * power) & every
            power = (power * power) & every
            left = left >> np.uint64(1)
        self.x = x


def mcg59(seed: Any, offset: Any = 0) -> Any:
    """Return an engine at a place of the stream of ``rng.mcg59(queue, seed)``."""
    x = np.uint64(seed) & np.uint64((1 << 59) - 1)
    if x == np.uint64(0):
        x = np.uint64(1)
    engine = _mcg59(x)
    engine.skip(offset)
    return engine


@dataclass(eq=False)
class _mrg32k3a:
    """The three numbers of each part."""

    parts: Any
    bits = 32
    modulus = _M1

    def next(self) -> Any:
        """Return the next number of 32 bits, less than the modulus."""
        return self.parts.next()

    def skip(self, count: Any) -> None:
        """Go on by so many numbers, in a step of matrices for each bit of how many."""
        p = self.parts
        x, y = _further((p.x0, p.x1, p.x2), (p.y0, p.y1, p.y2), count)
        self.parts = kernels.mrg32k3a(x[0], x[1], x[2], y[0], y[1], y[2])


def mrg32k3a(seed: Any, offset: Any = 0) -> Any:
    """Return an engine at a place of the stream of ``rng.mrg32k3a(queue, seed)``.

    A place far on takes up to 64 steps of matrices.
    """
    first = np.int64(np.uint64(seed) % np.uint64(_M1))
    if first == 0:
        first = np.int64(1)
    one = np.int64(1)
    engine = _mrg32k3a(kernels.mrg32k3a(first, one, one, one, one, one))
    engine.skip(offset)
    return engine


def _further(x: Any, y: Any, count: Any) -> Any:
    """Return the numbers of both parts so many steps further on."""
    zero, one = np.int64(0), np.int64(1)
    a = (zero, one, zero, zero, zero, one, np.int64(_M1 - 810728), np.int64(1403580), zero)
    b = (zero, one, zero, zero, zero, one, np.int64(_M2 - 1370589), zero, np.int64(527612))
    left = np.uint64(count)
    while left > np.uint64(0):
        if left & np.uint64(1) != 0:
            x, y = _moved(a, x, _M1), _moved(b, y, _M2)
        a, b = _squared(a, _M1), _squared(b, _M2)
        left = left >> np.uint64(1)
    return x, y


def _dot(a: Any, b: Any, m: Any) -> Any:
    """Return a row times a column, of numbers below 2**32."""
    total = np.int64(0)
    for p, q in zip(a, b):  # noqa: B905 - kernels have no strict
        total += np.int64(np.uint64(p) * np.uint64(q) % np.uint64(m))
    return total % np.int64(m)


def _moved(a: Any, v: Any, m: Any) -> Any:
    """Return a matrix, row by row, times a vector."""
    return (_dot(a[0:3], v, m), _dot(a[3:6], v, m), _dot(a[6:9], v, m))


def _squared(a: Any, m: Any) -> Any:
    """Return a matrix times itself."""
    p = _moved(a, (a[0], a[3], a[6]), m)
    q = _moved(a, (a[1], a[4], a[7]), m)
    r = _moved(a, (a[2], a[5], a[8]), m)
    return (p[0], q[0], r[0], p[1], q[1], r[1], p[2], q[2], r[2])


def _unit(kind: Any, engine: Any, low: Any, width: Any) -> Any:
    """Return uniform numbers of an engine, as over memory."""
    word = np.uint64 if engine.bits > 32 else np.uint32
    if kind is np.float32:
        return kernels.in_float(low, width, word(engine.bits - 24))
    drop = max(engine.bits - 53, 0)
    return kernels.in_double(low, width, word(drop), kind(2.0 ** drop / engine.modulus))


@dataclass(eq=False)
class uniform:
    """Uniform numbers from ``a`` on, of the type of the bounds."""

    a: Any
    b: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        unit = _unit(self.a.dtype.type, engine, self.a, self.b - self.a)
        return unit.of(engine.next())


@dataclass(eq=False)
class gaussian:
    """Normal numbers, the first of each two that Box's and Muller's method makes."""

    mean: Any
    stddev: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        return self.both(engine)[0]

    def both(self, engine: Any) -> Any:
        """Return two numbers."""
        kind = self.mean.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        first, second = engine.next(), engine.next()
        return kernels.normal(unit, self.mean, self.stddev, kind).of_two(first, second)


@dataclass(eq=False)
class gaussian_icdf:
    """Normal numbers, one of one, by the inverse of the distribution function."""

    mean: Any
    stddev: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.mean.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        return law_kernels.inverted(unit, self.mean, self.stddev, kind).of(engine.next())


@dataclass(eq=False)
class lognormal:
    """``displ + scale * exp(g)`` of numbers ``g`` of ``gaussian(m, s)``, of the type of all."""

    m: Any
    s: Any
    displ: Any
    scale: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        return self.both(engine)[0]

    def both(self, engine: Any) -> Any:
        """Return two numbers."""
        kind = self.m.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        first, second = engine.next(), engine.next()
        normal = kernels.normal(unit, self.m, self.s, kind)
        return law_kernels.scaled_exp(normal, self.displ, self.scale).of_two(first, second)


@dataclass(eq=False)
class exponential:
    """Times between events: ``displ - beta * log(u)``, of the type of both."""

    displ: Any
    beta: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.displ.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        return law_kernels.exponential(unit, self.displ, self.beta, kind).of(engine.next())


@dataclass(eq=False)
class laplace:
    """Exponential numbers to both sides of a mean."""

    mean: Any
    beta: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.mean.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        return law_kernels.laplace(unit, self.mean, self.beta, kind).of(engine.next())


@dataclass(eq=False)
class weibull:
    """Weibull's numbers: ``a + beta * (-log(u)) ** (1 / alpha)``."""

    alpha: Any
    a: Any
    beta: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.alpha.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        law = law_kernels.weibull(unit, kind(1) / self.alpha, self.a, self.beta, kind)
        return law.of(engine.next())


@dataclass(eq=False)
class rayleigh:
    """Rayleigh's numbers, as oneMKL has them: Weibull's of shape 2."""

    a: Any
    beta: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.a.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        return law_kernels.weibull(unit, kind(0.5), self.a, self.beta, kind).of(engine.next())


@dataclass(eq=False)
class cauchy:
    """Cauchy's numbers: ``a + beta * tan(pi * (u - 0.5))``."""

    a: Any
    beta: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.a.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        return law_kernels.cauchy(unit, self.a, self.beta, kind).of(engine.next())


@dataclass(eq=False)
class gumbel:
    """Gumbel's numbers of least values: ``a + beta * log(-log(u))``."""

    a: Any
    beta: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.a.dtype.type
        unit = _unit(kind, engine, kind(0), kind(1))
        return law_kernels.gumbel(unit, self.a, self.beta, kind).of(engine.next())


def _whole(engine: Any, low: Any, count: Any, modulus: Any, kind: Any) -> Any:
    """Return a whole number of a range; of a long number the highest 32 bits are taken."""
    word = np.uint64 if engine.bits > 32 else np.uint32
    return law_kernels.whole_range(np.int64(low), np.uint64(count), np.uint64(modulus),
                                   word(engine.bits - 32), kind).of(engine.next())


@dataclass(eq=False)
class uniform_int:
    """Whole numbers from ``a`` on, below ``b``, of the type of the bounds: int32 or uint32."""

    a: Any
    b: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        modulus = 1 << 32 if engine.bits > 32 else engine.modulus
        return _whole(engine, self.a, np.int64(self.b) - np.int64(self.a), modulus,
                      self.a.dtype.type)


@dataclass(eq=False)
class uniform_bits:
    """32 bits of each of the engine's numbers, of long ones the highest."""

    def of(self, engine: Any) -> Any:
        """Return a number."""
        if engine.bits == 32:
            return engine.next()
        return _whole(engine, 0, np.uint64(1 << 32), 1 << 32, np.uint32)


@dataclass(eq=False)
class bernoulli:
    """1 with a probability of float64, else 0; int32."""

    p: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        unit = _unit(np.float64, engine, np.float64(0), np.float64(1))
        no = np.float64(1) - np.float64(self.p)
        return np.int32(0) if unit.of(engine.next()) < no / (no + self.p) else np.int32(1)


@dataclass(eq=False)
class tabled:
    """Whole numbers by a table of the host's: ``law.table``, ``law.low`` of ``law = poisson(3)``.

    So of ``discrete``, ``poisson``, ``binomial`` and ``geometric``; int32.
    """

    table: Any
    low: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        unit = _unit(np.float64, engine, np.float64(0), np.float64(1))
        last = np.int64(len(self.table) - 1)
        return law_kernels.tabled(unit, views.cells(self.table), last, np.int64(self.low),
                                  np.int32).of(engine.next())


@dataclass(eq=False)
class bits:
    """The engine's own numbers."""

    def of(self, engine: Any) -> Any:
        """Return a number."""
        return engine.next()


def generate(distribution: Any, engine: Any) -> Any:
    """Return a number of a distribution; the engine goes on."""
    return distribution.of(engine)


def skip_ahead(engine: Any, count: Any) -> None:
    """Go on by so many numbers; those of ``mt19937`` are computed one by one."""
    engine.skip(count)
