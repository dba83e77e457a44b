"""What a variable has to be where several definitions of its name meet, as in SSA.

A *form* says what variables hold a value: the type of a number, a vector's layout, a tuple's parts.
Each definition has the form of its value; only definitions that meet get one form together, by
NumPy's promotion, weak numbers absorbed. Where that would widen a number that is not weak, or
change its kind, its type is ``Unsure``: it is kept exactly, and only what cannot depend on the path
may be done with it. Non-goals: where control flow meets (``flow``), statements (``variables``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from unisycl.base import dtypes
from unisycl.frontend import coerce
from unisycl.frontend.values.absent import MayBeNone, Poison
from unisycl.frontend.values.kind import Form, Kind, Lowering, Met, Value
from unisycl.frontend.values.unsure import Unsure, alternatives, either
from unisycl.ir import nodes as n
from unisycl.ir.types import (
    BOOL,
    INT64,
    WEAK_BOOL,
    WEAK_COMPLEX,
    WEAK_FLOAT,
    WEAK_INT,
    PointerType,
    Scalar,
)


def form_of(value: Value | n.Local) -> Form:
    """Return the form of a value."""
    if isinstance(value, n.Local | n.Expr):
        return value.type
    return value.form()


def meet(met: Iterable[Met], *, unsure: bool = True) -> Form | None:
    """Return the form of a variable that is given all of these values; None if there is none.

    ``unsure``: a number may get a type of several.
    """
    values = list(met)
    first = values[0].value
    absent = next((v.value for v in values if is_none(v.value)
                   or isinstance(v.value, MayBeNone)), None)
    if isinstance(absent, Kind):
        found = absent.meet(values, unsure=unsure)
        if found is not None:
            return found
    forms = [form_of(v.value) for v in values]
    if any(isinstance(f, Scalar) for f in forms):
        return _numbers([_as_number(v) for v in values], unsure)
    assert isinstance(first, Kind)
    return first.meet(values, unsure=unsure)


def is_none(value: object) -> bool:
    """Say whether a value is the constant None."""
    return isinstance(value, Kind) and getattr(value, "object", "") is None


def _as_number(met: Met) -> Met | None:
    """Return a value as the number it is, one-dimensional ids and items included, or None."""
    value = met.value.as_met() if isinstance(met.value, Kind) else met.value
    return None if value is None else Met(value, met.known)


def meet_parts(rows: Sequence[Sequence[Met]], *, unsure: bool) -> tuple[Form, ...] | None:
    """Return the forms of parts, given the parts of each value that meets; None if one has none."""
    items = [meet(column, unsure=unsure) for column in zip(*rows, strict=True)]
    found = tuple(x for x in items if x is not None)
    return found if len(found) == len(items) else None


# ---- parts of variables
def adopted_part(ctx: Lowering, key: Any, name: str, form: Form, value: Value | None,
                 node: ast.AST, *, old: Value | n.Local | None = None) -> Value:
    """Give the variables of a part a value, and return what the part is then."""
    found = ctx.adopt(key, name, form, value, node, old)
    return n.Read(found.type, found) if isinstance(found, n.Local) else found


def variable_part(ctx: Lowering, key: Any, name: str, form: Form, like: Value) -> Value:
    """Return what the variables of a part hold."""
    found = ctx.variable(key, name, form, like)
    return n.Read(found.type, found) if isinstance(found, n.Local) else found


# ---- values that are one
def same(values: Sequence[Value | n.Local]) -> Value | n.Local | None:
    """Return the one variable or thing that all values are; None if there are several."""
    first = values[0]
    for other in values[1:]:
        met = _same(first, other)
        if met is None:
            return None
        first = met
    return first


def _same(a: Value | n.Local, b: Value | n.Local) -> Value | n.Local | None:
    for x, other in ((a, b), (b, a)):
        if isinstance(x, Poison):  # a path without a value decides nothing
            return other if x.missing else x
    if a is b:
        return a
    if isinstance(a, n.Const) and isinstance(b, n.Const):
        return a if a.type == b.type and repr(a.value) == repr(b.value) else None
    if isinstance(a, Kind):
        return a.same(b)
    return a if not isinstance(a, n.Local) and not isinstance(b, n.Local) and a == b else None


def same_parts(a: Sequence[Value], b: Sequence[Value]) -> tuple[Any, ...] | None:
    """Return the parts that both of two values have; None if one differs."""
    if len(a) != len(b):
        return None
    parts = tuple(_same(x, y) for x, y in zip(a, b, strict=True))
    return None if any(x is None for x in parts) else parts


# ---- numbers
def _numbers(values: list[Met | None], unsure: bool) -> Scalar | None:
    if any(v is None for v in values):
        return None
    given = [v for v in values if v is not None]
    types = [_scalar(v) for v in given]
    if all(t == types[0] for t in types):
        return types[0]
    if any(isinstance(t, PointerType) for t in types):
        return None
    sure = _absorbing(given, types)
    if sure is not None or not unsure:
        return sure
    among = frozenset().union(*(alternatives(t) for t in types))
    dtype = room(among)
    if dtype is None:
        return None
    parts = [t for t in types if isinstance(t, Unsure) and t.wraps]
    return either(dtype, among, parts) if parts else Unsure(dtype, among=among)


def _scalar(met: Met) -> Scalar:
    assert isinstance(met.value, n.Local | n.Expr)
    return met.value.type


def _absorbing(values: list[Met], types: list[Scalar]) -> Scalar | None:
    """Return the one type that takes in all others without a difference; None if there is none."""
    if all(t.dtype.kind == "b" for t in types):
        return BOOL if any(not t.weak for t in types) else WEAK_BOOL
    if any(isinstance(t, Unsure) for t in types):
        return None
    if all(t.weak for t in types):
        return max(types, key=(WEAK_BOOL, WEAK_INT, WEAK_FLOAT, WEAK_COMPLEX).index)
    for to in types:
        if not to.weak and all(t == to or _absorbs(to, t, v.const)
                                       for t, v in zip(types, values, strict=True)):
            return to
    return None


def _absorbs(to: Scalar, type: Scalar, const: n.Const | None) -> bool:
    """Say whether a number that meets others of a type is one of them from then on."""
    if coerce.common(to, type) != to:
        return False
    if not type.weak:  # wider: only a number that both hold exactly
        return const is not None
    if type.dtype.kind == "i":
        return const is not None and coerce.fits(const.value, to.dtype)
    return True


def room(among: frozenset[Scalar]) -> dtypes.DType | None:
    """Return a type that holds the numbers of all of some types exactly; None if none does."""
    kinds = {t.dtype.kind for t in among}
    if kinds <= {"b", "i", "u"}:
        if dtypes.UINT64 in {t.dtype for t in among}:
            signed = any(t.dtype.kind == "i" and not t.weak for t in among)
            return None if signed else dtypes.UINT64
        return INT64.dtype
    if any(not t.weak and t.dtype.kind in "iu" and t.dtype.bits == 64 for t in among):
        return None
    if "c" in kinds:
        return dtypes.COMPLEX128
    return dtypes.FLOAT64
