"""What can be known of a sparse matrix before it is used: its columns, and an order of solving.

Non-goals: values, which a program may change. Invariants: a plan is made of the indices alone, as
they were when it was made; it changes where work is done, never which bits come out of one element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.kernels import sparse
from unisycl.oneapi.mkl.sparse.matrices import checked, kept_by, matrix_handle, on_host

N = names.transpose.nontrans
_FEWEST_A_LEVEL = 16


def option(routine: str, what: str, value: Any, kind: Any) -> Any:
    """Return one of an option's values; refuse anything else."""
    if not isinstance(value, names.Option) or value.kind != kind.__name__:
        raise names.invalid_argument(f"{routine}: {what} must be one of {kind.__name__}'s, got "
                                     f"{value!r}")
    return value


def matrix_of(handle: matrix_handle, letter: str, trans: Any) -> Record:
    """Return a matrix as kernels read it, not turned over; conjugated where ``trans`` says so."""
    index: Any = np.dtype(handle.starts.dtype).type  # type: ignore[union-attr]
    conjugated = trans is names.transpose.conjtrans and letter in "cz"
    parts = (handle.starts, handle.indices, handle.values, index(handle.base), conjugated,
             handle.rows)
    block = handle.block
    if block is None:
        return Record(sparse.rows, *parts)
    steps = (block.wide, 1) if block.by_rows else (1, block.high)
    return Record(sparse.blocks, *parts, *map(index, (block.high, block.wide, *steps)))


def turned(handle: matrix_handle, letter: str, trans: Any) -> Record | None:
    """Return a matrix turned over as kernels read it, if that was prepared."""
    plan = handle.plans.get("columns")
    if plan is None:
        return None
    return Record(sparse.columns, *plan, matrix_of(handle, letter, trans), handle.columns)


def prepared(queue: sycl.queue, handle: matrix_handle, letter: str, trans: Any) -> Record:
    """Return a matrix as an option asks for it, turned over if need be; may wait."""
    if trans is N:
        return matrix_of(handle, letter, trans)
    plan_columns(queue, handle)
    found = turned(handle, letter, trans)
    assert found is not None
    return found


