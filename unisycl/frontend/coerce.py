"""Typing rules: NumPy's promotion with weak Python scalars (NEP 50), conversions, folding.

Non-goals: syntax. Invariant: what is folded here equals what the host device computes.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.dtypes import DType
from unisycl.frontend.values.unsure import Unsure, alternatives, exact, holds, plain
from unisycl.ir import nodes as n
from unisycl.ir.types import (
    BOOL,
    WEAK_BOOL,
    WEAK_COMPLEX,
    WEAK_FLOAT,
    WEAK_INT,
    PointerType,
    Scalar,
)

_WEAK = {"b": WEAK_BOOL, "i": WEAK_INT, "f": WEAK_FLOAT, "c": WEAK_COMPLEX}
_PYTHON = {"b": bool, "i": int, "f": float, "c": complex}
_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def weak_scalar(value: bool | int | float | complex) -> n.Const:
    """Return the constant of a Python literal."""
    kind = "b" if isinstance(value, bool) else "i" if isinstance(value, int) \
        else "f" if isinstance(value, float) else "c"
    return n.Const(_WEAK[kind], value)


def common(a: Scalar, b: Scalar) -> Scalar | None:
    """Return the type two operands share in an operation; None where NumPy has none for kernels.

    Raises ``Ambiguous`` where an operand may have several types that give several results.
    """
    if isinstance(a, Unsure) or isinstance(b, Unsure):
        return _settled(a, b, common)
    if isinstance(a, PointerType) or isinstance(b, PointerType):
        return None
    if a.weak and b.weak:
        return _WEAK[max(a.dtype.kind, b.dtype.kind, key=lambda k: _RANK[k])]
    if not a.weak and not b.weak:
        joined = dtypes.promote(a.dtype, b.dtype)
        return Scalar(joined) if joined else None
    strong, weak = (b, a) if a.weak else (a, b)
    row = dtypes.promote_weak(strong.dtype, _PYTHON[weak.dtype.kind])
    return Scalar(row) if row else None


def _settled(a: Scalar, b: Scalar,
             rule: Callable[[Scalar, Scalar], Scalar | None]) -> Scalar | None:
    """Return the type that a rule gives whichever types the operands have."""
    found = {rule(x, y) for x in alternatives(a) for y in alternatives(b)}
    only = found.pop() if len(found) == 1 else None
    unsure = [t for t in (a, b) if isinstance(t, Unsure)]
    if found or any(only is not None and not _low_bits(only, t) and not exact(t)
                    for t in unsure):
        raise Ambiguous(unsure[0])
    return only


def _low_bits(to: Scalar, type: Unsure) -> bool:
    """Say whether an integer type has no more bits than are known of a number."""
    return to.dtype.is_integer and to.dtype.kind != "b" and to.dtype.bits <= type.bits \
        and not to.weak


def whole(op: str, x: n.Expr, y: n.Expr) -> Unsure | None:
    """Return the type of an integer operation whose operands may be of several types.

    Bits, remainders and the like are exact whichever type it is; of sums and products only the low
    bits are known. None: it has one type, or what it gives depends on the type.
    """
    a, b = x.type, y.type
    if op not in _LOW and op not in _EXACT:
        return None
    unsure = [t for t in (a, b) if isinstance(t, Unsure)]
    if any(isinstance(v, n.Const) and v.type.weak and not fits(v.value, t.dtype)
           for v, other in ((x, b), (y, a)) for t in alternatives(other) if not t.weak):
        return None  # NumPy raises on that path
    found = {arithmetic(op, s, t) for s in alternatives(a) for t in alternatives(b)} \
        if unsure else set()
    among = frozenset(t for t in found if t is not None)
    if len(found) < 2 or len(among) < len(found) or any(t.dtype.kind not in "iu" for t in among):
        return None
    wraps = op in _LOW or (op not in _DIVIDING and any(t.wraps for t in unsure))
    number = y.value if isinstance(y, n.Const) else None
    if (op == "shl" and not exact(b)) or (op == "pow" and (number is None or number < 0)):
        return None
    if op in _DIVIDING and (number is None or number < (op != "shr")
                            or any(not exact(t) for t in unsure)):
        return None
    known = min((t.bits for t in unsure if t.wraps), default=64)
    least = min(known, *(t.dtype.bits for t in among))
    if op == "and" and number is not None and 0 <= number < 1 << (least - 1):
        wraps, known = False, 64
    wide = dtypes.UINT64 if any(t.dtype is dtypes.UINT64 for t in among) else dtypes.INT64
    return Unsure(wide, among=among, wraps=wraps, known=known, name=unsure[0].name,
                  places=unsure[0].places)


def doubles(op: str, a: Scalar, b: Scalar) -> Unsure | None:
    """Return the type of a float operation that gives a Python float or float64; None: it is other.

    Both are computed in 64 bits, so the number is the same; what meets it later may depend on it.
    """
    unsure = [t for t in (a, b) if isinstance(t, Unsure)]
    if op not in _AS_DOUBLES or not unsure or not all(map(exact, (a, b))):
        return None
    found = {arithmetic(op, s, t) for s in alternatives(a) for t in alternatives(b)}
    if found != {WEAK_FLOAT, Scalar(dtypes.FLOAT64)}:
        return None
    return Unsure(dtypes.FLOAT64, among=frozenset((WEAK_FLOAT, Scalar(dtypes.FLOAT64))),
                  name=unsure[0].name, places=unsure[0].places)


_LOW = frozenset(("add", "sub", "mul", "shl", "pow"))
_AS_DOUBLES = frozenset(("add", "sub", "mul", "div"))
_DIVIDING = frozenset(("mod", "floordiv", "shr"))
_EXACT = _DIVIDING | {"and", "or", "xor"}


def weakened(type: Scalar) -> Scalar:
    """Return the type of Python's number of the same kind."""
    return _WEAK["i" if type.dtype.kind == "u" else type.dtype.kind]


