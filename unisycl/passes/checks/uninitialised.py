"""Reads of local and private memory that nobody wrote become checks, for targets without their own.

Each such memory gets a twin with a byte for each of its own: 1 where a number begins that was
written. Non-goals: global memory; memory that has no known size, or too much of it (``left``).
Invariants: only twins are written, by those who write the memory itself; the twins of local memory
are 0 behind a barrier at the kernel's start.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import UINT8
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, INT64, Scalar, Struct, View
from unisycl.ir.watch_statements import Synced, Unwritten, Watch
from unisycl.passes.checks import watches

_PRIVATE = 16 << 10
"""Bytes of private memory for a work-item; twice that is still little."""
_BYTE = Scalar(UINT8)
Extents = Mapping[int, tuple[int, ...]]


def run(kernel: n.Kernel, extents: Extents, room: int) -> n.Kernel:
    """Return a kernel that checks its reads; itself if nobody asked.

    Args:
        kernel: a kernel.
        extents: those of local parameters that are known, by their numbers.
        room: how many bytes of local memory a work-group has.
    """
    if not watches.twins(kernel) or kernel.index_kind == "work_group":
        return kernel
    checks = kernel.checks
    watched = watches.run(replace(kernel, checks=checks - {"races"}))
    twins = _twins(kernel, extents, room)
    walk = _Walk(kernel, twins)
    body = walk.block(watched.body)
    used = tuple(t for t in twins.values() if t in walk.used)
    return replace(kernel, arrays=(*kernel.arrays, *used), body=(*walk.clear(used), *body))


def left(kernel: n.Kernel, extents: Extents, room: int) -> tuple[str, ...]:
    """Return the names of local and private memory that has no twin."""
    if not watches.wanted(kernel) or kernel.index_kind == "work_group":
        return tuple(dict.fromkeys(_name(x) for x in _memories(kernel)))
    twins = _twins(kernel, extents, room)
    return tuple(dict.fromkeys(_name(x) for x in _memories(kernel) if x not in twins))


def _memories(kernel: n.Kernel) -> Iterator[n.Param | n.Array]:
    yield from kernel.arrays
    for p in kernel.params:
        if isinstance(p.type, View) and p.type.space is address_space.local_space:
            yield p


def _twins(kernel: n.Kernel, extents: Extents, room: int) -> dict[n.Base, n.Array]:
    """Return the twins of memory that has room for them."""
    shapes: dict[n.Param | n.Array, tuple[int, ...]] = {}
    for x in _memories(kernel):
        shape = x.shape if isinstance(x, n.Array) else extents.get(x.index)
        if shape is not None:
            shapes[x] = shape
    out: dict[n.Base, n.Array] = {}
    for private, most in ((True, _PRIVATE), (False, room // 2)):
        own = {x: s for x, s in shapes.items() if _is_private(x) is private}
        if sum(math.prod(s) * _elem(x).size for x, s in own.items()) > most:
            continue
        for x, shape in own.items():
            space = address_space.private_space if private else address_space.local_space
            whole = (*shape, _elem(x).size)
            out[x] = n.Array(f"{x.name}_written", View(_BYTE, len(whole), space=space), whole)
    return out


def _elem(x: n.Param | n.Array) -> Scalar | Struct:
    assert isinstance(x.type, View)
    return x.type.elem


def _is_private(x: n.Param | n.Array) -> bool:
    assert isinstance(x.type, View)
    return x.type.space is not address_space.local_space


def _name(x: n.Param | n.Array) -> str:
    return "private array" if _is_private(x) else x.name


class _Walk(visit.Rewriter):
    """Writes checks and marks in place of what is watched."""

    def __init__(self, kernel: n.Kernel, twins: Mapping[n.Base, n.Array]) -> None:
        self.kernel = kernel
        self.twins = twins
        self.used: set[n.Array] = set()

    def clear(self, twins: tuple[n.Array, ...]) -> Iterator[n.Stmt]:
        """Yield what makes the twins 0."""
        for twin in twins:
            if twin.type.space is address_space.private_space:
                yield from _filled(twin, n.Const(INT64, 0), 1)
        local = [t for t in twins if t.type.space is address_space.local_space]
        if not local:
            return
        size = math.prod(self.kernel.local)
        own: n.Expr = n.Const(INT64, 0)
        for d, x in enumerate(self.kernel.local):
            own = n.Binary(INT64, "add", n.Binary(INT64, "mul", own, n.Const(INT64, x)),
                           n.Query(INT64, "local_id", d))
        for twin in local:
            yield from _filled(twin, own, size)
        yield n.Barrier(memory_scope.work_group)

    def statement(self, stmt: n.Stmt) -> Iterable[n.Stmt]:
        """Return what stands for a statement."""
        if isinstance(stmt, Watch):
            return self.watch(stmt)
        return () if isinstance(stmt, Unwritten | Synced) else (self.inside(stmt),)

    def watch(self, stmt: Watch) -> Iterator[n.Stmt]:
        """Yield the checks or marks of one access."""
        twin = self.twins.get(stmt.place.base)
        if twin is None:
            return
        self.used.add(twin)
        for k in range(stmt.count):
            place = _twin_place(stmt.place, twin, k)
            if stmt.writes:
                yield n.Store(place, n.Const(_BYTE, 1), span=stmt.span)
                continue
            cond = n.Compare(BOOL, "ne", n.Load(_BYTE, place), n.Const(_BYTE, 0))
            yield n.Check(cond, tuple(_pieces(stmt.place)), span=stmt.span)


def _filled(twin: n.Array, first: n.Expr, step: int) -> Iterator[n.Stmt]:
    """Yield a loop that stores zeros to every so many bytes of a twin."""
    at = n.Local("at", INT64)
    index: list[n.Expr] = []
    inner = 1
    for size in reversed(twin.shape):
        x: n.Expr = n.Binary(INT64, "floordiv", n.Read(INT64, at), n.Const(INT64, inner))
        index.insert(0, n.Binary(INT64, "mod", x, n.Const(INT64, size)))
        inner *= size
    body = (n.Store(n.Place(twin, tuple(index), _BYTE), n.Const(_BYTE, 0)),)
    yield n.For(at, first, n.Const(INT64, inner), n.Const(INT64, step), body)


def _twin_place(place: n.Place, twin: n.Array, k: int) -> n.Place:
    """Return the byte of a twin for the ``k``-th number from a place on."""
    assert isinstance(place.base.type, View)
    index, offset = place.index, place.offset
    if place.base.type.elem == place.type:
        *front, last = index
        index = (*front, n.Binary(INT64, "add", n.Cast(INT64, last), n.Const(INT64, k)))
    else:
        offset += k * place.type.size
    byte: n.Expr = n.Const(INT64, offset)
    for x, step in place.inner:
        byte = n.Binary(INT64, "add", byte, n.Binary(
            INT64, "mul", n.Cast(INT64, x), n.Const(INT64, step)))
    return n.Place(twin, (*index, byte), _BYTE, span=place.span)


def _pieces(place: n.Place) -> Iterator[str | n.Expr]:
    """Yield what is said of a read; the words are the native CPU's."""
    base = place.base
    assert isinstance(base, n.Param | n.Array)
    yield f"this work-item reads {_name(base)}["
    for d, x in enumerate(place.index):
        if d:
            yield ", "
        yield n.Cast(INT64, x)
    made = ""
    if isinstance(base, n.Array) and base.span is not None:
        made = f", made at {base.span.file.name}:{base.span.line}"
    yield (f"]{made}, which nobody has written: fresh memory has no initial value; write it first, "
           "on every path")
