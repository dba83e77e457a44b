"""Kernels by pieces: what needs nothing from other ranks runs while borders are on their way.

A part whose accessors read a border that is sent to it is launched as its inside, which needs none
of that, and as the strips along the borders. Non-goals: cuts along more dimensions than the first.
Invariants: pieces are of this rank alone; what ranks send, and its order, is the plan's; nothing
runs before the command group's function has ended.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import FunctionType
from typing import Any, NamedTuple

from unisycl.base import requested_checks
from unisycl.ranks.graph import plan
from unisycl.ranks.graph.boxes import Box, meet
from unisycl.ranks.graph.mappers import chunk, neighborhood, one_to_one
from unisycl.ranks.queue.part_accessor import part_accessor
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.launch import launch

LEAST = {"items": 1 << 22}
"""Parts of fewer items lose more by more launches than they gain."""


class Piece(NamedTuple):
    """A piece of a rank's part, and what each accessor of the command uses for it."""

    part: chunk
    boxes: tuple[Box | None, ...]


def pieces(used: Sequence[part_accessor], mine: chunk | None,
           steps: Sequence[tuple[int, plan.Step]], rank: int) -> tuple[Piece, ...]:
    """Return the inside of a part, then its strips; nothing if it is launched as a whole."""
    arriving = {number: [t.box for t in step.transfers if t.target == rank]
                for number, step in steps}
    if mine is None or not any(arriving.values()) or math.prod(mine.extent) < LEAST["items"]:
        return ()
    readers = [one for one in used if arriving[one.owner.number]]
    if not all(isinstance(one.mapper, neighborhood) and one.reads for one in readers) or not all(
            one.mapper == one_to_one for one in used if one.mode.writes):
        return ()
    reach = max(one.mapper.reach[0] for one in readers if isinstance(one.mapper, neighborhood))
    start, end = mine.start[0], mine.end[0]
    boxes = [box for one in readers for box in arriving[one.owner.number]]
    above, below = (reach * any(found) for found in (
        [box.low[0] < start for box in boxes], [box.high[0] > end for box in boxes]))
    cuts = [(start + above, end - below), (start, start + above), (end - below, end)]
    if cuts[0][0] >= cuts[0][1]:
        return ()
    made = [_piece(used, mine, low, high) for low, high in cuts if low < high]
    for one, box in zip(used, made[0].boxes, strict=True):
        if box is not None and any(meet(box, other) for other in arriving[one.owner.number]):
            return ()
    return tuple(made)


def _piece(used: Sequence[part_accessor], mine: chunk, low: int, high: int) -> Piece:
    part = chunk((low, *mine.start[1:]), (high - low, *mine.extent[1:]), mine.space)
    return Piece(part, tuple([
        None if one.mapper is None else one.mapper.box(part, one.shape) for one in used]))


def plain(h: Any, fn: Any) -> bool:
    """Say whether a command group asks for nothing that pieces of its kernel could not have."""
    channel = h.channel
    return (type(fn) is FunctionType and channel.driver.quick and not (
        channel.in_order or channel.profiling or h._set or h._constants
        or channel.recorder is not None or h._bundle is not None or h.second is not None
        or h.fences or h.turns is not None or requested_checks.now(channel.checks)))


def begin(h: Any, geometry: Any, fn: Any, args: tuple[Any, ...], some: Sequence[Piece]) -> Any:
    """Give a group's kernel by pieces: all but the last one to be submitted as the group ends.

    Returns the last one's geometry, which is the group's own.
    """
    for piece in some[:-1]:
        group = Group(h.channel)
        _declare(group, h, piece)
        part = launch.part_geometry(geometry, piece.part.start, piece.part.extent)
        made, start, again = launch.in_group(h.channel, h, fn, part, args, ())
        group.set_command(made.executable.kernel.name if again is None else again.title, start,
                          native=True, launch=made, again=again)
        h.pieces.append(group)
    h._accesses = []
    _declare(h, h, some[-1])
    last = some[-1].part
    return launch.part_geometry(geometry, last.start, last.extent)


def submit(h: Any) -> None:
    """Submit the pieces of a group that ends; its own one comes behind them."""
    before, some = list(h._deps), h.pieces
    h.pieces = []
    for group in some:
        for task in before:
            group.add_dependency(task)
        h.add_dependency(group.finish())


def _declare(group: Group, h: Any, piece: Piece) -> None:
    for one, box in zip(h._used, piece.boxes, strict=True):
        one.declare(group, box)
