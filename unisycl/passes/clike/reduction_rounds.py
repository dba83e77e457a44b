"""Which kernels with reductions take several work-items of a range at once, each in one go.

Such a kernel is a list of statements without branches, loops or calls of functions that a compiler
has to make vectors of: then accumulators side by side become vectors, or more loads are under way.
Non-goals: how many (backends). Invariant: a kernel's answer does not depend on the device.
"""

from __future__ import annotations

from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View

_PLAIN = (n.Assign, n.Store, n.LoadMany, n.StoreMany)
_QUERIES = frozenset(("global_id", "global_range", "offset"))
_STATEMENTS, _NODES = 24, 96  # beyond, computing outweighs waiting for memory
_EASY = frozenset(("min", "max", "fmin", "fmax", "abs", "fabs", "fma", "mad", "sqrt", "floor",
                   "ceil", "clamp"))


def widest(kernel: n.Kernel) -> int:
    """Return the bytes of the widest type that a kernel loads or accumulates; 0 if it is no such.

    Of a span of variables, and where no identity is known, an item has one accumulator.
    """
    if kernel.index_kind != "range" or kernel.ndim != 1 or kernel.arrays or not kernel.reducers:
        return 0
    if any(r.cells is not None or r.identity is None for r in kernel.reducers):
        return 0
    body = kernel.body
    if len(body) > _STATEMENTS or not all(isinstance(s, _PLAIN) for s in body):
        return 0
    nodes = list(visit.all_expressions(body))
    if len(nodes) > _NODES or not all(map(_is_easy, nodes)):
        return 0
    places = [x.place for x in nodes if isinstance(x, n.Load)]
    places += [s.place for s in body if isinstance(s, n.Store | n.LoadMany | n.StoreMany)]
    if not all(isinstance(x.base.type, View) and x.base.type.space is address_space.global_space
               for x in places):
        return 0
    return max([r.acc.type.dtype.size for r in kernel.reducers] + [x.type.size for x in places])


def _is_easy(x: n.Expr) -> bool:
    if isinstance(x, n.Query):
        return x.name in _QUERIES
    return not isinstance(x, n.Call) or x.builtin.name in _EASY
