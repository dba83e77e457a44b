"""Names that stand for one of several memories, which one being known at run time only.

``src, dst = dst, src`` in a loop, ``p = a if c else b``: the name is a number, which says where to
look. Non-goals: pointers, which have addresses (``stored_pointers``); records, windows and rows
with names. Invariants: memories that share a name are alike in all but where their elements lie; an
index is evaluated once, and only the memory that was chosen is touched.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from unisycl.base.dataclass import dataclass, replace
from unisycl.frontend import coerce
from unisycl.frontend.values.absent import Lost, Pending
from unisycl.frontend.values.kind import (
    Form,
    Kind,
    Lowering,
    Met,
    Target,
    ThingForm,
    Value,
    VariableForm,
    describe,
)
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.targets import one_index_each
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, PointerType, Scalar, View

Known = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of several memories that are alike: ``which`` of ``options`` is known at run time only.

    ``options`` are names of memories that hold in every round; ``index`` is given to all of them.
    """

    which: n.Expr
    options: tuple[tuple[Any, ...], ...]
    index: tuple[n.Expr, ...] = ()
    name: str = ""

    def describe(self) -> str:
        return f"one of {len(self.options)} memories"

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        found = self.at(ctx, node)
        whole = len(found.index) == first(ctx, found, node).view.ndim
        return load(ctx, found, node) if whole else found

    def at(self, ctx: Lowering, node: ast.Subscript) -> Choice:
        """Add the subscript's indices to those of each memory; they are evaluated once."""
        if isinstance(node.slice, ast.Slice):
            raise ctx.refuse(
                "K049", node, found=self.describe(), expected="one memory",
                help="a slice is of one memory: add the start to the index instead")
        memory = first(ctx, self, node).at(ctx, node)
        return replace(self, index=tuple(ctx.hold(x) for x in memory.index))

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if not isinstance(node, ast.Subscript):
            return Kind.target(self, ctx, node, read=read)
        found = self.at(ctx, node)
        memory = first(ctx, found, node)
        if len(found.index) != memory.view.ndim:
            raise one_index_each(ctx, self.name, memory.view.ndim, len(found.index), node)
        if not memory.view.mode.writes:
            raise ctx.refuse("K039", node, name=self.name)
        return ChosenPlace(found)

    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return ThingForm() if self.index else ChoiceForm(self.options)

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        return self.form() if all(v.value == self for v in values) else None

    def hold(self, ctx: Lowering) -> Value:
        return replace(self, which=ctx.hold(self.which))

    def keep(self, ctx: Lowering, position: int) -> Value:
        return replace(self, which=ctx.keep_number(self.which, position))


@dataclass(frozen=True, slots=True)
class ChoiceForm(VariableForm):
    """One of several memories: a number says which."""

    options: Known

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        """Give the number the place of a memory, or of one of several; None: of the first."""
        which, together = self._which(ctx, key, name), self.options
        if isinstance(value, Memory | Choice):
            together = tuple(sorted({*together, *_options(ctx, value)}, key=repr))
            ctx.emit(n.Assign(which, _number(value, _options(ctx, value), together)))
        else:
            ctx.emit(n.Assign(which, coerce.weak_scalar(0)))
        return Choice(n.Read(WEAK_INT, which), together, name=name)

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        return Choice(n.Read(WEAK_INT, self._which(ctx, key, name)), self.options, name=name)

    def _which(self, ctx: Lowering, key: Any, name: str) -> n.Local:
        return ctx.local((*key, "memory"), name, WEAK_INT)


@dataclass(frozen=True, slots=True)
class ChosenPlace(Target):
    """An element of the memory that a name stands for at run time."""

    of: Choice

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        return load(ctx, self.of, node)

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        x = ctx.hold(ctx.to_scalar(value, origin, unsure=True))
        each(ctx, self.of, lambda memory: memory.cell(ctx, node).write(ctx, x, node, origin), node)


def is_plain(value: object) -> bool:
    """Say whether a value is whole memory of numbers, which may share a name with others."""
    if isinstance(value, Choice):
        return not value.index
    return isinstance(value, Memory) and not value.index and value.window is None \
        and value.pointer is None and not value.per_item and not value.reference \
        and isinstance(value.view.elem, Scalar) and not isinstance(value.view.elem, PointerType)


def options(ctx: Lowering, values: Sequence[object]) -> Known | None:
    """Return the memories that a name stands for which is given all of these; None if it is one."""
    plain = [v for v in values if isinstance(v, Memory | Choice) and is_plain(v)]
    if len(plain) < len(values):
        return None
    found = {x for v in plain for x in _options(ctx, v)}
    alone = len(found) == 1 and not any(isinstance(v, Choice) for v in plain)
    if alone or not _one_kind(ctx, found):
        return None
    return tuple(sorted(found, key=repr))


def alike(ctx: Lowering, left: Value, right: Value) -> bool:
    """Say whether two memories differ in nothing but where they are."""
    assert isinstance(left, Memory | Choice)
    assert isinstance(right, Memory | Choice)
    return _one_kind(ctx, (*_options(ctx, left), *_options(ctx, right)))


def _one_kind(ctx: Lowering, names: Iterable[Any]) -> bool:
    """Say whether memories differ in nothing but where their elements lie."""
    known = ctx.storage.memories
    return len({replace(known[x].view, layout="") for x in names if x in known}) == 1


