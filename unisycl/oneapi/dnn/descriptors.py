"""Descriptors of memory: sizes, type and layout of a tensor, before there is any memory.

Non-goals: memory (``memory``). Invariants: a descriptor never changes; what a library laid out in
its own way is kept by that library's object and used by it alone.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn import layouts
from unisycl.oneapi.dnn.layouts import Layout
from unisycl.oneapi.dnn.names import data_type, error, numpy_type, type_of
from unisycl.oneapi.dnn.tags import Tag, format_tag, tag

MOST = 12
MOST_LEFT = 1 << 30
"""How many elements behind the last window may be left at most."""


class format_kind(enum.IntEnum):
    """What is known of a layout."""

    undef = 0
    any = 1
    blocked = 2
    opaque = 3


def whole_dims(what: str, given: Any, least: int = 0) -> tuple[int, ...]:
    """Return sizes that were given; refuse what are none."""
    if isinstance(given, str | bytes) or not hasattr(given, "__iter__"):
        raise error(f"{what}: a list of whole numbers is needed, got {given!r}")
    found = []
    for n in given:
        if isinstance(n, bool) or not hasattr(n, "__index__") or int(n) < least:
            raise error(f"{what}: {n!r} is no whole number from {least} on; sizes that are known "
                        "only when a primitive runs are not served")
        found.append(int(n))
    return tuple(found)


class desc:
    """A tensor's sizes, type and layout (``dnnl::memory::desc``).

    Args:
        dims: the sizes, as ``(n, c, h, w)``.
        kind: the type of the elements, of ``data_type`` or of NumPy's.
        how: a tag of ``format_tag`` (or its name), or strides in elements.
    """

    __slots__ = ("_kind", "_layout", "_native", "_size", "_tag", "_type", "dims")

    def __init__(self, dims: Sequence[int] = (), kind: Any = data_type.undef,
                 how: Any = None) -> None:
        self.dims = whole_dims("memory.desc: dims", dims)
        self._type = as_type(kind)
        self._native: Any = None
        self._size = -1
        self._tag: Tag | None = None
        self._layout: Layout | None = None
        self._kind = format_kind.undef
        if not self.dims:
            return
        if len(self.dims) > MOST or self._type is data_type.undef:
            raise error(f"memory.desc: {len(self.dims)} dimensions of {self._type.name}; give at "
                        f"most {MOST} and a data_type")
        self._place(format_tag.undef if how is None else tag(how) if isinstance(how, str) else how)

    def _place(self, how: Any) -> None:
        if not isinstance(how, Tag):
            strides = whole_dims("memory.desc: strides", how)
            if len(strides) != len(self.dims):
                raise error(f"memory.desc: {len(strides)} strides for {len(self.dims)} dimensions")
            self._layout = Layout(self.dims, self.dims, strides)
        elif how.special == "any":
            self._kind = format_kind.any
            return
        elif how.special:
            raise error("memory.desc: give a format tag, as memory.format_tag.nchw or any, or "
                        "strides")
        else:
            if how.ndims != len(self.dims):
                raise error(f"memory.desc: {how!r} is for {how.ndims} dimensions, dims has "
                            f"{len(self.dims)}")
            self._tag, self._layout = how, layouts.of_tag(self.dims, how)
        self._kind = format_kind.blocked

    # ------------------------------------------------------------------ questions
    def get_dims(self) -> tuple[int, ...]:
        """Return the sizes."""
        return self.dims

    def get_ndims(self) -> int:
        """Return how many dimensions there are."""
        return len(self.dims)

    def get_data_type(self) -> data_type:
        """Return the type of the elements."""
        return self._type

    def get_format_kind(self) -> format_kind:
        """Return what is known of the layout."""
        return self._kind

    def get_strides(self) -> tuple[int, ...]:
        """Return the strides, of blocks where there are any."""
        return self.layout().strides

    def get_padded_dims(self) -> tuple[int, ...]:
        """Return the sizes in memory."""
        return self.layout().padded

    def get_inner_nblks(self) -> int:
        """Return how many blocks there are in one another."""
        return len(self.layout().blocks)

    def get_inner_blks(self) -> tuple[int, ...]:
        """Return the sizes of blocks, from the outermost."""
        return tuple(n for _, n in self.layout().blocks)

    def get_inner_idxs(self) -> tuple[int, ...]:
        """Return the dimensions of blocks, from the outermost."""
        return tuple(d for d, _ in self.layout().blocks)

    def get_submemory_offset(self) -> int:
        """Return where the first element lies."""
        return self.layout().offset

    def get_size(self) -> int:
        """Return how many bytes of memory it takes."""
        if self._native is not None and self._size >= 0:
            return self._size
        if self._layout is None:
            return 0
        return self._layout.extent() * numpy_type(self._type).itemsize

    def is_zero(self) -> bool:
        """Say whether it describes nothing."""
        return not self.dims

    def layout(self) -> Layout:
        """Return the layout; refuse where it is open, or a library's own."""
        if self._layout is None:
            raise error(f"memory.desc: its layout is {self._kind.name}; ask the descriptor that a "
                        "primitive_desc returns, or reorder to a tag")
        return self._layout

    def native(self) -> Any:
        """Return the object of the library that laid it out; None if none did."""
        return self._native

    def format(self) -> Tag | None:
        """Return the tag that it was made by."""
        return self._tag

    def lies_as(self, other: desc) -> bool:
        """Say whether elements follow one another as in another; a first place may differ."""
        mine, theirs = _told_apart(self._layout), _told_apart(other._layout)
        return mine is None or theirs is None or bool(mine[:-1] == theirs[:-1])

    # ------------------------------------------------------------------ others of it
    def submemory_desc(self, dims: Sequence[int], offsets: Sequence[int]) -> desc:
        """Return a part of it, from a position on."""
        sizes, first = whole_dims("submemory_desc: dims", dims), whole_dims("offsets", offsets)
        mine = self.layout()
        if len(sizes) != len(self.dims) or len(first) != len(self.dims) or any(
                o + n > m for o, n, m in zip(first, sizes, self.dims, strict=True)):
            raise error(f"submemory_desc: {sizes} from {first} on do not lie in {self.dims}")
        if any(o % mine.block(k) or (n % mine.block(k) and o + n != self.dims[k])
               for k, (o, n) in enumerate(zip(first, sizes, strict=True))):
            raise error("submemory_desc: a part begins and ends where blocks do")
        padded = tuple(-(-n // mine.block(k)) * mine.block(k) for k, n in enumerate(sizes))
        at = mine.offset + sum(o // mine.block(k) * s for k, (o, s) in enumerate(
            zip(first, mine.strides, strict=True)))
        return laid_out(self._type, Layout(sizes, padded, mine.strides, mine.blocks, at))

    def permute_axes(self, permutation: Sequence[int]) -> desc:
        """Return it with its dimensions in another order: dimension i goes to permutation[i]."""
        order, mine = whole_dims("permute_axes", permutation), self.layout()
        if sorted(order) != list(range(len(self.dims))):
            raise error(f"permute_axes: {order} is no order of {len(self.dims)} dimensions")
        at = [order.index(k) for k in range(len(order))]
        return laid_out(self._type, Layout(
            tuple(mine.dims[k] for k in at), tuple(mine.padded[k] for k in at),
            tuple(mine.strides[k] for k in at), tuple((order[d], n) for d, n in mine.blocks),
            mine.offset))

    def reshape(self, dims: Sequence[int]) -> desc:
        """Return it with other sizes, of as many elements; it must lie without gaps, or gain 1s."""
        sizes, mine = whole_dims("reshape", dims), self.layout()
        if int(np.prod(sizes)) != mine.volume():
            raise error(f"reshape: {sizes} and {self.dims} have other numbers of elements")
        if mine.is_plain():
            view = np.lib.stride_tricks.as_strided(np.empty(0, np.int8), mine.dims, mine.strides)
            try:
                found = np.reshape(view, sizes, copy=False)
            except ValueError:
                pass
            else:
                strides = tuple(int(s) for s in found.strides)
                return laid_out(self._type, Layout(sizes, sizes, strides, (), mine.offset))
        raise error(f"reshape: {self!r} has no layout with sizes {sizes}; reorder it first")

    # ------------------------------------------------------------------ equality
    def _key(self) -> Any:
        native = self._native if self._layout is None else None
        return self.dims, self._type, self._kind, _told_apart(self._layout), native

    def __eq__(self, other: object) -> bool:
        return isinstance(other, desc) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.dims, self._type, self._kind, _told_apart(self._layout)))

    def __repr__(self) -> str:
        how = self._tag.name if self._tag else self._kind.name if self._layout is None else (
            f"strides {self._layout.strides}"
            + (f" blocks {self._layout.blocks}" if self._layout.blocks else ""))
        return f"memory.desc({self.dims}, {self._type.name}, {how})"


