"""What distributions beyond uniform and Gaussian ones make of an engine's numbers.

Written in the kernel language. ``unit`` gives uniform numbers of [0, 1). Non-goals: parameters,
which the host checks (``laws``). Invariant: one number is made of one, but of two where it says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl.rng.kernels import LEAST

__kernel_language__ = True


def positive(unit: Any, word: Any, kind: Any) -> Any:
    """Return a uniform number that is not 0."""
    u = unit.of(word)
    return u if u > kind(0) else kind(LEAST)


@dataclass(eq=False)
class whole_range:
    """Whole numbers from ``low`` on, ``count`` of them, all as likely as the engine's numbers let.

    The engine's number is less than ``modulus``; of long ones the highest 32 bits are taken.
    """

    low: Any
    count: Any
    modulus: Any
    drop: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number."""
        short = np.uint64(word >> self.drop)
        return self.kind(self.low + np.int64(short * self.count // self.modulus))


@dataclass(eq=False)
class tabled:
    """Whole numbers by a table of how likely it is that a number is at most so great."""

    unit: Any
    table: Any
    last: Any
    low: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return the first number whose cell is greater than a uniform one."""
        u = self.unit.of(word)
        low, high = np.int64(0), self.last
        while low < high:
            middle = (low + high) // np.int64(2)
            if u < self.table.load(middle):
                high = middle
            else:
                low = middle + np.int64(1)
        return self.kind(self.low + low)


@dataclass(eq=False)
class exponential:
    """Times between events: ``displ - beta * log(u)``."""

    unit: Any
    displ: Any
    beta: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number."""
        return sycl.fma(-self.beta, sycl.log(positive(self.unit, word, self.kind)), self.displ)


@dataclass(eq=False)
class laplace:
    """Exponential numbers to both sides of a mean."""

    unit: Any
    mean: Any
    beta: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number."""
        u, half = positive(self.unit, word, self.kind), self.kind(0.5)
        side = self.beta if u < half else -self.beta
        tail = u if u < half else self.kind(1) - u
        return sycl.fma(side, sycl.log(tail + tail), self.mean)


@dataclass(eq=False)
class weibull:
    """Weibull's numbers: ``a + beta * (-log(u)) ** (1 / alpha)``."""

    unit: Any
    power: Any
    a: Any
    beta: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number."""
        t = -sycl.log(positive(self.unit, word, self.kind))
        return sycl.fma(self.beta, sycl.powr(t, self.power), self.a)


@dataclass(eq=False)
class cauchy:
    """Cauchy's numbers: ``a + beta * tan(pi * (u - 0.5))``."""

    unit: Any
    a: Any
    beta: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number."""
        u = positive(self.unit, word, self.kind)
        return self.a - self.beta / sycl.tanpi(u)  # near 0, u - 0.5 would be rounded


@dataclass(eq=False)
class gumbel:
    """Gumbel's numbers: ``a + beta * log(-log(u))``."""

    unit: Any
    a: Any
    beta: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number."""
        t = -sycl.log(positive(self.unit, word, self.kind))
        return sycl.fma(self.beta, sycl.log(t), self.a)


@dataclass(eq=False)
class scaled_exp:
    """Lognormal numbers: ``displ + scale * exp(g)`` of two Gaussian ones."""

    gaussian: Any
    displ: Any
    scale: Any

    def of_two(self, a: Any, b: Any) -> Any:
        """Return two numbers."""
        p, q = self.gaussian.of_two(a, b)
        return (sycl.fma(self.scale, sycl.exp(p), self.displ),
                sycl.fma(self.scale, sycl.exp(q), self.displ))

    def of(self, word: Any) -> Any:
        """Return a number of one Gaussian number that is made of one."""
        return sycl.fma(self.scale, sycl.exp(self.gaussian.of(word)), self.displ)


@dataclass(eq=False)
class inverted:
    """Gaussian numbers, one of one: the inverse of their distribution function."""

    unit: Any
    mean: Any
    deviation: Any
    kind: Any

    def of(self, word: Any) -> Any:
        """Return a number."""
        u = positive(self.unit, word, self.kind)
        return sycl.fma(self.deviation, quantile(u, self.kind), self.mean)


_CENTRE = ((3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427,
            13731.693765509461125, 45921.953931549871457, 67265.770927008700853,
            33430.575583588128105, 2509.0809287301226727),
           (1.0, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
            21213.794301586595867, 39307.895800092710610, 28729.085735721942674,
            5226.4952788528545610))
_MIDDLE = ((1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550,
            3.64784832476320460504, 1.27045825245236838258, 0.241780725177450611770,
            0.0227238449892691845833, 7.74545014278341407640e-4),
           (1.0, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
            0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4,
            1.05075007164441684324e-9))
_TAIL = ((6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
          0.296560571828504891230, 0.0265321895265761230930, 1.24266094738807843860e-3,
          2.71155556874348757815e-5, 2.01033439929228813265e-7),
         (1.0, 0.599832206555887937690, 0.136929880922735805310, 0.0148753612908506148525,
          7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
          2.04426310338993978564e-15))


def quantile(p: Any, kind: Any) -> Any:
    """Return the number below which a Gaussian one is with probability ``p`` (Wichura, 1988)."""
    q = p - kind(0.5)
    if abs(q) <= kind(0.425):
        r = kind(0.180625) - q * q
        return q * ratio(_CENTRE, r, kind)
    tail = p if q < kind(0) else kind(1) - p
    r = sycl.sqrt(-sycl.log(tail))
    middle = r <= kind(5)
    found = ratio(_MIDDLE, r - kind(1.6), kind) if middle else ratio(_TAIL, r - kind(5), kind)
    return -found if q < kind(0) else found


def ratio(of: Any, r: Any, kind: Any) -> Any:
    """Return the quotient of two polynomials of degree 7."""
    above, below = kind(of[0][7]), kind(of[1][7])
    for k in (6, 5, 4, 3, 2, 1, 0):
        above = sycl.fma(above, r, kind(of[0][k]))
        below = sycl.fma(below, r, kind(of[1][k]))
    return above / below