def arithmetic(op: str, a: Scalar, b: Scalar) -> Scalar | None:
    """Return the type of ``a op b``: as ``common``, but bools are numbers where NumPy says so."""
    if op == "div":
        return quotient(a, b)
    if isinstance(a, Unsure) or isinstance(b, Unsure):
        return _settled(a, b, functools.partial(arithmetic, op))
    shared = common(a, b)
    if shared == WEAK_BOOL:
        return WEAK_BOOL if op in ("and", "or", "xor") else WEAK_INT
    if shared == BOOL and op in ("floordiv", "mod", "shl", "shr", "pow"):
        return Scalar(dtypes.INT8)
    return shared


def quotient(a: Scalar, b: Scalar) -> Scalar | None:
    """Return the type of ``a / b``: integers divide as float64."""
    if isinstance(a, Unsure) or isinstance(b, Unsure):
        return _settled(a, b, quotient)
    shared = common(a, b)
    if shared is None or shared.dtype.kind in "fc":
        return shared
    return WEAK_FLOAT if shared.weak else Scalar(dtypes.FLOAT64)


def floating(*types: Scalar, narrow: bool = False) -> Scalar | None:
    """Return the type a floating-point function computes in; ``narrow``: as NumPy's own do."""
    shared = types[0]
    for t in types[1:]:
        both = common(shared, t)
        if both is None:
            return None
        shared = both
    if shared.dtype.is_float:
        return Scalar(dtypes.FLOAT64) if shared.weak else shared
    if shared.weak or not narrow:
        return Scalar(dtypes.FLOAT64)
    return Scalar(_NARROW[shared.dtype])


_NARROW = {row: dtypes.find_dtype(np.sqrt.resolve_dtypes((row.numpy, None))[1]) or dtypes.FLOAT64
           for row in dtypes.DTYPES.values() if not row.is_float}
"""What NumPy's functions of floats make of other numbers."""


class DoesNotFit(Exception):
    """A Python integer is too large for the type it would get; NumPy raises there, so do we."""

    def __init__(self, value: int, type: Scalar) -> None:
        super().__init__(value, type)
        self.value = value
        self.type = type


def complex_help(*types: Scalar) -> str:
    """Return what to do where complex numbers have no such operation; '' if there are none."""
    return "complex numbers have no order, remainder or bits: take z.real, z.imag or abs(z)" \
        if any(t.dtype.kind == "c" for t in types) else ""


class LosesPart(DoesNotFit):
    """A complex number would become a real one, which would drop its imaginary part."""

    def __init__(self, found: Scalar, type: Scalar) -> None:
        super().__init__(0, type)
        self.found = found


class Ambiguous(DoesNotFit):
    """What is asked for depends on which of several types a number has."""

    def __init__(self, type: Scalar) -> None:
        super().__init__(0, type)


def cast(x: n.Expr, to: Scalar) -> n.Expr:
    """Convert an operand, folding constants; raises ``DoesNotFit`` for a literal too large."""
    if isinstance(x, n.Const) and x.type.weak and not fits(x.value, to.dtype):
        raise DoesNotFit(int(x.value), to)
    return convert(x, to)


