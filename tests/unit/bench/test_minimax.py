"""The tool that makes polynomials."""

from __future__ import annotations

import pytest

mp = pytest.importorskip("mpmath")


def test_a_fit_is_as_good_as_theory_says():
    from bench import minimax  # noqa: PLC0415 -- needs mpmath
    made, error = minimax.fit(mp.exp, lambda x: mp.mpf(1), mp.mpf(-1), mp.mpf(1), 3)
    assert 4 == len(made)
    assert error == pytest.approx(0.0055283, rel=1e-3)


def test_parts_sum_to_the_number():
    from bench import minimax  # noqa: PLC0415
    for down in (False, True):
        found = minimax.parts(mp.pi, 32, 3, down=down)
        assert abs(sum(map(mp.mpf, found)) - mp.pi) < 2.0 ** -70
        assert not down or min(found) > 0


def test_the_coefficients_are_those_of_the_rows():
    from bench import approximants, minimax  # noqa: PLC0415
    known = minimax.known()
    names = {f"{row.name}_{bits}" for row in approximants.ROWS for bits in (32, 64)
             if row.degrees[bits == 64] != approximants.NONE}
    assert names <= set(known)
    exp = next(row for row in approximants.ROWS if row.name == "EXP")
    values, error = minimax.make(exp, 32)
    assert known["EXP_32"] == minimax.spelt("EXP_32", values, error)
