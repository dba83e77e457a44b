"""Products with sparse matrices, and solutions with triangles of them.

By a library of the device's where one serves (``_by_library``), else by our kernels, on every
device. Non-goals: formats. Invariants: results are the same in every run;
what is written overlaps nothing that is read; a transposed product, and a solution, are done by few
work-items in order unless they were prepared (``plans``).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.native import give
from unisycl.oneapi.frame.operands import Memory, Record
from unisycl.oneapi.frame.results import events_of
from unisycl.oneapi.mkl import memories, names
from unisycl.oneapi.mkl.blas.arguments import TYPES
from unisycl.oneapi.mkl.kernels import products, sparse
from unisycl.oneapi.mkl.memories import Held
from unisycl.oneapi.mkl.sparse import plans
from unisycl.oneapi.mkl.sparse.matrices import Problem, checked, matrix_handle
from unisycl.oneapi.mkl.sparse.plans import option

LIBRARY = "mkl.sparse"
_ALIGNED = 16
"""cuSPARSE reads so many bytes at once, and ends the process's use of the card where it cannot."""
N, C = names.transpose.nontrans, names.transpose.conjtrans


def _call(routine: str, queue: Any, handle: matrix_handle, dependencies: Any) -> Call:
    if not isinstance(queue, sycl.queue):
        raise names.invalid_argument(f"{routine}: the first argument is a queue, got "
                                     f"{type(queue).__name__}")
    return Call(routine, queue, [*events_of(dependencies), *handle.after])


def _matrix_memory(handle: matrix_handle) -> list[Held]:
    return [Held(what, m, False) for what, m in (
        ("row_ptr", handle.starts), ("col_ind", handle.indices), ("val", handle.values))
        if m is not None]


def _scaled(routine: str, letter: str, alpha: Any, beta: Any) -> Any:
    kind: Any = TYPES[letter].type
    a, b = (memories.number(routine, what, x, TYPES[letter])
            for what, x in (("alpha", alpha), ("beta", beta)))
    return products.numbers(kind(a), kind(b), kind(0), kind)


@ends_at_call
def gemv(queue: sycl.queue, trans: names.Option, alpha: Any, a: matrix_handle, x: Any, beta: Any,
         y: Any, *, dependencies: Any = ()) -> sycl.event:
    """Compute ``alpha * op(a) * x + beta * y``; y is not read where beta is 0.

    Args:
        queue: the queue.
        trans: how a is used.
        alpha: a factor.
        a: the matrix.
        x: the vector.
        beta: a factor.
        y: the vector that is written.
        dependencies: events to wait for.
    """
    return _product("gemv", queue, a, layout=names.layout.col_major, turned=(trans, N),
                    factors=(alpha, beta), dense=((x, None), (y, None)), columns=1,
                    dependencies=dependencies)


@ends_at_call
def gemm(queue: sycl.queue, layout: names.Option, transpose_a: names.Option,
         transpose_x: names.Option, alpha: Any, a: matrix_handle, x: Any, columns: int, ldx: int,
         beta: Any, y: Any, ldy: int, *, dependencies: Any = ()) -> sycl.event:
    """Compute ``alpha * op(a) * op(x) + beta * y`` with dense x and y, of so many columns.

    Args:
        queue: the queue.
        layout: how x and y lie.
        transpose_a: how a is used.
        transpose_x: how x is used.
        alpha: a factor.
        a: the matrix.
        x: a dense matrix.
        columns: of op(x) and of y.
        ldx: the leading dimension of x.
        beta: a factor.
        y: the dense matrix that is written.
        ldy: its leading dimension.
        dependencies: events to wait for.
    """
    option("gemm", "layout", layout, names.layout)
    return _product("gemm", queue, a, layout=layout, turned=(transpose_a, transpose_x),
                    factors=(alpha, beta), dense=((x, ldx), (y, ldy)),
                    columns=names.whole("gemm", "columns", columns), dependencies=dependencies)


def _product(routine: str, queue: Any, handle: Any, *, layout: Any, turned: tuple[Any, Any],
             factors: tuple[Any, Any], dense: tuple[Any, Any], columns: int,
             dependencies: Any) -> sycl.event:
    found = checked(routine, handle)
    letter = found.letter(routine)
    trans, trans_x = (option(routine, w, t, names.transpose)
                      for w, t in zip(("the transposing of a", "that of x"), turned, strict=True))
    height, width = found.rows, found.columns
    if trans is not N:
        height, width = width, height
    by_rows = layout is names.layout.row_major
    left = _dense(routine, "x", *dense[0], shape=(width, columns), by_rows=by_rows,
                  turned=trans_x, letter=letter)
    right = _dense(routine, "y", *dense[1], shape=(height, columns), by_rows=by_rows, turned=N,
                   letter=letter, writes=True)
    memories.check_apart(routine, [left[1], right[1], *_matrix_memory(found)])
    numbers = _scaled(routine, letter, *factors)
    call = _call(routine, queue, found, dependencies)
    plain = trans is N and trans_x is N and bool(numbers.alpha) and columns > 0
    done = _by_library(
        routine, queue, found, [left[1], right[1]], plain=plain, dependencies=dependencies,
        alpha=numbers.alpha, beta=numbers.beta, width=columns, by_rows=by_rows,
        leading=tuple(int(max(d[0].fields[1:3])) for d in (left, right)))
    if done is not None:
        return done
    matrix = plans.matrix_of(found, letter, trans)
    over = matrix if trans is N else plans.turned(found, letter, trans)
    if not numbers.alpha and height * columns:
        call.launch(height * columns, sparse.scaled, np.int64(columns), right[0], numbers)
    elif over is not None and height * columns:
        call.launch(height * columns, sparse.product, columns, over, left[0], right[0], numbers)
    elif height * columns:
        call.launch(columns, sparse.turned_product, height, matrix, left[0], right[0], numbers)
    return call.done().get_event()


