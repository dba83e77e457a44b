"""Checks that indices are within their memory, before every statement that uses them.

Run on kernels that are debugged only. Non-goals: indices into array members of records and into
vectors, whose extents the IR does not keep (``frontend.faults`` checks them), and sampled
images, which may be read anywhere. Pointers read from memory are checked to lead into an
allocation. Invariant: a check stands in front of the access it guards, and of everything that
depends on what is read there.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, INT64, View


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with its indices checked."""
    table = next((p for p in kernel.params if p.name == n.ALLOCATIONS), None)
    spans = frozenset(x for r in kernel.reducers if r.words == 1 for x in (r.cells, r.filled))
    return replace(kernel, body=_Checking(table, kernel.pointed, spans).block(kernel.body))


class _Checking(visit.Rewriter):
    """Puts checks in front of statements; ``table`` are the bounds of all allocations.

    In ``pointed`` memories rows go on in the next one. ``spans`` have the variables of reductions.
    """

    def __init__(self, table: n.Param | None, pointed: tuple[n.Param | n.Array, ...],
                 spans: frozenset[n.Array | None]) -> None:
        self.table = table
        self.spans = spans
        self.pointed = pointed

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """Return what stands for a statement."""
        checks = self.checks(places(stmt), stmt.span)
        if isinstance(stmt, n.While):  # the condition is evaluated behind ``pre``, each time
            stmt = self.inside(stmt)
            return [replace(stmt, pre=(*stmt.pre, *checks))]
        if isinstance(stmt, n.ImageRead | n.ImageWrite):
            checks += _pixel(stmt)
        return [*checks, self.inside(stmt)]

    def checks(self, touched: Iterator[n.Place], span: Span | None) -> list[n.Stmt]:
        """Return the checks of what a statement touches."""
        found: list[n.Stmt] = []
        followed: list[n.Place] = []
        for place in touched:
            base = place.base
            if isinstance(base, n.Heap) and self.table is not None and place not in followed:
                followed.append(place)
                found += _followed(place, self.table, place.span or span)
            if isinstance(base, n.Heap) or not isinstance(base.type, View):
                continue
            through = base in self.pointed and len(place.index) > 1
            for dim in range(1 if through else len(place.index)):
                check = _linear(place, base, place.span or span) if through else \
                    _check(place, base, dim, place.span or span, variables=base in self.spans)
                if check not in found:
                    found.append(check)
        return found


def places(stmt: n.Stmt) -> Iterator[n.Place]:
    """Yield the places a statement itself touches, those in indices of others first."""
    for x in visit.expressions(stmt):
        yield from _within(x)
    if isinstance(stmt, n.Store | n.Atomic | n.LoadMany | n.StoreMany):
        yield stmt.place
    if isinstance(stmt, n.LoadMany | n.StoreMany):
        count = len(stmt.results if isinstance(stmt, n.LoadMany) else stmt.values)
        last = _last(stmt.place, count - 1)
        if last is not None:
            yield last


def _last(place: n.Place, distance: int) -> n.Place | None:
    """Return the last of numbers side by side; None where they are parts of one element."""
    if isinstance(place.base, n.Heap):
        return replace(place, offset=place.offset + distance * place.type.size)
    if not isinstance(place.base.type, View) or place.base.type.elem != place.type:
        return None
    *front, index = place.index
    behind = n.Binary(INT64, "add", n.Cast(INT64, index), n.Const(INT64, distance))
    return replace(place, index=(*front, behind))


def _within(expr: n.Expr) -> Iterator[n.Place]:
    for child in visit.expressions(expr):
        yield from _within(child)
    if isinstance(expr, n.Load):
        yield expr.place


def _pixel(stmt: n.ImageRead | n.ImageWrite) -> list[n.Stmt]:
    """Return the checks of the pixel or image that is meant; the texts are the host device's."""
    image = stmt.image
    last = image.type.ndim - 1  # type: ignore[union-attr]
    parts: list[tuple[n.Expr, int, tuple[str, str]]] = []
    if stmt.layer is not None:
        parts.append((stmt.layer, 0, ("image ", f" of the array '{image.name}' does not exist")))
    if isinstance(stmt, n.ImageWrite) or stmt.sampler is None:
        parts += [(x, last - k, (f"{axis} = ", f" is outside the image '{image.name}'"))
                  for k, (x, axis) in enumerate(zip(stmt.coordinates, "xyz", strict=False))]
    out: list[n.Stmt] = []
    for x, dim, said in parts:
        whole, extent = n.Cast(INT64, x), n.Extent(INT64, image, dim)
        good = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", whole, n.Const(INT64, 0)),
                        n.Compare(BOOL, "lt", whole, extent))
        end = n.Binary(INT64, "sub", extent, n.Const(INT64, 1))
        out.append(n.Check(good, (said[0], whole, f"{said[1]}: valid is 0 to ", end),
                           span=stmt.span))
    return out


