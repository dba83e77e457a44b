"""Tuples of many constants that are indexed at run time: tables in constant memory.

A choice among a few numbers is made by comparisons; among many, these take longer than a load does
and thousands of them take minutes to compile. Non-goals: typing. Invariant: an index beyond the
table reads one of its ends, never other memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.base.enums import access_mode, address_space
from unisycl.base.spans import Span
from unisycl.frontend import coerce
from unisycl.ir import nodes as n
from unisycl.ir.constant_tables import Table, holding
from unisycl.ir.types import INT64, Scalar, View

_FEW = 32


def element(values: Sequence[n.Expr], type: Scalar, index: n.Expr, span: Span,
            *, from_end: bool) -> n.Expr | None:
    """Return the number at an index that is held; None for what is chosen by comparisons.

    ``from_end``: negative indices count from the end.
    """
    dtype = type.dtype
    if len(values) <= _FEW or dtype.made or dtype.kind not in "iuf" or (
            dtype.is_float and dtype.bits < 32):
        return None
    numbers = [x.value for v in values if isinstance(x := coerce.cast(v, type), n.Const)]
    if len(numbers) < len(values):
        return None
    stored = holding(type, numbers)
    last = coerce.weak_scalar(len(values) - 1)
    if from_end:
        index = coerce.cast(index, last.type)
        behind = coerce.binary("add", index, coerce.weak_scalar(len(values)), last.type)
        index = coerce.select(_less(index, coerce.weak_scalar(0)), behind, index, last.type)
    index = coerce.select(_less(last, index), last, index, index.type)
    index = coerce.cast(index, INT64)
    if from_end:
        index = coerce.select(_less(index, n.Const(INT64, 0)), n.Const(INT64, 0), index, INT64)
    view = View(stored, 1, address_space.constant_space, access_mode.read)
    table = Table("table", view, (len(numbers),), values=tuple(numbers))
    return coerce.cast(n.Load(stored, n.Place(table, (index,), stored, span=span)), type)


def _less(a: n.Expr, b: n.Expr) -> n.Expr:
    test = coerce.compare("lt", a, b)
    assert test is not None
    return coerce.truth(test)
