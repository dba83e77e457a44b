"""Samples by textures: a call of a function that the device's backend prints.

Non-goals: when a sample is one (``lang.library.bindless``). Invariant: the kernel has asked its
device for textures before.
"""

from __future__ import annotations

import ast

from unisycl.base.dtypes import FLOAT32, UINT64
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.foreign_functions import ForeignFunction, ForeignParameter
from unisycl.ir.types import Scalar, Struct, element_type
from unisycl.lang.library.textures import textured
from unisycl.lang.numbers.vec import float4

_COLOR = element_type(float4.dtype)
_FLOAT, _NUMBER = Scalar(FLOAT32), Scalar(UINT64)


@form(textured)
def sample(ctx: Context, node: ast.Call) -> Value:
    """Lower ``textured(texture, x, y)``."""
    assert ctx.target is not None
    kinds = (_NUMBER, _FLOAT, _FLOAT)
    args = tuple([coerce.convert(x, kind) for x, kind in zip(
        ctx.operands(*node.args), kinds, strict=True) if isinstance(x, n.Expr)])
    assert isinstance(_COLOR, Struct)
    function = ForeignFunction(
        "texture_sample", "", "texture_sample", "", ctx.target.backend,
        tuple(ForeignParameter("x", kind, "") for kind in kinds), _COLOR)
    results = tuple(n.Local("t", _FLOAT) for _ in _COLOR.fields)
    ctx.emit(n.Foreign(results, function, args, span=ctx.span(node)))
    return Vector(_COLOR, tuple(n.Read(_FLOAT, x) for x in results), exact=False)
