"""Names of elements of a ``vec`` and the views they make (SYCL 2020 §4.14.2.3 to §4.14.2.4).

Non-goals: operators. Invariant: the host device and the front end read names here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unisycl.base.errors import UsageError, errc

SIZES = (1, 2, 3, 4, 8, 16)
HALVES = ("lo", "hi", "odd", "even")
_DIGITS = "0123456789ABCDEF"


def positions(name: str, count: int) -> tuple[int, ...] | None:
    """Return the elements a name denotes in a vec of ``count``; None if it is no such name.

    xyzw (up to four elements), rgba (four), s0 to sF, lo, hi, odd, even.
    """
    if name in HALVES:
        return _half(name, count)
    if len(name) == 2 and name[0] == "s" and name[1].upper() in _DIGITS:
        k = _DIGITS.index(name[1].upper())
        return (k,) if k < count else None
    for letters in ("xyzw", "rgba"):
        known = letters[:count] if letters == "xyzw" or count == 4 else ""
        if count <= 4 and 1 <= len(name) <= 4 and all(c in known for c in name):
            return tuple(known.index(c) for c in name)
    return None


def _half(name: str, count: int) -> tuple[int, ...] | None:
    """Return half of the elements; three count as four (SYCL 2020 §4.14.2.1), see ``padding``."""
    if count == 1:
        return None
    count += count == 3
    half = count // 2
    return {"lo": tuple(range(half)), "hi": tuple(range(half, count)),
            "even": tuple(range(0, count, 2)), "odd": tuple(range(1, count, 2))}[name]


def padding(place: int, count: int) -> bool:
    """Say whether a place is the fourth of three: zero when read, and writing it does nothing."""
    return place >= count


def names(count: int) -> list[str]:
    """Return the names of single elements, for messages."""
    return list("xyzw"[:count]) if count <= 4 else [f"s{d}" for d in _DIGITS[:count]]


def repeated(places: Sequence[int]) -> bool:
    """Say whether an element occurs twice, so that nothing can be assigned to the swizzle."""
    return len(set(places)) != len(places)


def refuse_repeated(what: str) -> Any:
    """Return the error of an assignment to a swizzle with an element in it twice."""
    return UsageError(errc.invalid, f"'{what}' names an element twice, so it cannot be assigned to")
