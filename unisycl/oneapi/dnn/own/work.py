"""One execution by our kernels: tensors are brought to rows of one type, computed, and stored.

What lies row by row in float32 is used in place. Non-goals: what is computed. Invariant: a result
is stored once, rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.oneapi.dnn import descriptors, names
from unisycl.oneapi.dnn.descriptors import desc
from unisycl.oneapi.dnn.executions import number_of, wanted_of
from unisycl.oneapi.dnn.kernels import elements, moves, sums
from unisycl.oneapi.dnn.layouts import Layout
from unisycl.oneapi.dnn.names import INTEGERS, arg, data_type, numpy_type
from unisycl.oneapi.dnn.operations import Op
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Record

F32 = np.dtype(np.float32)
S32 = np.dtype(np.int32)
_LIMITS = {data_type.s8: (-128.0, 127.0), data_type.u8: (0.0, 255.0),
           data_type.s32: (-2147483648.0, 2147483520.0)}
MOST = 6
"""The dimensions that kernels go through."""


class Work:
    """The memory and the kernels of one execution."""

    def __init__(self, call: Call, op: Op, does: Any, given: dict[int, Memory]) -> None:
        self.call, self.op, self.found, self.given = call, op, does.found, given
        self.wanted = wanted_of(op, does)
        self.recomputes: bool = does.recomputes
        self._stores: list[tuple[Memory, desc, Memory]] = []

    # ------------------------------------------------------------------ tensors
    def has(self, name: str) -> bool:
        """Say whether there is such a tensor."""
        return name in self.found

    def dims(self, name: str) -> tuple[int, ...]:
        """Return the sizes of a tensor."""
        found: tuple[int, ...] = self.found[name].dims
        return found

    def is_integer(self, name: str) -> bool:
        """Say whether a tensor holds whole numbers."""
        return self.found[name].get_data_type() in INTEGERS

    def memory(self, name: str) -> Memory:
        """Return the memory of a tensor as it lies."""
        return self.given[number_of(self.op, name)]

    def read(self, name: str, kind: np.dtype[Any] = F32) -> Memory:
        """Return a tensor row by row; float32 with its zero points and scales applied."""
        number = number_of(self.op, name)
        found = self.plain(number, kind)
        attr = self.op.attr
        dims = self.found[name].dims
        if number in attr.zero_points:
            zero = self.plain(names.FIRST_ZERO + number, kind)
            found = self.combine(elements.sub, found, zero, attr.zero_points[number], dims,
                                 self.new(math.prod(dims), kind))
        if number in attr.scales and kind == F32:
            scale = self.plain(names.FIRST_SCALE + number, F32)
            found = self.combine(elements.mul, found, scale, attr.scales[number], dims,
                                 self.new(math.prod(dims), kind))
        return found

    def plain(self, number: int, kind: np.dtype[Any]) -> Memory:
        """Return an argument row by row, as it is; in place where it lies so."""
        wanted, _ = self.wanted[number]
        held = self.given[number]
        layout = wanted.layout()
        if numpy_type(wanted.get_data_type()) == kind and layout.is_dense():
            return held
        found = self.new(layout.volume(), kind)
        if layout.volume():
            self.call.launch(layout.volume(), moves.widen, held, self.place(layout), kind.type,
                             found)
        return found

    def new(self, count: int, kind: np.dtype[Any] = F32) -> Memory:
        """Return memory for results between kernels."""
        return self.call.own(count, kind)

    def write(self, name: str, kind: np.dtype[Any] = F32) -> Memory:
        """Return memory for a result row by row, which ``store`` brings to where it belongs."""
        wanted = self.found[name]
        number = number_of(self.op, name)
        held = self.given[number]
        attr = self.op.attr
        plain = number not in attr.scales and number not in attr.zero_points and not any(
            o.kind == "sum" for o in attr.ops)
        if plain and numpy_type(wanted.get_data_type()) == kind and wanted.layout().is_dense():
            return held
        found = self.new(math.prod(wanted.dims), kind)
        self._stores.append((found, wanted, held))
        return found

    def place(self, layout: Layout) -> Record:
        """Return where elements lie, for kernels."""
        if layout.is_dense():
            return Record(moves.straight, np.int64(0))
        n = len(layout.dims)
        if n > MOST:
            raise names.unimplemented(f"tensors of {n} dimensions")
        before = (1,) * (MOST - n)
        dims = before + tuple(max(d, 1) for d in layout.dims)
        if layout.is_plain():
            steps = (0,) * (MOST - n) + layout.strides
            return Record(moves.strided, np.int64(layout.offset),
                          *(np.int64(v) for v in (*dims[1:], *steps)))
        table, starts = layout.table()
        # the dimensions before the first have one position, which leads nowhere
        held = Memory(self.call.kept(np.append(table, 0)), 0, table.size + 1)
        steps = (table.size,) * (MOST - n) + starts
        return Record(moves.tabled, held, np.int64(layout.offset),
                      *(np.int64(v) for v in (*dims[1:], *steps)))

    def parts(self, dims: Sequence[int], kept: Sequence[int]) -> Record:
        """Return the parts of a tensor that lies row by row: one for each position in ``kept``."""
        steps = descriptors.dense(dims, data_type.f32).get_strides()
        rest = [k for k in range(len(dims)) if k not in kept]

        def along(axes: Sequence[int]) -> Record:
            sizes = tuple(dims[k] for k in axes)
            return self.place(Layout(sizes, sizes, tuple(steps[k] for k in axes)))

        count = math.prod(dims[k] for k in rest)
        return Record(sums.parts, along(kept), along(rest), count, math.isqrt(count) + 1)

    # ------------------------------------------------------------------ elements
    def spread(self, dims: Sequence[int], small: Sequence[int]) -> Record:
        """Return where elements of a tensor find theirs in one whose sizes are 1 or the same."""
        rows = Layout(tuple(small), tuple(small), descriptors.dense(
            small, data_type.f32).layout().strides)
        steps = tuple(0 if n == 1 else s for n, s in zip(small, rows.strides, strict=True))
        if all(s == t for s, t in zip(small, dims, strict=True)):
            return Record(moves.straight, np.int64(0))
        kept = [k for k, n in enumerate(small) if n != 1]
        if not kept:
            return Record(moves.repeated, np.int64(max(math.prod(dims), 1)), np.int64(1))
        first, last = kept[0], kept[-1]
        if all(small[k] == dims[k] for k in range(first, last + 1)):
            return Record(moves.repeated, np.int64(math.prod(dims[last + 1:])),
                          np.int64(math.prod(small)))
        return self.place(Layout(tuple(dims), tuple(dims), steps))

    def combine(self, function: Any, x: Memory, y: Memory, mask: int, dims: Sequence[int],
                z: Memory) -> Memory:
        """Combine a tensor with numbers for the dimensions of a mask."""
        small = [n if mask >> k & 1 else 1 for k, n in enumerate(dims)]
        return self.combine_with(function, x, y, small, dims, z)

    def combine_with(self, function: Any, x: Memory, y: Memory, small: Sequence[int],
                     dims: Sequence[int], z: Memory) -> Memory:
        """Combine a tensor with another one whose sizes are the same, or 1."""
        if math.prod(dims):
            self.call.launch(math.prod(dims), elements.combine, function, x, y,
                             self.spread(dims, small), z)
        return z

    # ------------------------------------------------------------------ results
    def finish(self, name: str, x: Memory, functions: Any) -> None:
        """Do what attributes say to a result in float32, in place."""
        dims = self.found[name].dims
        count = math.prod(dims)
        for k, o in enumerate(self.op.attr.ops):
            if not count:
                break
            if o.kind == "eltwise":
                self.call.launch(count, elements.apply, functions[o.algorithm],
                                 np.float32(o.alpha), np.float32(o.beta), x, x)
            elif o.kind == "sum":
                self._add_old(name, o, x, count)
            else:
                self._with_other(k, o, x, dims, functions)

    def _add_old(self, name: str, o: Any, x: Memory, count: int) -> None:
        wanted, held = self.found[name], self.given[number_of(self.op, name)]
        if o.type not in (data_type.undef, wanted.get_data_type()):
            raise names.unimplemented("a sum that reads the result as another type")
        before = self.new(count, F32)
        self.call.launch(count, moves.widen, held, self.place(wanted.layout()), np.float32, before)
        self.call.launch(count, elements.add_scaled, np.float32(o.scale),
                         np.float32(o.zero_point), before, x)

    def _with_other(self, k: int, o: Any, x: Memory, dims: Sequence[int], functions: Any) -> None:
        number = names.post_op_arg(k) + (arg.SRC_1 if o.kind == "binary" else arg.WEIGHTS)
        other = self.plain(number, F32)
        function = functions[o.algorithm] if o.kind == "binary" else elements.leak
        self.combine_with(function, x, other, self.wanted[number][0].dims, dims, x)

    def scale_result(self, name: str, x: Memory) -> None:
        """Divide a result by its scales, and add its zero points."""
        number, attr = number_of(self.op, name), self.op.attr
        dims = self.found[name].dims
        if number in attr.scales:
            self.combine(elements.div, x, self.plain(names.FIRST_SCALE + number, F32),
                         attr.scales[number], dims, x)
        if number in attr.zero_points:
            self.combine(elements.add, x, self.plain(names.FIRST_ZERO + number, F32),
                         attr.zero_points[number], dims, x)

    def store(self) -> None:
        """Bring results to where they belong."""
        for found, wanted, held in self._stores:
            self.put(found, wanted, held)
        self._stores.clear()

    def put(self, found: Memory, wanted: desc, held: Memory) -> None:
        """Store elements that lie row by row as a descriptor says."""
        count = math.prod(wanted.dims)
        kind = wanted.get_data_type()
        if not count:
            return
        self._clear_padding(wanted, held)
        place, to = self.place(wanted.layout()), numpy_type(kind).type
        if kind in _LIMITS and found.dtype == F32:
            low, high = _LIMITS[kind]
            self.call.launch(count, moves.to_integer, found, held, place,
                             moves.limits(to, np.float32(low), np.float32(high)))
        else:
            self.call.launch(count, moves.narrow, found, held, place, to)

    def _clear_padding(self, wanted: desc, held: Memory) -> None:
        """Write zeros where a layout has elements that no tensor has."""
        layout = wanted.layout()
        if layout.padded != layout.dims:
            whole = Layout(layout.padded, layout.padded, layout.strides, layout.blocks,
                           layout.offset)
            zeros = self.call.kept(np.zeros(1, np.float32))
            kind = numpy_type(wanted.get_data_type()).type
            self.call.launch(whole.volume(), moves.fill, Memory(zeros, 0, 1), held,
                             self.place(whole), kind)


def finish_product(w: Work, acc: Memory, functions: Any) -> None:
    """Do what comes behind sums of products: scales, bias, post-ops; then store."""
    op, dims = w.op, w.dims("dst")
    attr, count = op.attr, math.prod(w.dims("dst"))
    wanted = w.found["dst"]
    if acc.dtype == S32 and wanted.get_data_type() is data_type.s32 and not (
            attr.ops or attr.scales or w.has("bias") or number_of(op, "dst") in attr.zero_points):
        w.put(acc, wanted, w.memory("dst"))  # float32 has not all of its digits
        return
    out = w.write("dst", F32)
    if count:
        w.call.launch(count, moves.widen, acc, Record(moves.straight, np.int64(0)), np.float32,
                      out)
    if acc.dtype == S32:
        for name in ("src", "weights"):
            number = number_of(op, name)
            if number in attr.scales:
                scale_of_sums(w, name, attr.scales[number], out)
    if w.has("bias"):
        small = bias_dims(w)
        w.combine_with(elements.add, out, w.read("bias"), small, dims, out)
    w.finish("dst", out, functions)
    w.scale_result("dst", out)
    w.store()


def bias_dims(w: Work) -> tuple[int, ...]:
    """Return the sizes of a bias, as many as the result's."""
    dims, small = w.dims("dst"), w.dims("bias")
    return small if len(small) == len(dims) else (1, small[0], *(1,) * (len(dims) - 2))


def scale_of_sums(w: Work, name: str, mask: int, out: Memory) -> None:
    """Multiply sums by the scales of one of their factors."""
    number = number_of(w.op, name)
    scale = w.plain(names.FIRST_SCALE + number, F32)
    dims = w.dims("dst")
    count = scale.size or 1
    if w.op.name == "matmul":
        small = [1] * len(dims)
        if mask:
            small[-1 if name == "weights" else -2] = count
    else:
        small = [1, count, *(1,) * (len(dims) - 2)]
    if count not in (1, math.prod(small)) or any(
            s not in (1, d) for s, d in zip(small, dims, strict=True)):
        raise names.unimplemented(f"scales of {name} with mask {mask}")
    w.combine_with(elements.mul, out, scale, small, dims, out)
