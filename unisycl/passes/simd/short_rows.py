"""Elements of a short row that are read or written together: ``p[i, 0]``, ``p[i, 1]``, ``p[i, 2]``.

Points, colours and matrices of few elements lie in rows of an array as records do in memory, so
their elements are joined as members of records are (``members``). Non-goals: rows along which loops
go (``row_blocks``); whether rows follow one another (backends ask at run time). Invariants: exactly
the elements that were asked for are read; a store moves over no load of memory that it may write.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd.delayed import Delaying
from unisycl.passes.simd.members import Group, Key
from unisycl.passes.simd.other_names import Names

_MOST = 16
_MOST_OF_BYTES = 4


def gather(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with elements of rows joined; itself if it has none."""
    if kernel.checks or kernel.pointed or not any(
            isinstance(p.type, View) and p.type.ndim > 1 for p in kernel.params):
        return kernel
    body = _Rows({}, Names(kernel.body, counters=False)).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Rows(Delaying):
    """Joins accesses whose last index is a constant and which differ in it alone."""

    def key(self, place: n.Place) -> Key | None:
        kind, last = place.base.type, place.index[-1] if len(place.index) > 1 else None
        if not isinstance(place.base, n.Param) or not isinstance(kind, View) \
                or not isinstance(last, n.Const) or not 0 <= last.value < _MOST \
                or kind.spread or kind.space is not address_space.global_space \
                or not isinstance(kind.elem, Scalar) or kind.elem != place.type \
                or place.offset or place.inner or place.type.dtype.kind not in "iuf" \
                or place.type.dtype.made or all(isinstance(x, n.Const) for x in place.index):
            return None
        return place.base, self.names.index(place.index[:-1])

    def offset(self, place: n.Place) -> int:
        last = place.index[-1]
        assert isinstance(last, n.Const)
        return int(last.value) * place.type.size

    def first(self, place: n.Place, offset: int) -> n.Place:
        last = replace(place.index[-1], value=offset // place.type.size)
        return replace(place, index=(*place.index[:-1], last))

    # ---- loads
    def pays(self, group: Group) -> bool:
        """Say whether several elements are asked for, and all between the first and the last."""
        size, count = group.place.type.size, len(group.offsets)
        most = _MOST if size > 2 else _MOST_OF_BYTES
        return 1 < count <= most and max(group.offsets) - min(group.offsets) == (count - 1) * size

    # ---- stores
    def is_whole(self, place: n.Place, written: set[int]) -> bool:
        """Say whether the first elements of a row are written."""
        size = place.type.size
        most = _MOST if size > 2 else _MOST_OF_BYTES
        return 1 < len(written) <= most \
            and sorted(written) == list(range(0, len(written) * size, size))
