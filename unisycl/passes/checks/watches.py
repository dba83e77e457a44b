"""Says before each access to memory that it comes, for backends that watch kernels.

Watched are global and local memory for races, all memory for reads of what nobody wrote (global
memory by what fresh USM is filled with). A target that can do it asks for this pass last.
Non-goals: kernels that ask for forward progress. Invariant: a ``Watch`` stands in front of the
access and behind its checks; ``turn`` counts the barriers and group functions passed so far, and
the edges of the work-item loops of a hierarchical kernel.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import INT64, View
from unisycl.ir.watch_statements import PER_ITEM, Synced, Unwritten, Watch, Who

_WORDS = frozenset(("races", "uninitialised"))
_MOST = 8
_OPEN = 1 << 12  # items of a group whose work-item loops have other sizes each time
_FULL = 4  # bytes of numbers that no program fills memory with by chance


def wanted(kernel: n.Kernel) -> bool:
    """Say whether a kernel is to be watched, and can be."""
    return bool(kernel.checks & _WORDS) and not (kernel.progress or kernel.waits or kernel.apart)


def twins(kernel: n.Kernel) -> bool:
    """Say whether reads of what nobody wrote are looked for in a kernel."""
    return "uninitialised" in kernel.checks and wanted(kernel)


def races(kernel: n.Kernel) -> bool:
    """Say whether races are looked for in a kernel that is watched."""
    return "races" in kernel.checks


def syncs(kernel: n.Kernel) -> bool:
    """Say whether a kernel has atomics or fences that may order what it and others do."""
    return any(isinstance(s, n.Atomic | n.Fence) and s.order is not memory_order.relaxed
               for s in visit.statements(kernel.body))


def run(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel that says what it does to memory; itself if nobody asked."""
    if not wanted(kernel):
        return kernel
    walk = _Walk(kernel)
    return replace(kernel, body=(*walk.start(), *walk.block(kernel.body)))


def granule(kernel: n.Kernel) -> int:
    """Return the largest number of bytes, 8 at most, that all watched accesses are multiples of."""
    size = _MOST
    for stmt in visit.statements(kernel.body):
        if isinstance(stmt, Watch) and stmt.races:
            place = stmt.place
            assert isinstance(place.base.type, View)
            heap = isinstance(place.base, n.Heap)  # whose first step is a pointer
            own = 0 if heap else place.base.type.elem.size
            size = math.gcd(size, place.type.size, place.offset, own,
                            *(step for _, step in place.inner[heap:]))
    return size


def bases(kernel: n.Kernel) -> tuple[n.Base, ...]:
    """Return the memories that are watched for races, in a fixed order."""
    return tuple({s.place.base: None for s in visit.statements(kernel.body)
                  if isinstance(s, Watch) and s.races})


def written(kernel: n.Kernel) -> frozenset[n.Base]:
    """Return the memories that a watched kernel writes to."""
    return frozenset(s.place.base for s in visit.statements(kernel.body)
                     if isinstance(s, Watch) and s.writes)


