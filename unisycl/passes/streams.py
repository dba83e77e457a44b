"""Which output of a kernel is a stream: written once from end to end and never read.

Large streams are worth stores that go past the caches. Non-goals: deciding how large (backends).
Invariant: the parameter found is stored at exactly the work-item's id, and nothing else of the
kernel touches it.
"""

from __future__ import annotations

from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View


def output(kernel: n.Kernel) -> n.Param | None:
    """Return the parameter a plain range kernel streams to; None if there is none."""
    if kernel.index_kind != "range" or visit.contains(kernel.body, (n.While, n.For)):
        return None
    touched: dict[n.Param, int] = {}
    for place in _places(kernel.body):
        if isinstance(place.base, n.Param):
            touched[place.base] = touched.get(place.base, 0) + 1
    for stmt in kernel.body:
        if isinstance(stmt, n.Store) and isinstance(stmt.place.base, n.Param):
            param = stmt.place.base
            if touched[param] == 1 and _streams(stmt.place, param, kernel.ndim):
                return param
    return None


def _streams(place: n.Place, param: n.Param, ndim: int) -> bool:
    """Say whether a place is the element of the work-item's own id, of 4 or 8 bytes."""
    kind = param.type
    return (isinstance(kind, View) and kind.space is address_space.global_space
            and isinstance(kind.elem, Scalar) and kind.elem.dtype.size in (4, 8)
            and len(place.index) == ndim and not place.inner and place.offset == 0
            and all(isinstance(x, n.Query) and x.name == "global_id" and x.dim == d
                    for d, x in enumerate(place.index)))


def _places(block: n.Block) -> list[n.Place]:
    """Return every place a block reads or writes."""
    out = [x.place for x in visit.all_expressions(block) if isinstance(x, n.Load)]
    out += [s.place for s in visit.statements(block) if isinstance(s, n.Store | n.Atomic)]
    return out
