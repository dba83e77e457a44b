"""Numbers as values: attributes, methods, and one of several by an index.

To code a number is an expression of the IR; ``kind_of`` gives it the methods of a kind. Non-goals:
typing (``coerce``), pointers (``stored_pointers``). Invariant: each method is that of NumPy's
scalar, or of Python's number where the type is weak.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from unisycl.base.dataclass import replace
from unisycl.frontend import coerce
from unisycl.frontend.parameters import match
from unisycl.frontend.values import complexes, tables
from unisycl.frontend.values.bit_casts import recast
from unisycl.frontend.values.constants import as_element
from unisycl.frontend.values.joins import meet
from unisycl.frontend.values.kind import Kind, Lowering, Met, Target, Value
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.stored_pointers import StoredPointer
from unisycl.frontend.values.unsure import Unsure, plain
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_INT, PointerType, Scalar

_CHAIN = 8  # so many elements of a tuple are compared one by one


class Number(Kind):
    """A number or truth value of the IR."""

    __slots__ = ("x",)

    def __init__(self, x: n.Expr) -> None:
        self.x = x

    @property
    def value(self) -> Value:
        return self.x

    def describe(self) -> str:
        return str(self.x.type)

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        kind = self.x.type.dtype
        python = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[kind.kind]
        return issubclass(python if self.x.type.weak else kind.numpy.type, classes)

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        if isinstance(self.x.type, Unsure) and not unsure:
            raise ctx.unsettled(self.x.type, node)
        return self.x

    def known_truth(self) -> bool | None:
        return bool(self.x.value) if isinstance(self.x, n.Const) else None

    # ---- parts
    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        found = complexes.attribute(self.x, name)
        return Method(self.x, name) if found is None and has_method(self.x, name) else found

    def names(self) -> Iterable[str]:
        return complexes.ATTRIBUTES

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        """Call a method that NumPy's or Python's numbers have."""
        x = self.x
        if has_method(x, name) and not args and not keywords:
            return call_method(ctx, x, name)
        found = match(ctx, node, name, args, keywords, ("dtype",) if name in (
            "astype", "view") else ())
        if name == "view":
            return recast(ctx, found["dtype"], x, node)
        if name == "astype":
            kind = as_element(found["dtype"])
            if not isinstance(kind, Scalar):
                raise ctx.refuse("K046", node, what="the type of astype()",
                                 help="name one of NumPy's number types: np.float32, np.int32, ...")
            ctx.need(kind, node)
            return coerce.convert(coerce.truth(x) if kind == BOOL else x, kind)
        if name == "item":
            return coerce.convert(x, coerce.weakened(x.type))
        return complexes.conjugate(ctx, x)

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if self.x.type.dtype.kind == "c":
            raise ctx.refuse("K054", node, what="the parts of a complex number cannot be assigned",
                             help="make a new one: z = complex(x, z.imag)")
        return Kind.target(self, ctx, node, read=read)

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return [ctx.exactly(self.x, node)]

    def one_of(self, ctx: Lowering, table: tuple[Value, ...], kind: str, index: n.Expr,
               node: ast.AST) -> Value:
        if not all(isinstance(ctx.as_number(v, node), n.Expr) for v in table):
            return Kind.one_of(self, ctx, table, kind, index, node)
        return choose(ctx, table, kind, index, node)

    # ---- what keeps it
    def hold(self, ctx: Lowering) -> Value:
        return ctx.hold(self.x)

    def keep(self, ctx: Lowering, position: int) -> Value:
        return ctx.keep_number(self.x, position)


def kind_of(value: Value) -> Kind:
    """Return a value as an object of its kind."""
    if isinstance(value, Kind):
        return value
    return StoredPointer(value) if isinstance(value.type, PointerType) else Number(value)


# ---- one of several
def choose(ctx: Lowering, table: Sequence[Value], kind: str, index: n.Expr,
           node: ast.AST) -> n.Expr:
    """Return ``table[index]`` for an index known at run time only, of many by halves."""
    values = [ctx.to_scalar(v, node, unsure=True) for v in table]
    form = meet([Met(v, ctx.known) for v in values])
    if isinstance(form, Unsure):
        unsure = replace(form, name="the element", places=tuple(
            {v.type: ctx.span(node) for v in values}.items()))
        chosen = choose(ctx, [coerce.cast(plain(v), form.plain) for v in values], kind, index, node)
        return n.Read(unsure, ctx.named(chosen))
    type = form if isinstance(form, Scalar) else None
    if type is None:
        raise ctx.refuse("K035", node, name="the element", first=values[0].type,
                         second=values[-1].type)
    count = len(values)
    from_end = index.type.dtype.kind == "i" and kind == "tuple"  # as Python counts
    read = tables.element(values, type, index, ctx.span(node), from_end=from_end)
    if read is not None:
        return read
    if count > _CHAIN and from_end:
        index = coerce.cast(index, coerce.weak_scalar(count).type)
        below = coerce.truth(_compare("lt", index, 0))
        moved = coerce.binary("add", index, coerce.weak_scalar(count), index.type)
        index, from_end = ctx.hold(coerce.select(below, moved, index, index.type)), False

    def chain(low: int, high: int) -> n.Expr:
        result = coerce.cast(values[high - 1], type)
        for k in range(high - 2, low - 1, -1):
            test = _compare("eq", index, k)
            if from_end:
                other = coerce.cast(_compare("eq", index, k - count), BOOL)
                test = coerce.binary("or", coerce.cast(test, BOOL), other, BOOL)
            result = coerce.select(coerce.truth(test), values[k], result, type)
        return result

    def tree(low: int, high: int) -> n.Expr:
        if high - low <= _CHAIN:
            return chain(low, high)
        middle = (low + high) // 2
        left = coerce.truth(_compare("lt", index, middle))
        return coerce.select(left, tree(low, middle), tree(middle, high), type)
    return tree(0, count)


def _compare(op: str, index: n.Expr, k: int) -> n.Expr:
    test = coerce.compare(op, index, coerce.weak_scalar(k))
    assert test is not None
    return test


# ---- methods of numbers
def has_method(x: n.Expr, name: str) -> bool:
    """Say whether a number has a method of this module."""
    kind = x.type.dtype.kind
    if name == "bit_length":
        return x.type.weak and kind in "ib"
    return (name == "bit_count" and (kind in "iu" or (x.type.weak and kind == "b"))) or (
        name == "is_integer" and kind in "iuf")


def call_method(ctx: Lowering, x: n.Expr, name: str) -> n.Expr:
    """Call a method that takes nothing."""
    if name == "is_integer":
        if x.type.dtype.is_integer:
            return coerce.weak_scalar(True)
        x = ctx.once(x)
        whole = n.Compare(BOOL, "eq", n.Call(x.type, BUILTINS["floor"], (x,)), x)
        finite = n.Compare(BOOL, "eq", n.Binary(x.type, "sub", x, x), n.Const(x.type, 0.0))
        return coerce.convert(n.Binary(BOOL, "and", whole, finite), Scalar(BOOL.dtype, weak=True))
    if isinstance(x, n.Const):
        return coerce.weak_scalar(getattr(int(x.value), name)())
    x = coerce.convert(x, WEAK_INT) if x.type.weak else x
    if name == "bit_count":
        return coerce.convert(ones(x), WEAK_INT)
    zeros = n.Call(x.type, BUILTINS["clz"], (n.Call(x.type, BUILTINS["abs"], (x,)),))
    return n.Binary(WEAK_INT, "sub", n.Const(WEAK_INT, 64), zeros)


def ones(x: n.Expr) -> n.Expr:
    """Return how many bits of an integer's magnitude are set."""
    size = n.Call(x.type, BUILTINS["abs"], (x,)) if x.type.dtype.kind == "i" else x
    return n.Call(x.type, BUILTINS["popcount"], (size,))
