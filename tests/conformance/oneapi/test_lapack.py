"""LAPACK: residuals of factorizations and solutions, and what is said of problems without any."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import cuda_stand_ins
from unisycl.oneapi import mkl
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame import table as frame_table
from unisycl.oneapi.mkl.providers import cusolver

lapack = mkl.lapack
N, T, C = mkl.transpose.nontrans, mkl.transpose.trans, mkl.transpose.conjtrans
U, L = mkl.uplo.upper, mkl.uplo.lower
TYPES = [np.dtype(t) for t in "fdFD"]
PROVIDERS = [p for p in mkl.available("mkl.lapack") if p != "cusolver"]  # on the processor


def made(rng, kind, m, n):
    a = rng.standard_normal((m, n))
    if kind.kind == "c":
        a = a + 1j * rng.standard_normal((m, n))
    return np.asfortranarray(a.astype(kind))


def small(residual, scale, kind, n):
    """Say whether a residual is as small as roundings allow: c n eps times what went in."""
    return np.abs(residual).max() <= 30 * n * np.finfo(kind).eps * np.abs(scale).max()


def solve_by_lu(queue, kind, rng) -> None:
    n = 9
    a, b = made(rng, kind, n, n), made(rng, kind, n, 3)
    lu, x, inverse, ipiv = a.copy("F"), b.copy("F"), None, np.zeros(n, np.int64)
    first = lapack.getrf(queue, n, n, lu, n, ipiv, None, 0)
    for trans, matrix in ((N, a), (T, a.T), (C, a.conj().T)):
        x = b.copy("F")
        lapack.getrs(queue, trans, n, 3, lu, n, ipiv, x, n, dependencies=first).wait()
        assert small(matrix @ x - b, abs(a) @ abs(x), kind, n)
    inverse = lu.copy("F")
    lapack.getri(queue, n, inverse, n, ipiv).wait()
    assert small(inverse @ a - np.eye(n), abs(inverse) @ abs(a), kind, n)


def solve_by_cholesky(queue, kind, rng) -> None:
    n = 8
    g = made(rng, kind, n, n)
    a = np.asfortranarray(g @ g.conj().T + n * np.eye(n)).astype(kind)
    for triangle in (U, L):
        factor, b = a.copy("F"), made(rng, kind, n, 2)
        lapack.potrf(queue, triangle, n, factor, n).wait()
        kept = np.triu(factor) if triangle is U else np.tril(factor)
        again = kept.conj().T @ kept if triangle is U else kept @ kept.conj().T
        assert small(again - a, a, kind, n)
        x = b.copy("F")
        lapack.potrs(queue, triangle, n, 2, factor, n, x, n).wait()
        assert small(a @ x - b, abs(a) @ abs(x), kind, n)
        lapack.potri(queue, triangle, n, factor, n).wait()
        part = np.triu(factor) if triangle is U else np.tril(factor)
        inverse = part + part.conj().T - np.diag(np.diag(part))
        assert small(inverse @ a - np.eye(n), abs(inverse) @ abs(a), kind, n)


def orthogonal(queue, kind, rng) -> None:
    m, n = 9, 5
    a = made(rng, kind, m, n)
    qr, tau = a.copy("F"), np.zeros(n, kind)
    lapack.geqrf(queue, m, n, qr, m, tau).wait()
    r = np.triu(qr[:n])
    q, c = qr.copy("F"), a.copy("F")
    name = "orgqr" if kind.kind == "f" else "ungqr"
    getattr(lapack, name)(queue, m, n, n, q, m, tau).wait()
    assert small(q @ r - a, a, kind, m)
    assert small(q.conj().T @ q - np.eye(n), np.eye(n), kind, m)
    apply = lapack.ormqr if kind.kind == "f" else lapack.unmqr
    apply(queue, mkl.side.left, T if kind.kind == "f" else C, m, n, n, qr, m, tau, c, m).wait()
    assert small(c[:n] - r, a, kind, m)
    b = np.asfortranarray(made(rng, kind, m, 2))
    x, again = b.copy("F"), a.copy("F")
    lapack.gels(queue, N, m, n, 2, again, m, x, m).wait()
    right = np.linalg.lstsq(a.astype("D"), b.astype("D"), rcond=None)[0]
    assert small(x[:n] - right, right, kind, 10 * m)


def singular_values(queue, kind, rng) -> None:
    m, n = 6, 4
    real = np.zeros(0, kind).real.dtype
    for (u_job, v_job) in (("A", "A"), ("S", "S"), ("N", "N")):
        a = made(rng, kind, m, n)
        wide = {"A": m, "S": n, "N": 0}[u_job]
        u, vt, s = np.zeros((m, wide), kind, "F"), np.zeros((n, n), kind, "F"), np.zeros(n, real)
        jobs = getattr(mkl.jobsvd, u_job), getattr(mkl.jobsvd, v_job)
        memory = (u, m, vt, n) if wide else (None, 1, None, 1)
        lapack.gesvd(queue, *jobs, m, n, a.copy("F"), m, s, *memory).wait()
        assert small(s - np.linalg.svd(a.astype("D"), compute_uv=False), s, kind, m)
        if wide:
            assert small((u[:, :n] * s) @ vt - a, a, kind, 3 * m)


def eigenvalues(queue, kind, rng) -> None:
    n = 7
    real = np.zeros(0, kind).real.dtype
    g = made(rng, kind, n, n)
    a = np.asfortranarray((g + g.conj().T) / 2)
    h = made(rng, kind, n, n)
    b = np.asfortranarray((h @ h.conj().T + n * np.eye(n)).astype(kind))
    plain, general = ("syevd", "sygvd") if kind.kind == "f" else ("heevd", "hegvd")
    for triangle in (U, L):
        v, w = a.copy("F"), np.zeros(n, real)
        getattr(lapack, plain)(queue, mkl.job.vec, triangle, n, v, n, w).wait()
        assert small(a @ v - v * w, a, kind, 3 * n)
        only, values = a.copy("F"), np.zeros(n, real)
        getattr(lapack, plain)(queue, mkl.job.novec, triangle, n, only, n, values).wait()
        assert small(values - w, w, kind, n)
        x, factor, w = a.copy("F"), b.copy("F"), np.zeros(n, real)
        getattr(lapack, general)(queue, 1, mkl.job.vec, triangle, n, x, n, factor, n, w).wait()
        assert small(a @ x - (b @ x) * w, a, kind, 10 * n)


def symmetric_and_triangular(queue, kind, rng) -> None:
    n = 6
    g = made(rng, kind, n, n)
    a = np.asfortranarray(g + g.T)
    factor, ipiv = a.copy("F"), np.zeros(n, np.int64)
    lapack.sytrf(queue, L, n, factor, n, ipiv).wait()
    assert (ipiv != 0).all()
    if (ipiv > 0).all() and (ipiv == np.arange(1, n + 1)).all():
        low = np.tril(factor, -1) + np.eye(n)
        assert small(low @ np.diag(np.diag(factor)) @ low.T - a, a, kind, 10 * n)
    t = np.asfortranarray(np.triu(g) + n * np.eye(n)).astype(kind)
    for trans, matrix in ((N, t), (T, t.T), (C, t.conj().T)):
        b = made(rng, kind, n, 2)
        x = b.copy("F")
        lapack.trtrs(queue, U, trans, mkl.diag.nonunit, n, 2, t, n, x, n).wait()
        assert small(matrix @ x - b, abs(t).max() * abs(x), kind, n)


class InSharedMemory:
    """``lapack`` for devices that cannot use NumPy's arrays: copies of them stand for them."""

    def __getattr__(self, name: str):
        function = getattr(mkl.lapack, name)

        def call(queue, *args, **more):
            shared = {}
            for k, x in enumerate(args):
                if isinstance(x, np.ndarray):
                    shared[k] = sycl.malloc_shared(max(x.size, 1), x.dtype, queue)
                    shared[k][:x.size] = x.ravel("F")
            given = [shared.get(k, x) for k, x in enumerate(args)]
            found = function(queue, *given, **more)
            queue.wait_and_throw()
            for k, memory in shared.items():
                args[k][...] = np.array(memory[:args[k].size]).reshape(args[k].shape, order="F")
            return found

        return call


