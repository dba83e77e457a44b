"""Where the boxes and edges of a drawing go: rows from top to bottom, few crossings, short edges.

The usual steps of drawing in layers: rows by longest path, edges over several rows cut into one
piece a row, rows sorted by the middle of their neighbours, places by least squares under a least
distance. Non-goals: cycles (edges lead from a lower number to a higher one), colours, text.
Invariants: boxes of a row never overlap; equal input gives equal output.
"""

from __future__ import annotations

import itertools
from bisect import bisect, insort
from collections.abc import Sequence

from unisycl.base.dataclass import dataclass, field

GAP = 22.0
ROW_GAP = 16.0
_SORTS = 12
_SWEEPS = 8


@dataclass(eq=False, slots=True)
class Item:
    """What has a place in a row: a box, a label, or a point that an edge goes through."""

    width: float
    height: float
    row: int
    x: float = 0.0
    y: float = 0.0
    above: list[Item] = field(default_factory=list)
    below: list[Item] = field(default_factory=list)

    @property
    def solid(self) -> bool:
        """Say whether it takes room."""
        return self.width > 0


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes and the points of each edge, as items with centres; the size of it all."""

    boxes: list[Item]
    routes: list[list[Item]]
    labels: list[Item | None]
    width: float
    height: float


Size = tuple[float, float]
Edge = tuple[int, int, Size]


def lay_out(boxes: Sequence[Size], edges: Sequence[Edge]) -> Layout:
    """Place boxes, and edges (from, to, size of the label or (0, 0)) between them.

    Boxes keep even rows and labels get odd ones, so that a label never lies on a box.
    """
    ranks = _ranks(len(boxes), edges)
    made = [Item(w, h, 2 * r) for (w, h), r in zip(boxes, ranks, strict=True)]
    routes: list[list[Item]] = []
    labels: list[Item | None] = []
    rows: list[list[Item]] = [[] for _ in range(2 * max(ranks, default=0) + 1)]
    for item in made:
        rows[item.row].append(item)
    for tail, head, size in edges:
        route, label = _route(made[tail], made[head], size)
        for item in route[1:-1]:
            rows[item.row].append(item)
        routes.append(route)
        labels.append(label)
    _sort(rows)
    _spread(rows)
    width, height = _settle(rows)
    return Layout(made, routes, labels, width, height)


def _ranks(count: int, edges: Sequence[Edge]) -> list[int]:
    """Return rows by longest path; what nothing leads to stands just above what it leads to."""
    ranks = [0] * count
    for tail, head, _ in sorted(edges, key=lambda e: e[:2]):
        ranks[head] = max(ranks[head], ranks[tail] + 1)
    entered = {head for _, head, _ in edges}
    nearest: dict[int, int] = {}
    for tail, head, _ in edges:
        nearest[tail] = min(nearest.get(tail, ranks[head]), ranks[head])
    for tail, rank in nearest.items():
        if tail not in entered:
            ranks[tail] = rank - 1
    return ranks


def _route(tail: Item, head: Item, size: Size) -> tuple[list[Item], Item | None]:
    """Return the items that an edge goes through, and the one of its label."""
    middle = (tail.row + head.row) // 2
    middle += middle % 2 == 0
    route, label = [tail], None
    for row in range(tail.row + 1, head.row):
        point = Item(0.0, 0.0, row)
        if row == middle and size[0]:
            point = label = Item(*size, row)
        route.append(point)
    route.append(head)
    for one, other in itertools.pairwise(route):
        one.below.append(other)
        other.above.append(one)
    return route, label


def _sort(rows: list[list[Item]]) -> None:
    """Order each row by the middle of its neighbours; keep the order with fewest crossings."""
    best, fewest = [r[:] for r in rows], _crossings(rows)
    for turn in range(_SORTS):
        if not fewest:
            break
        down = turn % 2 == 0
        place = {id(item): float(k) for row in rows for k, item in enumerate(row)}
        for row in rows if down else reversed(rows):
            keys = {id(item): _middle(item.above if down else item.below, place, place[id(item)])
                    for item in row}
            row.sort(key=lambda item, keys=keys: keys[id(item)])  # type: ignore[misc]
            place.update((id(item), float(k)) for k, item in enumerate(row))
        found = _crossings(rows)
        if found < fewest:
            best, fewest = [r[:] for r in rows], found
    rows[:] = best


def _middle(others: Sequence[Item], place: dict[int, float], own: float) -> float:
    return sum(place[id(o)] for o in others) / len(others) if others else own


def _crossings(rows: list[list[Item]]) -> int:
    """Count the pairs of edge pieces that cross between neighbouring rows."""
    total = 0
    for row, after in itertools.pairwise(rows):
        place = {id(item): k for k, item in enumerate(after)}
        seen: list[int] = []
        for item in row:
            ends = sorted(place[id(o)] for o in item.below)
            total += sum(len(seen) - bisect(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def _spread(rows: list[list[Item]]) -> None:
    """Give centres across: near the neighbours', in the order of the row."""
    for row in rows:
        at = 0.0
        for item in row:
            item.x = at + item.width / 2
            at += item.width + GAP
    for turn in range(2 * _SWEEPS):
        down = turn % 2 == 0
        for row in rows if down else reversed(rows):
            _place(row, [_wanted(item, down=down) for item in row])
    for row in rows:
        _place(row, [_wanted(item, down=None) for item in row])


def _wanted(item: Item, *, down: bool | None) -> float:
    others = [*item.above, *item.below] if down is None else item.above if down else item.below
    return sum(o.x for o in others) / len(others) if others else item.x


def _place(row: list[Item], wanted: list[float]) -> None:
    """Move a row's items near where they want to be, at least so far apart (least squares)."""
    offsets, at = [], 0.0
    for k, item in enumerate(row):
        if k:
            near = GAP if item.solid or row[k - 1].solid else GAP / 2
            at += (row[k - 1].width + item.width) / 2 + near
        offsets.append(at)
    blocks: list[tuple[float, float, int]] = []  # sum of weighted places, weight, how many items
    for item, want, offset in zip(row, wanted, offsets, strict=True):
        weight = 1.0 if item.solid else 4.0  # long edges are kept straight
        total, count = (want - offset) * weight, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / weight:
            more, heavier, items = blocks.pop()
            total, weight, count = total + more, weight + heavier, count + items
        blocks.append((total, weight, count))
    k = 0
    for total, weight, count in blocks:
        for _ in range(count):
            row[k].x = total / weight + offsets[k]
            k += 1


def _settle(rows: list[list[Item]]) -> tuple[float, float]:
    """Move everything to the positive side and give the rows their heights; return the size."""
    items = [item for row in rows for item in row]
    if not items:
        return 0.0, 0.0
    left = min(item.x - item.width / 2 for item in items)
    at = 0.0
    for row in rows:
        height = max((item.height for item in row), default=0.0)
        for item in row:
            item.x -= left
            item.y = at + height / 2
        at += height + ROW_GAP
    return max(item.x + item.width / 2 for item in items), at - ROW_GAP
