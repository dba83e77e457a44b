"""What NumPy computes of a whole row: ``a[i].sum()``, ``np.argmax(a[i])``.

Non-goals: several dimensions, complex numbers, other types of sums (``dtype=``). Invariant: the
type is NumPy's, and so are all bits, whatever the row's length.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass
from unisycl.frontend import coerce
from unisycl.frontend.parameters import match
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Value, describe
from unisycl.frontend.values.rows import RowMemory
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, Scalar
from unisycl.lang.library import row_functions

_FLOAT64, _INT64, _UINT64 = (
    Scalar(dtypes.DTYPES[x]) for x in ("float64", "int64", "uint64"))
_SUMMED = 32  # bits of floats that are added up in their own type
_EXACT = 32  # bits of integers whose means float64 adds up exactly


@dataclass(frozen=True, slots=True)
class Row:
    """A row of memory and what its elements are; ``sums``: the type that they are added up in."""

    memory: Kind
    elem: Scalar
    sums: Scalar

    @property
    def count(self) -> n.Expr:
        """How many elements it has."""
        found = self.memory.length()
        assert found is not None
        return found


def _sum(ctx: Lowering, row: Row, node: ast.AST) -> n.Expr:
    if row.elem.dtype.is_float:
        found = _called(ctx, "pairwise_sum", node, row.memory, n.Const(row.sums, 0.0),
                        Constant(row.sums.dtype.numpy))
        return coerce.convert(found, row.elem)
    return _called(ctx, "total", node, row.memory, n.Const(row.sums, 0))


def _mean(ctx: Lowering, row: Row, node: ast.AST) -> n.Expr:
    dtype = row.elem.dtype
    if dtype.bits < _SUMMED if dtype.is_float else dtype.bits > _EXACT:
        raise ctx.refuse("K054", node, what=f"NumPy's mean of {row.elem} depends on how it cuts "
                         "rows into pieces", help="write sum(a) / len(a)")
    kind = row.elem if dtype.is_float else _FLOAT64
    count = coerce.convert(row.count, kind)
    return n.Binary(kind, "div", coerce.convert(_sum(ctx, row, node), kind), count)


def _product(ctx: Lowering, row: Row, node: ast.AST) -> n.Expr:
    one = n.Const(row.sums, 1.0 if row.elem.dtype.is_float else 1)
    found = _called(ctx, "product", node, row.memory, one)
    return coerce.convert(found, row.elem) if row.elem.dtype.is_float else found


def _extreme(function: str, name: str) -> Callable[[Lowering, Row, ast.AST], n.Expr]:
    def lower(ctx: Lowering, row: Row, node: ast.AST) -> n.Expr:
        _not_empty(ctx, row, "zero-size array to reduction operation "
                   f"{name} which has no identity", node)
        if row.elem == BOOL:
            return _called(ctx, "some" if name == "maximum" else "every", node, row.memory)
        zero = n.Const(row.elem, 0.0 if row.elem.dtype.is_float else 0)
        return _called(ctx, function, node, row.memory, zero)
    return lower


def _place(function: str, name: str) -> Callable[[Lowering, Row, ast.AST], n.Expr]:
    def lower(ctx: Lowering, row: Row, node: ast.AST) -> n.Expr:
        _not_empty(ctx, row, f"attempt to get {name} of an empty sequence", node)
        return _called(ctx, function, node, row.memory)
    return lower


def _truth(function: str) -> Callable[[Lowering, Row, ast.AST], n.Expr]:
    return lambda ctx, row, node: _called(ctx, function, node, row.memory)


METHODS: dict[str, Callable[[Lowering, Row, ast.AST], n.Expr]] = {
    "sum": _sum, "mean": _mean, "prod": _product,
    "max": _extreme("largest", "maximum"), "min": _extreme("smallest", "minimum"),
    "argmax": _place("place_of_largest", "argmax"),
    "argmin": _place("place_of_smallest", "argmin"),
    "any": _truth("some"), "all": _truth("every"),
}
"""By the names that NumPy's arrays and its module have for them."""


def call(ctx: Lowering, name: str, value: Value, args: list[Value], named: dict[str, Value],
         node: ast.AST) -> n.Expr:
    """Return what NumPy's function of a name makes of a row."""
    found = match(ctx, node, name, args, named, (), ("axis", "dtype", "out"))
    for key, given in found.items():
        if not (isinstance(given, Constant) and given.object is None):
            raise ctx.refuse("K054", node, what=f"'{name}' has no '{key}' in a kernel",
                             help="a row has one axis: leave it out" if getattr(
                                 value, "left", 1) < 2 else f"take it row by row: a[i].{name}()")
    return METHODS[name](ctx, _row(ctx, name, value, node), node)


def _row(ctx: Lowering, name: str, value: Value, node: ast.AST) -> Row:
    memory = ctx.of(value)
    found = memory.row_of_numbers() if isinstance(memory, RowMemory) else None
    if found is None:
        raise ctx.refuse("K049", node, found=describe(value), expected="a row of memory",
                         help=f"of numbers one by one: write sum(a), max(a, b) for '{name}'")
    elem, left = found
    if left > 1:
        raise ctx.refuse("K054", node, what=f"'{name}' of {left} dimensions",
                         help=f"take it row by row: a[i].{name}()")
    dtype = elem.dtype
    if dtype.kind == "c" or dtype.is_short:
        raise ctx.refuse("K054", node, what=f"'{name}' of {elem}",
                         help="write a loop over the row, or sum(a)")
    sums = elem
    if dtype.is_float:
        sums = Scalar(dtype.part) if dtype.bits < _SUMMED else elem
    elif elem != _UINT64:
        sums = _UINT64 if dtype.kind == "u" else _INT64
    return Row(memory, elem, sums)


def _not_empty(ctx: Lowering, row: Row, said: str, node: ast.AST) -> None:
    if "assert" in ctx.shape.checks:
        ctx.emit(n.Check(n.Compare(BOOL, "gt", row.count, n.Const(WEAK_INT, 0)),
                         (f"ValueError: {said}",), span=ctx.span(node)))


def _called(ctx: Lowering, name: str, node: ast.AST, *args: Any) -> n.Expr:
    callee = Constant(getattr(row_functions, name), (("library", name),))
    return ctx.to_scalar(ctx.call(ctx, callee, list(args), node), node)
