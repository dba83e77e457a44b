"""Sizes of data for tests of algorithms: none, one, primes, and those around tiles and chunks."""

from __future__ import annotations

import math

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels.sweeps import ITEMS
from unisycl.oneapi.frame.shapes import Shape

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


def are_sums(found: np.ndarray, x: np.ndarray, depth: int) -> bool:
    """Say whether float32 are the running sums of float32, each rounded ``depth`` times at most.

    However sums are grouped, each is off by no more than its depth in units of rounding of the
    sum of the absolute values; float64 is exact beside that, which ``math.fsum`` confirms.
    """
    exact, sizes = (np.cumsum(v, dtype=np.float64) for v in (x, np.abs(x)))
    assert abs(exact[-1] - math.fsum(x.tolist())) <= x.size * 2.0 ** -53 * sizes[-1]
    unit = 2.0 ** -24
    allowed = (depth * unit / (1 - depth * unit) + x.size * 2.0 ** -53) * sizes
    return bool((np.abs(found - exact) <= allowed).all())


def depth_of_sums(shape: Shape, n: int) -> int:
    """Return how often a running sum of ``n`` elements is rounded at most, however work is divided.

    In a tile of a group: its turns, or the elements of an item, and the steps of a scan over the
    group, twice; before it, all tiles one after the other, or windows of as many as a group has
    items.
    """
    in_group = 4 * shape.width.bit_length() + 2
    if shape.wide and shape.once:
        tiles = -(-n // (shape.width * ITEMS))
        return ITEMS + 2 * in_group + -(-tiles // shape.width) + 2
    turns = -(-shape.tile // shape.width)
    return turns * 2 + 2 * in_group + shape.tiles(n)
