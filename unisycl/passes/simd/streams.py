"""Which output of a kernel is a stream: written once from end to end and never read.

Large streams are worth stores that go past the caches. Non-goals: deciding how large (backends).
Invariant: the parameter found is stored at the work-item's id plus constants, and nothing else of
the kernel touches it.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View


@dataclass(frozen=True, slots=True)
class Stream:
    """The parameter, and what is added to the work-item's id in each dimension."""

    param: n.Param
    shift: tuple[int, ...]


def output(kernel: n.Kernel, inner: n.Block | None = None) -> Stream | None:
    """Return what a plain range kernel streams to, from its interior if it has one; or None."""
    if kernel.index_kind != "range" or visit.contains(kernel.body, (n.While, n.For)):
        return None
    body = kernel.body if inner is None else inner
    touched: dict[n.Param, int] = {}
    for place in _places(body):
        if isinstance(place.base, n.Param):
            touched[place.base] = touched.get(place.base, 0) + 1
    if inner is not None:
        for place in _places(kernel.body, stores=False):
            if isinstance(place.base, n.Param):
                touched[place.base] = 2
    meaning = _fixed(body)
    for stmt in body:
        if isinstance(stmt, n.Store) and isinstance(stmt.place.base, n.Param):
            param = stmt.place.base
            if touched[param] == 1 and _is_plain(stmt.place, param, kernel.ndim):
                shift = [_shift(x, d, meaning) for d, x in enumerate(stmt.place.index)]
                if None not in shift:
                    return Stream(param, tuple(s for s in shift if s is not None))
    return None


def _is_plain(place: n.Place, param: n.Param, ndim: int) -> bool:
    """Say whether a place is one element of 4 or 8 bytes, with an index for each dimension."""
    kind = param.type
    return (isinstance(kind, View) and kind.space is address_space.global_space and not kind.spread
            and isinstance(kind.elem, Scalar) and kind.elem.dtype.size in (4, 8)
            and len(place.index) == ndim and not place.inner and place.offset == 0)


def _fixed(body: n.Block) -> dict[n.Local, n.Expr]:
    """Return the locals that get one value only, in the body itself."""
    counts: dict[n.Local, int] = {}
    for stmt in visit.statements(body):
        for local in visit.targets(stmt):
            counts[local] = counts.get(local, 0) + 1
    return {s.local: s.value for s in body if isinstance(s, n.Assign) and counts[s.local] == 1}


def _shift(x: n.Expr, dim: int, meaning: dict[n.Local, n.Expr]) -> int | None:
    """Return k where an index is the id of a dimension plus k; None where it is not."""
    match x:
        case n.Query(name="global_id"):
            return 0 if x.dim == dim else None
        case n.Read() if x.local in meaning:
            return _shift(meaning[x.local], dim, meaning)
        case n.Narrow():
            return _shift(x.x, dim, meaning)
        case n.Cast() if x.type.dtype is INT64 and x.x.type.dtype in (INT32, INT64):
            return _shift(x.x, dim, meaning)
        case n.Binary(op="add" | "sub", b=n.Const(value=value)):
            inner, by = _shift(x.a, dim, meaning), int(value)
            return None if inner is None else inner + (by if x.op == "add" else -by)
    return None


def _places(block: n.Block, *, stores: bool = True) -> list[n.Place]:
    """Return every place a block reads or, with ``stores``, writes."""
    out = [x.place for x in visit.all_expressions(block) if isinstance(x, n.Load)]
    out += [s.place for s in visit.statements(block) if isinstance(s, n.Atomic | n.LoadMany)
            or (stores and isinstance(s, n.Store | n.StoreMany))]
    return out
