"""Rows so short that a vector of work-items reads each several times: ``bayer[y & 7, x & 7]``.

So pictures are dithered and tiled, and channels get weights of their own (``w[i % 4]``). Non-goals:
reading them (backends); periods that are no powers of two. Invariant: as many lanes as the vector
has, all of them on, read every element of a row's period and no other.
"""

from __future__ import annotations

from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd.shapes import LINEAR, Shape, Shapes

_MOST = 64  # bytes of a period
_ALONG = Shape(LINEAR, 1)


def period(place: n.Place, shapes: Shapes, lanes: int) -> tuple[int, n.Expr] | None:
    """Return after how many elements a row is read again, and what counts them; None of others."""
    kind = place.base.type
    if not isinstance(place.base, n.Param) or not isinstance(kind, View) or kind.spread \
            or kind.space is not address_space.global_space or place.offset or place.inner \
            or not isinstance(kind.elem, Scalar) or kind.elem != place.type \
            or place.type.dtype.kind not in "iuf" or place.type.dtype.made \
            or any(shapes.of(x).rank >= LINEAR for x in place.index[:-1]):
        return None
    last = place.index[-1]
    while isinstance(last, n.Cast | n.Narrow) and last.type.dtype in (INT32, INT64):
        last = last.x
    if not isinstance(last, n.Binary) or last.op not in ("and", "mod") \
            or last.type.dtype not in (INT32, INT64) or not isinstance(last.b, n.Const):
        return None
    count = int(last.b.value) + (last.op == "and")
    if count < 2 or count & (count - 1) or lanes % count or count * place.type.size > _MOST \
            or shapes.of(last.a) != _ALONG:
        return None
    return count, last.a
