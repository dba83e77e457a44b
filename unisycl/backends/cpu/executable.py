"""A kernel compiled for the CPU: its code, how arguments are packed, how work is cut.

Non-goals: running it (``driver``). Invariant: immutable; code stays loaded while this lives.
"""

from __future__ import annotations

import dataclasses
import math
from functools import partial
from typing import Any

from unisycl.backends.base import Geometry
from unisycl.backends.cpu import variants
from unisycl.backends.cpu.abi import Layout, Packer, header, unit_dimensions
from unisycl.backends.cpu.checks import watching
from unisycl.backends.cpu.compile import decision_cache, jit, options
from unisycl.backends.cpu.compile.plain import plain
from unisycl.backends.cpu.compile.target import threads
from unisycl.backends.cpu.emit import concurrent_sub_groups, entry
from unisycl.backends.cpu.emit.lines import Lines
from unisycl.backends.cpu.emit.text import LOOSE, Module
from unisycl.backends.cpu.emit.widths import choose_lanes, is_scalar, shapes_of
from unisycl.backends.cpu.pool import direct
from unisycl.backends.cpu.variants import Key, Parts
from unisycl.backends.reports import Site
from unisycl.base.dataclass import dataclass, field
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes import pipeline
from unisycl.passes.shared import long_chains

_SYMBOL = "unisycl_kernel"
_SMALL_TILE = 4096
_GROUPS_PER_THREAD = 16
_ROWS = 4  # so many may run together
_PLANS = 256
_DEEP = 24  # branches one inside the other
_VERY_DEEP = 100


@dataclass(frozen=True, slots=True)
class Plan:
    """How one geometry is cut: the head of the argument block, units of work, units per chunk.

    ``small``: it may run directly.
    """

    geometry: Geometry
    head: tuple[int, ...]
    units: int
    grain: int
    small: bool


