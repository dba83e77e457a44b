"""Where a view of memory, or a slice of it, lies, and how its numbers are read.

Non-goals: what Python does with memory (``memory``). Invariant: nothing here evaluates syntax.
"""

from __future__ import annotations

import ast
from typing import Self

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import address_space
from unisycl.frontend import captures, coerce
from unisycl.frontend.values.kind import Form, Kind, Lowering, Met, ThingForm, Value
from unisycl.frontend.values.records import PlaceForm, Record, one_memory
from unisycl.frontend.values.rows import RowMemory
from unisycl.frontend.values.targets import Cell
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, Scalar, Struct, View


@dataclass(frozen=True, slots=True)
class MemoryPlace(RowMemory):
    """A view with its leading ``index`` already given (``a[i]`` of a two-dimensional ``a``).

    ``window``: the first element and the number of those of a slice of the next dimension.
    ``pointer``: it is a pointer, declared to point to this address space.
    ``per_item``: it is indexed by the h_item whose element it is (``private_memory``).
    ``reference``: without dimensions it stands for its element, as a device_global does.
    """

    base: n.Param | n.Array
    view: View
    index: tuple[n.Expr, ...] = ()
    name: str = ""
    window: tuple[n.Expr, n.Expr] | None = None
    pointer: address_space | None = None
    per_item: bool = False
    reference: bool = False

    @property
    def left(self) -> int:
        """How many dimensions are not indexed yet."""
        return self.view.ndim - len(self.index)

    def row_of_numbers(self) -> tuple[Scalar, int] | None:
        elem = self.view.elem
        return (elem, self.left) if isinstance(elem, Scalar) and self.left \
            and not self.per_item and self.pointer is None else None

    @property
    def whole(self) -> bool:
        """Whether it is the memory itself, no part of it and no pointer into it."""
        return self.window is None and self.pointer is None and (
            self.reference or not self.index)

    def size(self, ctx: Lowering) -> n.Expr:
        size: n.Expr = coerce.weak_scalar(1)
        for d in range(len(self.index), self.view.ndim):
            size = coerce.binary("mul", size, self.extent(d), WEAK_INT)
        return size

    def extent(self, d: int) -> n.Expr:
        """Return how many elements a view, or a slice of it, has in one dimension."""
        if self.window is not None and d == len(self.index):
            return self.window[1]
        return n.Extent(WEAK_INT, self.base, d)

    def load(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        """Read the element that a fully indexed view denotes."""
        if not self.view.mode.reads:
            raise ctx.refuse("K058", node, name=self.name)
        elem = self.view.elem
        assert isinstance(elem, Scalar)
        ctx.need(elem)
        return n.Load(elem, n.Place(self.base, self.index, elem, span=ctx.span(node)))

    def cell(self, ctx: Lowering, node: ast.AST) -> Cell:
        """Return the place of a number, its indices held."""
        kind = self.view.elem
        assert isinstance(kind, Scalar)
        ctx.need(kind)
        return Cell(n.Place(self.base, tuple(ctx.hold(x) for x in self.index), kind,
                            span=ctx.span(node)))

    def record(self) -> Record:
        """Return the record that a fully indexed view denotes."""
        assert isinstance(self.view.elem, Struct)
        mode = self.view.mode
        return Record(self.base, self.index, self.view.elem, writable=mode.writes,
                      readable=mode.reads, name=self.name)

    def stays(self, ctx: Lowering) -> bool:
        """Say whether addresses hold between kernels: of USM and device_globals."""
        owner = captures.fetch(self.base.path, ctx.function, ctx.arguments) \
            if isinstance(self.base, n.Param) else None
        return getattr(owner, "__kernel_address__", False)

    def decayed(self, ctx: Lowering) -> Self:
        """Return USM memory of one dimension as the pointer it is outside of kernels."""
        if self.pointer is not None or self.reference or self.index or self.window is not None \
                or self.view.ndim != 1 or self.view.space is not address_space.global_space \
                or not self.stays(ctx):
            return self
        return replace(self, window=(coerce.weak_scalar(0), self.size(ctx)),
                       pointer=address_space.global_space)

    def first(self) -> n.Expr:
        """Return the index of the first element in the last dimension."""
        return coerce.weak_scalar(0) if self.window is None else self.window[0]

    def address(self, ctx: Lowering, kind: Scalar, node: ast.AST) -> n.Expr:
        """Return the address of the first element."""
        index = tuple(ctx.hold(x) for x in (*self.index, self.first()))
        return n.Address(kind, n.Place(self.base, index, kind, span=ctx.span(node)))

    def steps(self) -> tuple[n.Expr, ...]:
        """Return all expressions that say where the place is: indices, and the window."""
        return self.index + (self.window or ())

    def moved(self, steps: tuple[n.Expr, ...]) -> Self:
        """Return a place in the same memory, elsewhere."""
        count = len(self.index)
        if self.window is None:
            return replace(self, index=steps)
        return replace(self, index=steps[:count], window=(steps[count], steps[count + 1]))

    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return PlaceForm(len(self.steps())) if self.steps() else ThingForm()

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        if not self.steps():
            return Kind.meet(self, values, unsure=unsure)
        return self.form() if all(one_memory(self, v.value) for v in values) else None

    def hold(self, ctx: Lowering) -> Value:
        steps = self.steps()
        return self.moved(tuple(ctx.hold(x) for x in steps)) if steps else self
