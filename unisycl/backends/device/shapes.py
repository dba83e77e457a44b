"""How an index space is cut into work-groups of a device, whose dimension 0 is the fastest.

Non-goals: launching. Invariant: the sizes come from few, because some drivers compile for each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from unisycl.backends.base import Geometry
from unisycl.backends.device.facts import Facts
from unisycl.base.enums import address_space
from unisycl.ir.findings import Findings
from unisycl.ir.nodes import Kernel
from unisycl.passes.clike import coarsen, group_order, reduction_rounds

Sizes = tuple[int, ...]
_GROUP = 256
_SIZES = 256, 1024, 4096  # along a processor's memory; few, since some drivers compile for each
_GROUPS_EACH = 32  # for each compute unit, so that none waits long for the last ones
_CALL = 32  # items that a processor computes while it calls a work-group
_ROUND_ITEMS = 256
_ROUND_BYTES = 128  # of each variable's accumulators on a processor: two of its widest vectors
_ROUND_LEAST = 1024  # items of a group on a processor
_CROWD = 8192  # items for each compute unit: four times what one has at a time
_ACROSS = 64, 16  # items of a group where memory lies across: along it, and in the last dimension
_AGAIN = 16, 64  # and where items along a dimension read the same rows
_STACK = 2 << 20  # bytes of private arrays in a group of a range on a processor
_worth = Findings(coarsen.items)
_along = Findings(group_order.dimension)
_again = Findings(group_order.reused)


@dataclass(frozen=True, slots=True)
class Shape:
    """How many items are launched, in which groups; ``guards``: SYCL's padded dimensions."""

    items: Sizes
    local: Sizes
    offset: Sizes | None
    guards: tuple[int, ...] = ()


def local_of_range(extents: Sizes, facts: Facts, *, large: bool = False) -> Sizes:
    """Return the work-group of a plain range, in SYCL's order of dimensions.

    ``large``: on processors as large as leaves enough groups for all compute units.
    """
    most = min(_GROUP, facts.max_group)
    if facts.kind == "cpu":
        out = _of_processor(extents, _largest(math.prod(extents), facts) if large else most)
    else:
        last = _power(extents[-1], most if len(extents) == 1 else 32)
        out, left = [last], most // last
        for extent in reversed(extents[:-1]):
            out.append(_power(extent, left))
            left //= out[-1]
    limits = facts.item_sizes[: len(out)]
    return tuple(reversed([min(a, b) for a, b in zip(out, limits, strict=True)]))


def _largest(count: int, facts: Facts) -> int:
    """Return how large a processor's work-groups may be that leave enough for all its units."""
    limit = min(_SIZES[-1], facts.max_group)
    each = count // (_GROUPS_EACH * facts.units)
    return max((x for x in _SIZES if x <= min(limit, each)), default=min(_GROUP, limit))


def _of_processor(extents: Sizes, most: int) -> list[int]:
    """Return a work-group of up to so many items, the last dimension's size first.

    It lies along the last dimension, and in the others only where it has all of those inside; most
    of the items have work.
    """
    last = extents[-1]
    if len(extents) > 1 and 0 < last <= most and last % 32 == 0:
        out = [last]
    elif last <= _GROUP:
        out = [_power(last, most)]
    else:
        out = [_cheapest(last, [x for x in _SIZES if x <= most] or [most])]
    inner, full, real = out[0], _padded(last, out[0]), last
    for before, extent in zip(extents[:0:-1], extents[-2::-1], strict=True):
        sizes = [1]
        while out[-1] >= before and 2 * sizes[-1] * inner <= most and sizes[-1] < extent:
            sizes.append(2 * sizes[-1])
        busy = [x for x in sizes if full * _padded(extent, x) < 2 * real * extent]
        out.append(_cheapest(extent, busy or [1], inner))
        inner *= out[-1]
        full, real = full * _padded(extent, out[-1]), real * extent
    return out


