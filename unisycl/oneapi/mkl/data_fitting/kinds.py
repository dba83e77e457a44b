"""Which splines there are, and the names that say how data lie and what is asked for.

Non-goals: computing. Invariant: an option is one object, equal to itself only; derivatives are
flags.
"""

from __future__ import annotations

import enum
from typing import Any

from unisycl.oneapi.mkl.kernels import splines
from unisycl.oneapi.mkl.names import Option


class linear_spline:
    """Straight lines between the values."""

    default_type = Option("spline", "linear", 2, "l")


class cubic_spline:
    """Polynomials of degree 3, by the rule that finds their slopes."""

    natural = Option("spline", "natural", 4, "n")
    """The second derivative has no steps."""
    hermite = Option("spline", "hermite", 4, "h")
    """The slopes inside are given, by ``set_internal_conditions``."""
    bessel = Option("spline", "bessel", 4, "b")
    """Slopes of parabolas through three neighbours."""
    akima = Option("spline", "akima", 4, "a")
    """Akima's weights, which do not overshoot beside a step."""


class partition_hint:
    """How partition points are given."""

    non_uniform = Option("partition_hint", "non_uniform", 0, "n")
    quasi_uniform = Option("partition_hint", "quasi_uniform", 1, "q")
    uniform = Option("partition_hint", "uniform", 2, "u")
    """The first and the last one only; the others lie evenly between them."""


class storage_hint:
    """How values of several functions lie: those of one function together, or of one point."""

    row_major = Option("storage_hint", "row_major", 0, "r")
    col_major = Option("storage_hint", "col_major", 1, "c")


class interpolate_hint:
    """In which order results lie, the slowest first."""

    funcs_sites_ders = Option("interpolate_hint", "funcs_sites_ders", 0, "fsd")
    funcs_ders_sites = Option("interpolate_hint", "funcs_ders_sites", 1, "fds")
    sites_funcs_ders = Option("interpolate_hint", "sites_funcs_ders", 2, "sfd")
    sites_ders_funcs = Option("interpolate_hint", "sites_ders_funcs", 3, "sdf")


class derivative(enum.IntFlag):
    """What is computed at sites; several by ``|``, in this order."""

    zero = 1
    """The value."""
    first = 2
    second = 4
    third = 8


class bc_type:
    """What is asked for at both ends of a cubic spline."""

    free_end = Option("bc_type", "free_end", splines.FREE, "f")
    """A second derivative of 0."""
    first_derivative = Option("bc_type", "first_derivative", splines.SLOPE, "1")
    """The given first derivatives."""
    second_derivative = Option("bc_type", "second_derivative", splines.CURVATURE, "2")
    """The given second derivatives."""
    not_a_knot = Option("bc_type", "not_a_knot", splines.SMOOTH, "k")
    """One polynomial for the two cells at an end."""


RULES: dict[Option, Any] = {
    cubic_spline.bessel: splines.bessel_slopes, cubic_spline.akima: splines.akima_slopes}
"""Rules for slopes that look at neighbours only."""
