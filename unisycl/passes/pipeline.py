"""Which passes a kernel goes through, by name and in order, for each kind of target.

A pass is a row of a list: its name, its function, and when it applies. Lists are cut where a target
decides something about a kernel in between. Non-goals: what a pass does; what only one target can
do (it is given as ``Facts.own``, its place is here all the same). Invariants: every pass returns IR
that means the same; with ``UNISYCL_DEBUG``, and in tests, IR is verified behind each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from unisycl.base import settings
from unisycl.base.dataclass import dataclass, field, replace
from unisycl.base.errors import KernelError
from unisycl.ir.nodes import Block, Expr, Kernel, Local
from unisycl.ir.verify import verify
from unisycl.passes import looking
from unisycl.passes.checks import (
    arithmetic,
    bounds,
    collectives,
    declared,
    divergent_barriers,
    uninitialised,
    watches,
)
from unisycl.passes.clike import coarsen, copies, positions, short_loops, structure
from unisycl.passes.interior import needed
from unisycl.passes.shared import (
    below_zero,
    counted_bits,
    dead_stores,
    images,
    lockstep,
    long_chains,
    loop_steps,
    narrow,
    ranges,
    scalars,
)
from unisycl.passes.simd import (
    alike_conditions,
    choices,
    counters,
    interleaved,
    kept_records,
    members,
    pairs,
    registers,
    reread,
    row_blocks,
    row_loops,
    settled,
    short_rows,
    stack_walks,
    units,
    unrolled,
)
from unisycl.passes.simd.shapes import Shapes

Change = Callable[[Kernel], Kernel]
ALWAYS_VERIFY = [False]
"""Whether IR is verified whatever the environment says: tests set it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known besides the kernel, for the passes that ask.

    Args:
        rebound: a name has locals of several types, some of which nobody may read.
        ids_below: what no id of a launch reaches.
        deepest: how many branches may lie one in another before a chain of them is cut.
        spans: views of several dimensions span few enough elements for positions of 32 bits.
        few: so do those of one dimension, and numbers that are given are from 0 up to 2**30.
        below: parameters whose numbers are below 0 instead, and not below -2**30.
        divisors: parameters whose numbers are not 0, too, or 0 or below it.
        extents, room: ``uninitialised``'s.
        together: the target has no group functions for items that part ways.
        rolled: the target's compiler does not unroll loops by itself.
        named: functions of sub-groups have to be told who takes part.
        shapes: how the values of a kernel vary over the lanes of a vector.
        lanes: how many lanes a vector has.
        paired: a load for each lane is cheaper than a part of a gather.
        units: how many of the last dimensions of a range have one item.
        ids: locals that have a value before the kernel: ids of work-items, what was tested.
        names: where ``copies`` notes the names that locals inherit.
        own: passes of the target's own, by name.
    """

    rebound: bool = False
    ids_below: int = 1 << 63
    deepest: int = 1 << 63
    spans: bool = False
    few: bool = False
    below: tuple[int, ...] = ()
    divisors: tuple[int, ...] = ()
    extents: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    room: int = 0
    together: bool = False
    rolled: bool = False
    named: bool = False
    shapes: Callable[[Kernel], Shapes] | None = None
    lanes: int = 1
    paired: bool = False
    units: int = 0
    ids: Sequence[Local] = ()
    names: dict[Local, str] = field(default_factory=dict)
    own: Mapping[str, Change] = field(default_factory=dict)


def _always(kernel: Kernel, facts: Facts) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: its name, what it does, and whether it applies to a kernel."""

    name: str
    run: Callable[[Kernel, Facts], Kernel]
    applies: Callable[[Kernel, Facts], bool] = _always


def _divergent_barriers(kernel: Kernel, facts: Facts) -> Kernel:
    found = divergent_barriers.check(kernel)
    if found:
        raise KernelError(found, kernel.name)
    return kernel


def _partings(kernel: Kernel, facts: Facts) -> Kernel:
    """Return a kernel none of whose lanes part ways around meetings."""
    assert facts.shapes is not None
    while apart := lockstep.parting(kernel.body, facts.shapes(kernel), returns=False):
        kernel = lockstep.run(kernel, apart)
    return kernel


def _counters(kernel: Kernel, facts: Facts) -> Kernel:
    assert facts.shapes is not None
    return _with(kernel, counters.run(kernel.body, facts.shapes(kernel)))


def _stack_walks(kernel: Kernel, facts: Facts) -> Kernel:
    assert facts.shapes is not None
    return _with(kernel, stack_walks.run(kernel.body, facts.shapes(kernel)))


def _alike_conditions(kernel: Kernel, facts: Facts) -> Kernel:
    assert facts.shapes is not None
    return alike_conditions.run(kernel, facts.shapes)


def _row_blocks(kernel: Kernel, facts: Facts) -> Kernel:
    assert facts.shapes is not None
    return row_blocks.run(kernel, facts.shapes, facts.lanes)


def _pairs(kernel: Kernel, facts: Facts) -> Kernel:
    assert facts.shapes is not None
    return pairs.run(kernel, facts.shapes, facts.lanes)


def _copies(kernel: Kernel, facts: Facts) -> Kernel:
    kernel, names = copies.run(kernel)
    facts.names.update(names)
    return kernel


def _with(kernel: Kernel, body: Block) -> Kernel:
    return kernel if body is kernel.body else replace(kernel, body=body)


def _own(name: str) -> Pass:
    """Return the row of a pass that a target brings."""
    return Pass(name, lambda k, f: f.own[name](k), lambda k, f: name in f.own)


IMAGES = Pass("images", lambda k, f: images.expand(k))
SCALARS = Pass("scalars", lambda k, f: scalars.expand(k))
LONG_CHAINS = Pass("long_chains", lambda k, f: _with(k, long_chains.run(k.body)),
                   lambda k, f: long_chains.depth(k.body) > f.deepest)