PARTS = (solve_by_lu, solve_by_cholesky, orthogonal, singular_values, eigenvalues,
         symmetric_and_triangular)


@pytest.mark.row("L-5")
@pytest.mark.parametrize("part", PARTS, ids=lambda p: p.__name__)
def test_residuals_are_small(queue: sycl.queue, part, monkeypatch: pytest.MonkeyPatch) -> None:
    if not queue.get_device().has(sycl.aspect.usm_system_allocations):
        monkeypatch.setitem(globals(), "lapack", InSharedMemory())
    for kind in TYPES:
        assert part(queue, kind, np.random.default_rng(5)) is None


@pytest.mark.part("L-5")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_has_small_residuals(provider: str) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    with mkl.using("mkl.lapack", provider):
        for part in PARTS:
            for kind in TYPES:
                assert part(queue, kind, np.random.default_rng(6)) is None


@pytest.mark.row("L-5")
def test_singular_input_raises_with_info(queue: sycl.queue) -> None:
    a = sycl.malloc_shared(9, np.float64, queue)
    ipiv = sycl.malloc_shared(3, np.int64, queue)
    a[:] = [1, 2, 3, 0, 0, 0, 1, 1, 1]  # singular however products are rounded
    size = lapack.getrf_scratchpad_size(queue, 3, 3, 3)
    pad = sycl.malloc_device(size, np.float64, queue)
    event = lapack.getrf(queue, 3, 3, a, 3, ipiv, pad, size)
    with pytest.raises(lapack.computation_error, match="U is exactly 0") as found:
        event.wait()
    assert found.value.info() == 2
    a[:] = [1, 0, 0, 0, -2, 0, 0, 0, 1]
    with pytest.raises(mkl.computation_error, match="2 rows is not positive definite") as found:
        lapack.potrf(queue, U, 3, a, 3).wait()
    assert found.value.info() == 2
    for memory in (a, ipiv, pad):
        sycl.free(memory, queue)


