"""From the accesses of a command to what ranks send, and who holds what afterwards.

Every rank computes the plan of all ranks, alike, without talking. Non-goals: sending. Invariants:
the entries of a layout do not meet; an element nobody has written is held by nobody; plans are
remembered, since programs repeat themselves.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unisycl.ranks.graph.boxes import Box, Index, joined, meet, whole, without_all

Holders = frozenset[int]
Layout = tuple[tuple[Box, Holders], ...]
"""Who holds which elements of a buffer as they are now; those that are missing nobody wrote."""
Parts = tuple[Box | None, ...]
"""What each rank uses of a buffer."""
_MOST = 512


class Use(NamedTuple):
    """What a command does to one buffer: which parts, and how."""

    parts: Parts
    reads: bool
    writes: bool


class Transfer(NamedTuple):
    """Elements that one rank sends to another before a command."""

    source: int
    target: int
    box: Box


class Overlap(NamedTuple):
    """Two ranks that would write the same elements."""

    first: int
    second: int
    box: Box


class Step(NamedTuple):
    """What a command means for one buffer."""

    transfers: tuple[Transfer, ...]
    layout: Layout
    overlap: Overlap | None
    unwritten: tuple[int, Box] | None


_known: OrderedDict[tuple[Layout, tuple[Use, ...]], Step] = OrderedDict()


def everywhere(shape: Sequence[int], size: int) -> Layout:
    """Return the layout of a buffer that all ranks have filled alike."""
    box = whole(shape)
    return () if box is None else ((box, frozenset(range(size))),)


def step(layout: Layout, uses: tuple[Use, ...]) -> Step:
    """Return what a command means for a buffer that it uses in these ways."""
    key = layout, uses
    found = _known.get(key)
    if found is None:
        found = _known[key] = _step(layout, uses)
        while len(_known) > _MOST:
            _known.popitem(last=False)
    return found


def _step(layout: Layout, uses: tuple[Use, ...]) -> Step:
    transfers: list[Transfer] = []
    missing: tuple[int, Box] | None = None
    for use in uses:
        if use.reads:
            sent, unwritten = _reads(layout, use)
            missing = missing or unwritten
            transfers += sent
            layout = _received(layout, sent)
    written = [(box, rank) for use in uses if use.writes
               for rank, box in enumerate(use.parts) if box is not None]
    overlap = overlap_of(written)
    if written:
        layout = _written(layout, written)
    return Step(tuple(transfers), layout, overlap, missing)


def _reads(layout: Layout, use: Use) -> tuple[list[Transfer], tuple[int, Box] | None]:
    """Return what has to be sent for reads, and a part that nobody has written."""
    index = Index(layout)
    sent: list[Transfer] = []
    unwritten: tuple[int, Box] | None = None
    for rank, box in enumerate(use.parts):
        if box is None:
            continue
        found = index.meeting(box)
        wanted = [(shared, _nearest(holders, rank)) for shared, _, holders in found
                  if rank not in holders]
        sent += [Transfer(source, rank, part) for part, source in joined(wanted)]
        if unwritten is None and sum(s.size() for s, _, _ in found) < box.size():
            left = without_all(box, [s for s, _, _ in found])
            unwritten = rank, left[0]
    return sent, unwritten


def _nearest(holders: Holders, rank: int) -> int:
    return min(holders, key=lambda h: (abs(h - rank), h))


def _received(layout: Layout, sent: Sequence[Transfer]) -> Layout:
    """Return the layout once ranks have what was sent to them."""
    if not sent:
        return layout
    index = Index([(t.box, t.target) for t in sent])
    out: list[tuple[Box, Holders]] = []
    for box, holders in layout:
        out += _shared_out(box, holders, [(s, t) for s, _, t in index.meeting(box)])
    return tuple(joined(out))


def _shared_out(box: Box, holders: Holders, added: Sequence[tuple[Box, int]],
                ) -> Iterator[tuple[Box, Holders]]:
    """Yield the pieces of a box, each with those who hold it now."""
    pieces: list[tuple[Box, Holders]] = [(box, holders)]
    who: dict[Box, list[int]] = {}
    for part, rank in added:  # a thousand ranks may each have been sent the same
        who.setdefault(part, []).append(rank)
    for part, ranks in who.items():
        after: list[tuple[Box, Holders]] = []
        for piece, known in pieces:
            shared = meet(piece, part)
            if shared is None:
                after.append((piece, known))
                continue
            after.append((shared, known.union(ranks)))
            after += [(rest, known) for rest in without_all(piece, [shared])]
        pieces = after
    yield from pieces


def _written(layout: Layout, written: Sequence[tuple[Box, int]]) -> Layout:
    """Return the layout once each of these boxes is held by who wrote it alone."""
    index = Index(written)
    out: list[tuple[Box, Holders]] = []
    for box, holders in layout:
        out += [(rest, holders) for rest in without_all(
            box, [s for s, _, _ in index.meeting(box)])]
    fresh: list[tuple[Box, Holders]] = []
    for box, rank in written:
        fresh += [(rest, frozenset((rank,))) for rest in without_all(box, [b for b, _ in fresh])] \
            if len(written) > 1 and _again(index, box) else [(box, frozenset((rank,)))]
    return tuple(joined(out + fresh))


def _again(index: Index[int], box: Box) -> bool:
    return len(index.meeting(box)) > 1


def overlap_of(written: Sequence[tuple[Box, int]]) -> Overlap | None:
    """Return elements that two would write, of boxes and who writes them."""
    index = Index(written)
    for box, rank in written:
        for shared, _, other in index.meeting(box):
            if other != rank:
                return Overlap(min(rank, other), max(rank, other), shared)
    return None
