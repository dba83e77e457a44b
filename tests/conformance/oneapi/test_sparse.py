"""Sparse matrices against dense ones of longer floats."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
import types

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import cuda_stand_ins
from tests.sampling import by_turns
from unisycl.oneapi import mkl
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame import table as frame_table
from unisycl.oneapi.mkl.providers import cusparse

sparse = mkl.sparse
N, T, C = mkl.transpose.nontrans, mkl.transpose.trans, mkl.transpose.conjtrans
ZERO, ONE = mkl.index_base.zero, mkl.index_base.one

pytestmark = pytest.mark.row("L-8")


def made(rng, kind, m, n, index, base):
    dense = rng.standard_normal((m, n)) * (rng.random((m, n)) < 0.4)
    if kind.kind == "c":
        dense = dense * (1 + 0.5j)
    if m == n:
        dense = dense + 3 * np.eye(n)
    dense = dense.astype(kind)
    i, j = np.nonzero(dense)
    starts = np.searchsorted(i, np.arange(m + 1))
    return dense, i, [(starts + base).astype(index), (j + base).astype(index), dense[i, j]]


def op(a, trans):
    return a if trans is N else a.T if trans is T else a.conj().T


def shared(queue, x):
    found = sycl.malloc_shared(max(x.size, 1), x.dtype, queue)
    found[:x.size] = x.ravel()
    return found


def near(found, right, kind):
    assert np.abs(found - right).max(initial=0) <= 200 * np.finfo(kind).eps * max(
        1, np.abs(right).max(initial=0))


def test_products_and_solutions(queue: sycl.queue) -> None:
    rng = np.random.default_rng(8)
    doubles = queue.get_device().has(sycl.aspect.fp64)
    indices = ((np.int32, 0, ZERO), (np.int64, 1, ONE))
    kinds = "fdDF" if doubles else "fF"
    if queue.get_device().get_platform().get_info(sycl.info.platform.name).startswith("Portable"):
        kinds = "fdF"  # PoCL 3.1 compiles transposed products of complex128 so that they crash
    for k, kind in enumerate(map(np.dtype, kinds)):
        for index, base, option in (indices[k % 2],):
            for m, n in ((9, 9), (5, 8)):
                dense, i, parts = made(rng, kind, m, n, index, base)
                memory = [shared(queue, p) for p in parts]
                handle = sparse.init_matrix_handle()
                if base:
                    order = rng.permutation(i.size)
                    coordinates = [shared(queue, x[order]) for x in (
                        (i + base).astype(index), parts[1], parts[2])]
                    sparse.set_coo_data(queue, handle, m, n, i.size, option, *coordinates)
                else:
                    sparse.set_csr_data(queue, handle, m, n, i.size, option, *memory)
                _check(queue, rng, handle, dense, kind)
                for p in memory:
                    sycl.free(p, queue)


def _check(queue, rng, handle, dense, kind) -> None:
    """Multiply and solve in every way, half of them each by two devices of a sample."""
    wide, device = dense.astype(np.clongdouble), queue.get_device()
    some = by_turns(device, itertools.product((N, T, C), (None, "C", "F")))
    for trans, order in some:
        rows, columns = dense.shape if trans is N else dense.shape[::-1]
        if order is None:
            x, y = (rng.standard_normal(n).astype(kind) for n in (columns, rows))
            held = dx, dy = shared(queue, x), shared(queue, y)
            sparse.gemv(queue, trans, 2, handle, dx, 0.5, dy).wait()
            near(dy[:], 2 * op(wide, trans) @ x + y * 0.5, kind)
        else:
            layout = mkl.layout.row_major if order == "C" else mkl.layout.col_major
            b, c = (rng.standard_normal((r, 3)).astype(kind) for r in (columns, rows))
            held = db, dc = [
                shared(queue, np.ravel(z, order)) for z in (b, np.full_like(c, np.nan))]
            ldb, ldc = (3, 3) if order == "C" else (columns, rows)
            sparse.gemm(queue, layout, trans, N, 1.5, handle, db, 3, ldb, 0, dc, ldc).wait()
            near(dc[:].reshape((rows, 3), order=order), 1.5 * op(wide, trans) @ b, kind)
        for memory in held:
            sycl.free(memory, queue)
    if dense.shape[0] == dense.shape[1]:
        _solve(queue, rng, handle, wide, kind)


def _solve(queue, rng, handle, wide, kind) -> None:
    x = rng.standard_normal(wide.shape[0]).astype(kind)
    dx, dy, eps = shared(queue, x), shared(queue, x), np.finfo(kind).eps
    for trans, uplo, diag in by_turns(queue.get_device(), itertools.product(
            (N, T, C), (mkl.uplo.upper, mkl.uplo.lower), (mkl.diag.nonunit, mkl.diag.unit))):
        a = (np.triu if uplo is mkl.uplo.upper else np.tril)(wide).astype("D")
        if diag is mkl.diag.unit:
            np.fill_diagonal(a, 1)
        sparse.trsv(queue, uplo, trans, diag, 1, handle, dx, dy).wait()
        right = np.linalg.solve(op(a, trans), x.astype("D"))
        assert np.allclose(dy[:], right, rtol=2000 * eps, atol=2000 * eps)
    sycl.free(dx, queue)
    sycl.free(dy, queue)


def blocked(rng, kind, m, n, high, wide, index, base, by_rows):
    """Return a matrix of m by n blocks, as it is and by its parts."""
    there = rng.random((m, n)) < 0.4
    if m == n:
        there |= np.eye(n, dtype=bool)
    i, j = np.nonzero(there)
    parts = rng.standard_normal((i.size, high, wide)).astype(kind)
    if kind.kind == "c":
        parts = (parts * (1 + 0.5j)).astype(kind)
    dense = np.zeros((m * high, n * wide), kind)
    for k in range(i.size):
        if i[k] == j[k] and high == wide:
            parts[k] += 6 * np.eye(high, dtype=kind)
        dense[i[k] * high:(i[k] + 1) * high, j[k] * wide:(j[k] + 1) * wide] = parts[k]
    starts = np.searchsorted(i, np.arange(m + 1))
    lying = parts if by_rows else parts.transpose(0, 2, 1)
    return dense, [(starts + base).astype(index), (j + base).astype(index), lying.ravel()]


def test_blocks_and_what_is_prepared_give_the_same(queue: sycl.queue) -> None:
    rng = np.random.default_rng(9)
    cases = ((np.float32, 3, 3, 2, 2, np.int32, 0), (np.complex64, 2, 4, 3, 2, np.int64, 1))
    for kind, m, n, high, wide, index, base in cases:
        for by_rows in (True, False):
            dense, parts = blocked(rng, np.dtype(kind), m, n, high, wide, index, base, by_rows)
            memory = [shared(queue, p) for p in parts]
            handle = sparse.init_matrix_handle()
            sparse.set_bsr_data(queue, handle, m, n, parts[1].size, high, wide,
                                mkl.layout.row_major if by_rows else mkl.layout.col_major,
                                ONE if base else ZERO, *memory)
            _check(queue, rng, handle, dense, np.dtype(kind))
            sparse.optimize_gemv(queue, C, handle).wait()
            _check(queue, rng, handle, dense, np.dtype(kind))
            for p in memory:
                sycl.free(p, queue)


def test_solutions_by_levels_are_those_row_by_row(queue: sycl.queue) -> None:
    rng = np.random.default_rng(10)
    dense = np.zeros((96, 96), np.float32)
    for k in range(0, 96, 3):  # three rows that wait for one another, many times
        dense[k:k + 3, k:k + 3] = rng.standard_normal((3, 3)) + 4 * np.eye(3)
    i, j = np.nonzero(dense)
    parts = [np.searchsorted(i, np.arange(97)).astype(np.int32), j.astype(np.int32), dense[i, j]]
    memory = [shared(queue, p) for p in parts]
    handle = sparse.init_matrix_handle()
    sparse.set_csr_data(queue, handle, 96, 96, i.size, ZERO, *memory)
    x, y, z = (shared(queue, rng.standard_normal(96).astype(np.float32)) for _ in range(3))
    for uplo in (mkl.uplo.upper, mkl.uplo.lower):
        for trans in (N, T):
            handle.plans.clear()
            sparse.trsv(queue, uplo, trans, mkl.diag.nonunit, 2, handle, x, y).wait()
            sparse.optimize_trsv(queue, uplo, trans, mkl.diag.nonunit, handle).wait()
            sparse.trsv(queue, uplo, trans, mkl.diag.nonunit, 2, handle, x, z).wait()
            near(z[:], y[:], np.dtype(np.float32))
            part = np.triu(dense) if uplo is mkl.uplo.upper else np.tril(dense)
            near(z[:], 2 * np.linalg.solve(op(part, trans).astype(float), x[:]),
                 np.dtype(np.float32))
    memory[2][:i.size] = 2 * dense[i, j]  # values may change once a matrix was prepared
    sparse.trsv(queue, mkl.uplo.lower, T, mkl.diag.nonunit, 2, handle, x, y).wait()
    near(y[:], z[:] / 2, np.dtype(np.float32))


def expanded(queue, handle):
    """Return a matrix in compressed rows as a dense one, and how many elements it has."""
    starts, columns, values = (np.array(np.asarray(x)) for x in sparse.csr_data(handle))
    found = np.zeros((handle.rows, handle.columns), values.dtype)
    for i in range(handle.rows):
        at = columns[starts[i]:starts[i + 1]]
        assert (np.diff(at) > 0).all()
        found[i, at] = values[starts[i]:starts[i + 1]]
    return found, int(starts[handle.rows])


def test_products_of_sparse_matrices(queue: sycl.queue) -> None:
    rng = np.random.default_rng(11)
    for kind, index, base, option in ((np.float32, np.int32, 0, ZERO),
                                      (np.complex64, np.int64, 1, ONE)):
        for ways in by_turns(queue.get_device(), ((N, N), (T, N), (N, C), (C, T))):
            shapes = ((7, 5), (5, 9))
            held = []
            for shape, way in zip(shapes, ways, strict=True):
                dense, _, parts = made(rng, np.dtype(kind), *(shape if way is N else shape[::-1]),
                                       index, base)
                handle = sparse.init_matrix_handle()
                sparse.set_csr_data(queue, handle, *dense.shape, parts[1].size, option,
                                    *(shared(queue, p) for p in parts))
                held.append((handle, dense, way))
            c = sparse.init_matrix_handle()
            (a, da, ta), (b, db, tb) = held
            sparse.matmat(queue, ta, a, tb, b, c).wait()
            found, count = expanded(queue, c)
            wide = op(da.astype(np.clongdouble), ta) @ op(db.astype(np.clongdouble), tb)
            near(found, wide, np.dtype(kind))
            pattern = (op(da, ta) != 0).astype(int) @ (op(db, tb) != 0).astype(int)
            assert count == np.count_nonzero(pattern)
            copied = sparse.init_matrix_handle()
            sparse.omatcopy(queue, ta, a, copied).wait()
            assert np.array_equal(expanded(queue, copied)[0], op(da, ta))


def test_large_sparse_products_and_empty_ones(queue: sycl.queue) -> None:
    rng = np.random.default_rng(12)
    n, each = 300, 4
    columns = np.sort(np.stack([rng.choice(n, each, replace=False) for _ in range(n)]), axis=1)
    values = rng.standard_normal(n * each).astype(np.float32)
    dense = np.zeros((n, n))
    dense[np.repeat(np.arange(n), each), columns.ravel()] = values
    a, c = sparse.init_matrix_handle(), sparse.init_matrix_handle()
    parts = [shared(queue, x) for x in (
        np.arange(0, n * each + 1, each, dtype=np.int32), columns.astype(np.int32), values)]
    sparse.set_csr_data(queue, a, n, n, n * each, ZERO, *parts)
    sparse.matmat(queue, N, a, T, a, c).wait()
    near(expanded(queue, c)[0], dense @ dense.T, np.dtype(np.float32))
    nothing = sparse.init_matrix_handle()
    sparse.set_csr_data(queue, nothing, 4, n, 0, ZERO, shared(queue, np.zeros(5, np.int32)),
                        parts[1], parts[2])
    sparse.matmat(queue, N, nothing, N, a, c).wait()
    found, count = expanded(queue, c)
    assert found.shape == (4, n)
    assert count == 0


def test_bad_input_is_refused(queue: sycl.queue) -> None:
    handle = sparse.init_matrix_handle()
    x, y = np.ones(3), np.ones(3)
    with pytest.raises(mkl.uninitialized, match="no data"):
        sparse.gemv(queue, N, 1, handle, x, 0, y)
    starts, columns, values = np.array([0, 1, 2]), np.array([0, 2]), np.ones(2)
    sparse.set_csr_data(queue, handle, 2, 3, 2, ZERO, starts, columns, values)
    bad = {
        "must be square": lambda: sparse.trsv(
            queue, mkl.uplo.upper, N, mkl.diag.unit, 1, handle, x, y),
        "x has 2 elements where 3": lambda: sparse.gemv(queue, N, 1, handle, x[:2], 0, y),
        "overlap": lambda: sparse.gemv(queue, N, 1, handle, x, 0, x),
        "must be one of transpose's": lambda: sparse.gemv(queue, "N", 1, handle, x, 0, y),
        "ldx is 1; x needs at least 3": lambda: sparse.gemm(
            queue, mkl.layout.col_major, N, N, 1, handle, x, 1, 1, 0, y, 3),
        "row_ptr has 2 elements where 3": lambda: sparse.set_csr_data(
            queue, handle, 2, 3, 2, ZERO, starts[:2], columns, values),
        "indices outside the matrix": lambda: sparse.set_coo_data(
            queue, handle, 2, 2, 2, ZERO, columns, columns, values),
        "the index base must be": lambda: sparse.set_csr_data(
            queue, handle, 2, 3, 2, 0, starts, columns, values),
        "cannot be multiplied": lambda: sparse.matmat(
            queue, N, handle, N, handle, sparse.init_matrix_handle()),
        "a handle of its own": lambda: sparse.matmat(queue, N, handle, T, handle, handle),
        "blocks have 0 x 2": lambda: sparse.set_bsr_data(
            queue, handle, 1, 1, 1, 0, 2, mkl.layout.row_major, ZERO, starts, columns, values),
        "val has 2 elements where 8": lambda: sparse.set_bsr_data(
            queue, handle, 2, 3, 2, 2, 2, mkl.layout.row_major, ZERO, starts, columns, values),
        "expected a matrix_handle": lambda: sparse.gemv(queue, N, 1, x, x, 0, y),
    }
    for text, call in bad.items():
        with pytest.raises(sycl.UsageError, match=text):
            call()
    assert (x == 1).all()
    assert (y == 1).all()


def test_what_is_refused_leaves_a_handle_as_it_was(queue: sycl.queue) -> None:
    h = mkl.sparse.init_matrix_handle()
    starts, indices, values = np.array([0, 1], np.int32), np.zeros(1, np.int32), np.ones(1, "f")
    before = None
    for rows, after in ((1, ()), (0, 5)):
        try:
            mkl.sparse.set_csr_data(queue, h, rows, 1, 1, mkl.index_base.zero, starts, indices,
                                    values, dependencies=after)
            before = repr(h)
        except sycl.exception:
            assert after
    assert repr(h) == before == "<matrix_handle 1 x 1 of float32>"


def test_elements_in_any_order_and_more_than_once(queue: sycl.queue) -> None:
    h, copied = sparse.init_matrix_handle(), sparse.init_matrix_handle()
    parts = [shared(queue, np.array(x, k)) for x, k in (
        ([0, 3, 6], np.int32), ([1, 0, 0, 1, 0, 1], np.int32), ([0, 1, 2, 2, 7, 3], np.float32))]
    sparse.set_csr_data(queue, h, 2, 2, 6, ZERO, *parts)  # [[3, 0], [7, 5]]
    x, y = (shared(queue, np.array(v, np.float32)) for v in ([3, 12], [np.nan, np.nan]))
    for trans, right in ((N, [1, 1]), (T, [(3 - 7 * 2.4) / 3, 2.4])):
        sparse.trsv(queue, mkl.uplo.lower, trans, mkl.diag.nonunit, 1, h, x, y).wait()
        assert np.allclose(y[:], right)
    sparse.omatcopy(queue, N, h, copied).wait()
    assert list(np.asarray(sparse.csr_data(copied)[1])[:6]) == [0, 0, 1, 0, 1, 1]
    assert list(np.asarray(sparse.csr_data(copied)[2])[:6]) == [1, 2, 0, 7, 2, 3]
    x[:], y[:] = np.inf, [1, np.nan]
    sparse.gemv(queue, T, 0, h, x, 2, y).wait()  # nothing is read that 0 multiplies
    assert y[0] == 2
    assert np.isnan(y[1])
    sparse.gemv(queue, N, 0, h, x, 0, y).wait()
    assert not y[:].any()
    for memory in (*parts, x, y):
        sycl.free(memory, queue)


def test_coordinates_wait_for_what_writes_them_in_order(device: sycl.device) -> None:
    queue = sycl.queue(device, sycl.property.queue.in_order())
    go, h = sycl.ext.unisycl.user_event(), sparse.init_matrix_handle()
    rows, columns, values = (shared(queue, np.zeros(2, k)) for k in (np.int64, np.int64, "f"))

    def write(i, rows, columns, values):
        rows[i] = i
        columns[i] = i
        values[i] = 3
    queue.parallel_for(2, write, np.asarray(rows), columns, values, depends_on=[go])
    threading.Timer(0.02, go.set).start()
    sparse.set_coo_data(queue, h, 2, 2, 2, ZERO, np.asarray(rows), columns, np.asarray(values))
    assert list(np.asarray(sparse.csr_data(h)[2])) == [3, 3]


def solved_twice(queue: sycl.queue, library: cuda_stand_ins.Sparse, handle: object,
                 how: tuple, dense: np.ndarray, vectors: tuple) -> np.ndarray:
    """Solve with a triangle, change its values, and solve again; return the matrix as it is now."""
    (uplo, trans, diag), (x, y) = how, vectors
    handle.plans.clear()
    with pytest.raises(sycl.exception, match="nobody serves"):
        sparse.trsv(queue, uplo, trans, diag, 1, handle, x, y)
    sparse.optimize_trsv(queue, uplo, trans, diag, handle).wait()
    for again in (False, True):
        before = library.calls.count("analysis"), library.calls.count("made")
        sparse.trsv(queue, uplo, trans, diag, 2, handle, x, y).wait()
        a = np.triu(dense) if uplo is mkl.uplo.upper else np.tril(dense)
        if diag is mkl.diag.unit:
            np.fill_diagonal(a, 1)
        near(y, np.linalg.solve(op(a, trans), 2 * x), y.dtype)
        if again:  # what was found of the triangle stays
            assert before == (library.calls.count("analysis"), library.calls.count("made"))
        else:
            np.asarray(handle.values.base)[:] *= 4
            dense = 4 * dense
    return dense


def test_a_devices_library_multiplies_and_solves(monkeypatch: pytest.MonkeyPatch) -> None:
    library, module = cuda_stand_ins.Sparse(), types.ModuleType("stand_in")
    module.load = lambda name: cusparse.CuSparse(library)
    monkeypatch.setitem(sys.modules, "stand_in", module)
    monkeypatch.setattr(providers, "ROWS", (
        frame_table.Row("mkl.sparse", "cusparse", "stand_in", sample="gemv"),
        frame_table.Row("mkl.sparse", "kernels", "unisycl.oneapi.mkl.providers.own_sparse",
                        kernels=True)))
    monkeypatch.setattr(providers, "_KNOWN", {})
    monkeypatch.setattr(cusparse.CuSparse, "serves", lambda self, device: True)
    queue, rng = sycl.queue(sycl.cpu_selector_v), np.random.default_rng(3)
    for kind, index, base, option in (("f", np.int32, 0, ZERO), ("D", np.int64, 1, ONE)):
        dense, i, parts = made(rng, np.dtype(kind), 6, 6, index, base)
        handle = sparse.init_matrix_handle()
        sparse.set_csr_data(queue, handle, 6, 6, i.size, option, *(
            np.asarray(shared(queue, p)) for p in parts))
        x, y = (np.asarray(shared(queue, rng.standard_normal(6).astype(kind))) for _ in "xy")
        right = 2 * dense @ x + 0.5 * y
        with mkl.using("mkl.sparse", "cusparse"):
            sparse.gemv(queue, N, 2, handle, x, 0.5, y).wait()
            near(y, right, np.dtype(kind))
            for layout, lying in ((mkl.layout.row_major, (6, 8)), (mkl.layout.col_major, (4, 8))):
                b, c = (np.asarray(shared(queue, z)).reshape(lying) for z in (
                    rng.standard_normal(lying).astype(kind), np.full(lying, np.nan, kind)))
                c[:, -1] = 7  # rows, or columns, have room for more
                by_rows = layout is mkl.layout.row_major
                turn = (lambda z: z[:, :4]) if by_rows else (lambda z: z[:, :6].T)
                sparse.gemm(queue, layout, N, N, 1.5, handle, b, 4, 8, 0, c, 8).wait()
                near(turn(c), 1.5 * dense @ turn(b), np.dtype(kind))
                assert (c[:, -1] == 7).all()
            for uplo, trans, diag in ((mkl.uplo.upper, C, mkl.diag.nonunit),
                                      (mkl.uplo.lower, N, mkl.diag.unit)):
                dense = solved_twice(queue, library, handle, (uplo, trans, diag), dense, (x, y))
            odd = np.asarray(shared(queue, np.zeros(7, kind)))[1:]
            # In no fixed order; not to be read by blocks.
            for trans, at in ((T, x), *((N, odd) for _ in range(kind == "f"))):
                with pytest.raises(sycl.exception, match="gemv: nobody serves it for"):
                    sparse.gemv(queue, trans, 2, handle, at, 0.5, y)
    del handle
    gc.collect()
    assert library.known == {}
    assert library.calls.count("product") == 6
    assert library.calls.count("solution") == 8
    assert mkl.provider_of(queue, "mkl.sparse").name == "cusparse"
    hole = sparse.init_matrix_handle()  # a row without its diagonal: by our kernels
    sparse.set_csr_data(queue, hole, 2, 2, 2, ZERO, np.array([0, 1, 2]), np.array([0, 0]),
                        np.array([2.0, 3.0]))
    sparse.optimize_trsv(queue, mkl.uplo.lower, N, mkl.diag.nonunit, hole).wait()
    found = np.zeros(2)
    sparse.trsv(queue, mkl.uplo.lower, N, mkl.diag.nonunit, 1, hole, np.ones(2), found).wait()
    assert list(found) == [0.5, -0.5]
