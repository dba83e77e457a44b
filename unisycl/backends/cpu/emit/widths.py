"""How many work-items a sub-group has: as many as fill two vectors, fewer, or one.

Non-goals: what a vector of this machine is (``target``). Invariant: the same kernel and machine
give the same number, which ``sub_group`` objects report.
"""

from __future__ import annotations

import math

from unisycl.backends.cpu.emit import queries
from unisycl.base.dataclass import replace
from unisycl.base.dtypes import DType
from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.interior import rows_together
from unisycl.passes.simd import (
    costs,
    counters,
    pressure,
    registers,
    row_blocks,
    row_sums,
    same_bits,
    shared_arrays,
    stack_walks,
)
from unisycl.passes.simd import shapes as sh

_CONSTANTS = 4
_NEAR = 4.0  # forms whose costs are within this factor may be tried
_MOST_LANES = 64
_SPILLED = 1.75  # times the registers: two vectors fill each other's waits, at the price of loads
_SPILLED_APART = 2.5  # the same for loops with branches where lanes part ways, with 16 registers
_KEPT = 4  # times the registers, of what loops keep that go on behind a whole launch
_WALKED_BITS = 4 * 512  # of a row that a loop goes down


_known: dict[int, tuple[n.Kernel, int, int]] = {}
_MOST_KNOWN = 512
_last_likely: list[tuple[n.Kernel, n.Kernel]] = []
_last_shapes: list[tuple[n.Kernel, int, int, sh.Shapes]] = []
_MOST_SHAPES = 3


def choose_lanes(kernel: n.Kernel, vector_bits: int) -> int:
    """Return the lanes of a sub-group; remembered for a kernel."""
    known = _known.get(id(kernel))
    if known is None or known[1] != vector_bits:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        known = _known[id(kernel)] = (kernel, vector_bits, _choose(kernel, vector_bits))
    return known[2]


