"""Sizes of data for tests of algorithms: none, one, primes, and those around tiles and chunks."""

from __future__ import annotations

import numpy as np

import unisycl as sycl

SMALL = (0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 257)
LARGE = (4095, 4097, 16383, 16384, 16385, 65537)
INTEGERS = tuple(np.dtype(f"{sign}{size}") for sign in "iu" for size in (1, 2, 4, 8))
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def sizes(queue: sycl.queue) -> tuple[int, ...]:
    """Return sizes to try: the host device takes microseconds for an element."""
    slow = queue.get_device().has(sycl.aspect.host_debuggable)
    return SMALL if slow else (*SMALL[:6], *LARGE)


def numbers(kind: np.dtype, n: int, seed: int = 1) -> np.ndarray:
    """Return numbers over the whole range of a type; of floats some NaN, infinities and zeros."""
    rng = np.random.default_rng(seed)
    if kind.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return rng.integers(info.min, info.max, n, kind, endpoint=True)
    found = rng.standard_normal(n).astype(kind)
    special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40], kind)
    at = rng.integers(0, 10, n)
    return np.where(at < special.size, special[at % special.size], found).astype(kind)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Say whether two arrays have the same elements, signs of zero and NaN included."""
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()
