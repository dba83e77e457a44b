"""Format tags: in which order a tensor's elements lie, by the names that oneDNN has for it.

A name is read, not looked up: letters from the outermost dimension to the innermost, capital where
a dimension is cut into blocks, then the blocks (``nChw16c`` is ``aBcd16b``). Invariant: names of
one layout are equal.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field

from unisycl.oneapi.dnn.names import error

_NAME = re.compile(r"([A-Za-z]+?)((?:\d+[a-z])*)")
_LETTERS = "abcdefghijkl"
_FAMILIES = ("x", "nc", "ncw", "nchw", "ncdhw", "oi", "oiw", "oihw", "oidhw", "goiw", "goihw",
             "goidhw", "tnc", "tn", "ldnc", "ldigo", "ldio", "ldgo")
"""Names in the order of the dimensions: what a letter of any name of the same letters means."""


@dataclass(frozen=True)
class Tag:
    """One layout.

    Args:
        name: as it was asked for.
        ndims: of how many dimensions; 0 of ``any`` and ``undef``.
        order: the dimensions, from the outermost.
        blocks: pairs of a dimension and the size of a block, from the outermost.
    """

    name: str = field(compare=False)
    ndims: int
    order: tuple[int, ...]
    blocks: tuple[tuple[int, int], ...] = ()
    special: str = ""

    @property
    def canonical(self) -> str:
        """The name by letters from a on."""
        if self.special:
            return self.special
        cut = {d for d, _ in self.blocks}
        outer = "".join(_LETTERS[d].upper() if d in cut else _LETTERS[d] for d in self.order)
        return outer + "".join(f"{size}{_LETTERS[d]}" for d, size in self.blocks)

    def __repr__(self) -> str:
        return f"format_tag.{self.name}"


def _meaning(letters: str) -> str:
    """Return what dimension each letter is, as a name in the order of the dimensions."""
    plain = "".join(sorted(letters))
    if plain == _LETTERS[:len(plain)]:
        return plain
    return next((f for f in _FAMILIES if "".join(sorted(f)) == plain), "")


@functools.cache
def tag(name: str) -> Tag:
    """Return the layout of a name; refuse what is none."""
    if name in ("any", "undef"):
        return Tag(name, 0, (), (), name)
    match = _NAME.fullmatch(name)
    meaning = _meaning(match[1].lower()) if match else ""
    if not match or not meaning:
        raise error(f"format_tag: there is no tag '{name}'; write one letter for each dimension "
                    "from the outermost, as nchw, oihw, abcd, with blocks as in nChw16c")
    order = tuple(meaning.index(c) for c in match[1].lower())
    pieces = re.findall(r"(\d+)([a-z])", match[2])
    cut = {c for c in match[1].lower() if c.upper() in match[1]}
    if cut != {c for _, c in pieces} or any(int(n) < 1 for n, _ in pieces):
        raise error(f"format_tag: '{name}' has a capital letter for each dimension that is cut "
                    "into blocks, and for no other, as nChw16c")
    return Tag(name, len(order), order, tuple((meaning.index(c), int(n)) for n, c in pieces))


class _Names(type):
    """Gives tags as attributes."""

    def __getattr__(cls, name: str) -> Tag:
        try:
            return tag(name)
        except error as wrong:
            raise AttributeError(wrong.what()) from None


class format_tag(metaclass=_Names):
    """The layouts by name: ``format_tag.nchw``, ``format_tag.nChw16c``, ``format_tag.any``."""

    any = tag("any")
    undef = tag("undef")
