"""A kernel compiled for the CPU: its code, how arguments are packed, how work is cut.

Non-goals: running it (``driver``). Invariant: immutable; code stays loaded while this lives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unisycl.backends.base import Geometry
from unisycl.backends.cpu import variants
from unisycl.backends.cpu.abi import Layout, Packer, header, unit_dimensions
from unisycl.backends.cpu.compile import decision_cache, jit
from unisycl.backends.cpu.compile.target import compiler_version, threads
from unisycl.backends.cpu.pool import direct
from unisycl.backends.cpu.pool.pace import Pace
from unisycl.backends.cpu.pool.trials import Trial
from unisycl.backends.cpu.variants import SYMBOL, Key, Parts
from unisycl.backends.reports import Site
from unisycl.base.dataclass import dataclass, field
from unisycl.base.later import Later
from unisycl.ir import nodes as n

if TYPE_CHECKING:
    from unisycl.backends.cpu import making
    from unisycl.backends.cpu.checks import watching
    from unisycl.backends.cpu.emit import concurrent_sub_groups
else:
    making = Later("unisycl.backends.cpu.making")
    concurrent_sub_groups = Later("unisycl.backends.cpu.emit.concurrent_sub_groups")

_SMALL_TILE = 4096
_CROSSED = 1 << 19  # items: caches of a processor hold what fewer touch, in any order
_GROUPS_PER_THREAD = 16
_ROWS = 4  # so many may run together
_PLANS = 4096
_OTHER_AT = 5  # in what is noted of a kernel


@dataclass(frozen=True, slots=True)
class Plan:
    """How one geometry is cut: the head of the argument block, units of work, units per chunk.

    ``small``: it may run directly, whatever its arguments. ``pace``: what launches of it took; None
    where all threads are wanted, however long it takes.
    """

    geometry: Geometry
    head: tuple[int, ...]
    units: int
    grain: int
    small: bool
    pace: Pace | None
    fitting: dict[tuple[Any, ...], bool] = field(default_factory=dict, compare=False, repr=False)
    """What ``CpuExecutable.small`` said, by what it depends on."""


@dataclass(frozen=True, eq=False, slots=True)
class CpuExecutable:
    """What ``compile`` returns: entry addresses, argument layout, lanes of a sub-group.

    ``heavy``: it has loops; ``counted``: all of which run over a range. ``sizes``: the arguments on
    which depends whether a launch is small; True: on their shapes.
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
    steps: direct.Steps
    sizes: tuple[tuple[int, bool], ...]
    direct: direct.Direct
    loaded: jit.Loaded = field(repr=False)
    trial: Trial[CpuExecutable] | None = None
    crossed: bool = False
    _plans: dict[int, Plan] = field(default_factory=dict, repr=False)
    last_words: dict[Any, Any] = field(default_factory=dict, repr=False)

    @property
    def sub_groups(self) -> int:
        """How many units a work-group is, where sub-groups have threads of their own; else 0."""
        return concurrent_sub_groups.sub_groups(self.kernel, self.lanes) if self.kernel.apart else 0

    @property
    def _together(self) -> bool:
        """Whether all its work-groups have to run at the same time, or on threads of their own."""
        kernel = self.kernel
        return bool(kernel.progress or kernel.waits or kernel.apart or self.watch is not None)

    @property
    def direct_address(self) -> int:
        """The address of the function for direct calls."""
        return self.loaded.addresses[direct.symbol(SYMBOL)]

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
                not self.sizes and direct.fits(
                    direct.at_launch(self.steps, geometry, ()), geometry, self.lanes),
                None if self._together else Pace())
        return found

    def picked(self, geometry: Geometry) -> tuple[CpuExecutable, Plan]:
        """Return the form of the code that a launch takes, and how it is cut."""
        plan, trial = self.plan(geometry), self.trial
        if trial is None:
            return self, plan
        form = trial.pick(self, plan, geometry, lambda other: other.plan(geometry).pace)
        return form, plan if form is self else form.plan(geometry)

    def small(self, plan: Plan, values: Sequence[Any]) -> bool:
        """Say whether a launch may run directly."""
        if plan.small or not self.steps or not self.sizes:
            return plan.small
        key = tuple([values[k].shape if view else values[k] for k, view in self.sizes])
        found = plan.fitting.get(key)
        if found is None:
            steps = direct.at_launch(self.steps, plan.geometry, values)
            found = direct.fits(steps, plan.geometry, self.lanes) and (
                self.packer.local_bytes(values) <= direct.MOST_STACK)
            if len(plan.fitting) >= _PLANS:
                plan.fitting.clear()
            plan.fitting[key] = found
        return found

    def tile(self, geometry: Geometry) -> tuple[int, ...]:
        """Return the tile a range is cut into.

        Rows as long as they are, enough tiles for all threads to stay busy, whole vectors along
        the last dimension. One vector where the next row's touches the lines of this one's.
        """
        if geometry.kind != "range":
            return (1,) * len(geometry.global_)
        units = unit_dimensions(geometry.global_)
        *outer, last = geometry.global_[:len(geometry.global_) - units]
        items = math.prod(geometry.global_)
        share = max(self.least_share, -(-items // (threads() * 16)))
        narrow = self.crossed and items >= _CROSSED and items // last * self.lanes >= _SMALL_TILE
        along = min(last, self.lanes if narrow else max(share, self.lanes))
        along = -(-along // self.lanes) * self.lanes
        tile = [along]
        share = max(1, share // max(1, min(along, last)))
        if self.heavy and share > _ROWS:
            share = -(-share // _ROWS) * _ROWS
        for extent in reversed(outer):
            tile.append(min(extent, share))
            share = max(1, share // max(1, extent))
        return (*reversed(tile), *(1,) * units)


def compile_kernel(kernel: n.Kernel, key: Key) -> CpuExecutable:
    """Compile and load a kernel for the launches of a key."""
    names = (SYMBOL, direct.symbol(SYMBOL), *([SYMBOL + ".finish"] if kernel.reducers else []))
    carried = _carried(kernel, key, names)
    loaded, parts = carried or _recall(kernel, key, names) or making.make(kernel, key, names)
    packer = Packer(kernel, parts.layout)
    steps, at = parts.steps if packer.plain else 0, direct.symbol(SYMBOL)
    return CpuExecutable(kernel, parts.lanes, parts.layout, loaded.addresses[SYMBOL],
                         loaded.addresses.get(SYMBOL + ".finish", 0), parts.heavy, parts.counted,
                         parts.sites, parts.watch, packer, steps,
                         _sizes(steps, packer), direct.function(loaded.addresses[at]), loaded,
                         None if carried else _trial(kernel, key, parts.other), parts.crossed)


def _sizes(steps: direct.Steps, packer: Packer) -> tuple[tuple[int, bool], ...]:
    """Return the arguments on which depends whether a launch is small; True: on their shapes."""
    local = {(k, True) for k, size in enumerate(packer.local) if size}
    return tuple(local if isinstance(steps, int) else local | direct.asked(steps))


def _carried(kernel: n.Kernel, key: Key,
             names: tuple[str, ...]) -> tuple[jit.Loaded, Parts] | None:
    """Return the code that the kernel's package brings; None if it brings none for this machine."""
    found = variants.of(kernel)
    return None if found is None else found.load(key, names)


def _recall(kernel: n.Kernel, key: Key,
            names: tuple[str, ...]) -> tuple[jit.Loaded, Parts] | None:
    """Return the code of a kernel as an earlier process left it; None if none did."""
    known = decision_cache.recall(kernel, repr(key))
    loaded = None if known is None else jit.recall(known[0], names)
    if loaded is None:
        return None
    _, lanes, steps, heavy, counted, other, crossed, ndim, params, *rest = known
    return loaded, Parts(lanes, 0, Layout(ndim, tuple(params), *rest), (), None,
                         steps, heavy, counted, other, crossed)


def _trial(kernel: n.Kernel, key: Key, lanes: int) -> Trial[CpuExecutable] | None:
    """Return the trial of a kernel's other form, which has so many lanes; 0: there is none."""
    if not lanes or not compiler_version():
        return None
    other = Key(lanes > 1 and kernel.index_kind == "range", key.small, False, lanes, key.units)

    def decided(won: bool) -> None:
        noted = decision_cache.recall(kernel, repr(other if won else key))
        if noted is not None:
            noted[_OTHER_AT] = 0
            decision_cache.note(kernel, noted, repr(key))

    def form() -> CpuExecutable | None:
        wanted = kernel.index_kind != "range" or variants.versions.of(kernel).try_another(other)
        return compile_kernel(kernel, other) if wanted else None
    return Trial(form, decided)


def _units(geometry: Geometry, tile: tuple[int, ...]) -> int:
    """Return the units of a launch: tiles of a range, else work-groups."""
    if geometry.kind == "range":
        return math.prod(-(-g // max(1, t)) for g, t in zip(geometry.global_, tile, strict=True))
    if geometry.kind == "nd_range":
        return math.prod(g // s for g, s in zip(geometry.global_, geometry.local, strict=True))
    return math.prod(geometry.global_)
