"""Index spaces that are taken apart, and how finely.

Non-goals: what is done with the parts (``loops``). Invariant: the parts of a range cover it once,
in order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from unisycl.oneapi.frame.refusals import refuse, whole


class blocked_range:
    """Whole numbers from ``begin`` up to and without ``end``; iterable.

    Args:
        begin, end: the bounds. One alone is the end.
        grainsize: parts with no more numbers than this are not taken apart; ``simple_partitioner``
            takes all others apart.
    """

    def __init__(self, begin: int, end: int | None = None, grainsize: int = 1) -> None:
        first, last = (0, begin) if end is None else (begin, end)
        for name, value in (("begin", first), ("end", last)):
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                refuse("blocked_range", f"{name} must be a whole number, got {value!r}")
        self._begin, self._end = int(first), max(int(first), int(last))
        self._grain = whole("blocked_range", "grainsize", grainsize, 1)

    def begin(self) -> int:
        """Return the first number."""
        return self._begin

    def end(self) -> int:
        """Return the number behind the last one."""
        return self._end

    def size(self) -> int:
        """Return how many numbers there are."""
        return self._end - self._begin

    def grainsize(self) -> int:
        """Return the size of parts that are not taken apart."""
        return self._grain

    def empty(self) -> bool:
        """Say whether there are none."""
        return self._begin == self._end

    def is_divisible(self) -> bool:
        """Say whether the range may be taken apart."""
        return self.size() > self._grain

    def parts(self, most: int) -> list[blocked_range]:
        """Return up to so many parts of about one size, none smaller than half the grain."""
        count = max(1, min(most, -(-self.size() // self._grain)))
        cuts = [self._begin + self.size() * k // count for k in range(count + 1)]
        return [blocked_range(a, b, self._grain) for a, b in itertools.pairwise(cuts)]

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._begin, self._end))

    def __len__(self) -> int:
        return self.size()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, blocked_range) and \
            (self._begin, self._end) == (other._begin, other._end)

    def __hash__(self) -> int:
        return hash((self._begin, self._end))

    def __repr__(self) -> str:
        return f"blocked_range({self._begin}, {self._end})"


class blocked_range2d:
    """The rows and columns of a plane; its longer side is taken apart first.

    Args:
        rows, cols: a ``blocked_range`` each, or the number of rows and of columns.
    """

    def __init__(self, rows: blocked_range | int, cols: blocked_range | int) -> None:
        self.sides = tuple(x if isinstance(x, blocked_range) else blocked_range(x)
                            for x in (rows, cols))

    def rows(self) -> blocked_range:
        """Return the range of rows."""
        return self.sides[0]

    def cols(self) -> blocked_range:
        """Return the range of columns."""
        return self.sides[1]

    def size(self) -> int:
        """Return how many places there are."""
        return self.sides[0].size() * self.sides[1].size()

    def empty(self) -> bool:
        """Say whether there are none."""
        return not self.size()

    def is_divisible(self) -> bool:
        """Say whether a side may be taken apart."""
        return any(side.is_divisible() for side in self.sides)

    def parts(self, most: int) -> list[blocked_range2d]:
        """Return up to so many rectangles."""
        return [blocked_range2d(*sides) for sides in _boxes(self.sides, most)]

    def __repr__(self) -> str:
        return f"blocked_range2d({self.sides[0]!r}, {self.sides[1]!r})"


class blocked_range3d:
    """The pages, rows and columns of a box.

    Args:
        pages, rows, cols: a ``blocked_range`` each, or a number of them.
    """

    def __init__(self, pages: blocked_range | int, rows: blocked_range | int,
                 cols: blocked_range | int) -> None:
        self.sides = tuple(x if isinstance(x, blocked_range) else blocked_range(x)
                            for x in (pages, rows, cols))

    def pages(self) -> blocked_range:
        """Return the range of pages."""
        return self.sides[0]

    def rows(self) -> blocked_range:
        """Return the range of rows."""
        return self.sides[1]

    def cols(self) -> blocked_range:
        """Return the range of columns."""
        return self.sides[2]

    def size(self) -> int:
        """Return how many places there are."""
        return self.sides[0].size() * self.sides[1].size() * self.sides[2].size()

    def empty(self) -> bool:
        """Say whether there are none."""
        return not self.size()

    def is_divisible(self) -> bool:
        """Say whether a side may be taken apart."""
        return any(side.is_divisible() for side in self.sides)

    def parts(self, most: int) -> list[blocked_range3d]:
        """Return up to so many boxes."""
        return [blocked_range3d(*sides) for sides in _boxes(self.sides, most)]

    def __repr__(self) -> str:
        return "blocked_range3d({!r}, {!r}, {!r})".format(*self.sides)


Range = blocked_range | blocked_range2d | blocked_range3d


def _boxes(sides: tuple[blocked_range, ...], most: int) -> list[tuple[blocked_range, ...]]:
    """Halve the side with most grains, again and again."""
    found = [sides]
    while 2 * len(found) <= most:
        longest = max(range(len(sides)), key=lambda d: found[0][d].size() / found[0][d].grainsize())
        halves: list[tuple[blocked_range, ...]] = []
        for box in found:
            halves += [(*box[:longest], part, *box[longest + 1:])
                       for part in box[longest].parts(2)]
        if len(halves) == len(found):
            break
        found = halves
    return found


@dataclass(frozen=True)
class auto_partitioner:
    """Four parts for each thread: who has finished takes a further one."""

    def parts(self, space: Range, threads: int) -> list[Range]:
        """Return the parts of a range."""
        return list(space.parts(4 * threads))


@dataclass(frozen=True)
class static_partitioner:
    """One part for each thread."""

    def parts(self, space: Range, threads: int) -> list[Range]:
        """Return the parts of a range."""
        return list(space.parts(threads))


class affinity_partitioner(static_partitioner):
    """As ``static_partitioner``: which thread has which part is not promised."""


@dataclass(frozen=True)
class simple_partitioner:
    """Parts that are no larger than the grain, whatever the threads."""

    def parts(self, space: Range, threads: int) -> list[Range]:
        """Return the parts of a range."""
        if isinstance(space, blocked_range):
            return list(space.parts(max(1, space.size())))
        sides = [side.parts(max(1, side.size())) for side in space.sides]
        return [type(space)(*parts) for parts in itertools.product(*sides)]


Partitioner = auto_partitioner | static_partitioner | simple_partitioner
