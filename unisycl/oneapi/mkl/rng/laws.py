"""More distributions: continuous ones by formulas, whole numbers by tables.

Whole numbers and bits are the same on every device, bit for bit; a table is made once, on the
host, in float64. Others differ between kinds of devices by their functions (docs/builtins.md).
Non-goals: rejection, so that a number is always made of as many of the engine's. Invariant: of one
engine's number one is made, of ``lognormal`` two of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.mkl.rng import kernels, law_kernels
from unisycl.oneapi.mkl.rng.distributions import METHODS, Distribution, float_type, unit
from unisycl.oneapi.mkl.rng.engines import Engine

_DEVIATIONS = 14
"""Numbers further from the mean than so many deviations are less likely than 2**-63."""
_INTEGERS = (np.dtype(np.int32), np.dtype(np.uint32))


def _finite(name: str, *values: float) -> None:
    if not all(math.isfinite(v) for v in values):
        refuse(name, f"takes finite numbers, got {', '.join(map(str, values))}")


class _Formula(Distribution):
    """A distribution by a formula of one uniform number."""

    def __init__(self, rule: Any, dtype: npt.DTypeLike, scale: float, *rest: float) -> None:
        name = type(self).__name__
        self.dtype = float_type(name, dtype)
        _finite(name, scale, *rest)
        if not scale > 0:
            refuse(name, f"the scale must be positive, got {scale}")
        self._rule, self._values = rule, rest

    def rule(self, engine: Engine) -> Any:
        assert self.dtype is not None
        make = self.dtype.type
        return self._rule(unit(engine, self.dtype, 0.0, 1.0), *map(make, self._values), make)


class exponential(_Formula):
    """Times between events that do not know of one another.

    Args:
        displ: the least number.
        beta: the mean, less ``displ``.
        dtype: float32 or float64.
    """

    def __init__(self, displ: float = 0.0, beta: float = 1.0,
                 dtype: npt.DTypeLike = np.float32) -> None:
        super().__init__(law_kernels.exponential, dtype, beta, displ, beta)


class laplace(_Formula):
    """Exponential numbers to both sides of a mean.

    Args:
        mean: the mean.
        beta: the mean distance from it.
        dtype: float32 or float64.
    """

    def __init__(self, mean: float = 0.0, beta: float = 1.0,
                 dtype: npt.DTypeLike = np.float32) -> None:
        super().__init__(law_kernels.laplace, dtype, beta, mean, beta)


class weibull(_Formula):
    """Weibull's distribution.

    Args:
        alpha: the shape.
        a: the least number.
        beta: the scale.
        dtype: float32 or float64.
    """

    def __init__(self, alpha: float = 1.0, a: float = 0.0, beta: float = 1.0,
                 dtype: npt.DTypeLike = np.float32) -> None:
        if not alpha > 0:
            refuse("weibull", f"the shape must be positive, got {alpha}")
        super().__init__(law_kernels.weibull, dtype, beta, 1.0 / alpha, a, beta)


class rayleigh(_Formula):
    """Rayleigh's distribution as oneMKL has it: Weibull's of shape 2.

    Args:
        a: the least number.
        beta: the scale.
        dtype: float32 or float64.
    """

    def __init__(self, a: float = 0.0, beta: float = 1.0,
                 dtype: npt.DTypeLike = np.float32) -> None:
        super().__init__(law_kernels.weibull, dtype, beta, 0.5, a, beta)


class cauchy(_Formula):
    """Cauchy's distribution.

    Args:
        a: the middle.
        beta: the scale.
        dtype: float32 or float64.
    """

    def __init__(self, a: float = 0.0, beta: float = 1.0,
                 dtype: npt.DTypeLike = np.float32) -> None:
        super().__init__(law_kernels.cauchy, dtype, beta, a, beta)


class gumbel(_Formula):
    """Gumbel's distribution, of least values, as oneMKL has it.

    Args:
        a: where it is densest.
        beta: the scale.
        dtype: float32 or float64.
    """

    def __init__(self, a: float = 0.0, beta: float = 1.0,
                 dtype: npt.DTypeLike = np.float32) -> None:
        super().__init__(law_kernels.gumbel, dtype, beta, a, beta)


class lognormal(Distribution):
    """Numbers whose logarithm is Gaussian.

    Args:
        m: the mean of the logarithm.
        s: its deviation.
        displ: what is added.
        scale: what the number is multiplied with before.
        dtype: float32 or float64.
        method: ``"box_muller2"``, two of two numbers, or ``"icdf"``, one of one.
    """

    def __init__(self, m: float = 0.0, s: float = 1.0, displ: float = 0.0, scale: float = 1.0,
                 *, dtype: npt.DTypeLike = np.float32, method: str = "box_muller2") -> None:
        if method not in METHODS:
            refuse("lognormal", f"the method is one of {', '.join(METHODS)}, got {method!r}")
        self.dtype = float_type("lognormal", dtype)
        _finite("lognormal", m, s, displ, scale)
        if not (s > 0 and scale > 0):
            refuse("lognormal", f"the deviation and the scale must be positive, got {s}, {scale}")
        self.double = method == "box_muller2"
        self._kernel, self._values = METHODS[method], (m, s, displ, scale)

    def rule(self, engine: Engine) -> Any:
        assert self.dtype is not None
        make = self.dtype.type
        m, s, displ, scale = map(make, self._values)
        normal = self._kernel(unit(engine, self.dtype, 0.0, 1.0), m, s, make)
        return law_kernels.scaled_exp(normal, displ, scale)


class uniform_bits(Distribution):
    """32 bits of each of the engine's numbers, of long ones the highest."""

    dtype = np.dtype(np.uint32)

    def rule(self, engine: Engine) -> Any:
        if engine.bits == 32:
            return kernels.raw(np.uint32)
        return law_kernels.whole_range(np.int64(0), np.uint64(1 << 32), np.uint64(1 << 32),
                                       engine.kind(engine.bits - 32), np.uint32)


