"""Handles of sparse matrices: what a program says of a matrix, kept by reference.

Non-goals: computing. Invariants: compressed rows and rows of blocks are used where they lie;
coordinates are brought into compressed rows once, when they are set, by the host; plans of before
are forgotten when data are set.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas.arguments import LETTERS

_INDICES = (np.dtype(np.int32), np.dtype(np.int64))


@dataclass(frozen=True)
class Block:
    """How large the blocks of a matrix are, and whether the rows of one lie together."""

    high: int
    wide: int
    by_rows: bool


@dataclass(frozen=True)
class Problem:
    """One call, as a device's library is asked: the matrix, how dense memory lies, the factors.

    ``width`` and the ``leading`` dimensions are of the dense matrices of ``gemm``; ``kept`` is what
    a library remembers of the matrix, as long as its data are not set anew.
    """

    rows: int
    columns: int
    count: int
    base: int
    index: int
    alpha: Any
    beta: Any = 0
    width: int = 1
    by_rows: bool = False
    leading: tuple[int, int] = (1, 1)
    trans: str = "N"
    upper: bool = False
    unit: bool = False
    kept: dict[Any, Any] = field(default_factory=dict, compare=False)


class matrix_handle:
    """A sparse matrix; empty until data are set."""

    def __init__(self) -> None:
        self.rows = self.columns = self.base = 0
        self.block: Block | None = None
        self.plans: dict[Any, Any] = {}
        self.starts: Memory | None = None
        self.indices: Memory | None = None
        self.values: Memory | None = None
        self.after: list[sycl.event] = []

    def letter(self, routine: str) -> str:
        """Return the letter of the elements' type; refuse a handle without data."""
        if self.values is None:
            raise names.uninitialized(f"{routine}: the matrix handle has no data; call "
                                      "set_csr_data, set_coo_data or set_bsr_data")
        kind: Any = self.values.dtype
        return LETTERS[kind]

    def __repr__(self) -> str:
        if self.values is None:
            return "<matrix_handle without data>"
        block = f", blocks of {self.block.high} x {self.block.wide}" if self.block else ""
        return f"<matrix_handle {self.rows} x {self.columns} of {self.values.dtype}{block}>"


def init_matrix_handle() -> matrix_handle:
    """Return a handle without data."""
    return matrix_handle()


@ends_at_call
def release_matrix_handle(queue: sycl.queue, handle: matrix_handle,
                          dependencies: Any = ()) -> sycl.event:
    """Forget what a handle refers to; commands that use it go on."""
    checked("release_matrix_handle", handle).__init__()  # type: ignore[misc]
    return queue.ext_oneapi_submit_barrier(events_of(dependencies))


def checked(routine: str, handle: Any) -> matrix_handle:
    """Return a handle; refuse anything else."""
    if not isinstance(handle, matrix_handle):
        raise names.invalid_argument(f"{routine}: expected a matrix_handle, got "
                                     f"{type(handle).__name__}")
    return handle


def _base(routine: str, index: Any) -> int:
    found = {names.index_base.zero: 0, names.index_base.one: 1}.get(index)
    if found is None:
        raise names.invalid_argument(f"{routine}: the index base must be index_base.zero or "
                                     f"index_base.one, got {index!r}")
    return found


def _memory(routine: str, what: str, x: Any, need: int, kinds: Any) -> Memory:
    kind: Any = memories.flat(routine, what, x).dtype
    if kind not in kinds:
        raise names.invalid_argument(f"{routine}: {what} has elements of {kind}; "
                                     f"{' or '.join(str(k) for k in kinds)} are needed")
    return memories.held(routine, what, x, kind, need, writes=False).memory


@ends_at_call
def set_csr_data(queue: sycl.queue, handle: matrix_handle, num_rows: int, num_cols: int, nnz: int,
                 index: names.Option, row_ptr: Any, col_ind: Any, val: Any, *,
                 dependencies: Any = ()) -> sycl.event:
    """Give a handle a matrix in compressed rows, which stays where it is.

    Args:
        queue: the queue.
        handle: the handle.
        num_rows: how many rows.
        num_cols: how many columns.
        nnz: how many stored elements.
        index: whether indices begin with 0 or 1.
        row_ptr: where each row begins, and where the last one ends.
        col_ind: the column of each stored element, of the same type.
        val: the stored elements.
        dependencies: events that the routines that use the matrix wait for.
    """
    what = "set_csr_data"
    found = checked(what, handle)
    rows, columns, count = (names.whole(what, n, x) for n, x in (
        ("num_rows", num_rows), ("num_cols", num_cols), ("nnz", nnz)))
    base = _base(what, index)
    starts = _memory(what, "row_ptr", row_ptr, rows + 1, _INDICES)
    indices = _memory(what, "col_ind", col_ind, count, (starts.dtype,))
    values = _memory(what, "val", val, count, tuple(LETTERS))
    return _set(queue, found, (rows, columns, base), (starts, indices, values), None, dependencies)


def _set(queue: sycl.queue, found: matrix_handle, shape: tuple[int, int, int],
         parts: tuple[Memory, Memory, Memory], block: Block | None,
         dependencies: Any) -> sycl.event:
    after = events_of(dependencies)
    found.rows, found.columns, found.base = shape
    found.starts, found.indices, found.values = parts
    found.block, found.plans = block, {}
    found.after = after
    return queue.ext_oneapi_submit_barrier(found.after) if found.after else sycl.event()


