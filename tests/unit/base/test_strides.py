"""Steps of arrays, and whether two indices may meet, against a list of all addresses."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.lib import stride_tricks

from unisycl.base import strides


def addresses(array):
    return [sum(i * s for i, s in zip(index, array.strides, strict=True))
            for index in itertools.product(*map(range, array.shape))]


def arrays():
    rng = np.random.default_rng(3)
    base = np.arange(4000, dtype=np.int32)
    for _ in range(400):
        ndim = int(rng.integers(1, 4))
        shape = tuple(int(x) for x in rng.integers(1, 5, ndim))
        steps = tuple(int(x) * 4 for x in rng.integers(-30, 31, ndim))
        yield stride_tricks.as_strided(base[2000:], shape, steps)


def test_whole_memory_holds_every_element_at_its_pitches():
    for array in arrays():
        flat, first = strides.whole(array)
        steps = strides.pitches(array)
        assert np.shares_memory(flat, array)
        for index in itertools.product(*map(range, array.shape)):
            at = first + sum(i * p for i, p in zip(index, steps, strict=True))
            assert flat[at] == array[index]
        low, high = strides.span_of(array)
        here = array.__array_interface__["data"][0]
        if not array.flags.c_contiguous:
            assert (low, high) == (here + min(addresses(array)), here + max(addresses(array)) + 4)
        assert (high - low) // 4 == len(flat)


def test_elements_that_two_indices_share_are_never_missed():
    told = missed = 0
    for array in arrays():
        found = addresses(array)
        shared = len(set(found)) < len(found)
        says = strides.shares_elements(array.shape, strides.pitches(array))
        assert says or not shared
        told += says
        missed += says and not shared
    assert missed < told


def test_parts_of_dense_arrays_share_nothing():
    base = np.zeros((6, 7, 8), np.float64)
    for part in (base[::2, ::-3, 1:5], base.T, base[:, 3], base[..., 0].T, base[::-1, :1, ::5]):
        assert not strides.shares_elements(part.shape, strides.pitches(part))


def test_steps_that_are_no_whole_elements_are_none():
    pairs = np.zeros(4, [("a", "c16"), ("b", "f8")])
    assert strides.pitches(pairs["a"]) is None
    assert strides.pitches(pairs["b"]) == (3,)
    assert strides.pitches(pairs["a"][:1]) == (1,)