def fits(value: bool | int | float, dtype: DType) -> bool:
    """Say whether an integer type can hold a number; other types hold all in their way."""
    if not dtype.is_integer or isinstance(value, float):
        return True
    if dtype.kind == "u":
        return 0 <= value < 1 << dtype.bits
    return -(1 << (dtype.bits - 1)) <= value < 1 << (dtype.bits - 1)


def convert(x: n.Expr, to: Scalar) -> n.Expr:
    """Convert as a store does: integers wrap, floats truncate; complex numbers stay such."""
    if isinstance(x.type, Unsure) and not _low_bits(to, x.type) and not exact(x.type):
        raise Ambiguous(x.type)
    x = plain(x)
    if x.type == to:
        return x
    if x.type.dtype.kind == "c" and to.dtype.kind not in "cb":
        raise LosesPart(x.type, to)
    if isinstance(x, n.Const):
        return n.Const(to, _convert(x.value, to.dtype))
    return n.Cast(to, x)


def stored(x: n.Expr, to: Scalar) -> n.Expr:
    """Convert what is stored in memory: as ``convert``, but a number too large is refused.

    So NumPy does with Python's integers; what is known at run time only wraps, as in C.
    """
    if isinstance(x, n.Const) and x.type.weak and to.dtype.is_integer and to.dtype.kind in "iu" \
            and isinstance(x.value, int):
        return cast(x, to)
    return convert(x, to)


def _convert(value: Any, to: DType) -> Any:
    if to.kind == "b":
        return bool(value)
    with np.errstate(all="ignore"):
        if to.kind == "c":
            return complex(to.numpy.type(value))
        if to.kind == "f":
            return float(to.numpy.type(value))
        whole = (_whole(value, to) if isinstance(value, float) else int(value)) & (
            (1 << to.bits) - 1)
        return whole - (1 << to.bits) if to.kind == "i" and whole >> (to.bits - 1) else whole


def _whole(value: float, to: DType) -> int:
    """Return a float as an integer, as it is at run time: by way of 32 bits or of 64."""
    if to.kind == "u" and to.bits == 64 and value >= 2.0 ** 63:
        return _whole(value - 2.0 ** 63, to) ^ (1 << 63)
    bits = 32 if to.bits < 32 or (to.kind, to.bits) == ("i", 32) else 64
    return int(value) if -(2.0 ** (bits - 1)) - (bits == 32) < value < 2.0 ** (bits - 1) \
        or value == -(2.0 ** (bits - 1)) else -(1 << (bits - 1))


def truth(x: n.Expr) -> n.Expr:
    """Return ``bool(x)``."""
    if not exact(x.type):
        raise Ambiguous(x.type)
    x = plain(x)
    if x.type.dtype.kind == "b":
        return cast(x, BOOL)
    if isinstance(x, n.Const):
        return n.Const(BOOL, bool(x.value))
    zero = {"f": 0.0, "c": 0j}.get(x.type.dtype.kind, 0)
    return n.Compare(BOOL, "ne", x, n.Const(x.type, zero))


def negate(x: n.Expr) -> n.Expr:
    """Return ``not x`` of a bool."""
    if isinstance(x, n.Const):
        return n.Const(x.type, not x.value)
    if isinstance(x, n.Unary) and x.op == "not":
        return x.x
    return n.Unary(x.type, "not", x)


_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "and": operator.and_,
    "or": operator.or_, "xor": operator.xor, "shl": operator.lshift, "shr": operator.rshift,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge,
}


def binary(op: str, a: n.Expr, b: n.Expr, type: Scalar) -> n.Expr:
    """Return ``a op b`` computed in ``type``, folded where both are constants."""
    if isinstance(a, n.Const) and isinstance(b, n.Const):
        folded = _folded(op, a, b, type)
        if folded is not None:
            return n.Const(type, folded)
    a, b = cast(a, type), cast(b, type)
    if type.dtype.kind == "b":
        op = {"add": "or", "mul": "and"}.get(op, op)
    whole = type.dtype.kind not in "fc"
    if isinstance(b, n.Const) and whole:
        if b.value == 0 and op in ("add", "sub", "shl", "shr", "or", "xor"):
            return a
        if b.value == 1 and op in ("mul", "floordiv"):
            return a
    if isinstance(a, n.Const) and whole:
        if a.value == 0 and op in ("add", "or", "xor"):
            return b
        if a.value == 1 and op == "mul":
            return b
    return n.Binary(type, op, a, b)


def _folded(op: str, a: n.Const, b: n.Const, type: Scalar) -> Any:
    """Return the value of an operation on constants; None if it has none."""
    if type != WEAK_INT:
        for x in (a, b):
            cast(x, type)
        return _fold(op, _convert(a.value, type.dtype), _convert(b.value, type.dtype), type)
    return _fold(op, a.value, b.value, type)


