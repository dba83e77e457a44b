"""Handles of sparse matrices: what a program says of a matrix, kept by reference.

Non-goals: computing. Invariants: compressed rows are used where they lie; coordinates are brought
into compressed rows once, when they are set, by the host.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.refusals import whole
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas.arguments import LETTERS

_INDICES = (np.dtype(np.int32), np.dtype(np.int64))


class matrix_handle:
    """A sparse matrix; empty until data are set."""

    def __init__(self) -> None:
        self.rows = self.columns = self.base = 0
        self.starts: Memory | None = None
        self.indices: Memory | None = None
        self.values: Memory | None = None
        self.after: list[sycl.event] = []

    def letter(self, routine: str) -> str:
        """Return the letter of the elements' type; refuse a handle without data."""
        if self.values is None:
            raise names.uninitialized(f"{routine}: the matrix handle has no data; call "
                                      "set_csr_data or set_coo_data")
        kind: Any = self.values.dtype
        return LETTERS[kind]


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
    rows, columns, count = (whole(what, n, x) for n, x in (
        ("num_rows", num_rows), ("num_cols", num_cols), ("nnz", nnz)))
    base = _base(what, index)
    starts = _memory(what, "row_ptr", row_ptr, rows + 1, _INDICES)
    indices = _memory(what, "col_ind", col_ind, count, (starts.dtype,))
    values = _memory(what, "val", val, count, tuple(LETTERS))
    found.rows, found.columns, found.base = rows, columns, base
    found.starts, found.indices, found.values = starts, indices, values
    found.after = events_of(dependencies)
    return queue.ext_oneapi_submit_barrier(found.after) if found.after else sycl.event()


@ends_at_call
def set_coo_data(queue: sycl.queue, handle: matrix_handle, num_rows: int, num_cols: int, nnz: int,
                 index: names.Option, row_ind: Any, col_ind: Any, val: Any, *,
                 dependencies: Any = ()) -> sycl.event:
    """Give a handle a matrix by coordinates, in any order; waits, and keeps compressed rows.

    Args as of ``set_csr_data``, with the row of each stored element for ``row_ind``.
    """
    what = "set_coo_data"
    rows, columns, count = (whole(what, n, x) for n, x in (
        ("num_rows", num_rows), ("num_cols", num_cols), ("nnz", nnz)))
    base = _base(what, index)
    across = _memory(what, "row_ind", row_ind, count, _INDICES)
    along = _memory(what, "col_ind", col_ind, count, (across.dtype,))
    values = _memory(what, "val", val, count, tuple(LETTERS))
    sycl.event.wait(events_of(dependencies))
    i, j, v = (_on_host(queue, m, count) for m in (across, along, values))
    for name, at, most in (("row_ind", i, rows), ("col_ind", j, columns)):
        if count and (at.min() < base or at.max() >= most + base):
            raise names.invalid_argument(f"{what}: {name} has indices outside the matrix")
    order = np.lexsort((j, i))
    starts = np.searchsorted(i[order], np.arange(rows + 1) + base).astype(i.dtype)
    kept = [_kept(queue, x) for x in (starts + i.dtype.type(base), j[order], v[order])]
    return set_csr_data(queue, handle, rows, columns, count, index, *kept)


def _kept(queue: sycl.queue, values: Any) -> Any:
    found = empty(queue, max(values.size, 1), values.dtype)
    found[:values.size] = values
    return found


def _on_host(queue: sycl.queue, memory: Memory, count: int) -> Any:
    """Return a copy of memory on the host."""
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