class _Walk(visit.Rewriter):
    """Writes what is watched in front of statements."""

    def __init__(self, kernel: n.Kernel) -> None:
        self.kernel = kernel
        self.fresh = "uninitialised" in kernel.checks
        self.races = races(kernel)
        stmts = list(visit.statements(kernel.body))
        parts = any(isinstance(s, n.Barrier | n.GroupCall) and s.scope is memory_scope.sub_group
                    for s in stmts)
        item, first, turn, part = (n.Local(x, INT64) for x in ("item", "first", "turn", "part"))
        sizes = kernel.local if kernel.index_kind == "nd_range" else ()
        self.nested = kernel.index_kind == "work_group"
        slot = math.prod(sizes) if sizes else _slot(kernel) if self.nested else 0
        self.who = Who(item, first, turn, part, sizes, slot, parts, syncs(kernel))
        self.inner = n.Local("item", INT64)
        self.here = self._from(item) if self.races else ()
        self.extent: tuple[int, ...] = ()
        self.uses = _private(kernel.body)

    def _from(self, item: n.Local) -> tuple[n.Expr, ...]:
        return tuple(n.Read(INT64, x) for x in (
            item, self.who.first, self.who.turn, self.who.part))

    def start(self) -> n.Block:
        """Return what gives the locals their values."""
        out: list[n.Stmt] = [Unwritten(frozenset(self.uses))] if self.fresh else []
        if not self.races:
            return tuple(out)
        zero = n.Const(INT64, 0)
        whole: n.Expr = zero
        ndim, local = self.kernel.ndim, self.kernel.local
        if self.who.sizes:
            group = _row_major("group_id", "group_range", ndim)
            whole = n.Binary(INT64, "mul", group, n.Const(INT64, math.prod(local)))
            inside = _row_major("local_id", "local_range", ndim)
            item: n.Expr = n.Binary(INT64, "add", whole, inside)
        elif self.nested:
            group = _row_major("group_id", "group_range", ndim)
            item = whole = n.Binary(INT64, "mul", group, n.Const(INT64, self.who.slot))
        elif self.kernel.index_kind == "single":
            item = zero
        else:
            item = _row_major("global_id", "global_range", ndim)
        for target, value in zip((self.who.item, self.who.first, self.who.turn, self.who.part),
                                 (item, whole, zero, zero), strict=True):
            out.append(n.Assign(target, value))
        return tuple(out)

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """Return what stands for a statement."""
        reads = [s for x in visit.expressions(stmt) for s in self.reads(x, stmt.span)]
        if isinstance(stmt, n.While):  # the condition is evaluated behind ``pre``, each time
            stmt = self.inside(stmt)
            return [replace(stmt, pre=(*stmt.pre, *reads))]
        if isinstance(stmt, n.WorkItems):
            inner = replace(stmt, body=self.items(stmt))
            return [*reads, *self.behind(stmt), inner, *self.behind(stmt)]
        return [*reads, *self.own(stmt), self.inside(stmt), *self.behind(stmt)]

    def items(self, stmt: n.WorkItems) -> n.Block:
        """Return the body of a work-item loop: what is private is fresh, items have numbers."""
        before: list[n.Stmt] = []
        outer, self.here, self.extent = self.here, self._from(self.inner), _extent(
            stmt, self.kernel)
        if self.races:
            number = _row_major("logical_id", "logical_range", self.kernel.ndim)
            if not self.extent:
                number = n.Binary(INT64, "mod", number, n.Const(INT64, self.who.slot))
            before.append(n.Assign(self.inner, n.Binary(
                INT64, "add", n.Read(INT64, self.who.first), number)))
        if self.fresh:
            own = _private(stmt.body)
            before.append(Unwritten(frozenset(
                x for x, uses in own.items() if uses == self.uses[x]), span=stmt.span))
        body = (*before, *self.block(stmt.body))
        self.here, self.extent = outer, ()
        return body

    def reads(self, expr: n.Expr, span: Span | None) -> Iterator[n.Stmt]:
        """Yield what is said of the loads in an expression."""
        for x in dict.fromkeys(visit.walk(expr)):
            if isinstance(x, n.Load):
                yield from self.watch(x.place, 1, span)

    def own(self, stmt: n.Stmt) -> Iterator[n.Stmt]:
        """Yield what is said of the access that a statement itself is."""
        match stmt:
            case n.LoadMany():
                yield from self.watch(stmt.place, len(stmt.results), stmt.span)
            case n.StoreMany():
                yield from self.watch(stmt.place, len(stmt.values), stmt.span, writes=True)
            case n.Store():
                yield from self.watch(stmt.place, 1, stmt.span, writes=True)
            case n.Atomic():
                if stmt.op not in ("store", "exchange") and self.fresh:
                    yield from self.watch(stmt.place, 1, stmt.span, scope=stmt.scope)
                if stmt.op != "load" or not self.fresh:
                    yield from self.watch(stmt.place, 1, stmt.span, writes=stmt.op != "load",
                                          scope=stmt.scope)

    def watch(self, place: n.Place, count: int, span: Span | None, *, writes: bool = False,
              scope: memory_scope | None = None) -> Iterator[n.Stmt]:
        """Yield what is said of one access; of an atomic one, whose place is named earlier."""
        base = place.base
        if not isinstance(base.type, View) or base.name == n.ALLOCATIONS:
            return
        space = base.type.space
        if space is address_space.constant_space:
            return  # nobody writes it
        private = isinstance(base, n.Array) and (
            space is address_space.private_space or base.name == PER_ITEM)
        fresh = self.fresh and (not isinstance(base, n.Array) or base in self.kernel.arrays)
        if space not in (address_space.local_space, address_space.private_space):
            fresh = fresh and not writes and place.type.size >= _FULL and base.type.mode.reads
        shared = self.races and not private
        if fresh or shared:
            yield Watch(place, count, writes, scope, self.here if shared else (), self.who,
                        self.extent, shared, fresh, span=span if scope else place.span or span)

    def behind(self, stmt: n.Stmt) -> Iterator[n.Stmt]:
        """Yield what counts the meetings that a statement is."""
        if not self.races:
            return
        if isinstance(stmt, n.Barrier | n.GroupCall | n.WorkItems):
            sub = not isinstance(stmt, n.WorkItems) and stmt.scope is memory_scope.sub_group
            count = self.who.part if sub else self.who.turn
            more = n.Binary(INT64, "add", n.Read(INT64, count), n.Const(INT64, 1))
            yield n.Assign(count, more, span=stmt.span)
        if isinstance(stmt, n.Atomic | n.Fence) and stmt.order is not memory_order.relaxed:
            yield Synced(span=stmt.span)


def _private(block: n.Block) -> Counter[n.Array]:
    """Return how often a block names each private array."""
    found: list[n.Base] = [x.place.base for x in visit.all_expressions(block)
                           if isinstance(x, n.Load)]
    found += [s.place.base for s in visit.statements(block)
              if isinstance(s, n.Store | n.StoreMany | n.LoadMany | n.Atomic)]
    return Counter(x for x in found if isinstance(x, n.Array)
                   and x.type.space is address_space.private_space)


def _extent(stmt: n.WorkItems, kernel: n.Kernel) -> tuple[int, ...]:
    """Return the sizes of a work-item loop; () where they are not known while compiling."""
    if not stmt.extent:
        return kernel.local
    known = [x.value for x in stmt.extent if isinstance(x, n.Const)]
    return tuple(known) if len(known) == len(stmt.extent) else ()


def _slot(kernel: n.Kernel) -> int:
    """Return how many numbers the items of a group of a hierarchical kernel have."""
    found = [_extent(s, kernel) for s in visit.statements(kernel.body)
             if isinstance(s, n.WorkItems)]
    if not all(found):
        return max(_OPEN, *map(math.prod, found))
    return max(map(math.prod, found), default=1)


def _row_major(ids: str, ranges: str, ndim: int) -> n.Expr:
    """Return the linear number of an item, without its offset."""
    whole: n.Expr | None = None
    for d in range(ndim):
        x: n.Expr = n.Query(INT64, ids, d)
        if ids == "global_id":
            x = n.Binary(INT64, "sub", x, n.Query(INT64, "offset", d))
        if whole is not None:
            x = n.Binary(INT64, "add", n.Binary(INT64, "mul", whole, n.Query(INT64, ranges, d)), x)
        whole = x
    assert whole is not None
    return whole
