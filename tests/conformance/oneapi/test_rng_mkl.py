"""Streams of random numbers beside MKL's, where the package mkl is installed (catalogue L-7).

On the CPU alone: that all devices have one stream is what ``test_rng`` shows.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi.frame.library import of_wheel
from unisycl.oneapi.mkl import rng

N = 2001
ENGINES = {"mrg32k3a": 3, "mcg59": 4, "sobol": 6, "mt19937": 8, "philox4x32x10": 16}
"""The numbers of ``VSL_BRNG_...``, in units of 2**20."""
pytestmark = pytest.mark.part("L-7")


@functools.cache
def processor() -> sycl.queue:
    return sycl.queue(sycl.cpu_selector_v)


@functools.cache
def library() -> Any:
    found = [p for p in of_wheel("mkl", "libmkl_rt.so") if p.exists()]
    if not found:
        pytest.skip("the package mkl is not installed")
    return ctypes.CDLL(str(found[0]))


def stream(name: str, seed: int) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    said = library().vslNewStream(ctypes.byref(made), ENGINES[name] << 20, ctypes.c_uint(seed))
    assert said == 0
    return made


def theirs(call: str, where: ctypes.c_void_p, dtype: Any, *rest: Any, method: int = 0) -> Any:
    out = np.zeros(N, dtype)
    assert getattr(library(), call)(method, where, N, ctypes.c_void_p(out.ctypes.data), *rest) == 0
    return out


def ours(law: Any, engine: Any) -> Any:
    out = np.zeros(N, engine.kind if law.dtype is None else law.dtype)
    rng.generate(law, engine, out)
    return out


def made(name: str, seed: int) -> Any:
    return getattr(rng, name)(processor(), [seed] if name == "mt19937" else seed)


@pytest.mark.parametrize("name", ["philox4x32x10", "mrg32k3a", "mcg59", "mt19937"])
def test_words_are_those_of_mkl_skipped_and_by_leaps(name: str) -> None:
    kind, seed = made(name, 1).kind, 2026
    changes: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
        (lambda e: None, lambda s: 0),
        (lambda e: rng.skip_ahead(e, 10**5),
         lambda s: library().vslSkipAheadStream(s, ctypes.c_longlong(10**5)))]
    if name == "mcg59":
        changes.append((lambda e: rng.leapfrog(e, 1, 3),
                        lambda s: library().vslLeapfrogStream(s, 1, 3)))
    for mine, mkls in changes:
        engine, other = made(name, seed), stream(name, seed)
        mine(engine)
        assert mkls(other) == 0
        assert np.array_equal(theirs("viRngUniformBits", other, kind), ours(rng.bits(), engine))


def test_points_of_two_coordinates_are_those_of_mkl_but_the_first() -> None:
    engine = rng.sobol(processor(), 2)
    rng.skip_ahead(engine, 2)  # MKL leaves out the point 0
    mkls = theirs("viRngUniformBits", stream("sobol", 2), np.uint32)
    assert np.array_equal(mkls, ours(rng.bits(), engine))


def test_numbers_are_those_of_mkl_or_turned() -> None:
    """MKL reads philox's words as signed, and writes the sine of a Gaussian pair first."""
    one = ctypes.c_double(1)
    mkls = theirs("vdRngUniform", stream("mrg32k3a", 5), np.float64, ctypes.c_double(0), one)
    double = rng.uniform(dtype=np.float64)
    assert np.array_equal(mkls, ours(double, rng.mrg32k3a(processor(), 5)))
    mkls = theirs("vdRngUniform", stream("philox4x32x10", 5), np.float64, ctypes.c_double(0), one)
    assert np.array_equal(mkls, (ours(double, rng.philox4x32x10(processor(), 5)) + 0.5) % 1)
    gauss = theirs("vdRngGaussian", stream("mrg32k3a", 5), np.float64, ctypes.c_double(0), one,
                   method=1)[:-1]
    pairs = gauss.reshape(-1, 2)[:, ::-1].ravel()
    found = ours(rng.gaussian(dtype=np.float64), rng.mrg32k3a(processor(), 5))[:-1]
    np.testing.assert_allclose(found, pairs, rtol=1e-12, atol=1e-12)
    inverse = theirs("vdRngGaussian", stream("mrg32k3a", 5), np.float64, ctypes.c_double(0), one,
                     method=2)
    found = ours(rng.gaussian(dtype=np.float64, method="icdf"), rng.mrg32k3a(processor(), 5))
    np.testing.assert_allclose(found, inverse, rtol=1e-8, atol=1e-8)
