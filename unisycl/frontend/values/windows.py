"""Parts of memory that are no window of its last dimension: ``a[:, j]``, ``a[::2]``, tiles.

Nothing is copied: an index of such a part becomes indices of the memory. Non-goals: windows of the
last dimension whose elements follow one another (``slices``), pointers into parts. Invariants:
what says where a part begins and ends was evaluated where the slices stand; a step is known while
compiling; ``fixed`` dimensions of the memory have an index already, the others a cut.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import access_mode
from unisycl.frontend import coerce
from unisycl.frontend.values import row_functions
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.indexing import indices_of
from unisycl.frontend.values.kind import Form, Kind, Lowering, Met, Target, Value
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.records import PlaceForm, one_memory, staying
from unisycl.frontend.values.rows import RowMemory
from unisycl.frontend.values.slices import slice_bound
from unisycl.frontend.values.targets import one_index_each
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, Scalar, Struct


@dataclass(frozen=True, slots=True)
class Cut:
    """Elements of one dimension: the first, how many, and how far apart."""

    first: n.Expr
    count: n.Expr
    step: int = 1


Part: TypeAlias = n.Expr | Cut


@dataclass(frozen=True, slots=True)
class Window(RowMemory):
    """A part of memory, by what each dimension has that has no index yet in ``of``.

    ``of`` has no window of its own.
    """

    of: Any
    parts: tuple[Part, ...]
    name: str = ""

    def describe(self) -> str:
        steps = [str(cut.step) for cut in self.cuts]
        far = f" in steps of {', '.join(steps)}" if set(steps) != {"1"} else ""
        return f"a {self.left}-dimensional part of '{self.name}'{far}"

    def number_help(self) -> str:
        return ("index it with one integer for each dimension; a kernel computes with single "
                "elements: loop over the others, or give whole arrays to NumPy")

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """What the dimensions have that are left."""
        return tuple(p for p in self.parts if isinstance(p, Cut))

    @property
    def left(self) -> int:
        """How many dimensions are not indexed yet."""
        return len(self.cuts)

    def row_of_numbers(self) -> tuple[Scalar, int] | None:
        elem = self.of.view.elem
        return (elem, self.left) if isinstance(elem, Scalar) else None

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        found = self.at(ctx, node)
        return found if isinstance(found, Window) else found.read(ctx, node)

    def at(self, ctx: Lowering, node: ast.Subscript) -> Any:
        """Return a part of this one, or the memory where its elements are."""
        cuts = self.cuts
        spots = _spots(node.slice, len(cuts))
        new: list[Part] = []
        for spot in spots:
            if isinstance(spot, ast.Slice) and len(new) < len(cuts):
                new.append(_cut(ctx, spot, cuts[len(new)]))
                continue
            first = len(new)
            for x in indices_of(ctx, spot, lambda k, first=first: cuts[  # type: ignore[misc]
                    min(first + k, len(cuts) - 1)].count):
                new.append(_inside(ctx, cuts[len(new)], x, self.name, node)
                           if len(new) < len(cuts) else x)
        if len(new) > len(cuts):
            raise ctx.refuse("K037", node, what=f"'{self.name}'", expected=len(cuts),
                             found=len(new), help="give one index for each dimension")
        return self._with([*new, *cuts[len(new):]]).settled(ctx)

    def _with(self, new: Sequence[Part]) -> Window:
        """Return this with other parts in place of the cuts."""
        left = iter(new)
        return replace(self, parts=tuple(next(left) if isinstance(p, Cut) else p
                                         for p in self.parts))

    def settled(self, ctx: Lowering) -> Any:
        """Return the memory, if the part is an element, a row or a window of its last dimension."""
        *before, last = self.parts
        if any(isinstance(p, Cut) for p in before):
            return self
        if isinstance(last, Cut) and last.step != 1:
            return self
        index = (*self.of.index, *(p for p in before if not isinstance(p, Cut)))
        if isinstance(last, Cut):
            return replace(self.of, index=index, window=(last.first, last.count))
        return replace(self.of, index=(*index, last))

    def step(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value | None:
        if not isinstance(node, ast.Subscript):
            return None
        place = self.at(ctx, node)
        if place.left:
            found: Value = place
            return found
        return staying(ctx, place.record(), node) \
            if isinstance(place.view.elem, Struct) else None

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if not isinstance(node, ast.Subscript):
            return Kind.target(self, ctx, node, read=read)
        return written(ctx, self.at(ctx, node), node, read=read)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if name == "shape":
            return Several(tuple(cut.count for cut in self.cuts))
        if name == "ndim":
            return coerce.weak_scalar(self.left)
        if name == "dtype" and isinstance(self.of.view.elem, Scalar):
            return Constant(self.of.view.elem.dtype.numpy)
        return Method(self, name) if name in row_functions.METHODS else None

    def names(self) -> Iterable[str]:
        return {"shape", "ndim", "dtype"} | row_functions.METHODS.keys()

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        return row_functions.call(ctx, name, self, args, keywords, node)

    def length(self) -> n.Expr | None:
        return self.cuts[0].count

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        raise ctx.refuse("K049", node, found=self.describe(), expected="a tuple, id or range",
                         help="how long memory is, is not known while compiling: unpack it into "
                         "names, x, y, z = row, or loop over it")

    # ---- names and paths
    def steps(self) -> tuple[n.Expr, ...]:
        """Return all expressions that say where the part is."""
        found = list(self.of.index)
        for p in self.parts:
            found += (p.first, p.count) if isinstance(p, Cut) else (p,)
        return tuple(found)

    def moved(self, steps: tuple[n.Expr, ...]) -> Window:
        """Return a part of the same memory, elsewhere."""
        given = iter(steps)
        index = tuple(next(given) for _ in self.of.index)
        parts = tuple(Cut(next(given), next(given), p.step) if isinstance(p, Cut) else next(given)
                      for p in self.parts)
        return replace(self, of=replace(self.of, index=index), parts=parts)

    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return PlaceForm(len(self.steps()))

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        return self.form() if all(one_memory(self, v.value) for v in values) else None

    def hold(self, ctx: Lowering) -> Value:
        return self.moved(tuple(ctx.hold(x) for x in self.steps()))


@dataclass(frozen=True, slots=True)
class WindowRow(Target):
    """A part of memory with numbers, which are all written."""

    of: Any

    def store(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        ctx.syntax.fill_row(ctx, self.of, value, node, origin)


def is_cut(node: ast.expr) -> bool:
    """Say whether brackets hold a slice, or ``...`` in place of some."""
    return any(isinstance(x, ast.Slice) or _is_dots(x) for x in _listed(node))


def _listed(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _is_dots(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _spots(node: ast.expr, count: int) -> list[ast.expr]:
    """Return what stands in brackets for each dimension, with slices in place of ``...``."""
    spots = _listed(node)
    dots = [k for k, x in enumerate(spots) if _is_dots(x)]
    if len(dots) == 1:
        (k,) = dots
        whole: list[ast.expr] = [ast.copy_location(ast.Slice(), spots[k])] * max(
            count - len(spots) + 1, 0)
        spots = [*spots[:k], *whole, *spots[k + 1:]]
    return spots


def cut_of(ctx: Lowering, memory: Any, node: ast.Subscript) -> Kind:
    """Return the part of memory that slices, and indices among them, denote."""
    if not memory.left:
        raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim,
                         found=memory.view.ndim + 1, help="this is one element of it")
    count = len(memory.index)
    whole = [Cut(coerce.weak_scalar(0), memory.extent(d)) for d in range(count, memory.view.ndim)]
    if memory.window is not None:
        whole[0] = Cut(*memory.window)
    part = Window(replace(memory, window=None), tuple(whole), memory.name)
    found: Kind = part.at(ctx, node)
    return found


def written(ctx: Lowering, place: Any, node: ast.Subscript, *, read: bool) -> Target:
    """Return a part of memory, or an element, as what is written."""
    memory = place.of if isinstance(place, Window) else place
    if place.left and (read or not isinstance(memory.view.elem, Scalar)):
        raise one_index_each(ctx, memory.name, memory.view.ndim,
                             memory.view.ndim - place.left, node)
    if not memory.view.mode.writes:
        raise ctx.refuse("K039", node, name=memory.name)
    if memory.view.mode is access_mode.atomic:
        raise ctx.refuse("K072", node, name=memory.name)
    found: Target = WindowRow(place) if place.left else place.as_target(ctx, node)
    return found


def _cut(ctx: Lowering, cut: ast.Slice, of: Cut) -> Cut:
    """Return what a slice denotes of what a dimension has."""
    step = 1 if cut.step is None else _step(ctx, cut.step)
    zero, one = coerce.weak_scalar(0), coerce.weak_scalar(1)
    begin, end = (zero, of.count) if step > 0 else (
        coerce.binary("sub", of.count, one, WEAK_INT), coerce.weak_scalar(-1))
    low = begin if cut.lower is None else slice_bound(ctx, cut.lower, of.count)
    high = end if cut.upper is None else slice_bound(ctx, cut.upper, of.count)
    span = coerce.binary("sub", high, low, WEAK_INT) if step > 0 else \
        coerce.binary("sub", low, high, WEAK_INT)
    if abs(step) > 1:
        span = coerce.binary("add", span, coerce.weak_scalar(abs(step) - 1), WEAK_INT)
        span = coerce.binary("floordiv", span, coerce.weak_scalar(abs(step)), WEAK_INT)
    count = ctx.hold(span, "size")
    return Cut(ctx.hold(_place(of, low), "first"), count, of.step * step)


def _step(ctx: Lowering, node: ast.expr) -> int:
    known = ctx.constant(ctx.value(node))
    if known is None or known.type.dtype.kind not in "iu":
        raise ctx.refuse("K046", node, what="the step of a slice", help="write a literal, or "
                         "capture a Python integer; or take all elements, and step where you "
                         "index them: a[k * step]")
    if known.value == 0:
        raise ctx.refuse("K054", node, what="the step of a slice is 0, which Python refuses",
                         help="give it a step above or below 0")
    return int(known.value)


def _place(cut: Cut, x: n.Expr) -> n.Expr:
    """Return where the element of a cut is that has this number."""
    x = coerce.convert(x, WEAK_INT)
    if cut.step != 1:
        x = coerce.binary("mul", x, coerce.weak_scalar(cut.step), WEAK_INT)
    return coerce.binary("add", cut.first, x, WEAK_INT)


def _inside(ctx: Lowering, cut: Cut, x: n.Expr, name: str, node: ast.AST) -> n.Expr:
    """Return where an element of a cut is; debugged kernels check that it is one of it."""
    if "bounds" in ctx.shape.checks:
        x = ctx.hold(coerce.convert(x, WEAK_INT))
        last = coerce.binary("sub", cut.count, coerce.weak_scalar(1), WEAK_INT)
        good = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", x, n.Const(WEAK_INT, 0)),
                        n.Compare(BOOL, "lt", x, cut.count))
        ctx.emit(n.Check(good, ("index ", x, f" is outside a part of '{name}' (range ", cut.count,
                                "): valid is 0 to ", last), span=ctx.span(node)))
    return _place(cut, x)


__all__ = ["Cut", "Window", "cut_of", "is_cut", "written"]
