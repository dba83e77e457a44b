"""A kernel compiled for the CPU: its code, how arguments are packed, how work is cut.

Non-goals: running it (``driver``). Invariant: immutable; code stays loaded while this lives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from unisycl.backends.base import Geometry
from unisycl.backends.cpu import emit_print, entry, jit
from unisycl.backends.cpu.abi import Layout, Packer, header
from unisycl.backends.cpu.target import choose_lanes, machine, threads
from unisycl.backends.cpu.text import Module
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes import narrow

_SYMBOL = "unisycl_kernel"
_SMALL_TILE = 4096
_GROUPS_PER_THREAD = 16
_PLANS = 256


class Key(NamedTuple):
    """What of a geometry the code depends on.

    ``edge``: the last dimension may end within a vector; ``small``: all ids are below 2**31;
    ``stream``: the output is larger than the caches.
    """

    edge: bool
    small: bool
    stream: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """How one geometry is cut: the head of the argument block, units of work, units per chunk."""

    geometry: Geometry
    head: tuple[int, ...]
    units: int
    grain: int


@dataclass(frozen=True, eq=False, slots=True)
class CpuExecutable:
    """What ``compile`` returns: entry addresses, argument layout, lanes of a sub-group."""

    kernel: n.Kernel
    lanes: int
    layout: Layout
    entry: int
    finish: int
    heavy: bool
    prints: int
    packer: Packer
    loaded: jit.Loaded = field(repr=False)
    _plans: dict[int, Plan] = field(default_factory=dict, repr=False)

    def plan(self, geometry: Geometry) -> Plan:
        """Return how a launch of this geometry is cut; remembered with the geometry object."""
        found = self._plans.get(id(geometry))
        if found is None:
            tile = self.tile(geometry)
            units = _units(geometry, tile)
            grain = 1 if geometry.kind in ("range", "single") else \
                max(1, units // (threads() * _GROUPS_PER_THREAD))
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            found = self._plans[id(geometry)] = Plan(
                geometry, header(self.kernel, geometry, tile), units, grain)
        return found

    def tile(self, geometry: Geometry) -> tuple[int, ...]:
        """Return the tile a range is cut into.

        Rows as long as they are, enough tiles for all threads to stay busy, whole vectors along
        the last dimension.
        """
        if geometry.kind != "range":
            return (1,) * len(geometry.global_)
        *outer, last = geometry.global_
        share = max(self.lanes if self.heavy else _SMALL_TILE,
                    -(-math.prod(geometry.global_) // (threads() * 16)))
        along = min(last, max(share, self.lanes))
        along = -(-along // self.lanes) * self.lanes
        tile = [along]
        share = max(1, share // max(1, min(along, last)))
        for extent in reversed(outer):
            tile.append(min(extent, share))
            share = max(1, share // max(1, extent))
        return tuple(reversed(tile))


@dataclass(frozen=True, slots=True)
class Parts:
    """What code generation decides besides the code."""

    lanes: int
    layout: Layout
    prints: list[tuple[object, ...]]


def text_of(kernel: n.Kernel, key: Key) -> tuple[Module, Parts]:
    """Return the LLVM module of a kernel before optimisation, and what else was decided."""
    found = machine()
    lanes = choose_lanes(kernel, found.vector_bits)
    kernel = narrow.run(kernel, 1 << 31 if key.small else 1 << 63)
    module = Module(found.triple, found.layout)
    layout, prints = entry.build(kernel, module, _SYMBOL, lanes, found.vector_bits,
                                 edge=key.edge or key.stream, stream=key.stream)
    return module, Parts(lanes, layout, prints)


def compile_kernel(kernel: n.Kernel, key: Key) -> CpuExecutable:
    """Compile and load a kernel for the launches of a key."""
    module, parts = text_of(kernel, key)
    names = (_SYMBOL, _SYMBOL + ".finish") if kernel.reducers else (_SYMBOL,)
    loaded = jit.load(module.text(), names, loops=kernel.index_kind == "single")
    heavy = any(isinstance(s, n.While | n.For) for s in visit.statements(kernel.body))
    return CpuExecutable(kernel, parts.lanes, parts.layout, loaded.addresses[_SYMBOL],
                         loaded.addresses.get(_SYMBOL + ".finish", 0), heavy,
                         emit_print.register(parts.prints), Packer(kernel, parts.layout),
                         loaded)


def _units(geometry: Geometry, tile: tuple[int, ...]) -> int:
    """Return the units of a launch: tiles of a range, else work-groups."""
    if geometry.kind == "range":
        return math.prod(-(-g // t) for g, t in zip(geometry.global_, tile, strict=True))
    if geometry.kind == "nd_range":
        return math.prod(g // s for g, s in zip(geometry.global_, geometry.local, strict=True))
    return math.prod(geometry.global_)