@pytest.mark.row("L-5")
def test_batches_are_loops(queue: sycl.queue) -> None:
    n, batch = 4, 3
    rng = np.random.default_rng(9)
    a = sycl.malloc_shared(batch * 20, np.float64, queue)
    ipiv = sycl.malloc_shared(batch * n, np.int64, queue)
    b = sycl.malloc_shared(batch * n, np.float64, queue)
    a[:] = rng.standard_normal(batch * 20)
    matrices = [a[20 * k:20 * k + 16].reshape(n, n).T.copy() for k in range(batch)]
    b[:] = right = rng.standard_normal(batch * n)
    first = lapack.getrf_batch(queue, n, n, a, n, 20, ipiv, n, batch, None, 0)
    lapack.getrs_batch(queue, N, n, 1, a, n, 20, ipiv, n, b, n, n, batch, None, 0,
                       dependencies=first).wait()
    for k, matrix in enumerate(matrices):
        assert np.allclose(matrix @ b[n * k:n * k + n], right[n * k:n * k + n])
    a[:] = 0
    a[20:36] = np.eye(4).ravel()
    with pytest.raises(lapack.batch_error) as found:
        lapack.getrf_batch(queue, n, n, a, n, 20, ipiv, n, batch).wait()
    assert (found.value.ids(), found.value.infos()) == ([0, 2], [1, 1])
    for memory in (a, ipiv, b):
        sycl.free(memory, queue)


@pytest.mark.row("L-5")
def test_batches_in_groups_have_sizes_of_their_own(queue: sycl.queue) -> None:
    sizes, rng = [2, 3, 3], np.random.default_rng(4)
    a = [sycl.malloc_shared(n * n, np.float64, queue) for n in sizes]
    ipiv = [sycl.malloc_shared(n, np.int64, queue) for n in sizes]
    b = [sycl.malloc_shared(n, np.float64, queue) for n in sizes]
    for n, x, y in zip(sizes, a, b, strict=True):
        x[:], y[:] = rng.standard_normal(n * n), 1
    matrices = [np.array(x).reshape(n, n).T.copy() for n, x in zip(sizes, a, strict=True)]
    first = lapack.getrf_batch(queue, [2, 3], [2, 3], a, [2, 3], ipiv, 2, [1, 2], None, 0)
    lapack.getrs_batch(queue, [N, N], [2, 3], [1, 1], a, [2, 3], ipiv, b, [2, 3], 2, [1, 2],
                       dependencies=first).wait()
    for matrix, y in zip(matrices, b, strict=True):
        assert np.allclose(matrix @ np.array(y), 1)
    a[1][:] = 0
    with pytest.raises(mkl.batch_error) as found:
        lapack.getrf_batch(queue, [3], [3], a[1:], [3], ipiv[1:], 1, [2]).wait()
    assert found.value.ids() == [0]
    for text, call in {
            "a has 3 entries where 2": lambda: lapack.potrf_batch(queue, [U], [2], a, [2], 1, [2]),
            "a and a overlap": lambda: lapack.potrf_batch(
                queue, [U], [2], [a[0], a[0]], [2], 1, [2]),
            "lda is 1": lambda: lapack.potrf_batch(queue, [U], [2], a[:1], [1], 1, [1])}.items():
        with pytest.raises(sycl.UsageError, match=text):
            call()
    for memory in (*a, *b, *ipiv):
        sycl.free(memory, queue)


