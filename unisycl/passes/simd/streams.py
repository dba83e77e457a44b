"""Which output of a kernel is a stream: written once from end to end and never read.

Large streams are worth stores that go past the caches; rows of any output that is written side by
side are worth vectors that begin where lines of memory do. Non-goals: deciding how large
(backends). Invariant: the parameter found is stored at the work-item's id plus constants, and
nothing else of the kernel touches it.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View

_MOST_EXPRESSIONS = 150
"""Of a kernel that is written twice so that its vectors begin where lines do."""


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


def lines(kernel: n.Kernel, inner: n.Block | None = None,
          param: n.Param | None = None) -> n.Place | None:
    """Return an element, told by ids alone, that follows one another's along rows; or None.

    It is the first one that is written, of ``param`` if that is given.
    """
    body = kernel.body if inner is None else inner
    if kernel.index_kind != "range" or visit.contains(kernel.body, n.While) or (
            param is None and sum(1 for _ in visit.all_expressions(body)) > _MOST_EXPRESSIONS):
        return None
    meaning, last = _fixed(body, deep=param is None), kernel.ndim - 1
    followed: set[n.Local] = set()

    def original(x: n.Expr) -> n.Expr | None:
        if not isinstance(x, n.Read) or x.local not in meaning or x.local in followed:
            return None
        followed.add(x.local)
        value = visit.rewrite_expr_down(meaning[x.local], original)
        followed.discard(x.local)
        return value
    for stmt in body if param is not None else visit.statements(body):
        if not isinstance(stmt, n.Store) or not _is_row(stmt.place, stmt.place.base) \
                or param not in (None, stmt.place.base):
            continue
        index = tuple(visit.rewrite_expr_down(x, original) for x in stmt.place.index)
        if _follows(index[-1], last) and all(_is_steady(x, last) for x in index[:-1]):
            return replace(stmt.place, index=index)
    return None


def _is_row(place: n.Place, base: n.Base) -> bool:
    """Say whether a place is one element of 4 or 8 bytes of a parameter whose rows are whole."""
    kind = base.type
    return (isinstance(base, n.Param) and isinstance(kind, View)
            and kind.space is address_space.global_space and not kind.spread
            and isinstance(kind.elem, Scalar) and kind.elem.dtype.size in (4, 8)
            and len(place.index) > 0 and not place.inner and place.offset == 0)


def _follows(x: n.Expr, last: int) -> bool:
    """Say whether an index is the id of the last dimension plus what a row shares."""
    match x:
        case n.Query(name="global_id"):
            return x.dim == last
        case n.Narrow() | n.Cast():
            return x.type.dtype.kind == "i" and x.x.type.dtype.kind == "i" and _follows(x.x, last)
        case n.Binary(op="add"):
            return (_follows(x.a, last) and _is_steady(x.b, last)) or (
                _is_steady(x.a, last) and _follows(x.b, last))
        case n.Binary(op="sub"):
            return _follows(x.a, last) and _is_steady(x.b, last)
    return False


def _is_steady(x: n.Expr, last: int) -> bool:
    """Say whether arguments, sizes and the ids of other dimensions tell a number."""
    return all(isinstance(e, n.Const | n.ParamRead | n.Extent | n.Cast | n.Narrow)
               or (isinstance(e, n.Binary) and e.op in ("add", "sub", "mul"))
               or (isinstance(e, n.Query) and e.name == "global_id" and e.dim != last)
               for e in visit.walk(x))


def _is_plain(place: n.Place, param: n.Param, ndim: int) -> bool:
    """Say whether a place is one element of 4 or 8 bytes, with an index for each dimension."""
    kind = param.type
    return (isinstance(kind, View) and kind.space is address_space.global_space and not kind.spread
            and isinstance(kind.elem, Scalar) and kind.elem.dtype.size in (4, 8)
            and len(place.index) == ndim and not place.inner and place.offset == 0)


def _fixed(body: n.Block, *, deep: bool = False) -> dict[n.Local, n.Expr]:
    """Return the locals that get one value only, in the body itself.

    ``deep``: in blocks in it, too, and counters of loops, of which it is the first value.
    """
    counts: dict[n.Local, int] = {}
    for stmt in visit.statements(body):
        for local in visit.targets(stmt):
            counts[local] = counts.get(local, 0) + 1
    if not deep:
        return {s.local: s.value for s in body if isinstance(s, n.Assign) and counts[s.local] == 1}
    return {s.local: s.value if isinstance(s, n.Assign) else s.start
            for s in visit.statements(body)
            if isinstance(s, n.Assign | n.For) and counts[s.local] == 1}


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
