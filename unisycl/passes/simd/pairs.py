"""Elements side by side at a place that each lane computes: ``a[k]`` and ``a[k + 1]``.

So tables are interpolated and pictures resized. Where lanes' places are anywhere, one short vector
for each lane takes the room of two gathers. Non-goals: elements that lanes have side by side
(``interleaved``), short rows (``short_rows``), stores. Invariant: exactly the elements that were
asked for are read.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import costs
from unisycl.passes.simd.interleaved import Neighbours, Sums, is_plain
from unisycl.passes.simd.members import Group
from unisycl.passes.simd.shapes import Shapes

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
    scattered = {p for p in places if costs.is_scattered(p, found)}
    if len(scattered) < 2:
        return kernel
    body = _Pairs(Sums(kernel.body, _KINDS, every=True), scattered).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


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
