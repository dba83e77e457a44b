"""SYCL's function objects, one row each: spelling, IR operator, identity (SYCL 2020 §4.17.1).

Non-goals: their meaning on Python numbers (``lang.numbers.function_objects``) and in a target's
code. Invariant: ``neutral`` changes no operand of its type, not even the sign of a zero.
"""

from __future__ import annotations

import math
from typing import Any

from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import DType


@dataclass(frozen=True, slots=True)
class Operator:
    """One function object.

    ``op`` is the IR's binary operator, '' where there is none; ``symbol`` the one of a reducer's
    augmented assignment. ``start`` names the identity: zero, one, ones (all bits), largest, least.
    ``only`` are the kinds of types that it combines; ``known`` those SYCL knows an identity for.
    """

    name: str
    op: str
    symbol: str
    start: str
    only: str = "biuf"
    known: str = "biuf"


OPERATORS: dict[str, Operator] = {row.name: row for row in (
    Operator("plus", "add", "+", "zero", "biufc", "biufc"),
    Operator("multiplies", "mul", "*", "one"),
    Operator("bit_and", "and", "&", "ones", "biu", "biu"),
    Operator("bit_or", "or", "|", "zero", "biu", "biu"),
    Operator("bit_xor", "xor", "^", "zero", "biu", "biu"),
    Operator("logical_and", "", "", "one", "biuf", "b"),
    Operator("logical_or", "", "", "zero", "biuf", "b"),
    Operator("minimum", "", "", "largest"),
    Operator("maximum", "", "", "least"),
)}


def identity(name: str, dtype: DType) -> Any:
    """Return the identity SYCL knows for an operator on a type; None where it knows none."""
    row = OPERATORS.get(name)
    return _value(row.start, dtype) if row is not None and dtype.kind in row.known else None


def neutral(name: str, dtype: DType) -> Any:
    """Return what combines with any operand to that operand (logical ones: to its truth)."""
    if name == "plus" and dtype.kind in "fc":
        return -0.0 if dtype.kind == "f" else complex(-0.0, -0.0)
    return _value(OPERATORS[name].start, dtype)


def _value(start: str, dtype: DType) -> Any:
    if start in ("largest", "least"):
        return limit(dtype, largest=start == "largest")
    if start == "ones":
        return -1 if dtype.kind == "i" else limit(dtype, largest=True)
    number = int(start == "one")
    if dtype.kind == "c":
        return complex(number)
    return bool(number) if dtype.kind == "b" else float(number) if dtype.is_float else number


def limit(dtype: DType, *, largest: bool) -> bool | int | float:
    """Return the largest or the least value of a type; infinities for floats."""
    if dtype.is_float:
        return math.inf if largest else -math.inf
    if dtype.kind == "b":
        return largest
    if dtype.kind == "u":
        return (1 << dtype.bits) - 1 if largest else 0
    return (1 << (dtype.bits - 1)) - 1 if largest else -(1 << (dtype.bits - 1))