def _by_library(routine: str, queue: sycl.queue, found: matrix_handle, dense: list[Held], *,
                plain: bool, dependencies: Any, **problem: Any) -> sycl.event | None:
    """Have a device's library do it, and return the event; None where our kernels do.

    Of a matrix without elements, of blocks, in a graph that is recorded, and where memory or rows
    of it begin at odd places, they always do.
    """
    assert found.starts is not None and found.indices is not None and (  # noqa: PT018
        found.values is not None)
    count = found.indices.size or 0
    operands = [found.starts, found.indices, found.values, *(h.memory for h in dense)]
    kind: Any = found.values.dtype
    rows_lie_so = routine != "gemm" or all(
        ld * kind.itemsize % _ALIGNED == 0 for ld in problem["leading"])
    plain = plain and found.block is None and found.rows * found.columns * count > 0 and (
        queue.ext_oneapi_get_state().name == "executing") and rows_lie_so and all(
            _is_aligned(m) for m in operands)
    serving, body = providers.needed(LIBRARY, routine if plain else f"{routine}.own", kind,
                                     queue.get_device())
    if serving.row.kernels:
        return None
    call: Any = body
    work = call.work(queue, Problem(found.rows, found.columns, count, found.base,
                                    np.dtype(found.starts.base.dtype).itemsize,
                                    kept=found.plans.setdefault(LIBRARY, {}), **problem))
    return give(queue, serving.place, routine, work, operands,
                [*events_of(dependencies), *found.after], cost=0)


def _is_aligned(memory: Memory) -> bool:
    """Say whether memory begins where a device's library may read several elements at once."""
    base: Any = memory.base
    skip = memory.first * np.dtype(base.dtype).itemsize
    if isinstance(base, sycl.buffer):
        return not base.is_sub_buffer() and skip % _ALIGNED == 0
    at = base.ctypes.data if isinstance(base, np.ndarray) else base.address()
    return bool((at + skip) % _ALIGNED == 0)


def _dense(routine: str, what: str, x: Any, ld: Any, *, shape: tuple[int, int], by_rows: bool,
           turned: Any, letter: str, writes: bool = False) -> tuple[Record, Held]:
    """Return a dense matrix as kernels read it."""
    rows, columns = shape if turned is N else shape[::-1]
    lying, count = (columns, rows) if by_rows else (rows, columns)
    leading = max(1, lying) if ld is None else names.whole(routine, f"ld{what}", ld)
    if leading < max(1, lying):
        raise names.invalid_argument(f"{routine}: ld{what} is {leading}; {what} needs at least "
                                     f"{max(1, lying)}")
    need = (count - 1) * leading + lying if lying and count else 0
    held = memories.held(routine, what, x, TYPES[letter], need, writes=writes)
    down, along = (leading, 1) if by_rows else (1, leading)
    if turned is not N:
        down, along = along, down
    return Record(products.grid, held.memory, np.int64(down), np.int64(along),
                  turned is C and letter in "cz"), held


@ends_at_call
def trsv(queue: sycl.queue, uplo: names.Option, trans: names.Option, diag: names.Option,
         alpha: Any, a: matrix_handle, x: Any, y: Any, *, dependencies: Any = ()) -> sycl.event:
    """Solve ``op(a) * y = alpha * x`` with a triangle of a.

    Elements that are stored more than once are added up. A diagonal element that is not stored
    counts as 1; one that is 0 gives infinities, as in C++.

    Args:
        queue: the queue.
        uplo: which triangle.
        trans: how it is used.
        diag: whether its diagonal is ones.
        alpha: a factor.
        a: the matrix, which is square.
        x: the right side.
        y: the solution.
        dependencies: events to wait for.
    """
    what = "trsv"
    found = checked(what, a)
    letter = found.letter(what)
    option(what, "uplo", uplo, names.uplo)
    option(what, "trans", trans, names.transpose)
    option(what, "diag", diag, names.diag)
    n = found.rows
    if n != found.columns:
        raise names.invalid_argument(f"{what}: the matrix has {n} rows and {found.columns} "
                                     "columns; it must be square")
    source, target = (memories.held(what, w, m, TYPES[letter], n, writes=k)
                      for w, m, k in (("x", x, False), ("y", y, True)))
    memories.check_apart(what, [source, target, *_matrix_memory(found)])
    kind: Any = TYPES[letter].type
    upper, unit = uplo is names.uplo.upper, diag is names.diag.unit
    numbers = (kind(memories.number(what, "alpha", alpha, TYPES[letter])), kind(1))
    call = _call(what, queue, found, dependencies)
    done = _by_library(what, queue, found, [source, target], dependencies=dependencies,
                       plain=plans.can_be_solved(found, unit=unit), alpha=numbers[0],
                       trans=trans.letter if letter in "cz" else trans.letter.replace("C", "T"),
                       upper=upper, unit=unit)
    if done is not None:
        return done
    steps = plans.levels(found, upper, trans)
    if steps is not None:
        over = plans.matrix_of(found, letter, trans) if trans is N else (
            plans.turned(found, letter, trans))
        way = sparse.way(upper is (trans is N), unit, *numbers)
        for begin, end in itertools.pairwise(steps.starts):
            call.launch(end - begin, sparse.solve_level, steps.order.part(begin, end), over,
                        source.memory, target.memory, way)
    elif n:
        call.launch(1, sparse.solve if trans is N else sparse.solve_turned,
                    plans.matrix_of(found, letter, trans), source.memory, target.memory,
                    sparse.way(upper, unit, *numbers))
    return call.done().get_event()