class uniform_int(Distribution):
    """Whole numbers from ``a`` on, below ``b``, each ``a + word * (b - a) // modulus``.

    Args:
        a: the least number.
        b: where they end, exclusively.
        dtype: int32 or uint32.
    """

    def __init__(self, a: int, b: int, dtype: npt.DTypeLike = np.int32) -> None:
        self.dtype = _whole_type("uniform_int", dtype)
        info = np.iinfo(self.dtype)
        low, stop = (whole("uniform_int", "a bound", x, int(info.min)) for x in (a, b))
        if not low < stop <= info.max + 1:
            refuse("uniform_int", f"a must be less than b, both whole numbers of {self.dtype}, "
                   f"got {a} and {b}")
        self.a, self.count = low, stop - low

    def rule(self, engine: Engine) -> Any:
        assert self.dtype is not None
        modulus = engine.modulus if engine.bits == 32 else 1 << 32
        return law_kernels.whole_range(
            np.int64(self.a), np.uint64(self.count), np.uint64(modulus),
            engine.kind(engine.bits - 32), self.dtype.type)


def _whole_type(name: str, dtype: npt.DTypeLike) -> np.dtype[Any]:
    found = np.dtype(dtype)
    if found not in _INTEGERS:
        refuse(name, f"makes int32 or uint32, not {found}")
    return found


class _Tabled(Distribution):
    """Whole numbers by a table of sums of probabilities."""

    def __init__(self, low: int, weights: Any, dtype: npt.DTypeLike) -> None:
        self.dtype = _whole_type(type(self).__name__, dtype)
        sums = np.cumsum(np.asarray(weights, np.float64))
        self.low, self.table = low, sums / sums[-1]

    def rule(self, engine: Engine) -> Any:
        assert self.dtype is not None
        wide = np.dtype(np.float64)
        last = self.table.size - 1
        table = Memory(engine.keep(self.table), 0, self.table.size)
        return Record(law_kernels.tabled, unit(engine, wide, 0.0, 1.0), table, np.int64(last),
                      np.int64(self.low), self.dtype.type)