def structure(queue: sycl.queue, handle: matrix_handle) -> tuple[Any, Any, Any]:
    """Return row, column and place of all elements, row by row; waits for the matrix."""
    sycl.event.wait(handle.after)
    block = handle.block
    high, wide = (block.high, block.wide) if block else (1, 1)
    assert handle.starts is not None and handle.indices is not None  # noqa: PT018
    heads = on_host(queue, handle.starts, handle.rows // high + 1) - handle.base
    count = int(heads[-1]) if heads.size else 0
    along = on_host(queue, handle.indices, count) - handle.base
    for what, x, most in (("row_ptr", heads, count + 1), ("col_ind", along,
                                                          handle.columns // wide)):
        if x.size and (x.min() < 0 or x.max() >= most):
            raise names.invalid_argument(f"{what} has indices outside the matrix")
    if (np.diff(heads) < 0).any():
        raise names.invalid_argument("row_ptr must not descend")
    lengths = np.repeat(np.diff(heads), high) * wide
    rows = np.repeat(np.arange(handle.rows), lengths)
    first = np.repeat(heads[:-1] * wide, high)
    within = np.arange(rows.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = np.repeat(first, lengths) + within
    columns = along[places // wide] * wide + places % wide if count else places
    return rows, columns, places


def plan_columns(queue: sycl.queue, handle: matrix_handle) -> None:
    """Note which elements each column has; waits for the matrix, once."""
    if "columns" in handle.plans:
        return
    rows, columns, places = structure(queue, handle)
    order = np.argsort(columns, kind="stable")
    index = np.dtype(handle.starts.dtype)  # type: ignore[union-attr]
    starts = np.searchsorted(columns[order], np.arange(handle.columns + 1))
    handle.plans["columns"] = tuple(
        Memory(kept_by(queue, x.astype(index)), 0, max(x.size, 1))
        for x in (starts, rows[order], places[order]))


class Levels:
    """The rows of a triangle in an order of solving, and where each level of it begins."""

    def __init__(self, order: Memory, starts: list[int]) -> None:
        self.order, self.starts = order, starts


def _plan_levels(queue: sycl.queue, handle: matrix_handle, upper: bool, trans: Any) -> None:
    letter = handle.letter("optimize_trsv")
    key = "levels", upper, trans is not N
    if key in handle.plans or handle.rows != handle.columns:
        return
    a = prepared(queue, handle, letter, trans)
    n = handle.rows
    call = Call("optimize_trsv", queue, handle.after)
    level = call.scratch(n, np.int32)
    if n:
        call.launch(1, sparse.find_levels, a, level, sparse.way(
            upper is (trans is N), False, np.int32(1), np.int32(1)))
    call.done().get_event().wait()
    found = on_host(queue, level, n)
    starts = np.searchsorted(np.sort(found), np.arange(int(found.max(initial=0)) + 2)).tolist()
    index = np.dtype(handle.starts.dtype)  # type: ignore[union-attr]
    order = np.argsort(found, kind="stable").astype(index)
    handle.plans[key] = Levels(Memory(kept_by(queue, order), 0, max(n, 1)), starts) if (
        len(starts) * _FEWEST_A_LEVEL <= n) else None


def levels(handle: matrix_handle, upper: bool, trans: Any) -> Levels | None:
    """Return an order of solving, if one was prepared and has many rows at a time."""
    return handle.plans.get(("levels", upper, trans is not N))


def _look_at_rows(queue: sycl.queue, handle: matrix_handle) -> None:
    """Note whether rows are in order of columns, and have their diagonal; waits for the matrix."""
    if "ordered" not in handle.plans:
        rows, columns, _ = structure(queue, handle)
        handle.plans["ordered"] = bool(((np.diff(columns) > 0) | (np.diff(rows) > 0)).all())
        handle.plans["diagonal"] = int(np.count_nonzero(rows == columns)) == handle.rows


def can_be_solved(handle: matrix_handle, *, unit: bool) -> bool:
    """Say whether a triangle was found to be one that a device's library solves with, too."""
    return handle.plans.get("ordered", False) and (unit or handle.plans["diagonal"])


@ends_at_call
def optimize_gemv(queue: sycl.queue, trans: names.Option, handle: matrix_handle, *,
                  dependencies: Any = ()) -> sycl.event:
    """Prepare for ``gemv``: where the matrix is turned over, note its columns; waits for it.

    Args:
        queue: the queue.
        trans: how the matrix will be used.
        handle: the matrix, whose indices must not change any more; its values may.
        dependencies: events to wait for.
    """
    return _optimize("optimize_gemv", queue, trans, handle, dependencies)


@ends_at_call
def optimize_gemm(queue: sycl.queue, trans: names.Option, handle: matrix_handle, *,
                  dependencies: Any = ()) -> sycl.event:
    """Prepare for ``gemm``: where the matrix is turned over, note its columns; waits for it.

    Args as of ``optimize_gemv``.
    """
    return _optimize("optimize_gemm", queue, trans, handle, dependencies)


def _optimize(what: str, queue: sycl.queue, trans: Any, handle: Any,
              dependencies: Any) -> sycl.event:
    found = checked(what, handle)
    found.letter(what)
    option(what, "trans", trans, names.transpose)
    sycl.event.wait(events_of(dependencies))
    if trans is not N:
        plan_columns(queue, found)
    return sycl.event()


@ends_at_call
def optimize_trsv(queue: sycl.queue, uplo: names.Option, trans: names.Option, diag: names.Option,
                  handle: matrix_handle, *, dependencies: Any = ()) -> sycl.event:
    """Prepare for ``trsv``: find the rows that can be solved at the same time; waits.

    Args:
        queue: the queue.
        uplo: which triangle.
        trans: how it will be used.
        diag: whether its diagonal is ones.
        handle: the matrix, whose indices must not change any more; its values may.
        dependencies: events to wait for.
    """
    what = "optimize_trsv"
    found = checked(what, handle)
    found.letter(what)
    option(what, "uplo", uplo, names.uplo)
    option(what, "trans", trans, names.transpose)
    option(what, "diag", diag, names.diag)
    sycl.event.wait(events_of(dependencies))
    kind: Any = found.values.dtype  # type: ignore[union-attr]
    serving = providers.find("mkl.sparse", "trsv", kind, queue.get_device())
    if found.block is None and serving is not None and not serving[0].row.kernels:
        _look_at_rows(queue, found)
        if can_be_solved(found, unit=diag is names.diag.unit):
            return sycl.event()
    _plan_levels(queue, found, uplo is names.uplo.upper, trans)
    return sycl.event()
