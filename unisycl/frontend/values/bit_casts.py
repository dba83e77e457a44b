"""``bit_cast`` and NumPy's ``x.view(type)``: the bits of a value as those of another type.

Non-goals: which types may be written (``constants``), single numbers' bits (``bit_patterns``).
Invariant: both types have as many bytes, or the cast is refused.
"""

from __future__ import annotations

import ast

from unisycl.base import dtypes
from unisycl.frontend import coerce
from unisycl.frontend.values.bit_patterns import regrouped
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Lowering, Value, describe
from unisycl.frontend.values.vectors import Vector, of, scalar_of
from unisycl.ir.types import Scalar
from unisycl.lang.numbers.elements import elements_type


def recast(ctx: Lowering, to: Value, value: Value, node: ast.AST) -> Value:
    """Return the bits of a number or vector as those of another type."""
    kind = to.object if isinstance(to, Constant) else None
    own = kind if isinstance(kind, elements_type) and hasattr(kind, "count") else None
    row = dtypes.find_dtype(kind) if isinstance(kind, type) and own is None else None
    if own is None and row is None:
        raise ctx.refuse("K046", node, what="the type of bit_cast()",
                         help="write sycl.bit_cast(np.uint32, x)")
    if isinstance(value, Vector):
        items, have = value.loaded(ctx).items, value.type.size
    else:
        x = ctx.to_scalar(value, node)
        items, have = (coerce.convert(x, Scalar(x.type.dtype)),), x.type.size
    new = scalar_of(own) if own is not None else Scalar(row)  # type: ignore[arg-type]
    if "c" in (new.dtype.kind, items[0].type.dtype.kind):
        raise ctx.refuse("K080", node, what="bit_cast has no complex numbers",
                         help="cast their parts: z.real, z.imag")
    want = own.dtype.itemsize if own is not None else row.size if row is not None else 0
    if have != want:
        raise ctx.refuse("K080", node, what=f"bit_cast keeps all bytes, and {describe(value)} has "
                         f"{have} where the new type has {want}", help="convert the value instead")
    ctx.need(new)
    made = regrouped(ctx, items, new, own.count if own is not None else 1)
    return made[0] if own is None else of(own, made)
