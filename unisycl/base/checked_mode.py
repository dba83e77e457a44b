"""The words that say which checks kernels make while they run.

Non-goals: the checks; who asks for them (``requested_checks``). Invariant: equal sets of words are
one object, so that a launch compares them quickly.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, TypeAlias

from unisycl.base.errors import UsageError, errc

Words: TypeAlias = frozenset[str]

USUAL = ("assert", "bounds", "divergence", "uninitialised")
"""What 1 asks for: mistakes without an excuse, found at a few times the price."""
NUMBERS = ("division", "narrowing", "nan", "overflow")
"""What NumPy does silently, and programs may mean."""
WORDS = (*USUAL, "races", *NUMBERS)
NONE: Words = frozenset()
_GROUPS = {"1": USUAL, "numbers": NUMBERS, "all": WORDS, "uninitialized": ("uninitialised",)}
ENDLESS: Words = frozenset(("endless",))
"""What a queue whose kernels have a time asks for: no word of the user's."""
UNWRITTEN = 0xFB
"""The byte that fresh USM is filled with where reads of what nobody wrote are looked for."""
_WITHIN = {"races", "uninitialised"}
"""Checks whose memory an index outside of the kernel's own would miss."""
EXPECTED = (f"{', '.join(WORDS)}, with commas between them; 1 for the usual ({', '.join(USUAL)}), "
            f"numbers for {', '.join(NUMBERS)}, or all")
"""What may be asked for, in words."""
_pairs: dict[tuple[Words, Words], Words] = {}


def parse(words: Any) -> Words:
    """Return what a setting asks for: a text of words, True for the usual, False for nothing.

    Raises ``ValueError`` for other words.
    """
    if isinstance(words, bool):
        words = "1" if words else ""
    if not isinstance(words, str):
        raise ValueError(f"expected True, False or a text of words, got {type(words).__name__}")
    found: set[str] = set()
    for word in words.replace(" ", "").split(","):
        if word in _GROUPS:
            found.update(_GROUPS[word])
        elif word in WORDS:
            found.add(word)
        elif word not in ("", "0"):
            raise ValueError(f"expected {EXPECTED}")
    if found & _WITHIN:
        found.add("bounds")
    return _one(frozenset(found))


def given(where: str, words: Any) -> Words:
    """Return what a program's argument asks for; ``errc.invalid`` for other words."""
    try:
        return parse(words)
    except ValueError as error:
        raise UsageError(errc.invalid, f"{where}={words!r}: {error}") from None


def union(sets: Iterable[Words]) -> Words:
    """Return the words of all."""
    return functools.reduce(both, sets, NONE)


def both(a: Words, b: Words) -> Words:
    """Return the words of two sets."""
    found = _pairs.get((a, b))
    if found is None:
        found = _pairs[a, b] = _one(a | b)
    return found


def _one(words: Words) -> Words:
    return NONE if not words else _pairs.setdefault((words, words), words)
