"""Feature constants."""

from __future__ import annotations

from unisycl.base import features


def test_every_constant_is_a_positive_number() -> None:
    found = {n: v for n, v in vars(features).items() if n.startswith("SYCL_")}
    assert found
    assert all(type(v) is int and v > 0 for v in found.values())