def _padded(extent: int, size: int) -> int:
    return -(-extent // size) * size


def _cheapest(extent: int, sizes: list[int], inner: int = 1) -> int:
    """Return the size that costs a dimension least, of rows of ``inner`` items.

    Groups cost something by themselves, and in one that is not full little is vectorised.
    """
    return min(sizes, key=lambda x: -(-extent // x) * _CALL / inner + x * (extent % x > 0))


def _block(extents: Sizes, along: int, block: Sizes, facts: Facts) -> Sizes | None:
    """Return a block of a range: so many items along a dimension, and in the last one.

    Each cache line is met again before it is lost (``passes.clike.group_order``). None where
    the range is too small to keep all processors busy with such blocks, or the device's groups are.
    """
    long, wide = block
    size = long * wide
    if (extents[-1] < wide or math.prod(extents) < 4 * size * facts.units
            or facts.max_group < size):
        return None
    out = [1] * len(extents)
    out[along], out[-1] = _power(extents[along], long), _power(extents[-1], wide)
    limits = facts.item_sizes[len(out) - 1::-1]
    return tuple(out) if all(a <= b for a, b in zip(out, limits, strict=True)) else None


def _power(extent: int, most: int) -> int:
    """Return the power of two that is at least the extent, or the most there may be."""
    return max(1, min(1 << max(0, (extent - 1).bit_length()), most))


def items_side_by_side(kernel: Kernel, geometry: Geometry, facts: Facts) -> int:
    """Return how many items of a range one item of C takes.

    Where a processor has no vectors of its own and hides the memory's latency by its number of
    threads, several loads each are worth more than more threads, once there are enough of those.
    """
    if facts.kind != "gpu" or not facts.scalar:
        return 1
    if geometry.global_[0] < _CROWD * facts.units:
        return 1
    return _worth.of(kernel)


def shape_of_range(geometry: Geometry, facts: Facts, kernel: Kernel, each: int = 1) -> Shape:
    """Return how a plain range is launched: padded to whole work-groups, ``each`` items in one."""
    local: Sizes | None = None
    if len(geometry.global_) > 1 and facts.kind == "cpu":
        for known, block in ((_along, _ACROSS), (_again, _AGAIN)):
            along = known.of(kernel)
            if local is None and along is not None:
                local = _block(geometry.global_, along, block, facts)
    # drivers give each item of a group memory for the arrays that it declares
    local = local or local_of_range(geometry.global_, facts, large=not kernel.arrays)
    if kernel.arrays and facts.kind == "cpu":
        local = _smaller(local, _STACK // max(1, private_bytes(kernel)))
    if each > 1:
        (count,), (size,) = geometry.global_, local
        return Shape((-(-count // (size * each)) * size,), local, _offset(geometry))
    items = tuple(-(-n // s) * s for n, s in zip(geometry.global_, local, strict=True))
    guards = tuple(d for d, (n, m) in enumerate(zip(geometry.global_, items, strict=True))
                   if n != m)
    return Shape(items[::-1], local[::-1], _offset(geometry), guards)


def beyond(shape: Shape, facts: Facts) -> bool:
    """Say whether a launch has more work-groups along a dimension than there may be."""
    groups = [i // s for i, s in zip(shape.items, shape.local, strict=True)]
    return any(n > most for n, most in zip(groups, facts.most_groups, strict=False))


def shape_in_a_row(geometry: Geometry, facts: Facts, most: int = 0) -> Shape:
    """Return how a range is launched whose items form one dimension."""
    count, size = math.prod(geometry.global_), min(_GROUP, facts.max_group)
    while 0 < most < size:
        size //= 2
    return Shape((-(-count // size) * size,), (size,), None)


def private_bytes(kernel: Kernel) -> int:
    """Return the bytes of the arrays that each item has; processors may keep those of a group."""
    return sum(a.nbytes for a in kernel.arrays if a.type.space is address_space.private_space)


def _smaller(local: Sizes, most: int) -> Sizes:
    """Return a work-group that divides another one and has at most so many items, or one."""
    out = list(local)
    while math.prod(out) > most and max(out) > 1:
        side = out.index(max(out))
        out[side] = 1 if out[side] % 2 else out[side] // 2
    return tuple(out)


def within(shape: Shape, most: int) -> Shape:
    """Return the same items in work-groups that have at most so many."""
    return replace(shape, local=_smaller(shape.local, most))


def items_of_round(kernel: Kernel, facts: Facts) -> int:
    """Return how many items of a range with reductions one item of C takes in one go."""
    widest = reduction_rounds.widest(kernel)
    if not widest:
        return 1
    return max(2, _ROUND_BYTES // widest) if facts.kind == "cpu" else facts.loads


def group_of_rounds(items: int, facts: Facts) -> int:
    """Return the work-group of a range with reductions; ``items`` are taken in one go.

    A processor that takes several has no need of work-items that it would have to make loops of.
    """
    if facts.kind == "cpu":
        return 1 if items > 1 else _ROUND_ITEMS // 2
    return min(_ROUND_ITEMS, facts.max_group)


def shape_of_rounds(geometry: Geometry, facts: Facts, items: int) -> Shape:
    """Return how a range with reductions is launched: a few groups that go round it."""
    size = group_of_rounds(items, facts)
    units = facts.units * (4 if facts.kind == "cpu" else 8)
    groups = -(-math.prod(geometry.global_) // max(size * items, _ROUND_LEAST * (size == 1)))
    return Shape((max(1, min(units, groups)) * size,), (size,), None)


def shape_of_groups(geometry: Geometry, *, flat: bool) -> Shape:
    """Return how an nd_range is launched: as it is, or ``flat`` in one dimension."""
    if flat:
        return Shape((math.prod(geometry.global_),), (math.prod(geometry.local),), None)
    return Shape(geometry.global_[::-1], geometry.local[::-1], _offset(geometry))


def items_of_hierarchy(local: Sizes, facts: Facts) -> int:
    """Return how many items of C a group of a hierarchical kernel has."""
    most = min(facts.max_group, facts.item_sizes[0])
    return min(most, math.prod(local)) if local else min(most, 64)


def shape_of_hierarchy(geometry: Geometry, local: Sizes, facts: Facts) -> Shape:
    """Return how a hierarchical kernel is launched: its groups one after another."""
    size = items_of_hierarchy(local, facts)
    return Shape((math.prod(geometry.global_) * size,), (size,), None)


def _offset(geometry: Geometry) -> Sizes | None:
    return geometry.offset[::-1] if any(geometry.offset) else None


def groups_of(shape: Shape) -> int:
    """Return how many work-groups a launch has."""
    return math.prod(i // s for i, s in zip(shape.items, shape.local, strict=True))