NARROW = Pass("narrow", lambda k, f: narrow.run(k, f.ids_below), lambda k, f: not f.spans)

EVERY = (
    Pass("dead_stores", lambda k, f: _with(k, dead_stores.run(k.body)), lambda k, f: f.rebound),
    Pass("divergent_barriers", _divergent_barriers),
    Pass("loop_steps", lambda k, f: loop_steps.run(k)),
    Pass("counted_bits", lambda k, f: counted_bits.run(k)),
    Pass("collectives", lambda k, f: collectives.run(k), lambda k, f: "divergence" in k.checks),
    Pass("arithmetic", lambda k, f: arithmetic.run(k)),
    Pass("bounds", lambda k, f: bounds.run(k), lambda k, f: "bounds" in k.checks),
)
"""What every kernel goes through as soon as its types are known, before any target sees it."""

DECLARED = (Pass("declared", lambda k, f: declared.run(k)),)
"""For parts of launches whose bounds are checked: indices keep to what range mappers give."""

SIMD = {
    "every": EVERY,
    "plain": (IMAGES, SCALARS, Pass("choices", lambda k, f: choices.run(k)),
              Pass("kept_records", lambda k, f: kept_records.run(k)),
              Pass("settled", lambda k, f: settled.run(k)),
              Pass("reread", lambda k, f: reread.run(k)),
              Pass("members", lambda k, f: members.gather(k),
                   lambda k, f: not watches.wanted(k)),
              Pass("registers", lambda k, f: registers.run(k)),
              Pass("row_loops", lambda k, f: row_loops.run(k)),
              Pass("unrolled", lambda k, f: unrolled.run(k)),
              Pass("short_rows", lambda k, f: short_rows.gather(k)),
              Pass("interleaved", lambda k, f: interleaved.gather(k))),
    "depth": (LONG_CHAINS,),
    "rows": (Pass("units", lambda k, f: units.run(k, f.units), lambda k, f: f.units > 0),
             Pass("row_blocks", _row_blocks),
             Pass("pairs", _pairs, lambda k, f: f.paired)),
    "launch": (NARROW, Pass("watches", lambda k, f: watches.run(k))),
    "loops": (_own("continues"),),
    "interior": (_own("interior"), Pass("needed", lambda k, f: needed.run(k))),
    "lanes": (
        Pass("partings", _partings, lambda k, f: k.index_kind == "nd_range"),
        Pass("stack_walks", _stack_walks, lambda k, f: stack_walks.may_walk(k)),
        Pass("counters", _counters),
        Pass("alike_conditions", _alike_conditions),
    ),
}
"""Vectors: how many lanes is decided behind "depth", where arguments lie behind "loops"."""

CLIKE = {
    "every": EVERY,
    "text": (
        Pass("uninitialised", lambda k, f: uninitialised.run(k, f.extents, f.room),
             lambda k, f: bool(k.checks)),
        Pass("lockstep", lambda k, f: lockstep.whole(k), lambda k, f: f.together),
        Pass("sub_groups", lambda k, f: lockstep.sub_groups(k), lambda k, f: f.named),
        IMAGES, SCALARS, LONG_CHAINS, NARROW,
        Pass("positions", lambda k, f: positions.run(
            k, f.ids_below, positions.few(k, f.below, f.divisors) if f.few else ranges.NOTHING,
            flat=f.few), lambda k, f: f.spans),
    ),
    "print": (_own("unwrapped"), _own("records"),
              Pass("short_loops", lambda k, f: short_loops.run(k), lambda k, f: f.rolled),
              Pass("copies", _copies)),
    "body": (Pass("structure", lambda k, f: _with(k, structure.body(k.body, 0))),),
    "several": (Pass("coarsen", lambda k, f: _with(k, coarsen.side_by_side(k.body, f.ids))),),
}
"""C text: "several" is for ranges of which an item takes several, "body" for every kernel."""

TARGETS: dict[str, dict[str, tuple[Pass, ...]]] = {
    "plain": {"every": EVERY, "declared": DECLARED}, "simd": SIMD, "clike": CLIKE}


def names() -> tuple[str, ...]:
    """Return the name of every pass, each once, in order."""
    return tuple(dict.fromkeys(
        x.name for stages in TARGETS.values() for stage in stages.values() for x in stage))


def _verifies() -> bool:
    return ALWAYS_VERIFY[0] or settings.DEBUG.get() not in ("", "0")


def run(kernel: Kernel, target: str, stage: str, facts: Facts) -> Kernel:
    """Run the passes of one part of a target's list."""
    verifies = _verifies()
    for one in TARGETS[target][stage]:
        if one.applies(kernel, facts):
            before, kernel = kernel, one.run(kernel, facts)
            if verifies and kernel is not before:
                verify(kernel, f"the pass '{one.name}'", facts.ids)
        for found in looking.watchers:
            found.append(looking.Seen(one.name, kernel))
    return kernel


def prepare(kernel: Kernel, *, rebound: bool = False) -> Kernel:
    """Run the passes of every target; ``KernelError`` for what one finds wrong.

    The checks that its ``checks`` name are written into it. ``rebound``: a name has locals of
    several types, some of which nobody may read.
    """
    if _verifies():
        verify(kernel, "the front end")
    return run(kernel, "plain", "every", Facts(rebound=rebound))


def never_negative(body: Block, x: Expr) -> bool:
    """Say whether an integer computed in a body is at least 0, whatever the data."""
    return loop_steps.never_negative(x, loop_steps.rising(body))


def always_negative(body: Block, x: Expr) -> bool:
    """Say whether an integer computed in a body is below 0, whatever the data."""
    return below_zero.always(body, x)