@ends_at_call
def set_bsr_data(queue: sycl.queue, handle: matrix_handle, num_block_rows: int,
                 num_block_cols: int, nnz_blocks: int, row_block_size: int, col_block_size: int,
                 block_layout: names.Option, index: names.Option, row_ptr: Any, col_ind: Any,
                 val: Any, *, dependencies: Any = ()) -> sycl.event:
    """Give a handle a matrix of blocks in compressed rows, which stays where it is.

    Args:
        queue: the queue.
        handle: the handle.
        num_block_rows: how many rows of blocks.
        num_block_cols: how many columns of blocks.
        nnz_blocks: how many stored blocks.
        row_block_size: how many rows a block has.
        col_block_size: how many columns a block has.
        block_layout: whether the rows or the columns of a block lie together.
        index: whether indices begin with 0 or 1.
        row_ptr: where each row of blocks begins, and where the last one ends, counted in blocks.
        col_ind: the column of each stored block, counted in blocks, of the same type.
        val: the elements, block by block.
        dependencies: events that the routines that use the matrix wait for.
    """
    what = "set_bsr_data"
    found = checked(what, handle)
    rows, columns, count, high, wide = (names.whole(what, n, x) for n, x in (
        ("num_block_rows", num_block_rows), ("num_block_cols", num_block_cols),
        ("nnz_blocks", nnz_blocks), ("row_block_size", row_block_size),
        ("col_block_size", col_block_size)))
    if not (high and wide):
        raise names.invalid_argument(f"{what}: blocks have {high} x {wide} elements; both must be "
                                     "1 or more")
    if getattr(block_layout, "kind", "") != "layout":
        raise names.invalid_argument(f"{what}: block_layout must be layout.row_major or "
                                     f"layout.col_major, got {block_layout!r}")
    base = _base(what, index)
    starts = _memory(what, "row_ptr", row_ptr, rows + 1, _INDICES)
    indices = _memory(what, "col_ind", col_ind, count, (starts.dtype,))
    values = _memory(what, "val", val, count * high * wide, tuple(LETTERS))
    block = Block(high, wide, block_layout is names.layout.row_major)
    return _set(queue, found, (rows * high, columns * wide, base), (starts, indices, values), block,
                dependencies)


@ends_at_call
def set_coo_data(queue: sycl.queue, handle: matrix_handle, num_rows: int, num_cols: int, nnz: int,
                 index: names.Option, row_ind: Any, col_ind: Any, val: Any, *,
                 dependencies: Any = ()) -> sycl.event:
    """Give a handle a matrix by coordinates, in any order; waits, and keeps compressed rows.

    Args as of ``set_csr_data``, with the row of each stored element for ``row_ind``.
    """
    what = "set_coo_data"
    rows, columns, count = (names.whole(what, n, x) for n, x in (
        ("num_rows", num_rows), ("num_cols", num_cols), ("nnz", nnz)))
    base = _base(what, index)
    across = _memory(what, "row_ind", row_ind, count, _INDICES)
    along = _memory(what, "col_ind", col_ind, count, (across.dtype,))
    values = _memory(what, "val", val, count, tuple(LETTERS))
    sycl.event.wait(events_of(dependencies))
    i, j, v = (on_host(queue, m, count) for m in (across, along, values))
    for name, at, most in (("row_ind", i, rows), ("col_ind", j, columns)):
        if count and (at.min() < base or at.max() >= most + base):
            raise names.invalid_argument(f"{what}: {name} has indices outside the matrix")
    order = np.lexsort((j, i))
    starts = np.searchsorted(i[order], np.arange(rows + 1) + base).astype(i.dtype)
    kept = [kept_by(queue, x) for x in (starts + i.dtype.type(base), j[order], v[order])]
    return set_csr_data(queue, handle, rows, columns, count, index, *kept)


@ends_at_call
def csr_data(handle: matrix_handle) -> tuple[Any, Any, Any]:
    """Return where a matrix in compressed rows lies: row_ptr, col_ind, val.

    What ``set_csr_data`` was given; of ``set_coo_data``, ``matmat`` and ``omatcopy`` memory that
    the handle keeps, which may be longer than the matrix is.
    """
    found = checked("csr_data", handle)
    found.letter("csr_data")
    if found.block is not None:
        raise names.invalid_argument("csr_data: the matrix is one of blocks; copy it by omatcopy")
    parts = (found.starts, found.indices, found.values)
    return tuple(m.base for m in parts if m is not None)


def kept_by(queue: sycl.queue, values: Any) -> Any:
    """Return memory of the library's own with some values."""
    found = empty(queue, max(values.size, 1), values.dtype)
    found[:values.size] = values
    return found


def on_host(queue: sycl.queue, memory: Memory, count: int) -> Any:
    """Return a copy of memory on the host, as it is behind what a queue in order has to do."""
    if queue.is_in_order():
        queue.wait()
    found = np.empty(count, np.dtype(memory.base.dtype))
    base = memory.base
    if isinstance(base, sycl.buffer):
        with sycl.host_accessor(base, sycl.read_only) as seen:
            found[:] = np.asarray(seen).reshape(-1)[memory.first:memory.first + count]
    elif isinstance(base, np.ndarray):
        found[:] = base[memory.first:memory.first + count]
    elif count:
        queue.copy(base.pointer_to(memory.first), found, count).wait()
    return found
