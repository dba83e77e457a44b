"""Where values lie: against a model that keeps a set of spaces for each byte."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unisycl.runtime.memory.places import Places

SIZE = 24
SPACES = ("host", "a", "b")
part = st.tuples(st.integers(0, SIZE - 1), st.integers(1, SIZE)).map(
    lambda p: (p[0], min(SIZE, p[0] + p[1])))
step = st.tuples(st.sampled_from(("add", "only")), part, st.sampled_from(SPACES),
                 st.integers(0, 3))


def test_nothing_is_missing_where_nothing_was_stored() -> None:
    assert Places[str](SIZE).missing(0, SIZE, "a") == []


def test_a_value_on_the_host_is_missing_elsewhere() -> None:
    places = Places[str](SIZE, ("host",))
    assert places.missing(4, 9, "a") == [(4, 9, "host")]
    assert places.missing(4, 9, "host") == []


def test_parts_that_lie_in_one_place_are_brought_together() -> None:
    places = Places[str](SIZE, ("host",))
    places.only(8, 12, "a")
    places.add(8, 12, "host", "back")
    assert places.missing(0, SIZE, "b") == [(0, 8, "host"), (8, 12, "a"), (12, SIZE, "host")]
    assert places.arrivals(0, SIZE, "host") == ["back"]
    places.add(0, SIZE, "b", "there")
    assert places.missing(0, SIZE, "b") == []
    assert places.arrivals(20, 21, "b") == ["there"]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(step, max_size=12), part, st.sampled_from(SPACES))
def test_every_byte_is_known(steps: list[tuple[str, tuple[int, int], str, int]],
                             asked: tuple[int, int], space: str) -> None:
    places, model = Places[int](SIZE, ("host",)), [{"host"} for _ in range(SIZE)]
    for what, (low, high), where, number in steps:
        for k in range(low, high):
            model[k] = {where} | (model[k] if what == "add" else set())
        if what == "add":
            places.add(low, high, where, number)
        else:
            places.only(low, high, where)
    missing = {k: source for low, high, source in places.missing(*asked, space)
               for k in range(low, high)}
    for k in range(*asked):
        assert (k in missing) == (space not in model[k])
        assert k not in missing or missing[k] in model[k]
    assert places.spaces() == set().union(*model)


def test_many_small_parts() -> None:
    rng, size = random.Random(2), 4000
    places = Places[int](size, ("host",))
    model: list[dict[str, int | None]] = [{"host": None} for _ in range(size)]
    for number in range(1500):
        low = rng.randrange(size // 8) * 8
        high = low + 8 if rng.random() < 0.8 else min(size, low + rng.randint(0, 300))
        where, adds = rng.choice(SPACES), rng.random() < 0.4
        missing = {k: source for a, b, source in places.missing(low, high, where)
                   for k in range(a, b)}
        assert all((k in missing) == (where not in model[k]) for k in range(low, high))
        assert all(source in model[k] for k, source in missing.items())
        arrived = {model[k][where] for k in range(low, high) if where in model[k]}
        assert set(places.arrivals(low, high, where)) == arrived - {None}
        for k in range(low, high):
            model[k] = {**model[k], where: number} if adds else {where: None}
        if adds:
            places.add(low, high, where, number)
        else:
            places.only(low, high, where)
    assert places.spaces() == set().union(*model)