@dataclass(frozen=True, eq=False, slots=True)
class CpuExecutable:
    """What ``compile`` returns: entry addresses, argument layout, lanes of a sub-group.

    ``heavy``: it has loops; ``counted``: all of which run over a range.
    """

    kernel: n.Kernel
    lanes: int
    layout: Layout
    entry: int
    finish: int
    heavy: bool
    counted: bool
    sites: tuple[Site, ...]
    watch: watching.Plan | None
    packer: Packer
    steps: int
    direct: direct.Direct
    loaded: jit.Loaded = field(repr=False)
    _plans: dict[int, Plan] = field(default_factory=dict, repr=False)
    last_words: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def sub_groups(self) -> int:
        """How many units a work-group is, where sub-groups have threads of their own; else 0."""
        return concurrent_sub_groups.sub_groups(self.kernel, self.lanes) if self.kernel.apart else 0

    @property
    def direct_address(self) -> int:
        """The address of the function for direct calls."""
        return self.loaded.addresses[direct.symbol(_SYMBOL)]

    @property
    def least_share(self) -> int:
        """The fewest work-items of a range worth a tile."""
        return self.lanes if self.heavy else _SMALL_TILE

    def plan(self, geometry: Geometry) -> Plan:
        """Return how a launch of this geometry is cut; remembered with the geometry object."""
        found = self._plans.get(id(geometry))
        if found is None:
            tile = self.tile(geometry)
            units = _units(geometry, tile) * max(1, self.sub_groups)
            grain = 1 if geometry.kind in ("range", "single") or self.kernel.progress else \
                max(1, units // (threads() * _GROUPS_PER_THREAD))
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            found = self._plans[id(geometry)] = Plan(
                geometry, (units, *header(self.kernel, geometry, tile)), units, grain,
                not self.kernel.progress and direct.fits(self.steps, geometry, self.lanes))
        return found

    def tile(self, geometry: Geometry) -> tuple[int, ...]:
        """Return the tile a range is cut into.

        Rows as long as they are, enough tiles for all threads to stay busy, whole vectors along
        the last dimension.
        """
        if geometry.kind != "range":
            return (1,) * len(geometry.global_)
        units = unit_dimensions(geometry.global_)
        *outer, last = geometry.global_[:len(geometry.global_) - units]
        share = max(self.least_share,
                    -(-math.prod(geometry.global_) // (threads() * 16)))
        along = min(last, max(share, self.lanes))
        along = -(-along // self.lanes) * self.lanes
        tile = [along]
        share = max(1, share // max(1, min(along, last)))
        if self.heavy and share > _ROWS:
            share = -(-share // _ROWS) * _ROWS
        for extent in reversed(outer):
            tile.append(min(extent, share))
            share = max(1, share // max(1, extent))
        return (*reversed(tile), *(1,) * units)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A kernel as it is before its bodies are made, and what was decided until then."""

    kernel: n.Kernel
    lanes: int
    level: int
    ids_below: int


def prepared(kernel: n.Kernel, key: Key) -> Prepared:
    """Return a kernel behind the passes that come before its bodies."""
    asked = options.of(kernel)
    level = _level(kernel, asked.level)
    kernel = plain(kernel)
    facts = pipeline.Facts(ids_below=variants.SMALL if key.small else 1 << 63,
                           deepest=-1 if level == jit.LIGHTEST else 1 << 63)
    kernel = pipeline.run(kernel, "simd", "depth", facts)
    lanes = key.most or choose_lanes(kernel, asked.machine.vector_bits)
    kernel = pipeline.run(kernel, "simd", "rows", pipeline.Facts(
        lanes=lanes, units=key.units, shapes=partial(shapes_of, lanes=lanes, units=key.units)))
    kernel = pipeline.run(kernel, "simd", "launch", facts)
    return Prepared(kernel, lanes, level, facts.ids_below)


def text_of(kernel: n.Kernel, key: Key) -> tuple[Module, Parts]:
    """Return the LLVM module of a kernel before optimisation, and what else was decided."""
    asked = options.of(kernel)
    found = asked.machine
    ready = prepared(kernel, key)
    kernel, lanes = ready.kernel, ready.lanes
    module = Module(found.triple, found.layout, LOOSE if asked.fast else "contract")
    if asked.lines and kernel.span is not None:
        module.lines = Lines(kernel.name, kernel.span)
    layout, sites = entry.build(kernel, module, _SYMBOL, lanes, found.vector_bits,
                                 edge=key.edge or key.stream, stream=key.stream,
                                 ids_below=ready.ids_below, units=key.units)
    direct.emit(module, _SYMBOL)
    return module, Parts(lanes, ready.level, layout, sites, watching.plan(kernel))


def compile_kernel(kernel: n.Kernel, key: Key) -> CpuExecutable:
    """Compile and load a kernel for the launches of a key."""
    names = (_SYMBOL, direct.symbol(_SYMBOL), *([_SYMBOL + ".finish"] if kernel.reducers else []))
    loaded, parts = _carried(kernel, key, names) or _recall(kernel, key, names) or _make(
        kernel, key, names)
    loops = {type(s) for s in visit.statements(kernel.body)} & {n.While, n.For}
    packer = Packer(kernel, parts.layout)
    return CpuExecutable(kernel, parts.lanes, parts.layout, loaded.addresses[_SYMBOL],
                         loaded.addresses.get(_SYMBOL + ".finish", 0), bool(loops),
                         loops == {n.For},
                         parts.sites, parts.watch, packer,
                         0 if not packer.plain else direct.steps(plain(kernel), parts.lanes),
                         direct.function(loaded.addresses[direct.symbol(_SYMBOL)]), loaded)


def _carried(kernel: n.Kernel, key: Key,
             names: tuple[str, ...]) -> tuple[jit.Loaded, Parts] | None:
    """Return the code that the kernel's package brings; None if it brings none for this machine."""
    found = variants.of(kernel)
    return None if found is None else found.load(key, names)


def _make(kernel: n.Kernel, key: Key, names: tuple[str, ...]) -> tuple[jit.Loaded, Parts]:
    """Return the code of a kernel through its text."""
    module, parts = text_of(kernel, key)
    text, loops, asked = module.text(), is_scalar(kernel, parts.lanes), options.of(kernel)
    level = parts.level
    loaded = jit.load(text, names, loops=loops, level=level, on=asked.machine)
    if not parts.sites and parts.watch is None:  # neither is kept with the code
        code = jit.entry_of(text, loops=loops, level=level, on=asked.machine)
        decision_cache.note(kernel, [code, parts.lanes,
                                 *dataclasses.astuple(parts.layout)], repr(key))
    return loaded, parts


def _level(kernel: n.Kernel, asked: int) -> int:
    """Return how much LLVM is to do, for a kernel that asks for a level."""
    nested = long_chains.depth(kernel.body) if asked else 0
    if nested > _VERY_DEEP:
        return jit.LIGHTEST
    return jit.LIGHT if nested > _DEEP else asked


def _recall(kernel: n.Kernel, key: Key,
            names: tuple[str, ...]) -> tuple[jit.Loaded, Parts] | None:
    """Return the code of a kernel as an earlier process left it; None if none did."""
    known = decision_cache.recall(kernel, repr(key))
    loaded = None if known is None else jit.recall(known[0], names)
    if loaded is None:
        return None
    ndim, params, *rest = known[2:]
    return loaded, Parts(known[1], 0, Layout(ndim, tuple(params), *rest), ())


def _units(geometry: Geometry, tile: tuple[int, ...]) -> int:
    """Return the units of a launch: tiles of a range, else work-groups."""
    if geometry.kind == "range":
        return math.prod(-(-g // max(1, t)) for g, t in zip(geometry.global_, tile, strict=True))
    if geometry.kind == "nd_range":
        return math.prod(g // s for g, s in zip(geometry.global_, geometry.local, strict=True))
    return math.prod(geometry.global_)
