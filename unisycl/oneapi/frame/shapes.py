"""How routines divide their work on a kind of device: groups, tiles and chunks.

A tile is the work of one work-group, whose items read neighbours. A chunk is the work of a single
work-item, in order. Non-goals: measuring; these are rows of a table. Invariant: sizes depend on the
kind of device and the number of elements alone, never on how many threads there are, so a sum is
rounded alike in every run.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Any

import unisycl as sycl

_VOTERS = 32


@dataclass(frozen=True)
class Shape:
    """Sizes for one kind of device.

    Args:
        width: the work-items of a group that works on a tile.
        tile: the elements of a tile, a multiple of the width.
        chunks: how many chunks there are at most.
        least: the elements of a chunk at least.
        digit: the bits of a digit that sorting distributes by.
        few: as many elements, or fewer, are sorted by one work-item.
        wide: whether work-groups of many work-items are what the device is made for.
        once: whether groups that have begun go on, so that others may wait for them: then scans
            and selections go over memory once.
        turns: whether a tile may wait for the one before it, which another thread works on.
        packs: whether work-items of a sub-group of 8 vote which elements are kept.
        votes: whether sub-groups of 32 work-items vote, by which digits are ranked.
    """

    width: int
    tile: int
    chunks: int
    least: int
    digit: int
    few: int
    wide: bool = False
    once: bool = False
    turns: bool = False
    votes: bool = False
    packs: bool = False

    def chunk(self, count: int) -> int:
        """Return the elements of a chunk, of so many elements in all."""
        return max(self.least, -(-count // self.chunks))

    def chunk_space(self, count: int) -> sycl.nd_range:
        """Return the index space with a work-item for each chunk."""
        return sycl.nd_range(-(-count // self.chunk(count)), 1)

    def piece_space(self, pieces: int) -> sycl.nd_range:
        """Return the index space with a work-item for each piece, and perhaps some more."""
        width = _VOTERS if self.wide else 1
        return sycl.nd_range(-(-pieces // width) * width, width)

    def piece(self, count: int) -> int:
        """Return the elements that a work-item merges, of so many in all."""
        return self.least if self.wide else self.chunk(count)

    def tiles(self, count: int) -> int:
        """Return how many tiles there are."""
        return -(-count // self.tile)

    def tile_space(self, count: int) -> sycl.nd_range:
        """Return the index space with a work-group for each tile."""
        return sycl.nd_range(self.tiles(count) * self.width, self.width)

    def one_group(self) -> sycl.nd_range:
        """Return the index space of one group."""
        return sycl.nd_range(self.width, self.width)


PROCESSOR = Shape(width=16, tile=1 << 14, chunks=64, least=1 << 12, digit=11,
                  few=1 << 13)
HOST = Shape(width=4, tile=1 << 7, chunks=4, least=1 << 5, digit=3, few=1 << 5)
GRAPHICS = Shape(width=256, tile=1 << 14, chunks=1 << 13, least=1 << 6, digit=8, few=1 << 11,
                 wide=True)
IN_ORDER = Shape(width=1, tile=1 << 62, chunks=1, least=1 << 62, digit=8,
                 few=1 << 13)


@functools.lru_cache(maxsize=64)
def shape_of(device: sycl.device) -> Shape:
    """Return the sizes for a device."""
    if device.has(sycl.aspect.host_debuggable):
        return HOST
    if not device.has(sycl.aspect.cpu):
        return wide_shape_of(device)
    own = _progress(device) >= _GUARANTEE.concurrent
    return replace(PROCESSOR, turns=own, packs=own)


def wide_shape_of(device: sycl.device) -> Shape:
    """Return the sizes for wide work-groups, and what a device says that these may do."""
    return replace(GRAPHICS, once=_progress(device) >= _GUARANTEE.parallel,
                   votes=_VOTERS in device.get_info(sycl.info.device.sub_group_sizes))


_GUARANTEE = sycl.ext.oneapi.experimental.forward_progress_guarantee


def _progress(device: sycl.device) -> Any:
    """Return what a device says of work-groups that have begun: whether they go on."""
    scope = sycl.ext.oneapi.experimental.execution_scope
    return device.get_info(sycl.info.device.forward_progress_guarantee[
        scope.work_group, scope.root_group])
