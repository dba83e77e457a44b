"""Which tests the devices of one backend share in a sample, for they run the same text.

Each test runs on one of them, by turns. One that claims rows runs on another, too, where no test
of these rows would run otherwise. Runs at all turns together have each test on each device, and
what a report is to claim is made of them.
Non-goals: cases of a test. Invariants: each test runs somewhere; each row has a test wherever one
can run; nothing depends on what ran before.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest

Tests = Mapping[tuple[str, str], Sequence[pytest.Item]]
"""The cases of each test on each device, by the names of both."""


def places(names: Sequence[str], apart: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the place of each device among those of its backend, and how many it has.

    ``apart``: devices that share nothing.
    """
    others = [name for name in names if name not in apart]
    count = Counter(name.partition(":")[0] for name in others)
    return {name: (int(name.partition(":")[2] or 0), count[name.partition(":")[0]])
            for name in others}


def elsewhere(tests: Tests, rows: Callable[[pytest.Item], Sequence[str]],
              alike: Mapping[str, tuple[int, int]], turn: int) -> set[tuple[str, str]]:
    """Return the tests that another device of a backend runs, with the device that need not.

    ``turn`` says which of them begins: with another one they change places.
    """
    claimed = {at: {row for case in cases for row in rows(case)} for at, cases in tests.items()}
    seen: dict[str, set[str]] = {}
    waiting = []
    for test, name in tests:
        place, count = alike.get(name, (0, 1))
        if (zlib.crc32(test.encode()) + turn) % count == place:
            seen.setdefault(name, set()).update(claimed[test, name])
        else:
            waiting.append((test, name))
    left = set()
    for at in waiting:
        have = seen.setdefault(at[1], set())
        if have.issuperset(claimed[at]):
            left.add(at)
        have.update(claimed[at])
    return left
