"""Values of a sub-group: one scalar for all lanes, a base with a stride, or a vector.

Non-goals: statements, memory. Invariant: a ``Val`` of form UNIFORM or LINEAR is a scalar SSA value;
VECTOR is ``lanes`` wide; arithmetic keeps the cheapest form that is right.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cpu.emit.text import Function, constant, llvm_type, suffix
from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import BOOL, INT64, DType

UNIFORM, LINEAR, VECTOR = range(3)
_CONVERTED = 4  # lanes from which on a question to all of them is worth it


@dataclass(frozen=True, slots=True)
class Val:
    """A value: its form, scalar type, SSA name or constant, and stride per lane if LINEAR."""

    form: int
    dtype: DType
    ref: str
    stride: int = 0


class Lanes:
    """Arithmetic on values of sub-groups of ``lanes`` work-items."""

    def __init__(self, f: Function, lanes: int) -> None:
        self.f = f
        self.lanes = lanes

    # ---- forms
    def type(self, dtype: DType, form: int) -> str:
        return llvm_type(dtype, self.lanes if form == VECTOR else 0)

    def const(self, value: bool | int | float, dtype: DType) -> Val:
        return Val(UNIFORM, dtype, constant(value, dtype))

    def splat(self, ref: str, dtype: DType) -> str:
        """Return a vector of one scalar."""
        if not ref.startswith("%"):
            return f"splat ({llvm_type(dtype)} {ref})"
        vector = llvm_type(dtype, self.lanes)
        one = self.f.op(f"insertelement {vector} poison, {llvm_type(dtype)} {ref}, i64 0")
        return self.f.op(f"shufflevector {vector} {one}, {vector} poison, "
                         f"<{self.lanes} x i32> zeroinitializer")

    def iota(self, dtype: DType, stride: int = 1) -> str:
        """Return the constant vector 0, stride, 2*stride, ..."""
        t = llvm_type(dtype)
        return "<" + ", ".join(f"{t} {k * stride}" for k in range(self.lanes)) + ">"

    def vector(self, v: Val) -> str:
        """Return a value as a vector."""
        if v.form == VECTOR:
            return v.ref
        if v.form == UNIFORM:
            return self.splat(v.ref, v.dtype)
        if v.ref == "0":
            return self.iota(v.dtype, v.stride)
        t = llvm_type(v.dtype, self.lanes)
        base = self.splat(v.ref, v.dtype)
        return self.f.op(f"add {t} {base}, {self.iota(v.dtype, v.stride)}")

    def to_form(self, v: Val, form: int) -> Val:
        """Return a value in a form at least as general as its own."""
        return v if v.form == form or form != VECTOR else Val(VECTOR, v.dtype, self.vector(v))

    def align(self, *values: Val) -> tuple[int, list[str]]:
        """Return the form that serves all of several values, and them in it."""
        if all(v.form == UNIFORM for v in values):
            return UNIFORM, [v.ref for v in values]
        return VECTOR, [self.vector(v) for v in values]

    def map(self, dtype: DType, template: str, *values: Val) -> Val:
        """Apply an instruction; ``{t}`` is the operands' type, ``{0}`` ... the operands."""
        form, refs = self.align(*values)
        t = self.type(values[0].dtype, form)
        return Val(form, dtype, self.f.op(template.format(*refs, t=t, to=self.type(dtype, form))))

    def call(self, name: str, dtype: DType, *values: Val, extra: str = "") -> Val:
        """Call an intrinsic overloaded on its operands' type."""
        form, refs = self.align(*values)
        width = self.lanes if form == VECTOR else 0
        t = llvm_type(values[0].dtype, width)
        full = f"{name}.{suffix(values[0].dtype, width)}"
        to = llvm_type(dtype, width)
        arguments = ", ".join(f"{t} {r}" for r in refs) + (f", {extra}" if extra else "")
        kinds = ", ".join([t] * len(refs)) + (f", {extra.split(maxsplit=1)[0]}" if extra else "")
        self.f.module.declare(full, f"{to} @({kinds})")
        return Val(form, dtype, self.f.op(f"call {to} @{full}({arguments})"))

    # ---- arithmetic
    def add(self, a: Val, b: Val) -> Val:
        if a.dtype.is_float:
            return self.map(a.dtype, f"fadd {self.f.module.flags} {{t}} {{0}}, {{1}}", a, b)
        if LINEAR in (a.form, b.form) and VECTOR not in (a.form, b.form):
            return self._linear("add", a, b, a.stride + b.stride)
        if b.form == UNIFORM and b.ref == "0":
            return a
        if a.form == UNIFORM and a.ref == "0":
            return b
        return self.map(a.dtype, "add {t} {0}, {1}", a, b)

    def sub(self, a: Val, b: Val) -> Val:
        if a.dtype.is_float:
            return self.map(a.dtype, f"fsub {self.f.module.flags} {{t}} {{0}}, {{1}}", a, b)
        if LINEAR in (a.form, b.form) and VECTOR not in (a.form, b.form):
            return self._linear("sub", a, b, a.stride - b.stride)
        return self.map(a.dtype, "sub {t} {0}, {1}", a, b)

    def _linear(self, op: str, a: Val, b: Val, stride: int) -> Val:
        ref = self.f.op(f"{op} {llvm_type(a.dtype)} {a.ref}, {b.ref}")
        return Val(LINEAR if stride else UNIFORM, a.dtype, ref, stride)

    def mul(self, a: Val, b: Val) -> Val:
        if a.dtype.is_float:
            return self.map(a.dtype, f"fmul {self.f.module.flags} {{t}} {{0}}, {{1}}", a, b)
        if b.form == LINEAR:
            a, b = b, a
        factor = as_int(b)
        if a.form == LINEAR and factor is not None:
            ref = self.f.op(f"mul {llvm_type(a.dtype)} {a.ref}, {factor}")
            stride = a.stride * factor
            return Val(LINEAR if stride else UNIFORM, a.dtype, ref, stride)
        return self.map(a.dtype, "mul {t} {0}, {1}", a, b)

    def negate(self, a: Val) -> Val:
        if a.dtype.is_float:
            return self.map(a.dtype, "fneg {t} {0}", a)
        return self.sub(self.const(0, a.dtype), a)

    def logic(self, op: str, a: Val, b: Val) -> Val:
        return self.map(a.dtype, op + " {t} {0}, {1}", a, b)

    def invert(self, a: Val) -> Val:
        return self.logic("xor", a, self.const(True if a.dtype.kind == "b" else -1, a.dtype))

    def compare(self, predicate: str, a: Val, b: Val) -> Val:
        """Compare with an LLVM predicate ('slt', 'oeq', ...)."""
        word = "fcmp" if a.dtype.is_float else "icmp"
        return self.map(BOOL, f"{word} {predicate} {{t}} {{0}}, {{1}}", a, b)

    def select(self, cond: Val, a: Val, b: Val) -> Val:
        if cond.form == UNIFORM:
            form, refs = self.align(a, b)
            t = self.type(a.dtype, form)
            return Val(form, a.dtype,
                       self.f.op(f"select i1 {cond.ref}, {t} {refs[0]}, {t} {refs[1]}"))
        t = llvm_type(a.dtype, self.lanes)
        x, y = self.vector(a), self.vector(b)
        return Val(VECTOR, a.dtype, self.f.op(
            f"select <{self.lanes} x i1> {self.vector(cond)}, {t} {x}, {t} {y}"))

    # ---- conversion
    def cast(self, v: Val, to: DType) -> Val:
        """Convert as C and NumPy's astype do."""
        if v.dtype is to:
            return v
        if to.kind == "b":
            zero = self.const(0, v.dtype)
            return self.compare("une" if v.dtype.is_float else "ne", v, zero)
        if v.form == LINEAR and to.is_integer and v.dtype.is_integer and to.bits >= v.dtype.bits:
            return Val(LINEAR, to, self._convert_scalar(v, to), v.stride)
        if to.is_float and to.bits == 16 and v.dtype.bits > 16 and v.dtype is not dtypes.FLOAT32:
            return self._to_half(v, to)
        word = self._conversion(v.dtype, to)
        if word == "bitcast":
            return Val(v.form, to, v.ref, v.stride)
        if word == "saturate":
            return self._to_int(v, to)
        if word == "sitofp" and v.dtype is INT64 and to.bits >= 32 and self._lacks_wide(v):
            return self._from_wide(v, to)
        return self.map(to, word + " {t} {0} to {to}", v)

    def narrow(self, v: Val, to: DType) -> Val:
        """Return an integer that is known to fit in fewer bits."""
        if v.form == VECTOR or v.dtype is to:
            return self.cast(v, to)
        if not v.ref.startswith("%"):
            return Val(v.form, to, v.ref, v.stride)
        ref = self.f.op(f"trunc {llvm_type(v.dtype)} {v.ref} to {llvm_type(to)}")
        return Val(v.form, to, ref, v.stride)

    def _convert_scalar(self, v: Val, to: DType) -> str:
        if v.dtype.bits == to.bits:
            return v.ref
        word = "sext" if v.dtype.kind == "i" else "zext"
        return self.f.op(f"{word} {llvm_type(v.dtype)} {v.ref} to {llvm_type(to)}")

    def _conversion(self, source: DType, to: DType) -> str:
        if source.is_float and to.is_float:
            return "fpext" if to.bits > source.bits else "fptrunc"
        if source.is_float:
            return "saturate"
        if to.is_float:
            return "sitofp" if source.kind == "i" else "uitofp"
        if source.bits == to.bits:
            return "bitcast"
        if to.bits < source.bits:
            return "trunc"
        return "sext" if source.kind == "i" else "zext"

    def _to_half(self, v: Val, to: DType) -> Val:
        """Convert to float16, rounding once: float32 on the way is rounded to odd."""
        wide = self.cast(v, dtypes.FLOAT64)
        near = self.cast(wide, dtypes.FLOAT32)
        back = self.cast(near, dtypes.FLOAT64)
        inexact = self.compare("one", back, wide)
        larger = self.compare("ogt", self.call("llvm.fabs", wide.dtype, back),
                              self.call("llvm.fabs", wide.dtype, wide))
        bits = self.map(dtypes.INT32, "bitcast {t} {0} to {to}", near)
        bits = self.sub(bits, self.cast(larger, dtypes.INT32))
        bits = self.logic("or", bits, self.cast(inexact, dtypes.INT32))
        odd = self.map(dtypes.FLOAT32, "bitcast {t} {0} to {to}", bits)
        return self.cast(odd, to)

    def _to_int(self, v: Val, to: DType) -> Val:
        """Truncate a float; narrow integers take the low bits of 32 or 64, as NumPy does.

        What does not fit those is the least of them; beyond 2 ** 63 uint64 goes on from there.
        """
        if to.bits < 32:
            return self.cast(self.cast(v, dtypes.INT32), to)
        if to is dtypes.UINT32:  # through int64, as NumPy does: negative numbers wrap
            return self.cast(self.cast(v, INT64), to)
        if to is dtypes.UINT64:
            if v.dtype.bits == 16:
                v = self.cast(v, dtypes.FLOAT32)
            half = self.const(2.0 ** 63, v.dtype)
            large = self.compare("oge", v, half)
            low = self.cast(self.select(large, self.sub(v, half), v), INT64)
            top = self.select(large, self.const(-1 << 63, INT64), self.const(0, INT64))
            return self.cast(self.logic("xor", low, top), to)
        if to is INT64 and self._lacks_wide(v):
            near = self.compare("olt", self.call("llvm.fabs", v.dtype, v),
                                self.const(2.0 ** 31, v.dtype))
            return self.either(near, to, lambda: self.cast(self._whole(v, dtypes.INT32), to),
                                lambda: self._whole(v, to))
        return self._whole(v, to)

    def _whole(self, v: Val, to: DType) -> Val:
        t = self.map(to, "fptosi {t} {0} to {to}", v)
        return Val(t.form, t.dtype, self.f.op(f"freeze {self.type(to, t.form)} {t.ref}"))

    # ---- integers of 64 bits where vectors of them are not converted (decision 0231)
    def _lacks_wide(self, v: Val) -> bool:
        """Say whether a vector and 64-bit integers would be converted one lane at a time."""
        return self.f.module.lacks_wide and v.form == VECTOR and v.dtype.bits >= 32 \
            and self.lanes >= _CONVERTED

    def _from_wide(self, v: Val, to: DType) -> Val:
        """Convert signed 64-bit integers to floats."""
        low = self.map(dtypes.INT32, "trunc {t} {0} to {to}", v)
        return self.either(self.compare("eq", self.cast(low, INT64), v), to,
                            lambda: self.cast(low, to),
                            lambda: self.map(to, "sitofp {t} {0} to {to}", v))

    def either(self, near: Val, to: DType, short: Callable[[], Val],
                long: Callable[[], Val]) -> Val:
        """Return what one way computes if a condition holds in all lanes, else what another does.

        Both give the same lanes; the second holds for all numbers.
        """
        f, t, mask = self.f, self.type(to, VECTOR), self.type(near.dtype, VECTOR)
        known = f.op(f"freeze {mask} {near.ref}")  # lanes that are off may have no value
        bits = f.op(f"bitcast {mask} {known} to i{self.lanes}")
        where, far, fits, done = f.alloca(t), f.label("far"), f.label("fits"), f.label("done")
        f.branch(f.op(f"icmp ne i{self.lanes} {bits}, -1"), far, fits, unlikely=True)
        for label, way in ((far, long), (fits, short)):
            f.start(label)
            f.store(t, way().ref, where)
            f.jump(done)
        f.start(done)
        return Val(VECTOR, to, f.load(t, where))

    def index(self, v: Val) -> Val:
        """Return an integer as a 64-bit index."""
        return self.cast(v, INT64)


def as_int(v: Val) -> int | None:
    """Return the number of a constant integer."""
    if v.form != UNIFORM or v.ref.startswith("%") or v.dtype.is_float or v.dtype.kind == "b":
        return None
    return int(v.ref)
