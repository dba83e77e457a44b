"""Sparse matrices against dense ones of longer floats."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import mkl

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
    m, n = dense.shape
    wide = dense.astype(np.clongdouble)
    for trans in (N, T, C):
        rows, columns = (m, n) if trans is N else (n, m)
        x, y = rng.standard_normal(columns).astype(kind), rng.standard_normal(rows).astype(kind)
        dx, dy = shared(queue, x), shared(queue, y)
        sparse.gemv(queue, trans, 2, handle, dx, 0.5, dy).wait()
        near(dy[:], 2 * op(wide, trans) @ x + y * 0.5, kind)
        for layout, order in ((mkl.layout.row_major, "C"), (mkl.layout.col_major, "F")):
            b, c = (rng.standard_normal((r, 3)).astype(kind) for r in (columns, rows))
            db, dc = (shared(queue, np.ravel(z, order)) for z in (b, np.full_like(c, np.nan)))
            ldb, ldc = (3, 3) if order == "C" else (columns, rows)
            sparse.gemm(queue, layout, trans, N, 1.5, handle, db, 3, ldb, 0, dc, ldc).wait()
            near(dc[:].reshape((rows, 3), order=order), 1.5 * op(wide, trans) @ b, kind)
            for z in (db, dc):
                sycl.free(z, queue)
        if m == n:
            _solve(queue, handle, wide, trans, dx, dy)
        sycl.free(dx, queue)
        sycl.free(dy, queue)


def _solve(queue, handle, wide, trans, dx, dy) -> None:
    for uplo, part in ((mkl.uplo.upper, np.triu), (mkl.uplo.lower, np.tril)):
        for diag in (mkl.diag.nonunit, mkl.diag.unit):
            a = part(wide).astype("D")
            if diag is mkl.diag.unit:
                np.fill_diagonal(a, 1)
            sparse.trsv(queue, uplo, trans, diag, 1, handle, dx, dy).wait()
            right = np.linalg.solve(op(a, trans), dx[:].astype("D"))
            eps = np.finfo(dx.dtype).eps
            assert np.allclose(dy[:], right, rtol=2000 * eps, atol=2000 * eps)


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
        "expected a matrix_handle": lambda: sparse.gemv(queue, N, 1, x, x, 0, y),
    }
    for text, call in bad.items():
        with pytest.raises(sycl.UsageError, match=text):
            call()
    assert (x == 1).all()
    assert (y == 1).all()