def _told_apart(layout: Layout | None) -> Any:
    """Return what tells layouts apart: strides of sizes of 1 do not."""
    if layout is None:
        return None
    steps = tuple(0 if n <= layout.block(k) else s for k, (n, s) in enumerate(
        zip(layout.padded, layout.strides, strict=True)))
    return layout.padded, steps, layout.blocks, layout.offset


def as_type(kind: Any) -> data_type:
    """Return a type of elements that was given."""
    if isinstance(kind, data_type):
        return kind
    try:
        found = type_of(kind)
    except TypeError:
        found = data_type.undef
    if found is data_type.undef:
        raise error(f"memory.desc: {kind!r} is no type of oneDNN's; give one of "
                    "memory.data_type: f32, bf16, f16, s32, s8, u8")
    return found


def laid_out(kind: data_type, layout: Layout) -> desc:
    """Return the descriptor of a layout."""
    found = desc()
    found.dims, found._type = layout.dims, kind
    found._layout, found._kind = layout, format_kind.blocked
    return found


def dense(dims: Sequence[int], kind: data_type) -> desc:
    """Return the descriptor of elements row by row."""
    return laid_out(kind, layouts.dense(tuple(dims)))


def of_library(dims: tuple[int, ...], kind: data_type, layout: Layout | None, native: Any,
               size: int) -> desc:
    """Return the descriptor of what a library laid out; its object is kept where it is needed."""
    found = desc()
    found.dims, found._type = dims, kind
    found._layout = layout
    found._kind = format_kind.opaque if layout is None else format_kind.blocked
    found._native, found._size = native, size
    return found


def of_array(x: Any) -> desc:
    """Return the descriptor of an array, a buffer or USM memory, as it lies."""
    if isinstance(x, np.ndarray):
        if any(s % x.itemsize or s < 0 for s in x.strides):
            raise error("memory: the array's strides are no multiples of its elements; give a copy")
        return laid_out(as_type(x.dtype), Layout(x.shape, x.shape, tuple(
            s // x.itemsize for s in x.strides)))
    shape = tuple(x.get_range()) if isinstance(x, sycl.buffer) else tuple(x.shape)
    return dense(shape, as_type(x.dtype))


def settled(given: desc, like: Any = None) -> desc:
    """Return a descriptor whose layout is no longer open: row by row, or as a tag says."""
    if given.get_format_kind() is not format_kind.any:
        return given
    if like is None:
        return dense(given.dims, given.get_data_type())
    return desc(given.dims, given.get_data_type(), like)
