"""Elements that neighbours interleave: ``a[3 * i]``, ``a[3 * i + 1]`` and ``a[3 * i + 2]``.

So C's programs lay pixels, points and complex numbers out. Elements that differ by a constant are
joined as members of records are (``members``), if they are as many as one work-item is from the
next, or half of these for loads. Non-goals: rows (``short_rows``). Invariants: exactly the elements
that were asked for are read and written.
"""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT64, DType
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd.delayed import Delaying
from unisycl.passes.simd.members import Group, Key
from unisycl.passes.simd.other_names import Names

_MOST = 8
_ARITHMETIC = ("add", "sub", "mul")


def gather(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with elements of neighbours joined; itself if it has none."""
    if kernel.checks or kernel.pointed or kernel.index_kind == "single":
        return kernel
    sums = Sums(kernel.body)
    if not any(sums.steps(s.place) for s in visit.statements(kernel.body)
               if isinstance(s, n.Store)) and not any(
            sums.steps(x.place) for x in visit.all_expressions(kernel.body)
            if isinstance(x, n.Load)):
        return kernel
    body = Neighbours(sums).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Sum:
    """An index as a sum: how often each part counts, and a constant."""

    __slots__ = ("constant", "parts")

    def __init__(self, parts: dict[n.Expr, int], constant: int) -> None:
        self.parts = {x: by for x, by in parts.items() if by}
        self.constant = constant

    def plus(self, other: _Sum, times: int = 1) -> _Sum:
        """Return the sum of this and so many times another."""
        parts = dict(self.parts)
        for x, by in other.parts.items():
            parts[x] = parts.get(x, 0) + times * by
        return _Sum(parts, self.constant + times * other.constant)


class Sums:
    """Reads indices as sums, through locals that are given a value in one place.

    ``kinds``: the types of indices that are read so; ``every``: they are compared where no local
    that they read is given a value in between, so that indices themselves may read any.
    """

    def __init__(self, body: n.Block, kinds: tuple[DType, ...] = (INT64,), *,
                 every: bool = False) -> None:
        self.kinds = kinds
        counts: dict[n.Local, int] = {}
        values: dict[n.Local, n.Expr] = {}
        for stmt in visit.statements(body):
            for local in visit.targets(stmt):
                counts[local] = counts.get(local, 0) + 1 + isinstance(stmt, n.For)
                if isinstance(stmt, n.Assign):
                    values[local] = stmt.value
        self.values = {x: v for x, v in values.items() if counts[x] == 1}
        self.once = {x for x, count in counts.items() if count == 1}
        self.locals = set(counts) if every else self.once
        self.names = Names(body, counters=False)
        self.known: dict[n.Expr, _Sum] = {}

    def of(self, x: n.Expr) -> _Sum:
        """Return an index as a sum."""
        found = self.known.get(x)
        if found is None:
            found = self.known[x] = self._of(x)
        return found

    def _of(self, x: n.Expr) -> _Sum:
        if isinstance(x, n.Const):
            return _Sum({}, int(x.value))
        if isinstance(x, n.Cast) and x.type.dtype is INT64 and x.x.type.dtype is INT64:
            return self.of(x.x)  # a number of Python's that meets one of NumPy's
        if isinstance(x, n.Read) and self._is_sum(value := self.values.get(x.local), self.once):
            assert value is not None
            return self.of(value)
        if isinstance(x, n.Binary) and self._is_sum(x, self.locals):
            a, b = self.of(x.a), self.of(x.b)
            if x.op != "mul":
                return a.plus(b, 1 if x.op == "add" else -1)
            for some, other in ((a, b), (b, a)):
                if not some.parts:
                    return _Sum({}, 0).plus(other, some.constant)
        return _Sum({self.names.index((x,))[0]: 1}, 0)

    def _is_sum(self, x: n.Expr | None, known: AbstractSet[n.Local]) -> bool:
        """Say whether an expression adds up what keeps its value as long as the sum does.

        ``known``: the locals that do.
        """
        if x is None or x.type.dtype not in self.kinds:
            return False
        if isinstance(x, n.Read | n.Query):
            return not isinstance(x, n.Read) or x.local in known
        return isinstance(x, n.Binary) and x.op in _ARITHMETIC and all(
            not isinstance(e, n.Load | n.Call | n.Select) and (
                not isinstance(e, n.Read) or e.local in known) for e in visit.walk(x))

    def steps(self, place: n.Place) -> int:
        """Return how many elements a place is from the next work-item's; 0 if that is not seen."""
        if not is_plain(place, self.kinds):
            return 0
        parts = self.of(place.index[-1]).parts
        ids = {x.dim: by for x, by in parts.items()
               if isinstance(x, n.Query) and x.name == "global_id"}
        found = ids[max(ids)] if ids else math.gcd(*parts.values()) if parts else 0
        return found if 1 < found <= _MOST else 0


def is_plain(place: n.Place, kinds: tuple[DType, ...]) -> bool:
    """Say whether a place is a number of the user's memory, and no memory says where it is.

    ``kinds``: the types that its last index may have.
    """
    kind = place.base.type
    return isinstance(place.base, n.Param) and isinstance(kind, View) and not kind.spread \
        and kind.space is address_space.global_space and bool(place.index) \
        and isinstance(kind.elem, Scalar) and kind.elem == place.type \
        and not place.offset and not place.inner and place.type.dtype.kind in "iuf" \
        and not place.type.dtype.made and place.index[-1].type.dtype in kinds \
        and not any(isinstance(e, n.Load) for x in place.index for e in visit.walk(x))


class Neighbours(Delaying):
    """Joins accesses whose last index differs by a constant."""

    def __init__(self, sums: Sums) -> None:
        super().__init__({}, sums.names)
        self.sums = sums

    def serves(self, place: n.Place) -> bool:
        """Say whether a place may be joined with others."""
        return self.sums.steps(place) > 0

    def key(self, place: n.Place) -> Key | None:
        if not self.serves(place):
            return None
        parts = sorted(self.sums.of(place.index[-1]).parts.items(), key=repr)
        last = tuple(e for x, by in parts for e in (x, n.Const(x.type, by)))
        return place.base, (*self.names.index(place.index[:-1]), *last)

    def offset(self, place: n.Place) -> int:
        return self.sums.of(place.index[-1]).constant * place.type.size

    def first(self, place: n.Place, offset: int) -> n.Place:
        by = offset // place.type.size - self.sums.of(place.index[-1]).constant
        if not by:
            return place
        last = place.index[-1]
        moved = n.Binary(last.type, "add", last, n.Const(last.type, by))
        return replace(place, index=(*place.index[:-1], moved))

    # ---- loads
    def pays(self, group: Group) -> bool:
        """Say whether half of what lies from one work-item's to the next one's is asked for."""
        size, count = group.place.type.size, len(group.offsets)
        step = self.sums.steps(group.place)
        return count <= step <= 2 * count \
            and max(group.offsets) - min(group.offsets) == (count - 1) * size

    # ---- stores
    def is_whole(self, place: n.Place, written: set[int]) -> bool:
        """Say whether all elements from one work-item's to the next one's are written."""
        size, count = place.type.size, self.sums.steps(place)
        return len(written) == count and max(written) - min(written) == (count - 1) * size
