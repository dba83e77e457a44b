"""Distributions, and ``generate``, which fills memory with numbers of one.

``bits`` and ``uniform`` are the same numbers, bit for bit, on every device and for any number of
threads. ``gaussian`` is the same on every run, and for any number of threads; between kinds of
devices its numbers differ by as much as their logarithms, sines and cosines do (a few units in the
last place, see docs/builtins.md). Non-goals: statistics. Invariant: number ``k`` of memory is made
of the engine's number ``k`` from its position on; of ``gaussian`` two are made of two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.call import Call, Routine
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.mkl.rng import kernels, law_kernels
from unisycl.oneapi.mkl.rng.engines import Engine

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Distribution:
    """What is made of an engine's numbers."""

    double = False
    dtype: np.dtype[Any] | None = None

    def rule(self, engine: Engine) -> Any:
        """Return what kernels use."""
        raise NotImplementedError


def float_type(name: str, dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return the type of floats that a distribution makes; refuse others."""
    found = np.dtype(dtype)
    if found not in _FLOATS:
        refuse(name, f"makes float32 or float64, not {found}")
    return found


def unit(engine: Engine, dtype: np.dtype[Any], low: float, width: float) -> Any:
    """Return uniform numbers from ``low`` on, as kernels use them."""
    bits, make = engine.bits, dtype.type
    if dtype == np.float32:
        return kernels.in_float(make(low), make(width), engine.kind(bits - 24))
    dropped = max(bits - 53, 0)
    return kernels.in_double(make(low), make(width), engine.kind(dropped),
                             make(2 ** dropped / engine.modulus))


METHODS: dict[str, Any] = {"box_muller2": kernels.normal, "icdf": law_kernels.inverted}
"""How Gaussian numbers are made."""


class uniform(Distribution):
    """Numbers from ``a`` on, below ``b`` but where rounding reaches it; each takes one number.

    float32 are made of the highest 24 bits, float64 of all that the engine has, at most 53, divided
    by its modulus.

    Args:
        a: the least number.
        b: where they end.
        dtype: float32 or float64.
    """

    def __init__(self, a: float = 0.0, b: float = 1.0, dtype: npt.DTypeLike = np.float32) -> None:
        self.dtype = float_type("uniform", dtype)
        self.a, self.b = float(a), float(b)
        if not self.a < self.b or not np.isfinite(self.dtype.type(self.b - self.a)):
            refuse("uniform", f"a must be less than b, and both finite; got {a} and {b}")

    def rule(self, engine: Engine) -> Any:
        assert self.dtype is not None
        return unit(engine, self.dtype, self.a, self.b - self.a)


class gaussian(Distribution):
    """Normal numbers.

    Args:
        mean: the mean.
        stddev: the standard deviation.
        dtype: float32 or float64.
        method: ``"box_muller2"``, two of two uniform numbers by the method of Box and Muller, or
            ``"icdf"``, one of one by the inverse of the distribution function.
    """

    def __init__(self, mean: float = 0.0, stddev: float = 1.0,
                 dtype: npt.DTypeLike = np.float32, *, method: str = "box_muller2") -> None:
        if method not in METHODS:
            refuse("gaussian", f"the method is one of {', '.join(METHODS)}, got {method!r}")
        self.double, self._kernel = method == "box_muller2", METHODS[method]
        self.dtype = float_type("gaussian", dtype)
        self.mean, self.stddev = float(mean), float(stddev)
        if not (0 < self.stddev < np.inf and np.isfinite(self.mean)):
            refuse("gaussian", f"the deviation must be positive, and both finite; got {mean} and "
                   f"{stddev}")

    def rule(self, engine: Engine) -> Any:
        assert self.dtype is not None
        make = self.dtype.type
        return self._kernel(unit(engine, self.dtype, 0.0, 1.0), make(self.mean),
                            make(self.stddev), make)


class bits(Distribution):
    """The engine's numbers themselves: uint32, or uint64 of ``mcg59``, which has 59 bits."""

    def rule(self, engine: Engine) -> Any:
        return kernels.raw(engine.kind)


def _generate(call: Call, distribution: Distribution, engine: Engine, out: Any) -> future:
    dtype = np.dtype(engine.kind) if distribution.dtype is None else distribution.dtype
    target = call.taken("the output", out)
    target = call.target("the output", target, target.size)
    if target.dtype != dtype:
        call.refuse(f"the output has elements of {target.dtype}; {type(distribution).__name__} "
                    f"makes {dtype} of this engine")
    n = target.size
    if n:
        engine.write(call, distribution.rule(engine), target, n, double=distribution.double)
        engine.position += n + (n % 2 if distribution.double else 0)
    return call.done()


@ends_at_call
def generate(distribution: Distribution, engine: Engine, *where: Any,
             depends_on: Any = ()) -> None:
    """Fill memory with random numbers, and wait.

    Called as ``generate(distribution, engine, out)``, or ``generate(distribution, engine, n, out)``
    for the first ``n`` elements.

    Args:
        distribution: ``uniform``, ``gaussian`` or ``bits``.
        engine: the engine, which goes on behind the numbers that were taken.
        where: the memory, of the distribution's type.
        depends_on: events and futures to wait for.
    """
    given: Any = engine
    if isinstance(given, Engine) and given.queue.ext_oneapi_get_state().name == "recording":
        refuse("generate", "it waits, and a command graph records this queue; generate_async is "
               "recorded, and writes the same numbers whenever the graph runs")
    generate_async(distribution, engine, *where, depends_on=depends_on).get()


@ends_at_call
def generate_async(distribution: Any, engine: Any, *where: Any,
                   depends_on: Any = ()) -> future:
    """Do what ``generate`` does without waiting; the engine goes on at once."""
    if not isinstance(distribution, Distribution) or not isinstance(engine, Engine):
        refuse("generate", "the first argument is a distribution and the second an engine, got "
               f"{type(distribution).__name__} and {type(engine).__name__}")
    out, count = where[-1] if where else None, None
    if len(where) == 2:
        count = whole("generate", "n", where[0])
    elif len(where) != 1:
        refuse("generate", "give (distribution, engine, out) or (distribution, engine, n, out)")
    return _ROUTINE.later(engine.queue, distribution, engine, out, count, depends_on=depends_on)


def _body(call: Call, distribution: Distribution, engine: Engine, out: Any,
          count: int | None) -> future:
    if count is not None:
        out = call.taken("the output", out, count).part(0, count)
    return _generate(call, distribution, engine, out)


_body.__name__ = "generate"
_ROUTINE = Routine(_body)
