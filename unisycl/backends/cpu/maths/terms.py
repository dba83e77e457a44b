"""What mathematical functions are written in: numbers of a sub-group with Python's operators.

Every operation rounds once and nothing is contracted or reordered, so error-free transformations
hold. Non-goals: masks; what a lane that is off holds is never looked at. Invariants: a ``Term``
belongs to one ``Sheet``; wherever AVX-512 has an instruction of its own, there is also a sequence
that every machine can do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import llvm_type, suffix
from unisycl.backends.cpu.maths import avx512
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64, DType

Number = int | float
_LONG = 12  # coefficients
_WHOLE = {16: DType("bits16", "i", 16), 32: INT32, 64: INT64}
_FLOAT = {16: FLOAT16, 32: FLOAT32, 64: FLOAT64}
_BITS = {16: 10, 32: 23, 64: 52}


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A number of each lane: floats, integers or bools."""

    sheet: Sheet
    val: Val

    @property
    def dtype(self) -> DType:
        return self.val.dtype

    def _with(self, word: str, other: Term | Number, *, flip: bool = False) -> Term:
        s = self.sheet
        b = s.like(other, self)
        pair = (b, self) if flip else (self, b)
        return Term(s, s.lanes.map(self.dtype, word + " {t} {0}, {1}", pair[0].val, pair[1].val))

    def __add__(self, other: Term | Number) -> Term:
        return self._with("fadd" if self.dtype.is_float else "add", other)

    def __sub__(self, other: Term | Number) -> Term:
        return self._with("fsub" if self.dtype.is_float else "sub", other)

    def __rsub__(self, other: Number) -> Term:
        return self._with("fsub" if self.dtype.is_float else "sub", other, flip=True)

    def __mul__(self, other: Term | Number) -> Term:
        return self._with("fmul" if self.dtype.is_float else "mul", other)

    def __truediv__(self, other: Term | Number) -> Term:
        return self._with("fdiv", other)

    def __rtruediv__(self, other: Number) -> Term:
        return self._with("fdiv", other, flip=True)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Term:
        return Term(self.sheet, self.sheet.lanes.negate(self.val))

    def __and__(self, other: Term | Number) -> Term:
        return self._with("and", other)

    def __or__(self, other: Term | Number) -> Term:
        return self._with("or", other)

    def __xor__(self, other: Term | Number) -> Term:
        return self._with("xor", other)

    def __lshift__(self, other: Term | Number) -> Term:
        return self._with("shl", other)

    def __rshift__(self, other: Term | Number) -> Term:
        return self._with("ashr" if self.dtype.kind == "i" else "lshr", other)

    def __invert__(self) -> Term:
        return Term(self.sheet, self.sheet.lanes.invert(self.val))

    def _compare(self, floats: str, other: Term | Number) -> Term:
        kind = self.dtype.kind
        bare = floats[1:]
        word = floats if kind == "f" else bare if bare in ("eq", "ne") else \
            ("s" if kind == "i" else "u") + bare
        s = self.sheet
        return Term(s, s.lanes.compare(word, self.val, s.like(other, self).val))

    def __lt__(self, other: Term | Number) -> Term:
        return self._compare("olt", other)

    def __le__(self, other: Term | Number) -> Term:
        return self._compare("ole", other)

    def __gt__(self, other: Term | Number) -> Term:
        return self._compare("ogt", other)

    def __ge__(self, other: Term | Number) -> Term:
        return self._compare("oge", other)

    def equals(self, other: Term | Number) -> Term:
        """Say where both are equal; NaN equals nothing."""
        return self._compare("oeq", other)

    def differs(self, other: Term | Number) -> Term:
        """Say where they are not equal; NaN differs from everything."""
        return self._compare("une", other)

    def is_nan(self) -> Term:
        """Say where it is no number."""
        return self._compare("uno", self)


