"""The machine's limits: the loops compile and do what they say; nothing is timed here."""

from __future__ import annotations

import numpy as np

from bench.limits import aligned, compile_loops, splat


def test_the_triad_adds_half_of_one_stream_to_another() -> None:
    engine, loop, lanes = compile_loops()
    a, b, c = (aligned(64) for _ in range(3))
    a[:], b[:] = np.arange(64), 4
    loop("triad")(a.ctypes.data, b.ctypes.data, c.ctypes.data, 64 // lanes)
    del engine
    assert c.tolist() == [k + 2.0 for k in range(64)]


def test_arrays_start_on_a_cache_line() -> None:
    assert all(aligned(n).ctypes.data % 64 == 0 for n in (1, 17, 64))


def test_a_constant_vector_repeats_its_value() -> None:
    assert splat("<4 x float>", 1.0).count("float 1.0") == 4
