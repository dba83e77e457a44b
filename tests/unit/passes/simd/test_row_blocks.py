"""Which loops read several elements of rows at once."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import row_blocks, shapes

a, b = (np.zeros((64, 64), np.float32) for _ in range(2))
out, flat = np.zeros(64, np.float32), np.zeros(4096, np.float32)
short = np.zeros((64, 64), np.uint8)


starts, deep = np.zeros(64, np.int64), np.zeros((64, 3, 64), np.float32)


def blocks(function: object, lanes: int = 16, what: type[n.Stmt] = n.LoadMany) -> int:
    """Return how many rows are read, or written, by blocks."""
    return sum(isinstance(s, what) for s in visit.statements(blocked(function, lanes).body))


def blocked(function: object, lanes: int = 16) -> n.Kernel:
    """Return the kernel behind the pass."""
    def query(name: str, dim: int) -> shapes.Shape:
        return shapes.Shape(shapes.LINEAR, 1) if name == "global_id" else shapes.UNIFORM
    kernel = specialize(function, "range", 1).kernel
    return row_blocks.run(kernel, lambda k: shapes.analyse(k.body, query, {}), lanes)


def test_rows_of_lanes_are_read_by_blocks() -> None:
    def one(i):  # type: ignore[no-untyped-def]
        total = a[i, 0]
        for j in range(1, a.shape[1]):
            total += a[i, j]
        out[i] = total

    def flattened(i):  # type: ignore[no-untyped-def]
        total = flat[0]
        for j in range(a.shape[1] - 1):
            total += flat[i * a.shape[1] + j] * flat[i * a.shape[1] + (j + 1)]
        out[i] = total

    def two(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            total += a[i, j] * b[63 - i, j] + a[i, j]
        out[i] = total
    assert (1, 2, 2) == tuple(blocks(f) for f in (one, flattened, two))
    assert blocks(one, lanes=1) == 0


def test_turns_of_a_block_count_up_from_where_it_begins() -> None:
    def one(i):  # type: ignore[no-untyped-def]
        total = a[i, 0]
        for j in range(64):
            total += a[i, j]
        out[i] = total
    whole, = (s for s in visit.statements(blocked(one).body)
              if isinstance(s, n.For) and isinstance(s.step, n.Const)
              and s.step.value == row_blocks.BLOCK)
    read = next(s for s in whole.body if isinstance(s, n.LoadMany))
    assert [whole.local] == [x.local for x in visit.walk(read.place.index[-1])
                             if isinstance(x, n.Read)]
    turns = [s.value for s in whole.body if isinstance(s, n.Assign)
             and s.value.type == whole.local.type]
    assert isinstance(turns[0], n.Read)
    assert turns[0].local is whole.local
    assert list(range(1, row_blocks.BLOCK)) == [
        x.b.value for x in turns[1:] if isinstance(x, n.Binary) and isinstance(x.b, n.Const)]


def test_other_indices_of_a_row_stay_what_they_are() -> None:
    def one(i):  # type: ignore[no-untyped-def]
        total = a[i, 0]
        for k in range(3):
            for j in range(64):
                total += deep[i, k, j]
        out[i] = total
    read, = (s for s in visit.statements(blocked(one).body) if isinstance(s, n.LoadMany))
    middle, last = ({x.local for x in visit.walk(index) if isinstance(x, n.Read)}
                    for index in read.place.index[1:])
    assert middle
    assert not middle & last


def test_rows_whose_beginning_is_read_anew_stay() -> None:
    def begins(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            total += flat[j + starts[i]]
        out[i] = total

    def begins_first(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            total += flat[starts[i] + j]
        out[i] = total

    def ends(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            total += flat[j - starts[i]]
        out[i] = total
    assert {0} == {blocks(f) for f in (begins, begins_first, ends)}


def test_rows_that_lanes_share_and_columns_stay() -> None:
    def columns(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            total += a[j, i] * b[3, j]
        out[i] = total

    def every_other(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(32):
            total += a[i, 2 * j]
        out[i] = total

    def bytes_of_rows(i):  # type: ignore[no-untyped-def]
        total = 0
        for j in range(64):
            total += short[i, j]
        out[i] = total
    assert {0} == {blocks(f) for f in (columns, every_other, bytes_of_rows)}


def test_loops_that_write_end_early_or_differ_stay() -> None:
    def writes(i):  # type: ignore[no-untyped-def]
        for j in range(64):
            out[i] += a[i, j]

    def ends(i):  # type: ignore[no-untyped-def]
        for j in range(64):
            if a[i, j] > 0:
                break
        out[i] = j

    def differs(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(i):
            total += a[i, j]
        out[i] = total

    def chosen(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            if j > i:
                total += a[i, j]
        out[i] = total

    def few(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(6):
            total += a[i, j]
        out[i] = total
    assert {0} == {blocks(f) for f in (writes, ends, differs, chosen, few)}


def test_rows_are_written_by_blocks_where_nothing_else_is_read_there() -> None:
    def sums(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            total += a[i, j]
            b[i, j] = total

    def in_place(i):  # type: ignore[no-untyped-def]
        for j in range(64):
            a[i, j] /= out[i]

    def before(i):  # type: ignore[no-untyped-def]
        for j in range(1, 64):
            a[i, j] = a[i, j - 1] + b[i, j]

    def read_again(i):  # type: ignore[no-untyped-def]
        total = out[i]
        for j in range(64):
            b[i, j] = total
            total += b[i, 63 - j]

    def at_times(i):  # type: ignore[no-untyped-def]
        for j in range(64):
            if j > i:
                b[i, j] = a[i, j]
    stored = n.StoreMany
    assert [1, 1] == [blocks(f, what=stored) for f in (sums, in_place)]
    assert {0} == {blocks(f, what=stored) for f in (before, read_again, at_times)}