def _fold(op: str, a: Any, b: Any, type: Scalar) -> Any:
    try:
        if type.dtype.is_float:
            with np.errstate(all="ignore"):
                kind = type.dtype.numpy.type
                return float(_FOLD[op](kind(a), kind(b)))
        if type.dtype.kind == "c":
            with np.errstate(all="ignore"):
                made = type.dtype.numpy.type
                return complex(_FOLD[op](made(a), made(b)))
        if op == "shl" and b > 4096:
            return None if type.weak else 0
        exact = _FOLD[op](a, b)
        # Python's own integers are exact; what no 64 bits can hold is noticed where it is used.
        return exact if type.weak and type.dtype.kind == "i" else _convert(exact, type.dtype)
    except (ZeroDivisionError, ValueError, TypeError):
        return None


def compare(op: str, a: n.Expr, b: n.Expr) -> n.Expr | None:
    """Return a comparison; None if the operands share no type."""
    if isinstance(a.type, Unsure) or isinstance(b.type, Unsure):
        for x in (a, b):
            if not exact(x.type):
                raise Ambiguous(x.type)
        _check_comparison(a, b)
        a, b = plain(a), plain(b)
    shared = common(a.type, b.type)
    result = WEAK_BOOL if a.type.weak and b.type.weak else BOOL
    if shared is None or (shared.dtype.kind == "c" and op not in ("eq", "ne")):
        return None
    kinds = {a.type.dtype.kind, b.type.dtype.kind}
    if a.type.weak != b.type.weak and kinds <= {"i", "u"}:
        weak, strong = (a, b) if a.type.weak else (b, a)
        if isinstance(weak, n.Const) and not fits(weak.value, strong.type.dtype):
            return _beyond(op if weak is b else _TURNED.get(op, op), strong, int(weak.value))
        if not isinstance(weak, n.Const):
            if strong.type.dtype is dtypes.UINT64:
                return _compare_mixed(op, a, b, result)
            shared = Scalar(dtypes.INT64)
    if kinds == {"i", "u"} and shared.dtype.is_float:
        return _compare_mixed(op, a, b, result)
    a, b = cast(a, shared), cast(b, shared)
    if isinstance(a, n.Const) and isinstance(b, n.Const):
        return n.Const(result, bool(_FOLD[op](a.value, b.value)))
    return n.Compare(result, op, a, b)


def _check_comparison(a: n.Expr, b: n.Expr) -> None:
    """Raise ``Ambiguous`` if a comparison may depend on which types its operands have.

    Whole numbers compare exactly whatever their types; floats as long as neither is rounded.
    """
    kinds = {t.dtype.kind for x in (a, b) for t in alternatives(x.type)}
    if kinds <= {"b", "i", "u"}:
        return
    for x, y in ((a, b), (b, a)):
        if isinstance(x.type, Unsure) and isinstance(y, n.Const) and y.type.weak:
            if not all(holds(t, y.value) for t in x.type.among):
                raise Ambiguous(x.type)
            return
    if all(not t.weak and (t.dtype.is_float or t.dtype.bits < 64)
           for x in (a, b) for t in alternatives(x.type)):
        return  # NumPy compares in a type that holds both
    _settled(a.type, b.type, common)


_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _beyond(op: str, x: n.Expr, bound: int) -> n.Expr:
    """Return ``x op bound`` where no ``x`` of its type reaches the bound."""
    return n.Const(BOOL, op == "ne" or op in (("lt", "le") if bound > 0 else ("gt", "ge")))


def _compare_mixed(op: str, a: n.Expr, b: n.Expr, result: Scalar) -> n.Expr:
    """Compare a signed with an unsigned 64-bit integer exactly, as NumPy does."""
    if a.type.dtype.kind == "u":
        return _compare_mixed(_TURNED.get(op, op), b, a, result)
    wide = Scalar(dtypes.UINT64)
    negative = n.Compare(result, "lt", a, n.Const(a.type, 0))
    exact = n.Compare(result, op, convert(a, wide), convert(b, wide))
    return n.Select(result, negative, n.Const(result, op in ("lt", "le", "ne")), exact)


def select(cond: n.Expr, a: n.Expr, b: n.Expr, type: Scalar) -> n.Expr:
    """Return ``a if cond else b`` in ``type``."""
    if isinstance(cond, n.Const):
        return cast(a if cond.value else b, type)
    return n.Select(type, cond, cast(a, type), cast(b, type))