@pytest.mark.part("L-5")
def test_bad_input_is_refused(queue: sycl.queue) -> None:
    a, ipiv = np.eye(3), np.zeros(3, np.int64)
    bad = {
        "lda is 2; a needs at least 3": lambda: lapack.getrf(queue, 3, 3, a, 2, ipiv),
        "ipiv has elements of int32": lambda: lapack.getrf(queue, 3, 3, a, 3, ipiv.astype("i")),
        "a has elements of int64": lambda: lapack.getrf(queue, 3, 3, ipiv, 3, ipiv),
        "itype must be 1, 2 or 3": lambda: lapack.sygvd(
            queue, 4, mkl.job.vec, U, 3, a, 3, a.copy(), 3, np.zeros(3)),
        "k must be at most n": lambda: lapack.orgqr(queue, 3, 3, 4, a, 3, np.zeros(4)),
        "trans must not be transpose.conjtrans": lambda: lapack.gels(
            queue, C, 3, 3, 1, a, 3, np.zeros(3), 3),
        "scratchpad_size must be at least 1": lambda: lapack.getrf(
            queue, 3, 3, a, 3, ipiv, np.zeros(3), 0),
        "upper_lower must be one of uplo.lower, uplo.upper": lambda: lapack.potrf(
            queue, "U", 3, a, 3),
        "missing: ipiv": lambda: lapack.getrf(queue, 3, 3, a, 3),
    }
    for text, call in bad.items():
        with pytest.raises(sycl.UsageError, match=text):
            call()
    assert np.array_equal(a, np.eye(3))


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch):
    """Return a library with cuSOLVER's interface, which is asked first on the processor."""
    library = cuda_stand_ins.Solver()
    module = types.ModuleType("stand_in")
    module.load = lambda name: cusolver.CuSolver(library)
    monkeypatch.setitem(sys.modules, "stand_in", module)
    monkeypatch.setattr(providers, "ROWS", (
        frame_table.Row("mkl.lapack", "cusolver", "stand_in"),
        frame_table.Row("mkl.lapack", "openblas", "unisycl.oneapi.mkl.providers.lapacke",
                        host=True)))
    monkeypatch.setattr(providers, "_KNOWN", {})
    monkeypatch.setattr(cusolver.CuSolver, "serves", lambda self, device: True)
    return library


@pytest.mark.part("L-5")
def test_a_devices_library_factorizes_and_says_what_became_of_it(solver) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    for part in PARTS:
        for kind in (TYPES[1], TYPES[2]):
            part(queue, kind, np.random.default_rng(6))
    assert set(solver.calls) == set(cusolver._ROUTINES.values())
    a, ipiv = np.array([1.0, 2, 3, 2, 4, 6, 1, 1, 1]), np.zeros(3, np.int64)
    with pytest.raises(mkl.computation_error, match="U is exactly 0"):
        lapack.getrf(queue, 3, 3, a, 3, ipiv).wait()
    batch, pivots = np.stack([np.eye(2), np.ones((2, 2)), np.eye(2)]), np.zeros(6, np.int64)
    with pytest.raises(mkl.batch_error) as found:
        lapack.getrf_batch(queue, 2, 2, batch, 2, 4, pivots, 2, 3).wait()
    assert (found.value.ids(), found.value.infos()) == ([1], [2])
    assert list(pivots) == [1, 2, 1, 2, 1, 2]
    test_batches_in_groups_have_sizes_of_their_own(queue)
    solver.calls.clear()
    s = np.zeros(2)
    lapack.getrf(queue, 0, 0, a, 1, ipiv).wait()
    lapack.gesvd(queue, mkl.jobsvd.N, mkl.jobsvd.N, 2, 3, np.arange(6.0), 2, s, None, 1, None,
                 1).wait()  # wide: by the host's library
    assert solver.calls == []
    assert np.allclose(s, np.linalg.svd(np.arange(6.0).reshape(3, 2), compute_uv=False))
