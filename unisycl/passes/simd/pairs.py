"""Elements side by side at a place that each lane computes: ``a[k]`` and ``a[k + 1]``.

So tables are interpolated and pictures resized. Where lanes' places are anywhere, one short vector
for each lane takes the room of two gathers. Non-goals: elements that lanes have side by side
(``interleaved``), short rows (``short_rows``), stores. Invariant: exactly the elements that were
asked for are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import costs
from unisycl.passes.simd.interleaved import Neighbours, Sums, is_plain
from unisycl.passes.simd.members import Group
from unisycl.passes.simd.shapes import LINEAR, Shape, Shapes

MOST = 4
_KINDS = (INT32, INT64)  # others may wrap where indices do not


def run(kernel: n.Kernel, shapes: Callable[[n.Kernel], Shapes], lanes: int) -> n.Kernel:
    """Return the kernel with neighbours at scattered places joined; itself if it has none."""
    if lanes == 1 or kernel.checks or kernel.pointed or kernel.index_kind == "single":
        return kernel
    places = [x.place for x in visit.all_expressions(kernel.body)
              if isinstance(x, n.Load) and is_plain(x.place, _KINDS)]
    if len(places) < 2 or len({p.base for p in places}) == len(places):
        return kernel
    found = shapes(kernel)
    sums = Sums(kernel.body, _KINDS, every=True)
    scattered = {p for p in places if costs.is_scattered(p, found)}
    scattered -= {p for p in _unmasked(kernel.body)
                  if p in scattered and _is_listed(p, sums, found)}
    if len(scattered) < 2:
        return kernel
    body = _Pairs(sums, scattered).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def _unmasked(body: n.Block) -> Iterator[n.Place]:
    """Yield what is loaded from outside all branches."""
    branches = [s for s in visit.statements(body) if isinstance(s, n.If)]
    inside = {x for s in branches for block in (s.then, s.orelse)
              for x in visit.all_expressions(block)}
    for x in visit.all_expressions(body):
        if isinstance(x, n.Load) and x not in inside:
            yield x.place


def _is_listed(place: n.Place, sums: Sums, shapes: Shapes) -> bool:
    """Say whether a place goes on from a number that lanes read side by side, from a list.

    Such numbers mostly follow one another: whether they do is asked where there is no mask
    (``emit/indirect.py``), and what they lead to is then read side by side, too.
    """
    core: n.Expr | None = place.index[-1]
    while core is not None:
        if core.type.dtype not in _KINDS:
            return False
        if isinstance(core, n.Cast | n.Narrow):
            core = core.x
        elif isinstance(core, n.Binary) and core.op in ("add", "sub") \
                and shapes.of(core.b).rank < LINEAR:
            core = core.a
        elif isinstance(core, n.Binary) and core.op == "add" and shapes.of(core.a).rank < LINEAR:
            core = core.b
        elif isinstance(core, n.Read):
            core = sums.values.get(core.local)
        else:
            return isinstance(core, n.Load) and bool(core.place.index) \
                and shapes.of(core.place.index[-1]) == Shape(LINEAR, 1)
    return False


class _Pairs(Neighbours):
    """Joins loads whose last index differs by a constant, ``scattered`` ones."""

    def __init__(self, sums: Sums, scattered: set[n.Place]) -> None:
        super().__init__(sums)
        self.scattered = scattered

    def serves(self, place: n.Place) -> bool:
        return place in self.scattered

    def stores(self, block: n.Block) -> list[n.Stmt]:
        return list(block)

    def pays(self, group: Group) -> bool:
        """Say whether a few elements are asked for, and all between the first and the last."""
        size, count = group.place.type.size, len(group.offsets)
        return 1 < count <= MOST \
            and max(group.offsets) - min(group.offsets) == (count - 1) * size
