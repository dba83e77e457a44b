"""Room for deep recursion is given for a while only."""

from __future__ import annotations

import sys

import pytest

from unisycl.process import recursion


def test_the_limit_is_back_when_the_last_user_is_done() -> None:
    before = sys.getrecursionlimit()
    with recursion.deep():
        with recursion.deep():
            assert sys.getrecursionlimit() >= recursion.LIMIT
        assert sys.getrecursionlimit() >= recursion.LIMIT
    assert sys.getrecursionlimit() == before


def test_deep_recursion_works_inside() -> None:
    def down(n: int) -> int:
        return n and 1 + down(n - 1)
    with recursion.deep():
        assert down(recursion.LIMIT - 600) == recursion.LIMIT - 600


def test_what_nests_too_deeply_is_done_in_a_thread_of_its_own() -> None:
    before = sys.getrecursionlimit()

    def down(n: int) -> int:
        return n and 1 + down(n - 1)
    assert 20_000 == recursion.apart(lambda: down(20_000))
    assert before == sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        recursion.apart(lambda: down(10 * recursion.DEEPER))
    with pytest.raises(KeyError, match="told"):
        recursion.apart(lambda: {}["told"])
    assert before == sys.getrecursionlimit()