def _choose(kernel: n.Kernel, vector_bits: int) -> int:
    """Return the lanes of a sub-group: two vectors in flight, fewer where registers are short.

    One where vectors would only gather scattered memory (``passes.simd.costs``).

    A work-group's last dimension decides for nd_range kernels: a sub-group within one row keeps
    addresses contiguous.
    """
    if kernel.index_kind == "single":
        return 1
    if kernel.sub_group:
        return kernel.sub_group
    kernel = _likely(kernel)
    bits = widest_element(kernel)
    native = max(2, vector_bits // bits)
    found = shapes_of(kernel, native)
    if _may_reorder(kernel) and _may_be_alone(kernel) and row_sums.occur(kernel.body, found):
        return 1  # vectors along rows, by the compiler
    if row_blocks.occurs(kernel.body, found) and kernel.index_kind == "range":
        return native  # rows read at once stay in their lines, and blocks of them in registers
    names = 32 if vector_bits == 512 else 16
    alive = pressure.peak(kernel.body, found)
    most = 4 if kernel.index_kind == "range" and pressure.waits(kernel.body, found) else 2
    if most > 2 and kernel.ndim > 1 and rows_together.pays(kernel, found, kernel.ndim - 2):
        most = max(1, names // rows_together.registers_for(rows_together.MOST_ROWS))
    if kernel.index_kind == "nd_range" and pressure.leaps(kernel.body, found) \
            and not _asks_sub_groups(kernel):
        most = _MOST_LANES // native
        if pressure.waits_for_pages(kernel.body, found):
            names *= _KEPT
    wanted = native
    spilled = _SPILLED_APART if names == 16 and pressure.parts(kernel.body, found) else _SPILLED
    while wanted < most * native and 2 * wanted // native * alive + _CONSTANTS <= (
            names * spilled if wanted == native else names):
        wanted *= 2
    if kernel.index_kind == "range" and pressure.walks(kernel.body, found):
        while wanted * bits < _WALKED_BITS and 2 * wanted // native * alive <= 2 * names:
            wanted *= 2
    if _may_be_alone(kernel) and costs.prefers_scalar(
            kernel.body, found, vector_bits, tried=same_bits.holds(kernel.body)):
        return 1
    if kernel.index_kind != "nd_range":
        return wanted
    last = kernel.local[-1]
    for lanes in (wanted, wanted // 2, wanted // 4):
        if lanes > 1 and last % lanes == 0:
            return lanes
    if len(kernel.local) > 1 and not _asks_sub_groups(kernel) \
            and costs.gathers_rows(kernel.body, found, vector_bits):
        return 1
    items = math.prod(kernel.local)
    while wanted > 2 and wanted > items:
        wanted //= 2
    return wanted


def _may_reorder(kernel: n.Kernel) -> bool:
    """Say whether a range's kernel asks for sums in any order."""
    return kernel.index_kind == "range" and "-ffast-math" in dict(kernel.traits or ()).get(
        "options", ())


def _may_be_alone(kernel: n.Kernel) -> bool:
    """Say whether items of a kernel may run one at a time without anybody telling."""
    return not kernel.reducers and (kernel.index_kind == "range" or (
        kernel.index_kind == "nd_range" and not _asks_sub_groups(kernel)
        and not (kernel.progress or kernel.waits or kernel.apart)
        and not visit.contains(kernel.body, (n.Barrier, n.GroupCall, n.Agree))))


def other_lanes(kernel: n.Kernel, lanes: int, vector_bits: int) -> int:
    """Return the lanes of another form that may be faster and gives the same bits, 0 if none may.

    It has one item at a time where the kernel has vectors, or a vector where it does not.
    """
    if kernel.sub_group or kernel.progress or kernel.waits or kernel.checks \
            or not _may_be_alone(kernel) or _asks_sub_groups(kernel) \
            or not same_bits.holds(kernel.body):
        return 0
    other = 1
    if lanes == 1:
        other = max(2, vector_bits // widest_element(kernel))
        if kernel.index_kind == "nd_range" and kernel.local[-1] % other:
            return 0
    kernel = _likely(kernel)
    found = shapes_of(kernel, max(lanes, other))
    if costs.all_short(kernel.body):
        return other  # vectors of the compiler's own are as long as such elements allow
    if not costs.doubtful(kernel.body, found, loops=False) \
            and not costs.touches_rows(kernel.body, found) \
            and not _stores_at_times(kernel.body, found):
        return 0
    cost = costs.estimate(kernel.body, found, vector_bits)
    near = _NEAR if lanes > 1 else 1 / _NEAR
    return other if (cost.scalar < near * cost.vector) == (lanes > 1) else 0


def _stores_at_times(body: n.Block, shapes: sh.Shapes) -> bool:
    """Say whether some lanes of a vector write and others do not: how many, data may decide."""
    return any(isinstance(s, n.If) and id(s) in shapes.divergent
               and visit.contains((s,), (n.Store, n.StoreMany)) for s in visit.statements(body))


def foretold(kernel: n.Kernel, lanes: int, vector_bits: int) -> costs.Cost:
    """Return what an item of a kernel is expected to cost in vectors and alone."""
    kernel = _likely(kernel)
    return costs.estimate(kernel.body, shapes_of(kernel, lanes), vector_bits)


def _asks_sub_groups(kernel: n.Kernel) -> bool:
    """Say whether a kernel does anything with sub-groups, whose size then matters."""
    return any(isinstance(x, n.Query) and x.name.startswith("sub_group")
               for x in visit.all_expressions(kernel.body)) or any(
        isinstance(s, n.GroupCall) and s.scope is memory_scope.sub_group
        for s in visit.statements(kernel.body))


def _likely(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel as it is weighed; the last is kept.

    It has the branches that its items are likely to take, and counters that lanes share.
    """
    for known, found in _last_likely:
        if known is kernel:
            return found
    found = kernel
    if any(isinstance(x, n.Address) for x in visit.all_expressions(kernel.body)):
        found = replace(kernel, body=registers.likely(kernel.body))
    if kernel.index_kind in ("range", "nd_range") and visit.contains(found.body, n.While):
        body = found.body
        if stack_walks.may_walk(found):
            body = stack_walks.run(body, _shapes_of(found, 2, 0))
        body = counters.run(body, _shapes_of(replace(found, body=body), 2, 0))
        found = found if body is found.body else replace(found, body=body)
    _last_likely[:] = [(kernel, found)]
    return found


def shapes_of(kernel: n.Kernel, lanes: int, units: int = 0) -> sh.Shapes:
    """Return how the values of a kernel vary over vectors of so many lanes; not to be changed.

    The last ones are kept: each decision about a kernel asks.
    """
    asked = kernel, lanes, units
    for *known, found in _last_shapes:
        if known[0] is kernel and known[1:] == [lanes, units]:
            return found
    found = _shapes_of(*asked)
    _last_shapes[:] = [(*asked, found), *_last_shapes[:_MOST_SHAPES - 1]]
    return found


def _shapes_of(kernel: n.Kernel, lanes: int, units: int) -> sh.Shapes:
    seeds = {x: sh.ANY for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}
    return sh.analyse(kernel.body, queries.shapes(kernel, lanes, units), seeds,
                      at_group=kernel.index_kind == "work_group",
                      arrays=shared_arrays.candidates(kernel))


def widest_element(kernel: n.Kernel) -> int:
    """Return the bits of the widest elements that a kernel computes with, at least 32."""
    kinds: set[DType] = set()
    for x in visit.all_expressions(kernel.body):
        if isinstance(x, n.Load | n.Binary | n.Call) and x.type.dtype.kind != "b" \
                and not (x.type.weak and x.type.dtype.is_integer):
            kinds.add(x.type.dtype)
    floats = [k.bits for k in kinds if k.is_float]
    bits = max(floats, default=0) or max((k.bits for k in kinds), default=32)
    return max(bits, 32)


def is_scalar(kernel: n.Kernel, lanes: int) -> bool:
    """Say whether work-items run one after another, each a scalar program of its own."""
    return kernel.index_kind == "single" or (
        kernel.index_kind in ("range", "nd_range") and lanes == 1)