class discrete(_Tabled):
    """The numbers 0, 1 and so on, each as often as its weight says.

    Args:
        weights: a weight for each number, not negative.
        dtype: int32 or uint32.
    """

    def __init__(self, weights: Any, dtype: npt.DTypeLike = np.int32) -> None:
        found = np.asarray(weights, np.float64)
        if found.ndim != 1 or not found.size or not np.isfinite(found).all() or (
                found < 0).any() or not found.sum() > 0:
            refuse("discrete", "the weights are finite numbers, none negative and one positive")
        super().__init__(0, found, dtype)


class bernoulli(_Tabled):
    """1 with a probability, else 0.

    Args:
        p: the probability of 1.
        dtype: int32 or uint32.
    """

    def __init__(self, p: float = 0.5, dtype: npt.DTypeLike = np.int32) -> None:
        if not 0 <= p <= 1:
            refuse("bernoulli", f"p is a probability, got {p}")
        super().__init__(0, [1 - p, p], dtype)


def _around(mean: float, deviation: float, least: int, most: int) -> range:
    reach = _DEVIATIONS * deviation + 40
    return range(max(least, int(mean - reach)), min(most, int(mean + reach)) + 1)


def _weights(places: range, log_weight: Callable[[int], float]) -> Any:
    return np.exp(np.array([log_weight(k) for k in places]))


class poisson(_Tabled):
    """How many events come in a time in which ``lam`` are expected.

    Args:
        lam: the mean, positive and at most 10**9.
        dtype: int32 or uint32.
    """

    def __init__(self, lam: float = 0.5, dtype: npt.DTypeLike = np.int32) -> None:
        if not 0 < lam <= 1e9:
            refuse("poisson", f"the mean is positive and at most 10**9, got {lam}")
        places = _around(lam, math.sqrt(lam), 0, 1 << 31)
        top, logs = int(lam), math.log(lam)
        start = math.lgamma(top + 1)
        super().__init__(places[0], _weights(
            places, lambda k: (k - top) * logs - (math.lgamma(k + 1) - start)), dtype)


class binomial(_Tabled):
    """How many of ``ntrial`` trials succeed.

    Args:
        ntrial: how many trials there are.
        p: the probability of success of each.
        dtype: int32 or uint32.
    """

    def __init__(self, ntrial: int = 5, p: float = 0.5, dtype: npt.DTypeLike = np.int32) -> None:
        n = whole("binomial", "ntrial", ntrial)
        if not 0 <= p <= 1 or n >= 1 << 31:
            refuse("binomial", f"p is a probability and ntrial below 2**31, got {p} and {n}")
        if p in (0, 1):
            super().__init__(n if p else 0, [1.0], dtype)
            return
        places = _around(n * p, math.sqrt(n * p * (1 - p)), 0, n)
        yes, no = math.log(p), math.log1p(-p)
        whole_log = math.lgamma(n + 1)
        super().__init__(places[0], _weights(
            places, lambda k: whole_log - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * yes
            + (n - k) * no), dtype)


class geometric(_Tabled):
    """How many trials fail before the first success.

    Args:
        p: the probability of success of each, at least 10**-5.
        dtype: int32 or uint32.
    """

    def __init__(self, p: float = 0.5, dtype: npt.DTypeLike = np.int32) -> None:
        if not 1e-5 <= p <= 1:
            refuse("geometric", f"p is a probability of at least 10**-5, got {p}")
        count = 1 if p == 1 else int(-44 / math.log1p(-p)) + 2
        super().__init__(0, p * (1 - p) ** np.arange(count), dtype)
