"""asin, acos, atan, atan2 and the same in half turns (SYCL 2020 §4.17.5).

Non-goals: tables. Invariant: a quarter turn is a sum of two numbers where it is taken from.
"""

from __future__ import annotations

from collections.abc import Mapping

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.terms import Sheet, Term
from unisycl.base.dataclass import dataclass

_INF = float("inf")


@dataclass(frozen=True)
class Unit:
    """What angles are counted in: a quarter turn in two parts, and units in a radian; 0 is one."""

    quarter: Mapping[int, tuple[float, ...]]
    per_radian: float

    def of(self, s: Sheet, radians: Term) -> Term:
        """Return an angle in this unit."""
        return radians * self.per_radian if self.per_radian else radians

    def without(self, s: Sheet, angle: Term, quarters: float) -> Term:
        """Return so many quarter turns minus an angle."""
        high, low, *_ = self.quarter[angle.dtype.bits]
        return (high * quarters - angle) + low * quarters if low else high * quarters - angle


RADIANS = Unit(c.HALF_PI_PARTS, 0.0)
HALF_TURNS = Unit({32: (0.5, 0.0), 64: (0.5, 0.0)}, 0.318309886183790672)


def _arc(s: Sheet, x: Term) -> tuple[Term, Term]:
    """Return whether |x| is above 1/2, and asin(|x|), there asin(sqrt((1 - |x|)/2)), in radians."""
    size = s.abs(x)
    steep = size > 0.5
    u = s.where(steep, s.fma(size, -0.5, 0.5), size * size)
    t = s.where(steep, s.sqrt(u), size)
    return steep, s.fma(t * u, s.poly(u, c.ASIN[x.dtype.bits]), t)


def _asin(s: Sheet, x: Term, unit: Unit) -> Term:
    steep, arc = _arc(s, x)
    arc = unit.of(s, arc)
    return s.copysign(s.where(steep, unit.without(s, arc + arc, 1.0), arc), x)


def _acos(s: Sheet, x: Term, unit: Unit) -> Term:
    steep, arc = _arc(s, x)
    arc = unit.of(s, arc)
    twice = arc + arc
    steep_result = s.where(x < 0.0, unit.without(s, twice, 2.0), twice)
    return s.where(steep, steep_result, unit.without(s, s.copysign(arc, x), 1.0))


def _slope(s: Sheet, t: Term, unit: Unit) -> Term:
    """Return the angle of a slope in [0, 1]."""
    u = t * t
    return unit.of(s, s.fma(t * u, s.poly(u, c.ATAN[t.dtype.bits]), t))


def _atan(s: Sheet, x: Term, unit: Unit) -> Term:
    size = s.abs(x)
    steep = size > 1.0
    angle = _slope(s, s.where(steep, 1.0 / size, size), unit)
    return s.copysign(s.where(steep, unit.without(s, angle, 1.0), angle), x)


def _atan2(s: Sheet, y: Term, x: Term, unit: Unit) -> Term:
    high, wide = s.abs(y), s.abs(x)
    steep = high > wide
    less, more = s.where(steep, wide, high), s.where(steep, high, wide)
    slope = s.where(more.equals(0.0), 0.0, less / more)
    slope = s.where(less.equals(_INF), 1.0, slope)
    angle = _slope(s, slope, unit)
    angle = s.where(steep, unit.without(s, angle, 1.0), angle)
    behind = s.bits(x) < 0
    angle = s.where(behind, unit.without(s, angle, 2.0), angle)
    return s.where(x.is_nan() | y.is_nan(), x + y, s.copysign(angle, y))


def asin(s: Sheet, x: Term) -> Term:
    """Arc sine."""
    return _asin(s, x, RADIANS)


def asinpi(s: Sheet, x: Term) -> Term:
    """Arc sine in half turns."""
    return _asin(s, x, HALF_TURNS)


def acos(s: Sheet, x: Term) -> Term:
    """Arc cosine."""
    return _acos(s, x, RADIANS)


def acospi(s: Sheet, x: Term) -> Term:
    """Arc cosine in half turns."""
    return _acos(s, x, HALF_TURNS)


def atan(s: Sheet, x: Term) -> Term:
    """Arc tangent."""
    return _atan(s, x, RADIANS)


def atanpi(s: Sheet, x: Term) -> Term:
    """Arc tangent in half turns."""
    return _atan(s, x, HALF_TURNS)


def atan2(s: Sheet, y: Term, x: Term) -> Term:
    """Angle of the point (x, y)."""
    return _atan2(s, y, x, RADIANS)


def atan2pi(s: Sheet, y: Term, x: Term) -> Term:
    """Angle of the point (x, y) in half turns."""
    return _atan2(s, y, x, HALF_TURNS)
