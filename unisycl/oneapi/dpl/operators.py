"""Operators and orders: those that the kernel language knows, and any function.

Non-goals: what algorithms do with them. Invariant: an operator is taken for a known one only where
it computes the same, bit for bit.
"""

from __future__ import annotations

import itertools
import operator
from types import FunctionType
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels import orders
from unisycl.oneapi.frame.operands import Type
from unisycl.oneapi.frame.refusals import refuse

_KNOWN: dict[Any, Any] = {
    operator.add: sycl.plus, np.add: sycl.plus, operator.mul: sycl.multiplies,
    np.multiply: sycl.multiplies, operator.and_: sycl.bit_and, np.bitwise_and: sycl.bit_and,
    operator.or_: sycl.bit_or, np.bitwise_or: sycl.bit_or, operator.xor: sycl.bit_xor,
    np.bitwise_xor: sycl.bit_xor}


def known(op: Any) -> Any:
    """Return SYCL's function object for an operator, or the operator itself."""
    try:
        return _KNOWN.get(op, op)
    except TypeError:
        return op


def identity_of(op: Any, dtype: np.dtype[Any]) -> Any:
    """Return the identity of an operator on a type; None if SYCL knows none."""
    if isinstance(op, type(sycl.plus)) and sycl.has_known_identity(op, dtype):
        return sycl.known_identity(op, dtype)
    return None


def check_associative(name: str, op: Any, dtype: Type, *, turned: bool = False) -> None:
    """Refuse a function that combines a few elements otherwise when they are grouped otherwise.

    Where ``turned`` is true, also when they change places. Known operators are not asked, nor are
    functions of records that only kernels can call.
    """
    tried = _tried(dtype)
    if isinstance(op, type(sycl.plus)) or not tried:
        return
    for a, b, c in itertools.permutations(tried, 3):
        with np.errstate(all="ignore"):
            try:
                left = _made(op(_made(op(a, b), dtype), c), dtype)
                ways = [("op(a, op(b, c))", _made(op(a, _made(op(b, c), dtype)), dtype))]
                if turned:
                    ways.append(("op(op(c, b), a)", _made(op(_made(op(c, b), dtype), a), dtype)))
            except (AttributeError, TypeError, LookupError):
                if isinstance(dtype, tuple) or dtype.names is None:
                    raise
                return
        for text, right in ways:
            if not _alike(left, right):
                refuse(name, "the operator must be associative" + (
                    ", and its order must not matter" if turned else "")
                    + f": of a = {a}, b = {b}, c = {c}, op(op(a, b), c) is {left}, and {text} is "
                    f"{right}")


def _tried(dtype: Type) -> list[Any]:
    """Return a few elements of a type; none of a type that they are not made of."""
    if isinstance(dtype, tuple):
        places = [_tried(t) for t in dtype]
        return [tuple(p[(k + j) % 4] for j, p in enumerate(places)) for k in range(4)] if all(
            places) else []
    if dtype.names is not None:
        if any(dtype[field].kind not in "iuf" for field in dtype.names):
            return []
        places = [_tried(dtype[field]) for field in dtype.names]
        rows = [tuple(p[(k + j) % 4] for j, p in enumerate(places)) for k in range(4)]
        return list(np.array(rows, dtype).view(np.recarray))
    return [dtype.type(v) for v in (2, 3, 5, 11)] if dtype.kind in "iuf" else []


def _made(x: Any, dtype: Type) -> Any:
    """Return what an operator gave as an element."""
    if isinstance(dtype, tuple):
        return tuple(_made(y, t) for y, t in zip(x, dtype, strict=True))
    return x.copy() if dtype.names is not None else dtype.type(x)


def _alike(a: Any, b: Any) -> bool:
    if isinstance(a, np.void):
        a, b = a.item(), b.item()
    if isinstance(a, tuple):
        return all(_alike(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b or np.isclose(a, b, rtol=1e-3) or a != a)


def is_default(comp: Any) -> bool:
    """Say whether an order is the default one, the numbers' own."""
    return comp is None or comp is operator.lt or comp is np.less


def is_descending(comp: Any) -> bool:
    """Say whether an order is the numbers' own, from the greatest down."""
    return comp is operator.gt or comp is np.greater


def spelt(comp: Any) -> Any:
    """Return the known order that a function of two spells, as ``lambda a, b: a > b``, or it."""
    if type(comp) is not FunctionType:
        return comp
    code = comp.__code__
    return _SPELT.get(code.co_code, comp) if code.co_argcount == 2 else comp


_SPELT: dict[bytes, Any] = {f.__code__.co_code: known for f, known in (
    (lambda a, b: a < b, operator.lt), (lambda a, b: b > a, operator.lt),
    (lambda a, b: a > b, operator.gt), (lambda a, b: b < a, operator.gt))}
"""The code of such functions, which reads nothing but their arguments."""


def order_of(comp: Any, *dtypes: Any) -> Any:
    """Return a function of two that kernels ask: does the first come before the second?

    If elements of any of the types may be NaN, the numbers' own order has a place for them.
    """
    numbers = [t for t in dtypes if not isinstance(t, tuple)]
    for dtype in numbers:
        if (is_default(comp) or is_descending(comp)) and (
                dtype.kind == "c" or dtype.names is not None):
            refuse("an order", f"elements of {dtype} have none of their own; give comp, a function "
                   "of two that says whether the first comes before the second")
    floats = any(t.kind == "f" for t in numbers)
    if is_default(comp):
        return orders.ascending if floats else operator.lt
    if is_descending(comp):
        return orders.descending if floats else operator.gt
    return comp