def _followed(place: n.Place, table: n.Param, span: Span | None) -> list[n.Stmt]:
    """Return the checks of a pointer that is followed; the texts are those of the host device."""
    (pointer, _), *more = place.inner
    whole: n.Expr = n.Cast(INT64, pointer)
    for x, step in (*more, (n.Const(INT64, 1), place.offset)):
        distance = n.Binary(INT64, "mul", n.Cast(INT64, x), n.Const(INT64, step))
        whole = n.Binary(INT64, "add", whole, distance)
    first, known, k = n.Local("first", INT64), n.Local("known", BOOL), n.Local("k", INT64)
    start, end = (n.Load(INT64, n.Place(table, (n.Binary(
        INT64, "add", n.Read(INT64, k), n.Const(INT64, at)),), INT64, span=span)) for at in (0, 1))
    read = n.Read(INT64, first)
    behind = n.Binary(INT64, "add", read, n.Const(INT64, place.type.size))
    inside = n.Binary(BOOL, "and", n.Compare(BOOL, "le", start, read),
                      n.Compare(BOOL, "le", behind, end))
    some = n.Compare(BOOL, "ne", pointer, n.Const(pointer.type, 0))
    return [
        n.Check(some, (n.NULL,), span=span),
        n.Assign(first, whole, span=span), n.Assign(known, n.Const(BOOL, False), span=span),
        n.For(k, n.Const(INT64, 0), n.Extent(INT64, table, 0), n.Const(INT64, 2), (
            n.Assign(known, n.Binary(BOOL, "or", n.Read(BOOL, known), inside), span=span),),
              span=span),
        n.Check(n.Read(BOOL, known), (n.ASTRAY[0], read, n.ASTRAY[1]), span=span)]


def _linear(place: n.Place, base: n.Param | n.Array, span: Span | None) -> n.Check:
    """Return the check of where a pointer leads in memory of several dimensions."""
    whole: n.Expr = n.Cast(INT64, place.index[0])
    size: n.Expr = n.Extent(INT64, base, 0)
    for d, x in enumerate(place.index[1:], 1):
        extent = n.Extent(INT64, base, d)
        whole = n.Binary(INT64, "add", n.Binary(INT64, "mul", whole, extent), n.Cast(INT64, x))
        size = n.Binary(INT64, "mul", size, extent)
    cond = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", whole, n.Const(INT64, 0)),
                    n.Compare(BOOL, "lt", whole, size))
    last = n.Binary(INT64, "sub", size, n.Const(INT64, 1))
    return n.Check(cond, ("element ", whole, f" is outside '{base.name}' (", size,
                          " elements): valid is 0 to ", last), span=span)


def _check(place: n.Place, base: n.Param | n.Array, dim: int, span: Span | None, *,
           variables: bool) -> n.Check:
    """Return the check of one index; the text is that of the host device."""
    extents = [n.Extent(INT64, base, d) for d in range(len(place.index))]
    index = place.index[dim]
    whole = index if index.type == INT64 else n.Cast(INT64, index)
    cond = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", whole, n.Const(INT64, 0)),
                    n.Compare(BOOL, "lt", whole, extents[dim]))
    private = isinstance(base, n.Array) and base.type.space is address_space.private_space
    name = "private array" if private else base.name
    which = f" in dimension {dim}" if len(place.index) > 1 else ""
    pieces: list[str | n.Expr] = ["index ", whole, f"{which} is outside '{name}' (range "]
    for d, extent in enumerate(extents):
        pieces += [", ", extent] if d else [extent]
    last = n.Binary(INT64, "sub", extents[dim], n.Const(INT64, 1))
    if variables:
        pieces = ["there is no variable ", whole, " in a reduction of ", extents[dim]]
        return n.Check(cond, (*pieces, ": valid is 0 to ", last), span=span)
    return n.Check(cond, (*pieces, "): valid is 0 to ", last), span=span)
