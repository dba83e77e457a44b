"""What a variable has to be where several definitions of its name meet, as in SSA.

A *form* says what variables hold a value: the type of a number, a vector's layout, a tuple's parts.
Each definition has the form of its value; only definitions that meet get one form together, by
NumPy's promotion, weak numbers absorbed. Where that would widen a number that is not weak, or
change its kind, its type is ``Unsure``: it is kept exactly, and only what cannot depend on the path
may be done with it. Non-goals: where control flow meets (``flow``), statements (``variables``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass, field
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.kinds import Choice, Instance, Item, Memory, Record, Several, Vector
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
    Struct,
)


@dataclass(frozen=True, slots=True)
class VectorForm:
    """A vec or marray."""

    type: Struct


@dataclass(frozen=True, slots=True)
class TupleForm:
    """A tuple, id or range, part by part."""

    kind: str
    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class ObjectForm:
    """An object of a dataclass, field by field."""

    cls: Any
    names: tuple[str, ...]
    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class PlaceForm:
    """A row, window or record: memory known while compiling, and this many numbers that say where.

    Which memory that is differs from round to round of lowering, so it is no part of the form.
    """

    steps: int


@dataclass(frozen=True, slots=True)
class ChoiceForm:
    """One of several memories: a number says which."""

    options: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Option:
    """A function that a name may stand for, with the types of the numbers that it holds."""

    key: Any
    types: tuple[Any, ...]
    like: Any = field(compare=False)


@dataclass(frozen=True, slots=True)
class FunctionForm:
    """One of several functions: a number says which."""

    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class ThingForm:
    """Anything else: it is known while compiling, so it is the same on all paths."""


Form = Scalar | VectorForm | TupleForm | ObjectForm | PlaceForm | ChoiceForm | FunctionForm \
    | ThingForm


def form_of(value: Value | n.Local) -> Form:
    """Return the form of a value."""
    if isinstance(value, n.Local | n.Expr):
        return value.type
    if isinstance(value, Vector):
        return VectorForm(value.type)
    if isinstance(value, Instance):
        return ObjectForm(value.cls, value.names, tuple(form_of(v) for v in value.items))
    if isinstance(value, Several):
        return TupleForm(value.kind, tuple(form_of(v) for v in value.items))
    if isinstance(value, Choice) and not value.index:
        return ChoiceForm(value.options)
    if isinstance(value, Memory | Record) and steps(value):
        return PlaceForm(len(steps(value)))
    return ThingForm()


def steps(place: Memory | Record) -> tuple[n.Expr, ...]:
    """Return all expressions that say where a place is: indices, and the window of a span."""
    if isinstance(place, Record):
        return place.index + tuple(x for x, _ in place.inner)
    return place.index + (place.window or ())


def with_steps(place: Memory | Record, steps: tuple[n.Expr, ...]) -> Memory | Record:
    """Return a place in the same memory, elsewhere."""
    count = len(place.index)
    if isinstance(place, Record):
        inner = tuple((x, size) for x, (_, size) in zip(steps[count:], place.inner, strict=True))
        return replace(place, index=steps[:count], inner=inner)
    if place.window is None:
        return replace(place, index=steps)
    return replace(place, index=steps[:count], window=(steps[count], steps[count + 1]))


def one_memory(a: Memory | Record, b: Memory | Record) -> bool:
    """Say whether two places differ in nothing but the numbers that say where they are."""
    if type(a) is not type(b) or len(steps(a)) != len(steps(b)):
        return False
    zeros = (coerce.weak_scalar(0),) * len(steps(a))
    return with_steps(replace(a, name=""), zeros) == with_steps(replace(b, name=""), zeros)


@dataclass(frozen=True, slots=True)
class Met:
    """One of the values that meet, with the numbers among it that are known there."""

    value: Value | n.Local
    known: dict[n.Local, n.Const]

    def part(self, value: Value | n.Local) -> Met:
        """Return a part of it."""
        return Met(value.local if isinstance(value, n.Read) and not isinstance(value.type, Unsure)
                   else value, self.known)

    @property
    def const(self) -> n.Const | None:
        """The number it is known to be; None if it is not known."""
        if isinstance(self.value, n.Local):
            return self.known.get(self.value)
        return self.value if isinstance(self.value, n.Const) else None


def meet(met: Iterable[Met], *, unsure: bool = True) -> Form | None:
    """Return the form of a variable that is given all of these values; None if there is none.

    ``unsure``: a number may get a type of several.
    """
    values = list(met)
    first = values[0].value
    forms = [form_of(v.value) for v in values]
    if any(isinstance(f, Scalar) for f in forms):
        return _numbers([_as_number(v) for v in values], unsure)
    if isinstance(first, Vector):
        return forms[0] if all_equal(forms) else None
    if isinstance(first, Instance | Several):
        shape = type(first)
        if not all(type(v.value) is shape and _outline(v.value) == _outline(first)
                           for v in values):
            return None
        rows: list[list[Met]] = [
            [v.part(x) for x in v.value.items] for v in values  # type: ignore[union-attr]
        ]
        items = [meet(column, unsure=unsure) for column in zip(*rows, strict=True)]
        if any(x is None for x in items):
            return None
        parts = tuple(x for x in items if x is not None)
        return TupleForm(first.kind, parts) if isinstance(first, Several) else ObjectForm(
            first.cls, first.names, parts)
    if isinstance(first, Memory | Record) and steps(first):
        same = all(isinstance(v.value, Memory | Record) and one_memory(first, v.value)
                           for v in values)
        return forms[0] if same else None
    return forms[0] if all(v.value == first for v in values) else None


def all_equal(forms: list[Form]) -> bool:
    """Say whether all forms are one."""
    return all(f == forms[0] for f in forms)


def _outline(value: Value | n.Local) -> object:
    if isinstance(value, Several):
        return value.kind, len(value.items)
    return (value.cls, value.names) if isinstance(value, Instance) else None


def _as_number(met: Met) -> Met | None:
    """Return a value as the number it is, one-dimensional ids and items included, or None."""
    value = met.value
    if isinstance(value, Several) and value.kind in ("id", "range") and len(value.items) == 1:
        value = value.items[0]
    if isinstance(value, Vector) and len(value.items) == 1:
        value = value.items[0]
    if isinstance(value, Item) and value.kind == "item" and value.ndim == 1:
        value = n.Query(WEAK_INT, "global_id", 0)
    return Met(value, met.known) if isinstance(value, n.Local | n.Expr) else None


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
    dtype = _room(among)
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


def _room(among: frozenset[Scalar]) -> dtypes.DType | None:
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
