"""Sparse matrices made of others: products of two, and copies turned over.

Non-goals: dense results. Invariants: rows of what is made are in order of columns; an element is
the sum of its products in the order of the first matrix, so results are the same in every run; what
cancels is kept as an element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi import dpl
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.kernels import sparse
from unisycl.oneapi.mkl.sparse.matrices import (
    checked,
    kept_by,
    matrix_handle,
    on_host,
    set_csr_data,
)
from unisycl.oneapi.mkl.sparse.plans import matrix_of, option, prepared, structure

N = names.transpose.nontrans


@ends_at_call
def matmat(queue: sycl.queue, transpose_a: names.Option, a: matrix_handle,
           transpose_b: names.Option, b: matrix_handle, c: matrix_handle, *,
           dependencies: Any = ()) -> sycl.event:
    """Make c the product ``op(a) * op(b)`` of two sparse matrices; waits for it.

    c has compressed rows in memory of its own, from 0, with the type of a's indices.

    Args:
        queue: the queue.
        transpose_a: how a is used.
        a: a matrix.
        transpose_b: how b is used.
        b: a matrix with elements of the same type.
        c: the handle that gets the product.
        dependencies: events to wait for.

    Raises:
        mkl.invalid_argument: sizes or types do not go together, or c is a or b.
    """
    what = "matmat"
    left, right, made = (checked(what, x) for x in (a, b, c))
    letter = left.letter(what)
    if right.letter(what) != letter:
        raise names.invalid_argument(f"{what}: a is {left!r} and b is {right!r}; their elements "
                                     "must be of one type")
    if made is left or made is right:
        raise names.invalid_argument(f"{what}: c must be a handle of its own, not a or b")
    ways = [option(what, n, t, names.transpose) for n, t in (
        ("the transposing of a", transpose_a), ("that of b", transpose_b))]
    shapes = [(h.rows, h.columns) if t is N else (h.columns, h.rows)
              for h, t in zip((left, right), ways, strict=True)]
    if shapes[0][1] != shapes[1][0]:
        raise names.invalid_argument(f"{what}: op(a) is {shapes[0][0]} x {shapes[0][1]} and op(b) "
                                     f"{shapes[1][0]} x {shapes[1][1]}; they cannot be multiplied")
    sycl.event.wait([*events_of(dependencies), *left.after, *right.after])
    for h in (left, right):
        structure(queue, h)  # refuses indices outside the matrix
    rows, width = shapes[0][0], shapes[1][1]
    matrices = [prepared(queue, h, letter, t) for h, t in zip((left, right), ways, strict=True)]
    index = np.dtype(left.starts.dtype)  # type: ignore[union-attr]
    kind: Any = left.values.dtype  # type: ignore[union-attr]
    found = _multiply(queue, matrices, (rows, width), kind)
    if found[0].size > np.iinfo(index).max:
        raise names.invalid_argument(f"{what}: the product has {found[0].size} elements, more than "
                                     f"indices of {index} can count")
    starts = np.searchsorted(found[0], np.arange(rows + 1))
    return set_csr_data(queue, made, rows, width, found[0].size, names.index_base.zero,
                        *(kept_by(queue, x) for x in (
                            starts.astype(index), found[1].astype(index), found[2])))


def _multiply(queue: sycl.queue, matrices: list[Record], shape: tuple[int, int],
              kind: Any) -> tuple[Any, Any, Any]:
    """Return rows, columns and values of a product, on the host."""
    rows, width = shape
    call = Call("matmat", queue, ())
    counts = call.scratch(rows, np.int64)
    _filled(queue, counts, np.zeros(rows, np.int64))
    if rows:
        call.launch(rows, sparse.count_products, *matrices, counts)
    call.done().get_event().wait()
    ends = np.cumsum(on_host(queue, counts, rows))
    count = int(ends[-1]) if rows else 0
    if not count:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, kind)
    _filled(queue, counts, np.concatenate([[0], ends[:-1]]))
    keys, order = (call.scratch(count, np.int64) for _ in range(2))
    made = Record(sparse.products_made, keys, order, call.scratch(count, kind))
    call.launch(rows, sparse.write_products, np.int64(width), *matrices, counts, made)
    call.done().get_event().wait()
    dpl.stable_sort_by_key(queue, keys.base, order.base)
    marks = call.scratch(count, np.int64)
    call.launch(count, sparse.mark_firsts, made, marks)
    call.done().get_event().wait()
    dpl.inclusive_scan(queue, marks.base, marks.base)
    elements = int(on_host(queue, marks.part(count - 1, count), 1)[0])
    out = [call.scratch(elements, k) for k in (np.int64, np.int64, kind)]
    call.launch(count, sparse.add_products, count, np.int64(width), made, marks,
                Record(sparse.elements_made, *out))
    call.done().get_event().wait()
    found = [on_host(queue, x, elements) for x in out]
    return found[0], found[1], found[2]


def _filled(queue: sycl.queue, memory: Memory, values: Any) -> None:
    base: Any = memory.base
    if values.size:
        base[:values.size] = values


def _sorted(queue: sycl.queue, source: matrix_handle, letter: str,
            elements: tuple[Any, Any, Any]) -> Record:
    """Return a matrix as kernels read it, whose rows are in order of columns."""
    rows, columns, places = elements
    plain = matrix_of(source, letter, N)
    order = np.lexsort((columns, rows))
    if (np.diff(order) == 1).all():
        return plain
    index = np.dtype(source.starts.dtype)  # type: ignore[union-attr]
    starts = np.searchsorted(rows, np.arange(source.rows + 1))
    return Record(sparse.ordered, *(
        Memory(kept_by(queue, x.astype(index)), 0, max(x.size, 1))
        for x in (starts, columns[order], places[order])), plain)


@ends_at_call
def omatcopy(queue: sycl.queue, trans: names.Option, a: matrix_handle, b: matrix_handle, *,
             dependencies: Any = ()) -> sycl.event:
    """Make b a copy of ``op(a)`` in compressed rows, in order of columns; waits for the matrix.

    Args:
        queue: the queue.
        trans: how a is used.
        a: a matrix, of blocks as well.
        b: the handle that gets the copy, from 0, in memory of its own.
        dependencies: events to wait for.
    """
    what = "omatcopy"
    source, made = checked(what, a), checked(what, b)
    letter = source.letter(what)
    option(what, "trans", trans, names.transpose)
    if source is made:
        raise names.invalid_argument(f"{what}: b must be a handle of its own, not a")
    sycl.event.wait([*events_of(dependencies), *source.after])
    across, along, places = structure(queue, source)
    rows, height, width = across, source.rows, source.columns
    if trans is not N:
        across, height, width = along, width, height
    index = np.dtype(source.starts.dtype)  # type: ignore[union-attr]
    kind: Any = source.values.dtype  # type: ignore[union-attr]
    starts = np.searchsorted(np.sort(across), np.arange(height + 1)).astype(index)
    parts = [kept_by(queue, x) for x in (
        starts, np.zeros(across.size, index), np.zeros(across.size, kind))]
    call = Call(what, queue, ())
    if height:
        call.launch(height, sparse.copy_row, prepared(queue, source, letter, trans)
                    if trans is not N else _sorted(queue, source, letter, (rows, along, places)),
                    *(Memory(x, 0, x.size) for x in parts))
    done = call.done().get_event()
    return set_csr_data(queue, made, height, width, across.size, names.index_base.zero, *parts,
                        dependencies=done)