def _options(ctx: Lowering, value: Memory | Choice) -> Known:
    """Return the memories a value may be, by names that hold in every round."""
    if isinstance(value, Choice):
        return value.options
    base = value.base
    key = ("param", *base.path) if isinstance(base, n.Param) else (
        "array", ctx.storage.arrays.index(base))
    ctx.storage.memories[key] = value
    return (key,)


def place(ctx: Lowering, value: Memory, among: Known) -> n.Expr:
    """Return the place of a memory among those that a name may stand for."""
    return _number(value, _options(ctx, value), among)


def _number(value: Memory | Choice, given: Known, together: Known) -> n.Expr:
    """Return the place of a value among the memories a name may stand for."""
    if isinstance(value, Memory) or given == together:
        return coerce.weak_scalar(together.index(given[0])) if isinstance(value, Memory) \
            else value.which
    *front, last = (coerce.weak_scalar(together.index(x)) for x in given)
    found: n.Expr = last
    for k in range(len(front) - 1, -1, -1):
        found = n.Select(WEAK_INT, _is(value.which, k), front[k], found)
    return found


def _is(which: n.Expr, k: int) -> n.Expr:
    return n.Compare(BOOL, "eq", which, coerce.weak_scalar(k))


def cases(ctx: Lowering, value: Memory | Choice, node: ast.AST) -> list[tuple[n.Expr, Memory]]:
    """Return what a value may be, each memory behind the condition that it is this one."""
    if isinstance(value, Memory):
        return [(n.Const(BOOL, True), value)]
    which = ctx.hold(value.which)
    return [(_is(which, k), memory) for k, memory in enumerate(_all(ctx, value, node))]


def made_anew(ctx: Lowering, memory: Memory) -> None:
    """Let no name stand any longer for what an earlier turn of a loop made in this memory.

    A place of the text that makes an array has one memory for it, so a name that still has the
    array of another turn would see the new one's elements.
    """
    (option,) = _options(ctx, memory)
    where = "this line" if ctx.at is None else f"line {ctx.span(ctx.at).line}"
    for frame in ctx.frames:
        found = {name: memories(bound) for name, bound in frame.names.items()}
        found.update((name, those) for name, (made, those) in frame.left.items()
                     if frame.definitions.get(name) is made)
        for name, those in found.items():
            if option in those:
                frame.names[name] = Lost("K126", (("name", name), ("where", where)))


def memories(value: object) -> frozenset[Any]:
    """Return which memories a value, or a part of it, may be that is one of several."""
    if isinstance(value, Choice):
        return frozenset(value.options)
    return frozenset(x for part in _parts(value) for x in memories(part))


def left_over(ctx: Lowering, value: object) -> frozenset[Any]:
    """Return which memories, made by the kernel, a value or a part of it may be."""
    if isinstance(value, Pending):
        return frozenset(x for met in value.values for x in left_over(ctx, met.value))
    if isinstance(value, Choice):
        return frozenset(value.options)
    if isinstance(value, Memory) and value.base in ctx.storage.arrays:
        return frozenset([("array", ctx.storage.arrays.index(value.base))])
    return frozenset(x for part in _parts(value) for x in left_over(ctx, part))


def _parts(value: object) -> tuple[Any, ...]:
    parts = getattr(getattr(value, "row", value), "items", ()) if isinstance(value, Kind) else ()
    return parts if isinstance(parts, tuple) else ()


# ---- elements
def first(ctx: Lowering, choice: Choice, node: ast.AST) -> Memory:
    """Return the first of the memories, which tells the type of all."""
    return _all(ctx, choice, node)[0]


def _all(ctx: Lowering, choice: Choice, node: ast.AST) -> list[Memory]:
    """Return the memories, all at the index that was given."""
    for x in choice.options:
        param = ctx.storage.params.get(x[1:]) if x[0] == "param" else None
        if param is not None and x not in ctx.storage.memories and isinstance(param.type, View):
            ctx.storage.memories[x] = Memory(param, param.type, name=param.name)
    if any(x not in ctx.storage.memories for x in choice.options):
        raise ctx.refuse("K049", node, found=describe(choice), expected="memory made before",
                         help="make all memories that a name stands for before its first use")
    return [replace(ctx.storage.memories[x], index=choice.index) for x in choice.options]


def load(ctx: Lowering, choice: Choice, node: ast.AST) -> n.Expr:
    """Return an element of the memory that was chosen."""
    elem = first(ctx, choice, node).view.elem
    assert isinstance(elem, Scalar)
    result = n.Local("t", elem)
    each(ctx, choice, lambda memory: ctx.emit(n.Assign(result, memory.load(ctx, node))), node)
    return n.Read(elem, result)


def each(ctx: Lowering, choice: Choice, do: Callable[[Memory], None], node: ast.AST) -> None:
    """Emit what is done with the memory that was chosen, for each that it may be."""
    which = ctx.hold(choice.which)
    blocks = []
    for memory in _all(ctx, choice, node):
        with ctx.into() as block:
            do(memory)
        blocks.append(tuple(block))
    rest = blocks[-1]
    for k in range(len(blocks) - 2, -1, -1):
        rest = (n.If(_is(which, k), blocks[k], rest, span=ctx.span(node)),)
    for stmt in rest:
        ctx.emit(stmt)