class Sheet:
    """Where terms are written: the lanes of a sub-group on a machine of some vector size."""

    def __init__(self, lanes: Lanes, widest: int) -> None:
        self.lanes = lanes
        self.widest = widest

    # ---- terms
    def like(self, x: Term | Number, other: Term) -> Term:
        """Return a number as a term of another one's type."""
        return x if isinstance(x, Term) else self.const(x, other.dtype)

    def const(self, value: Number, dtype: DType) -> Term:
        """Return the same number in every lane."""
        return Term(self, self.lanes.const(value, dtype))

    def _map(self, dtype: DType, template: str, *terms: Term) -> Term:
        return Term(self, self.lanes.map(dtype, template, *(t.val for t in terms)))

    def _call(self, name: str, *terms: Term, extra: str = "") -> Term:
        dtype = terms[0].dtype
        return Term(self, self.lanes.call(name, dtype, *(t.val for t in terms), extra=extra))

    def where(self, condition: Term, yes: Term | Number, no: Term | Number) -> Term:
        """Choose lane by lane; one of the two is a term."""
        model = yes if isinstance(yes, Term) else no
        assert isinstance(model, Term)
        a, b = self.like(yes, model), self.like(no, model)
        return Term(self, self.lanes.select(condition.val, a.val, b.val))

    # ---- arithmetic
    def fma(self, a: Term | Number, b: Term | Number, c: Term | Number) -> Term:
        """Return a*b + c rounded once."""
        model = next(x for x in (a, b, c) if isinstance(x, Term))
        return self._call("llvm.fma", *(self.like(x, model) for x in (a, b, c)))

    def poly(self, x: Term, coefficients: Sequence[float]) -> Term:
        """Return a polynomial, lowest coefficient first, by Horner's rule.

        A long one is that of its even coefficients and its odd ones, side by side.
        """
        if len(coefficients) > _LONG:
            square = x * x
            even, odd = self.poly(square, coefficients[::2]), self.poly(square, coefficients[1::2])
            return self.fma(odd, x, even)
        result = self.const(coefficients[-1], x.dtype)
        for c in reversed(coefficients[:-1]):
            result = self.fma(result, x, c)
        return result

    def abs(self, x: Term) -> Term:
        """Return the magnitude."""
        return self._call("llvm.fabs" if x.dtype.is_float else "llvm.abs", x,
                          extra="" if x.dtype.is_float else "i1 false")

    def copysign(self, x: Term | Number, sign: Term) -> Term:
        """Return the magnitude of one with the sign of the other."""
        return self._call("llvm.copysign", self.like(x, sign), sign)

    def sqrt(self, x: Term) -> Term:
        """Return the square root, correctly rounded."""
        return self._call("llvm.sqrt", x)

    def rint(self, x: Term) -> Term:
        """Return the nearest whole number, halves to even."""
        return self._call("llvm.roundeven", x)

    def floor(self, x: Term) -> Term:
        """Return the largest whole number that is not above."""
        return self._call("llvm.floor", x)

    def trunc(self, x: Term) -> Term:
        """Return the whole part."""
        return self._call("llvm.trunc", x)

    def least(self, x: Term, limit: Term | Number) -> Term:
        """Return the smaller; NaN stays NaN in ``x``."""
        return self.where(x > limit, limit, x)

    def most(self, x: Term, limit: Term | Number) -> Term:
        """Return the larger; NaN stays NaN in ``x``."""
        return self.where(x < limit, limit, x)

    def largest(self, a: Term, b: Term) -> Term:
        """Return the larger; a NaN is ignored."""
        return self._call("llvm.maxnum", a, b)

    def smallest(self, a: Term, b: Term) -> Term:
        """Return the smaller; a NaN is ignored."""
        return self._call("llvm.minnum", a, b)

    def clamp(self, x: Term, low: float, high: float) -> Term:
        """Return ``x`` within limits; NaN stays NaN."""
        return self.least(self.most(x, low), high)

    # ---- bits
    def bits(self, x: Term) -> Term:
        """Return a float's bits as a signed integer."""
        return self._map(_WHOLE[x.dtype.bits], "bitcast {t} {0} to {to}", x)

    def float_of(self, bits: Term) -> Term:
        """Return the float that has these bits."""
        return self._map(_FLOAT[bits.dtype.bits], "bitcast {t} {0} to {to}", bits)

    def sign_bit(self, dtype: DType) -> int:
        """Return the integer whose only bit is where a float has its sign."""
        return -(1 << (dtype.bits - 1))

    def cast(self, x: Term, to: DType) -> Term:
        """Convert a number; what an integer cannot hold gives some integer."""
        return Term(self, self.lanes.cast(x.val, to))

    def whole(self, x: Term) -> Term:
        """Return a float that is a small whole number as an integer of its width."""
        return self.cast(x, INT32 if x.dtype.bits == 32 else INT64)

    def whole_like(self, x: Term, model: Term) -> Term:
        """Return an integer in as many bits as a float has."""
        return self.cast(x, INT32 if model.dtype.bits == 32 else INT64)

    def unsigned(self, x: Term) -> Term:
        """Return an integer's bits as an unsigned one."""
        return self.cast(x, UINT32 if x.dtype.bits == 32 else UINT64)

    def funnel(self, high: Term, low: Term, by: Term) -> Term:
        """Return the upper half of two integers side by side, moved left by fewer bits."""
        return self._call("llvm.fshl", high, low, by)

    # ---- exponents
    @property
    def wide(self) -> bool:
        """Whether there is AVX-512."""
        return self.widest >= 512

    @property
    def tables(self) -> bool:
        """Whether small tables are looked up in registers."""
        return self.wide and self.lanes.lanes * 32 >= 512

    def _special(self, word: str, *terms: Term, immediate: int | None = None) -> Term:
        return Term(self, avx512.special(self.lanes, word, *(t.val for t in terms),
                                         immediate=immediate))

    def scale(self, x: Term, n: Term) -> Term:
        """Return x * 2**n, rounded once if x is near 1; ``n`` is whole, within the exponents."""
        if self.wide:
            return self._special("scalef", x, n)
        bits = _BITS[x.dtype.bits]
        whole = self.whole(n)
        half = whole >> 1
        bias = (1 << (x.dtype.bits - bits - 2)) - 1
        first = self.float_of((half + bias) << bits)
        return (x * first) * self.float_of(((whole - half) + bias) << bits)

    def scale_any(self, x: Term, n: Term) -> Term:
        """Return x * 2**n rounded once, for any number and any whole float."""
        if self.wide:
            return self._special("scalef", x, n)
        e = self.exponent(x)
        edge = x.equals(0.0) | x.is_nan() | self.abs(x).equals(float("inf"))
        limit = 2.0 * (1 << (x.dtype.bits - _BITS[x.dtype.bits] - 2)) - 10.0
        m = self.scale(x, -e)
        return self.where(edge, x, self.scale(m, self.clamp(e + n, -limit, limit)))

    def split(self, x: Term) -> tuple[Term, Term]:
        """Return (m, e) with x = m * 2**e, m in [3/4, 3/2), e a whole float.

        0 gives (1, -inf), infinity (1, inf), NaN and numbers below 0 give (NaN, anything).
        """
        if self.wide:
            m = self._special("getmant", x, immediate=0b1111)
            return m, self._special("getexp", x) - self._special("getexp", m)
        return self._split_by_bits(x)

    def _split_by_bits(self, x: Term) -> tuple[Term, Term]:
        bits, width = _BITS[x.dtype.bits], x.dtype.bits
        bias = (1 << (width - bits - 2)) - 1
        tiny = x < 2.0 ** (1 - bias)
        scaled = self.where(tiny, x * 2.0 ** (bits + 1), x)
        raw = self.bits(scaled)
        start = ((bias - 1) << bits) | (1 << (bits - 1))  # the bits of 3/4
        whole = (raw - start) >> bits
        m = self.float_of(raw - (whole << bits))
        e = self.cast(whole, x.dtype) - self.where(tiny, float(bits + 1), self.const(0.0, x.dtype))
        infinite = float("inf")
        edge = x.equals(0.0) | x.equals(infinite)
        m = self.where(edge, 1.0, self.where(x >= 0.0, m, float("nan")))
        return m, self.where(edge, self.where(x > 0.0, infinite, self.const(-infinite, x.dtype)), e)

    def exponent(self, x: Term) -> Term:
        """Return floor(log2|x|) as a float; -inf for 0, inf for infinity, NaN for NaN."""
        if self.wide:
            return self._special("getexp", x)
        m, e = self._split_by_bits(self.abs(x))
        return self.where(m < 1.0, e - 1.0, self.where(m.is_nan(), m, e))

    def reciprocal_root(self, x: Term) -> Term:
        """Return x**(-1/2) to 14 bits, exact at 0 and infinity; for AVX-512."""
        return self._special("rsqrt14", x)

    def reciprocal(self, x: Term) -> Term:
        """Return 1/x to 14 bits, exact at 0 and infinity; for AVX-512."""
        return self._special("rcp14", x)

    # ---- tables
    def lookup(self, table: Sequence[float], index: Term, dtype: DType | None = None) -> Term:
        """Return table[index] lane by lane; the table's length is a power of two.

        The index is an integer of the table's width; its bits beyond the length are ignored.
        """
        dtype = dtype or (FLOAT32 if index.dtype.bits == 32 else FLOAT64)
        if self.wide and avx512.fits(self.lanes, table, dtype, index.val):
            return Term(self, avx512.permuted(self.lanes, table, dtype, index.val))
        return self._gathered(table, index, dtype)

    def _gathered(self, table: Sequence[float], index: Term, dtype: DType) -> Term:
        f = self.lanes.f
        t = llvm_type(dtype)
        place = f.module.table(avx512.vector_of(table, dtype, array=True), f"[{len(table)} x {t}]")
        # A lane that is off must not read beyond the table either.
        kind = self.lanes.type(index.dtype, index.val.form)
        index = Term(self, Val(index.val.form, index.dtype, f.op(
            f"freeze {kind} {index.val.ref}"))) & (len(table) - 1)
        if index.val.form == UNIFORM:
            address = f.op(f"getelementptr {t}, ptr {place}, {llvm_type(index.dtype)} "
                           f"{index.val.ref}")
            return Term(self, Val(UNIFORM, dtype, f.load(t, address)))
        n = self.lanes.lanes
        address = f.op(f"getelementptr {t}, ptr {place}, {llvm_type(index.dtype, n)} "
                       f"{index.val.ref}")
        vector = llvm_type(dtype, n)
        name = f"llvm.masked.gather.{suffix(dtype, n)}.v{n}p0"
        f.module.declare(name, f"{vector} @(<{n} x ptr>, i32, <{n} x i1>, {vector})")
        return Term(self, Val(VECTOR, dtype, f.op(
            f"call {vector} @{name}(<{n} x ptr> {address}, i32 {dtype.size}, "
            f"<{n} x i1> splat (i1 true), {vector} poison)")))

    # ---- control
    def patch(self, where: Term, results: Sequence[Term],
              slow: Callable[[], Sequence[Term]]) -> list[Term]:
        """Return ``results``, in lanes of ``where`` those of ``slow``, run only if there are any.

        For what is rare: the code for it is jumped over unless some lane needs it.
        """
        f, lanes = self.lanes.f, self.lanes
        form = VECTOR if VECTOR in (where.val.form, *(r.val.form for r in results)) else UNIFORM
        results = [Term(self, lanes.to_form(r.val, form)) for r in results]
        flag, some = self.some(where.val)
        rare, after, before = f.label("rare"), f.label("usual"), f.label("before")
        f.jump(before)
        f.start(before)
        f.branch(some, rare, after, unlikely=True)
        f.start(rare)
        chosen = [self.where(Term(self, Val(where.val.form, BOOL, flag)), new, old)
                  for new, old in zip(slow(), results, strict=True)]
        end = f.label("patched")
        f.jump(end)
        f.start(end)
        f.jump(after)
        f.start(after)
        return [Term(self, Val(form, r.dtype, f.op(
            f"phi {lanes.type(r.dtype, form)} [ {r.val.ref}, %{before} ], "
            f"[ {lanes.to_form(c.val, form).ref}, %{end} ]")))
            for r, c in zip(results, chosen, strict=True)]

    def repeat(self, state: Sequence[Term], more: Callable[..., Term],
               step: Callable[..., Sequence[Term]]) -> list[Term]:
        """Return what ``state`` becomes by steps, each taken by the lanes that want one more."""
        f, lanes = self.lanes.f, self.lanes
        form, refs = lanes.align(*(t.val for t in state))
        types = [lanes.type(t.dtype, form) for t in state]
        homes = [f.alloca(t) for t in types]
        for t, ref, home in zip(types, refs, homes, strict=True):
            f.store(t, ref, home)
        head, body, end = f.label("again"), f.label("step"), f.label("steps")
        f.jump(head)
        f.start(head)
        now = [Term(self, Val(form, s.dtype, f.load(t, home)))
               for s, t, home in zip(state, types, homes, strict=True)]
        wanted = more(*now).val
        flag, some = self.some(wanted)
        f.branch(some, body, end)
        f.start(body)
        condition = Term(self, Val(wanted.form, BOOL, flag))
        for new, old, t, home in zip(step(*now), now, types, homes, strict=True):
            f.store(t, self.where(condition, new, old).val.ref, home)
        f.jump(head)
        f.start(end)
        return now

    def some(self, condition: Val) -> tuple[str, str]:
        """Return a condition that is safe to branch on, and whether any lane fulfils it."""
        # Lanes that are off may hold anything, which a branch must not depend on.
        f = self.lanes.f
        t = self.lanes.type(BOOL, condition.form)
        flag = f.op(f"freeze {t} {condition.ref}")
        if condition.form == UNIFORM:
            return flag, flag
        n = self.lanes.lanes
        return flag, f.op(f"icmp ne i{n} {f.op(f'bitcast {t} {flag} to i{n}')}, 0")
