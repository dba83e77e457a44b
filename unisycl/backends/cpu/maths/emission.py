"""Writing a mathematical function of a sub-group: in pieces of two vectors, in place or by a call.

Non-goals: what the functions are (``table``). Invariant: float16 is computed in float32 and rounded
once, but for functions of its bits.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.backends.cpu.maths import calls
from unisycl.backends.cpu.maths.avx512 import joined, numbers
from unisycl.backends.cpu.maths.table import ANY_FLOATS, FLOATS, LONG, WIDE, Function
from unisycl.backends.cpu.maths.terms import Sheet, Term
from unisycl.base.dtypes import FLOAT32, FLOAT64, DType


def emit(lanes: Lanes, name: str, args: list[Val], result: DType, widest: int) -> Val:
    """Emit a function by its name; ``widest`` is the machine's vector in bits."""
    make = ANY_FLOATS.get(name)
    if make is None:
        make = FLOATS[name]
        args = [lanes.cast(a, FLOAT32) if a.dtype.is_float and a.dtype.bits == 16 else a
                for a in args]
    bits = FLOAT64.bits if name in WIDE else max(a.dtype.bits for a in args)
    width = 2 * max(1, widest // bits)
    form, refs = lanes.align(*args)
    if form == UNIFORM or lanes.lanes <= width:
        return lanes.cast(_written(lanes, name, make, args, widest), result)
    parts = []
    for start in range(0, lanes.lanes, width):
        cut = numbers(range(start, start + width))
        some = [Val(VECTOR, a.dtype, lanes.f.op(
            f"shufflevector {llvm_type(a.dtype, lanes.lanes)} {r}, "
            f"{llvm_type(a.dtype, lanes.lanes)} poison, {cut}")) for a, r in zip(
                args, refs, strict=True)]
        parts.append(_written(Lanes(lanes.f, width), name, make, some, widest))
    dtype = parts[0].dtype
    return lanes.cast(Val(VECTOR, dtype, joined(lanes, dtype, width, [p.ref for p in parts])),
                      result)


def _written(lanes: Lanes, name: str, make: Function, args: list[Val], widest: int) -> Val:
    """Write a function in place, or a call of it if it is long."""
    sheet = Sheet(lanes, widest)
    terms = [Term(sheet, a) for a in args]
    if name in LONG:
        return calls.call(sheet, name, lambda s, *xs: [make(s, *xs)], *terms)[0].val
    return make(sheet, *terms).val
