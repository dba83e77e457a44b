"""What the ids and ranges of a work-item are, for each kind of index space.

Non-goals: loops over the index space (``entry``). Invariant: the shape given to the analysis and
the value given to the emitter have the same rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, Val
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import INT64
from unisycl.ir.nodes import Kernel
from unisycl.passes.simd.shapes import ANY, PER_LANES, PRIVATE, Shape
from unisycl.passes.simd.shapes import LINEAR as ALONG
from unisycl.passes.simd.shapes import UNIFORM as SHARED

ROW = Shape(ALONG, 1)


@dataclass(frozen=True, slots=True)
class Mapping:
    """How the items of a work-group lie on lanes.

    ``rows``: the last dimension is a whole number of sub-groups, so each lies within one row.
    """

    lanes: int
    local: tuple[int, ...]

    @property
    def rows(self) -> bool:
        return len(self.local) == 1 or self.local[-1] % self.lanes == 0


def shapes(kernel: Kernel, lanes: int, units: int = 0) -> Callable[[str, int], Shape]:
    """Return the shape of every query of a kernel; its last ``units`` dimensions have one item."""
    last = kernel.ndim - 1 - units
    mapping = Mapping(lanes, kernel.local)

    def of(name: str, dim: int) -> Shape:
        if kernel.index_kind == "single" or (kernel.index_kind == "range" and lanes == 1):
            return SHARED
        if name in ("global_id", "logical_id") and kernel.index_kind != "nd_range":
            return ROW if dim == last else PER_LANES
        if lanes == 1 and name in ("global_id", "local_id", "sub_group_local_id", PRIVATE):
            return PER_LANES
        if name == PRIVATE:
            return ANY
        if name in ("global_id", "local_id"):
            if not mapping.rows:
                return ANY
            return ROW if dim == last else PER_LANES
        if name == "sub_group_local_id":
            return ROW
        if name in ("sub_group_id", "sub_group_local_range"):
            return PER_LANES
        return SHARED
    return of


def range_queries(e: Emitter, ids: list[Val]) -> Callable[[str, int], Val]:
    """Queries of a plain range kernel; ``ids`` are without the offset."""
    at = e.layout

    def of(name: str, dim: int) -> Val:
        if name == "global_id":
            return e.lanes.add(ids[dim], Val(UNIFORM, INT64, e.slot(at.offset + dim)))
        if name == "global_range":
            return Val(UNIFORM, INT64, e.slot(at.global_range + dim))
        return Val(UNIFORM, INT64, e.slot(at.offset + dim))
    return of


def group_queries(e: Emitter, groups: list[str], full: int, rest: int) -> Callable[[str, int], Val]:
    """Queries of an nd_range kernel; ``groups`` are the ids of the group at hand."""
    kernel, lanes = e.kernel, e.lanes
    mapping = Mapping(lanes.lanes, kernel.local)
    count = full + bool(rest)

    def number(value: int) -> Val:
        return lanes.const(value, INT64)

    def local_id(dim: int) -> Val:
        assert e.sub_group is not None
        start = lanes.mul(e.sub_group, number(lanes.lanes))
        row = LINEAR if lanes.lanes > 1 else UNIFORM
        if len(kernel.local) == 1:
            return Val(row, INT64, start.ref, 1)
        last = len(kernel.local) - 1
        inner = math.prod(kernel.local[dim + 1:])
        if not mapping.rows:
            index = Val(LINEAR, INT64, start.ref, 1)
            place = index if inner == 1 else _divide(e, index, inner)
            return place if dim == 0 else _modulo(e, place, kernel.local[dim])
        if dim == last:
            return Val(row, INT64, _modulo(e, start, kernel.local[last]).ref, 1)
        place = _divide(e, start, inner)
        return place if dim == 0 else _modulo(e, place, kernel.local[dim])

    def of(name: str, dim: int) -> Val:
        match name:
            case "group_id":
                return Val(UNIFORM, INT64, groups[dim])
            case "local_id" | "logical_id":
                return local_id(dim)
            case "global_id":
                base = lanes.mul(of("group_id", dim), number(kernel.local[dim]))
                start = lanes.add(base, of("offset", dim))
                return lanes.add(local_id(dim), start)
            case "local_range" | "max_local_range" | "logical_range":
                return number(kernel.local[dim])
            case "group_range":
                return Val(UNIFORM, INT64, e.slot(e.layout.global_range + dim))
            case "global_range":
                return lanes.mul(of("group_range", dim), number(kernel.local[dim]))
            case "offset":
                return Val(UNIFORM, INT64, e.slot(e.layout.offset + dim))
            case "sub_group_id":
                assert e.sub_group is not None
                return e.sub_group
            case "sub_group_local_id":
                return Val(LINEAR if lanes.lanes > 1 else UNIFORM, INT64, "0", 1)
            case "sub_group_max_local_range":
                return number(lanes.lanes if full else rest)
            case "sub_group_group_range":
                return number(count)
            case "sub_group_local_range":
                assert e.sub_group is not None
                if not rest:
                    return number(lanes.lanes)
                in_rest = lanes.compare("eq", e.sub_group, number(full))
                return lanes.select(in_rest, number(rest), number(lanes.lanes))
        raise AssertionError(name)
    return of


def item_queries(e: Emitter, groups: list[str], ids: list[Val],
                 extent: list[Val]) -> Callable[[str, int], Val]:
    """Queries of a hierarchical kernel; ``ids`` and ``extent`` are those of the work-item loop."""
    kernel, lanes = e.kernel, e.lanes

    def of(name: str, dim: int) -> Val:
        match name:
            case "group_id":
                return Val(UNIFORM, INT64, groups[dim])
            case "logical_id":
                return ids[dim]
            case "logical_range":
                return extent[dim]
            case "local_range" | "max_local_range":
                return lanes.const(kernel.local[dim] if kernel.local else 1, INT64)
            case "group_range":
                return Val(UNIFORM, INT64, e.slot(e.layout.global_range + dim))
            case "global_range":
                return lanes.mul(of("group_range", dim), of("local_range", dim))
        return Val(UNIFORM, INT64, e.slot(e.layout.offset + dim))
    return of


def _divide(e: Emitter, v: Val, by: int) -> Val:
    return e.lanes.map(INT64, "udiv {t} {0}, {1}", v, e.lanes.const(by, INT64))


def _modulo(e: Emitter, v: Val, by: int) -> Val:
    return e.lanes.map(INT64, "urem {t} {0}, {1}", v, e.lanes.const(by, INT64))
