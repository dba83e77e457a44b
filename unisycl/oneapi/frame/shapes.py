"""How routines divide their work on a kind of device: groups, tiles and chunks.

A tile is the work of one work-group, whose items read neighbours. A chunk is the work of a single
work-item, in order. Non-goals: measuring; these are rows of a table. Invariant: sizes depend on the
kind of device and the number of elements alone, never on how many threads there are, so a sum is
rounded alike in every run.
"""

from __future__ import annotations

from dataclasses import dataclass

import unisycl as sycl


@dataclass(frozen=True)
class Shape:
    """Sizes for one kind of device.

    Args:
        width: the work-items of a group that works on a tile.
        tile: the elements of a tile, a multiple of the width.
        chunks: how many chunks there are at most.
        least: the elements of a chunk at least.
        digit: the bits of a digit that sorting distributes by.
    """

    width: int
    tile: int
    chunks: int
    least: int
    digit: int

    def chunk(self, count: int) -> int:
        """Return the elements of a chunk, of so many elements in all."""
        return max(self.least, -(-count // self.chunks))

    def chunk_space(self, count: int) -> sycl.nd_range:
        """Return the index space with a work-item for each chunk."""
        return sycl.nd_range(-(-count // self.chunk(count)), 1)

    def tiles(self, count: int) -> int:
        """Return how many tiles there are."""
        return -(-count // self.tile)

    def tile_space(self, count: int) -> sycl.nd_range:
        """Return the index space with a work-group for each tile."""
        return sycl.nd_range(self.tiles(count) * self.width, self.width)

    def one_group(self) -> sycl.nd_range:
        """Return the index space of one group."""
        return sycl.nd_range(self.width, self.width)


PROCESSOR = Shape(width=64, tile=1 << 14, chunks=64, least=1 << 12, digit=8)
HOST = Shape(width=4, tile=1 << 7, chunks=4, least=1 << 5, digit=3)
GRAPHICS = Shape(width=256, tile=1 << 12, chunks=1 << 13, least=1 << 6, digit=8)
IN_ORDER = Shape(width=1, tile=1 << 62, chunks=1, least=1 << 62, digit=8)


def shape_of(device: sycl.device) -> Shape:
    """Return the sizes for a device."""
    if device.has(sycl.aspect.host_debuggable):
        return HOST
    return PROCESSOR if device.has(sycl.aspect.cpu) else GRAPHICS
