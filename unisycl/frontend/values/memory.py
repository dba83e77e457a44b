"""Views of memory: accessors, USM, arrays, slices of them, and pointers into them.

A pointer is a span of memory whose beginning may move: which memory it points into is always known
while compiling, so its address space is, too (SYCL 2020 §5.9). Non-goals: pointers read from memory
(``stored_pointers``), one of several memories (``choices``). Invariants: an index is evaluated
where the subscript stands; a pointer equals ``lang.memory.pointer``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import access_mode, address_space
from unisycl.frontend import captures, coerce
from unisycl.frontend.parameters import match
from unisycl.frontend.values import row_functions
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.addresses import METHODS as POINTER_METHODS
from unisycl.frontend.values.addresses import NAMES as POINTER_NAMES
from unisycl.frontend.values.addresses import is_older_get, know
from unisycl.frontend.values.atomics import atomic_element
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.indexing import indices_of
from unisycl.frontend.values.kind import Kind, Lowering, Target, Value, describe
from unisycl.frontend.values.memory_places import MemoryPlace
from unisycl.frontend.values.methods import Method, constant_dimension
from unisycl.frontend.values.records import Record, staying
from unisycl.frontend.values.slices import inside, is_span, row_and_slice, shifted, sliced
from unisycl.frontend.values.targets import one_index_each
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.windows import Window, cut_of, is_cut, written
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, PointerType, Scalar, Struct
from unisycl.lang.memory.pointer import multi_ptr, named_space
from unisycl.lang.memory.views import HostView

METHODS = frozenset(("size", "get_range", "byte_size", "empty", "get_size", "get_count",
                     "get_pointer", "get_multi_ptr"))
_REFERENCE = frozenset(("get", "shape", "ndim", "dtype"))
_GENERIC = address_space.generic_space


@dataclass(frozen=True, slots=True)
class Memory(MemoryPlace):
    """A view of memory, or a pointer into one."""

    def describe(self) -> str:
        if self.pointer is not None:
            return f"a pointer to {self.view.space.value} {self.view.elem}"
        return f"{self.left}-dimensional {self.view.space.value} memory of {self.view.elem}"

    def number_help(self) -> str:
        if self.reference and not self.left:
            return f"write {self.name}.get() for the value that it has"
        if self.left == self.view.ndim:
            return "index it with one integer for each dimension"
        return ("index it with one integer for each dimension; a kernel computes with single "
                "elements: loop over the others, or give whole arrays to NumPy")

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        return issubclass(HostView if self.pointer is None else multi_ptr, classes)

    @property
    def leads(self) -> bool:
        return self.pointer is not None

    # ---- numbers and truth
    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        if not self.left and isinstance(self.view.elem, Scalar):
            return self.load(ctx, node)
        return Kind.number(self, ctx, node, unsure=unsure)

    def truth(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        if self.decayed(ctx).pointer:
            return n.true()  # it points to memory that is there
        return Kind.truth(self, ctx, node)

    def known_truth(self) -> bool | None:
        return True if self.pointer is not None else None

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        """Leave a subscript as a place unless it is a scalar that can be read now."""
        if self.left:
            return self
        if isinstance(self.view.elem, Struct):
            return self.record().read(ctx, node)
        if self.view.mode is access_mode.atomic:
            return atomic_element(ctx, self, node)
        return self.load(ctx, node)

    # ---- parts
    def referent(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value:
        pointee = self._pointee(node)
        if pointee is not None:
            return pointee.read(ctx, node)
        if not self.reference or self.left > 0 or not isinstance(self.view.elem, Struct):
            return self
        whole = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) \
            and not node.slice.elts
        if whole or (isinstance(node, ast.Attribute) and node.attr in METHODS | _REFERENCE):
            return self
        return self.record().read(ctx, node)

    def _pointee(self, node: ast.Subscript | ast.Attribute) -> Record | None:
        """Return what ``p`` of ``p.name`` points to; None if it is no pointer, or has that."""
        if not isinstance(node, ast.Attribute) or node.attr in POINTER_NAMES \
                or self.pointer is None or isinstance(self.view.elem, Scalar):
            return None
        mode = self.view.mode
        return Record(self.base, (*self.index, self.first()), self.view.elem, writable=mode.writes,
                      readable=mode.reads, name=self.name)

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        if self.left == 1 and is_span(node.slice):
            return replace(self, window=sliced(ctx, self, node))
        row = row_and_slice(node)
        if row is not None and not self.per_item:
            return self.at(ctx, row[0]).subscript(ctx, row[1])
        if is_cut(node.slice) and self.pointer is None and not self.per_item:
            return cut_of(ctx, self, node)
        return self.at(ctx, node).read(ctx, node)

    def at(self, ctx: Lowering, node: ast.Subscript) -> Memory:
        """Add the subscript's indices."""
        if self.per_item:
            return self._of_item(ctx, ctx.value(node.slice), node.slice)
        new = indices_of(ctx, node.slice, lambda k: self.extent(min(
            len(self.index) + k, self.view.ndim - 1)), negative=self.pointer is not None)
        if not self.left and (self.reference or not self.index) and new == [coerce.weak_scalar(0)]:
            new = []
        if len(new) > self.left:
            raise ctx.refuse("K037", node, what=f"'{self.name}'", expected=self.view.ndim,
                             found=len(self.index) + len(new),
                             help="give one index for each dimension")
        if new and self.window is not None:
            new[0] = inside(ctx, self, new[0], node)
        return Memory(self.base, self.view, self.index + tuple(new), self.name)

    def _of_item(self, ctx: Lowering, item: Value, node: ast.AST) -> Memory:
        """Return the element of a private_memory that belongs to an h_item."""
        return Memory(self.base, self.view, ctx.of(item).private_index(ctx, node), self.name)

    def step(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value | None:
        if not isinstance(node, ast.Subscript):
            return None
        if is_cut(node.slice) and self.pointer is None:
            return self.subscript(ctx, node)
        place = self.at(ctx, node)
        if place.left:
            return place
        return staying(ctx, place.record(), node) if isinstance(place.view.elem, Struct) else None

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if not isinstance(node, ast.Subscript):
            return Kind.target(self, ctx, node, read=read)
        row = row_and_slice(node)
        if row is not None and not self.per_item:
            return self.at(ctx, row[0]).target(ctx, row[1], read=read)
        if is_cut(node.slice) and self.pointer is None and not self.per_item and (
                read or self.left > 1 or not is_span(node.slice)):
            return written(ctx, cut_of(ctx, self, node), node, read=read)
        rows = not read and self.pointer is None and isinstance(self.view.elem, Scalar)
        memory = replace(self, window=sliced(ctx, self, node)) \
            if rows and isinstance(node.slice, ast.Slice) else self.at(ctx, node)
        if memory.left and not rows:
            raise one_index_each(ctx, memory.name, memory.view.ndim, len(memory.index), node)
        if not memory.view.mode.writes:
            raise ctx.refuse("K039", node, name=memory.name)
        if memory.view.mode is access_mode.atomic:
            raise ctx.refuse("K072", node, name=memory.name)
        return Row(memory) if memory.left else memory.as_target(ctx, node)

    def as_target(self, ctx: Lowering, node: ast.AST) -> Target:
        """Return the element as a place to be written."""
        return self.record().as_target(ctx, node) if isinstance(self.view.elem, Struct) \
            else ViewPlace(self)

    def as_record(self) -> Value:
        return self.record() if isinstance(self.view.elem, Struct) and not self.left else self

    def length(self) -> n.Expr | None:
        return self.extent(len(self.index)) if self.left else None

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        raise ctx.refuse("K049", node, found=self.describe(), expected="a tuple, id or range",
                         help="how long memory is, is not known while compiling: unpack it into "
                         "names, x, y, z = row, or loop over it")

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return [ctx.exactly(self, node)]

    def attribute(self, ctx: Lowering, node: ast.Attribute) -> Value:
        if isinstance(self.view.elem, Struct) and self.named(ctx, node.attr, node) is None:
            first = self.decayed(ctx).referent(ctx, node)  # of USM memory its first element
            return Kind.attribute(first, ctx, node) if isinstance(first, Memory) else \
                ctx.of(first).attribute(ctx, node)
        return Kind.attribute(self, ctx, node)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if name == "shape":
            return Several(tuple(self.extent(d) for d in range(len(self.index), self.view.ndim)))
        if name == "ndim":
            return coerce.weak_scalar(self.left)
        if name == "dtype" and isinstance(self.view.elem, Scalar):
            return Constant(self.view.elem.dtype.numpy)
        if self.reference and name == "get":
            return Method(self, name)
        if self.pointer and name == "address_space":
            return Constant(self.pointer)
        if self.pointer and is_older_get(name, self.view.elem):
            return Method(self, "get")
        if name in row_functions.METHODS and not self.pointer and self.left:
            return Method(self, name)
        return Method(self, name) if name in (
            POINTER_METHODS if self.pointer else METHODS) else None

    def names(self) -> Iterable[str]:
        return POINTER_METHODS if self.pointer else (
            METHODS | {"shape", "ndim", "dtype"} | row_functions.METHODS.keys())

    # ---- calls
    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        if self.per_item and len(args) == 1 and not keywords:
            return self._of_item(ctx, args[0], node).read(ctx, node)
        return Kind.call(self, ctx, args, keywords, node)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        if name in ("get_pointer", "get_multi_ptr"):
            whole = replace(self, index=()) if self.reference else self
            return whole.point(ctx, None, node)
        if name == "get" and self.reference:
            return replace(self, reference=False).read(ctx, node)
        if name in row_functions.METHODS:
            return row_functions.call(ctx, name, self, args, keywords, node)
        if name in POINTER_METHODS:
            return self._call_pointer(ctx, name, args, node)
        if name == "get_range":
            extents = tuple(self.extent(d) for d in range(len(self.index), self.view.ndim))
            if args:
                return extents[constant_dimension(ctx, args, len(extents), node,
                                                  f"'{self.name}'")]
            return Several(extents, "range")
        size = self.size(ctx)
        if name == "byte_size":
            elem = self.view.elem
            width = getattr(elem, "size", 0) or elem.dtype.size  # type: ignore[union-attr]
            return coerce.binary("mul", size, coerce.weak_scalar(width), WEAK_INT)
        if name == "empty":
            found = coerce.compare("eq", size, coerce.weak_scalar(0))
            assert found is not None
            return found
        return size

    def _call_pointer(self, ctx: Lowering, name: str, args: list[Value], node: ast.AST) -> Value:
        """Return a call of a method of a pointer."""
        if name != "prefetch":
            match(ctx, node, name, args, {}, ())
            return self
        match(ctx, node, name, args, {}, ("count",))
        if self.view.space is not address_space.global_space:
            raise ctx.refuse("K085", node, what="'prefetch' is for global memory, not "
                             f"{self.view.space.value} memory", help="leave it out")
        return Nothing()

    # ---- pointers
    def point(self, ctx: Lowering, space: address_space | None, node: ast.AST) -> Memory:
        """Return a pointer to the first element, or to what this pointer points to."""
        if self.per_item or not self.left:
            raise no_pointer(ctx, self, node)
        if self.view.layout:
            raise ctx.refuse(
                "K085", node, what=f"a pointer goes from element to element, and those of "
                f"'{self.name}' do not follow one another", help="index it, slice it, or pass "
                "np.ascontiguousarray(...) of it")
        value = self._from_start(ctx, node)
        real = value.view.space
        wanted = space or value.pointer or real
        if wanted is not _GENERIC and named_space(wanted) is not real:
            raise ctx.refuse("K085", node, what=f"this is {real.value} memory, not {wanted.value}",
                             help="use the pointer type of its space, or a generic one")
        zeros = (coerce.weak_scalar(0),) * (value.left - 1)
        window = value.window or (coerce.weak_scalar(0), value.size(ctx))
        if value.view.ndim > 1:
            ctx.storage.pointed[value.base] = None
        return replace(value, index=value.index + zeros, window=window, pointer=wanted)

    def _from_start(self, ctx: Lowering, node: ast.AST) -> Memory:
        """Return what pointers point into: of a ranged accessor the whole buffer (§4.7.6.9.1)."""
        path = self.base.path if isinstance(self.base, n.Param) else ()
        if not path or self.index or self.window or self.pointer:
            return self
        owner = captures.fetch(path, ctx.function, ctx.arguments)
        ranged = getattr(owner, "is_ranged", None)
        if not isinstance(ranged, bool):
            return self
        ctx.guard((*path, ("attr", "is_ranged")), ranged, frozen=True)
        if not ranged:
            return self
        whole = ctx.capture((*path, ("attr", "whole")), owner.whole, self.name, node)
        assert isinstance(whole, Memory)
        return whole

    def as_pointer(self, ctx: Lowering, kind: PointerType, node: ast.AST) -> n.Expr:
        if self.left != 1 or self.view.elem != kind.elem:
            return Kind.as_pointer(self, ctx, kind, node)
        if not self.stays(ctx):
            space = self.view.space
            what = f"{space.value} memory" if space is not address_space.global_space \
                else "the memory of an accessor or array"
            raise ctx.refuse("K085", node, what=f"'{self.name}' is {what}, whose address does not "
                             "hold between kernels", help="pointers into USM memory and "
                             "device_globals can be stored; keep an index otherwise")
        know(ctx, node)
        return self.address(ctx, kind, node)

    def elements(self, ctx: Lowering, like: Value, start: n.Expr, node: ast.AST, *,
                 write: bool) -> n.Place:
        if write and not self.view.mode.writes:
            raise ctx.refuse("K039", node, name=self.name)
        if self.left != 1:
            return Kind.elements(self, ctx, like, start, node, write=write)
        elem = getattr(like, "elem", None)
        if self.view.elem != elem:
            raise ctx.refuse("K036", node, op="load and store",
                             types=f"{describe(like)} and memory of {self.view.elem}",
                             help="the memory has elements of the vec's own type")
        if not write and not self.view.mode.reads:
            raise ctx.refuse("K058", node, name=self.name)
        assert isinstance(elem, Scalar)
        return n.Place(self.base, (*self.index, shifted(self, start)), elem,
                       span=ctx.span(node))


@dataclass(frozen=True, slots=True)
class Row(Target):
    """A row or window of memory with numbers, which are all written."""

    of: Memory

    def store(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        ctx.syntax.fill_row(ctx, self.of, value, node, origin)


@dataclass(frozen=True, slots=True)
class ViewPlace(Target):
    """A number in a view of memory that is written."""

    of: MemoryPlace

    def settled(self, ctx: Lowering, node: ast.AST, *, read: bool) -> Target:
        if read and not self.of.view.mode.reads:
            raise ctx.refuse("K058", node, name=self.of.name)
        return self.of.cell(ctx, node)


def is_array(value: Value) -> bool:
    """Say whether a value is memory, or a member of a record, that has elements to go over."""
    if isinstance(value, Window):
        return True
    if isinstance(value, MemoryPlace):
        return value.pointer is None and not value.per_item and value.left > 0
    return isinstance(value, Record) and bool(value.shape)


def no_pointer(ctx: Lowering, value: Value | None, node: ast.AST) -> Exception:
    """Refuse to point to what is no memory."""
    found = "nothing" if value is None else describe(value)
    return ctx.refuse("K049", node, found=found, expected="memory",
                      help="pass an accessor, local memory, USM, a private array or a pointer")


def operand(ctx: Lowering, value: Value, node: ast.AST) -> Value:
    """Return what an operator works on: of a reference to a vec or record that."""
    if not isinstance(value, Memory) or value.left or not value.reference \
            or not isinstance(value.view.elem, Struct):
        return value
    return value.record().read(ctx, node)
