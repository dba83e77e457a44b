"""Kernels of a rank that has several devices: its part is shared out among them.

Each device gets rows of the rank's part as a command of its own queue, with what the mappers say
that it uses. The buffers are the rank's: bytes are brought to the memory of the device that uses
them by the runtime, as for any two queues. Non-goals: what ranks send (``ranks.graph``).
Invariants: a device is to others of its rank what a rank is to ranks: none writes what another
one does; results are combined in the order of devices; nothing runs before the group has ended.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.api.memory.access import Tag
from unisycl.api.memory.accessor import accessor
from unisycl.api.memory.buffer import buffer
from unisycl.api.properties import property
from unisycl.api.queue.reduction import reduction
from unisycl.base.enums import access_mode, target
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.graph import plan, split
from unisycl.ranks.graph.boxes import Box, whole
from unisycl.ranks.graph.mappers import chunk
from unisycl.ranks.queue import messages
from unisycl.ranks.queue.part_accessor import boxes_of, part_accessor
from unisycl.runtime.graph.command_group import Group
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import begin_nothing
from unisycl.runtime.launch import launch

Shares = tuple[chunk | None, ...]
_GIVEN = ("_accesses", "_again", "_begin", "_kind", "_label", "_launch", "_native", "blocks",
          "fences", "used")


@functools.lru_cache(maxsize=256)
def shares(mine: chunk, count: int, grain: tuple[int, ...] = ()) -> Shares:
    """Return each device's share of a rank's part: rows of it, or of its work-groups."""
    found = split.parts(mine.extent, count, grain)
    return tuple([None if p is None else chunk(
        tuple([a + b for a, b in zip(mine.start, p.start, strict=True)]), p.extent, mine.space)
        for p in found])


def begin(h: Any, geometry: Any, fn: Any, args: tuple[Any, ...], reductions: Sequence[Any],
          mine: chunk | None, *, others: Sequence[Access], name: str) -> None:
    """Give a group's kernel by devices, to be submitted as the group ends.

    ``others`` are accesses of the group to what is not distributed.
    """
    if any(one.mode.writes for one in others):
        raise UsageError(errc.feature_not_supported, f"{name}: several devices of a rank would "
                         "write one buffer that has no parts; make it a distr_buffer, or start a "
                         "rank for each device")
    channels = h.queue.channels
    nothing = (0,) * len(geometry.global_)
    grain = tuple(geometry.local)
    parts = (chunk(nothing, nothing, geometry.global_),) if mine is None else shares(
        mine, len(channels), grain)
    first = next(k for k, p in enumerate(parts) if p is not None)
    into = {id(r._variable) for r in reductions}
    boxes = [() if id(one) in into else boxes_of(one, parts) if mine is not None else
             (None,) * len(parts) for one in h._used]
    _check(h, boxes, name)
    for k, part in enumerate(parts):
        if part is None:
            continue
        own = [r if k == first else _partial(h, r, k, n) for n, r in enumerate(reductions)]

        def give(part: chunk = part, own: Sequence[Any] = own) -> None:
            h.launch(launch.part_geometry(geometry, part.start, part.extent), fn, args, own)
        some = [whole(one.shape) if k == first else None for one in h._used]
        _piece(h, channels[k], [s if id(one) in into else found[k] for one, found, s in zip(
            h._used, boxes, some, strict=True)], give, [*others, *(
                a for r in own if r not in reductions for a in [_access(r._variable)])])
        if k > first:
            h.combines += [(r, o) for r, o in zip(reductions, own, strict=True)]
    h.set_command(name, begin_nothing, native=True)


def fill(h: Any, dst: part_accessor, mine: chunk, fill_box: Callable[[Box], None]) -> None:
    """Give the fill of a rank's rows of a buffer by devices."""
    for channel, part in zip(h.queue.channels, shares(mine, len(h.queue.channels)), strict=True):
        if part is not None:
            box = Box(part.start, part.end)
            _piece(h, channel, [box], functools.partial(fill_box, box), ())
    h.set_command("fill", begin_nothing, native=True)


def submit(h: Any) -> None:
    """Submit the pieces of a group that ends, and what combines their results."""
    before, some = [*h._deps, *h.queue.after()], h.pieces
    h.pieces = []
    for group in some:
        for task in before:
            group.add_dependency(task)
        h.add_dependency(group.finish())
    combines, h.combines = h.combines, []
    for one, other in combines:
        h.add_dependency(_combine(h.channel, one, other))


def _piece(h: Any, channel: Any, boxes: Sequence[Box | None], give: Callable[[], None],
           more: Sequence[Access]) -> None:
    """Let a group be one of a device for a moment, and keep what it then asks for."""
    first, h.channel = h.channel, channel
    try:
        h._accesses = list(more)
        for one, box in zip(h._used, boxes, strict=True):
            one.declare(h, box)
        give()
        group = Group(channel)
        for name in _GIVEN:
            setattr(group, name, getattr(h, name))
        h.pieces.append(group)
    finally:
        h.channel = first
        h._accesses, h.blocks = [], []
        h._begin = h._launch = h._again = h.used = None


def _check(h: Any, boxes: Sequence[Sequence[Box | None]], name: str) -> None:
    """Refuse what two devices of the rank would both write."""
    written: dict[int, list[tuple[Box, int]]] = {}
    for one, found in zip(h._used, boxes, strict=True):
        if one.mode.writes:
            written.setdefault(one.owner.number, []).extend(
                (box, k) for k, box in enumerate(found) if box is not None)
    for number, some in written.items():
        overlap = plan.overlap_of(some)
        if overlap is not None:
            a, b, box = overlap
            raise UsageError(errc.invalid, f"{name}: devices {a} and {b} of rank {h.queue.rank} "
                             f"would both write elements {box} of buffer {number}; give a range "
                             "mapper by which each element is written by one work-item's device, "
                             "such as one_to_one")


def _partial(h: Any, one: Any, device: int, position: int) -> Any:
    """Return a reduction like another one into memory of a device's own."""
    known = h.queue.partials
    key = device, position, one.dtype
    if key not in known:
        known[key] = buffer(1, one.dtype)
    return reduction(accessor(known[key], h, Tag("reduction", access_mode.write)), one.identity,
                     one.op, property.reduction.initialize_to_identity())


def _access(of: accessor, mode: access_mode = access_mode.write,
            where: target = target.device) -> Access:
    region = of._region
    return Access(region.memory, region.start, region.stop, mode, mode is access_mode.write, where)


def _combine(channel: Any, one: Any, other: Any) -> Any:
    """Submit the command that adds what a device has reduced to the rank's own result."""
    variable, extra = one._variable, other._variable
    own = _access(variable, access_mode.read_write, target.host_task)

    def body() -> None:
        here, there = (v._region.flat() for v in (variable, extra))
        here[0] = one.op(here[0], there[0])
    return messages.python(channel, f"combine buffer {variable.owner.number} of devices",
                           [own, _access(extra, access_mode.read, target.host_task)], body)
