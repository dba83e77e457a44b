"""Products of matrices of half precision: added up in float32, rounded once."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import mkl
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.blas import table
from unisycl.oneapi.mkl.blas.arguments import Reader
from unisycl.oneapi.mkl.providers import cublas

N, T, C = mkl.transpose.nontrans, mkl.transpose.trans, mkl.transpose.conjtrans
HALF, BRAIN = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
ROUNDING = {HALF: 2.0**-11, BRAIN: 2.0**-8, np.dtype(np.float32): 2.0**-24}
PROVIDERS = [p for p in ("openblas", "mkl", "kernels") if p in mkl.available("mkl.blas")]


def takes_halves(queue, kind) -> bool:
    device = queue.get_device()
    return kind is BRAIN or device.has(sycl.aspect.fp16)


def lying(values, kind, gap, by_rows):
    """Return a matrix as it lies in memory, with NaN in its gaps, and its leading dimension."""
    across = values if by_rows else values.T
    memory = np.full((across.shape[0], across.shape[1] + gap), np.nan, kind)
    memory[:, :across.shape[1]] = across
    return memory, memory.shape[1]


def check(queue, kind, kind_c, turned, by_rows, beta, place=None):
    rng = np.random.default_rng(len(kind.name) + by_rows)
    m, n, k = 19, 5, 33
    a, b = (rng.standard_normal(s).astype(kind) for s in ((m, k), (k, n)))
    c = rng.standard_normal((m, n)).astype(kind_c)
    given = [lying(x if t is N else x.T, kind, g, by_rows)
             for x, t, g in ((a, turned[0], 2), (b, turned[1], 0))]
    given.append(lying(c if beta else np.full_like(c, np.nan), kind_c, 3, by_rows))
    before = given[2][0].copy()
    memory = [x for x, _ in given]
    if place == "buffers":
        memory = [sycl.buffer(x) for x in memory]
    elif place != "arrays" and (
            place or not queue.get_device().has(sycl.aspect.usm_system_allocations)):
        memory = [getattr(sycl, f"malloc_{place or 'shared'}")(x.shape, x.dtype, queue)
                  for x in memory]
        for one, (x, _) in zip(memory, given, strict=True):
            queue.copy(x, one).wait()
    layout = mkl.blas.row_major if by_rows else mkl.blas.column_major
    layout.gemm(queue, *turned, m, n, k, 0.75, memory[0], given[0][1], memory[1], given[1][1],
                beta, memory[2], given[2][1]).wait()
    if place == "buffers":
        for one in memory:
            one.close()
    elif memory[2] is not given[2][0]:
        queue.copy(memory[2], given[2][0]).wait()
    after, exact = given[2][0], 0.75 * (a.astype(float) @ b.astype(float))
    after = after if by_rows else after.T
    before = before if by_rows else before.T
    want = exact + beta * c.astype(float) if beta else exact
    size = abs(a.astype(float)) @ abs(b.astype(float)) + abs(beta * c.astype(float))
    allowed = (k + 4) * 2.0**-24 * size + ROUNDING[kind_c] * abs(want)
    part = after[:m, :n].astype(float)
    assert (abs(part - want) <= allowed).all()
    rest = np.ones(after.shape, bool)
    rest[:m, :n] = False
    assert np.array_equal(after[rest].astype(float), before[rest].astype(float), equal_nan=True)


@pytest.mark.part("L-4")
def test_products_of_halves_are_added_up_in_floats(queue: sycl.queue) -> None:
    for kind in (HALF, BRAIN):
        if not takes_halves(queue, kind):
            continue
        for kind_c, by_rows in itertools.product((kind, np.dtype(np.float32)), (True, False)):
            pairs = ((N, C), (T, T)) if by_rows else ((N, N), (T, N))
            for turned in pairs if kind_c == kind else pairs[:1]:
                check(queue, kind, kind_c, turned, by_rows, 0 if turned == (T, N) else -1.5)
    for place in ("arrays", "shared", "device", "buffers"):
        check(queue, BRAIN, BRAIN, (N, T), True, 2, place)


@pytest.mark.part("L-4")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_multiplies_halves(provider: str) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    with mkl.using("mkl.blas", provider):
        assert mkl.provider_of(queue, "mkl.blas", dtype=HALF).name == provider
        for kind, beta in ((HALF, 0), (BRAIN, 0.5)):
            check(queue, kind, kind, (T, N), False, beta)


@pytest.mark.part("L-4")
def test_batches_of_halves_equal_loops(queue: sycl.queue) -> None:
    if not takes_halves(queue, HALF):
        pytest.skip("the device has no aspect::fp16")
    rng = np.random.default_rng(5)
    a, b, c, d = (sycl.malloc_shared(x.shape, HALF, queue) for x in (
        rng.standard_normal((3, 4, 4)) for _ in range(4)))
    for x in (a, b):
        x[...] = rng.standard_normal((3, 4, 4))
    mkl.blas.gemm_batch(queue, N, N, 4, 4, 4, 1, a, 4, 16, b, 4, 16, 0, c, 4, 16, 3).wait()
    for k in range(3):
        mkl.blas.gemm(queue, N, N, 4, 4, 4, 1, a[k], 4, b[k], 4, 0, d[k], 4).wait()
    assert np.array_equal(np.asarray(c), np.asarray(d))


@pytest.mark.part("L-4")
def test_types_that_do_not_go_together_are_refused() -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    a, b, c = (np.ones(4, t) for t in (np.float16, ml_dtypes.bfloat16, np.float16))
    with pytest.raises(mkl.invalid_argument, match="b has elements of bfloat16; float16 is needed"):
        mkl.blas.gemm(queue, N, N, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2)
    with pytest.raises(mkl.invalid_argument, match="c has elements of float64; float16 is needed"):
        mkl.blas.gemm(queue, N, N, 2, 2, 2, 1, a, 2, a.copy(), 2, 0, np.ones(4), 2)
    with pytest.raises(mkl.invalid_argument, match="the routine is for float32"):
        mkl.blas.axpy(queue, 4, 1, a, 1, c, 1)
    assert (c == 1).all()


class Recorder:
    """Stands for cuBLAS: notes what it is given."""

    def call(self, routine, stream, values) -> None:
        self.values = [getattr(v, "value", v) for v in values]


@pytest.mark.part("L-4")
def test_cublas_is_given_the_types_of_matrices() -> None:
    memory = [np.zeros(12, t) for t in (np.float16, np.float16, np.float32)]
    named = dict(zip(("transa", "transb", "m", "n", "k", "alpha", "a", "lda", "b", "ldb", "beta",
                      "c", "ldc"), (N, T, 2, 3, 4, 1.5, memory[0], 5, memory[1], 6, 0, memory[2],
                                    7), strict=True))
    given = Reader(table.ROUTINES["gemm"], {**named, "a": np.zeros(40, HALF),
                                            "b": np.zeros(40, HALF),
                                            "c": np.zeros(40, np.float32)},
                   rows_lie=False).read()
    owner = Recorder()
    work = cublas.HalvesRoutine(table.ROUTINES["gemm"], "s", None, owner).work(
        given, names.layout.col_major.number)
    places = [type("at", (), {"address": at}) for at in (100, 200, 300)]
    work(0, *places)
    alpha, beta = owner.values[5], owner.values[12]
    assert owner.values == [0, 1, 2, 3, 4, alpha, 100, 2, 5, 200, 2, 6, beta, 300, 0, 7, 68, -1]
    shorter = cublas.ShorterRoutine.__new__(cublas.ShorterRoutine)
    cublas.Routine.__init__(shorter, table.ROUTINES["gemm"], "s", None, owner)
    shorter.compute = 77
    floats = Reader(table.ROUTINES["gemm"], {**named, "a": np.zeros(40, "f"), "b": np.zeros(
        40, "f"), "c": np.zeros(40, "f")}, rows_lie=False).read()
    shorter.work(floats, names.layout.col_major.number)(0, *places)
    assert owner.values[7] == owner.values[10] == owner.values[14] == 0, owner.values
    assert owner.values[-2:] == [77, -1]


@pytest.mark.part("L-4")
def test_modes_of_computing_and_events_stand_behind_as_in_cpp(queue: sycl.queue) -> None:
    mode = mkl.blas.compute_mode
    a, b, c = (sycl.malloc_shared((2, 3, 3), np.float32, queue) for _ in range(3))
    for _ in range(3):  # a call that came before does not leave them out
        first = queue.fill(a, np.float32(2))
        second = queue.fill(b, np.float32(1))
        given = N, N, 3, 3, 3, 1, a, 3, b, 3, 0, c, 3
        mkl.blas.gemm(queue, *given, mode.float_to_tf32 | mode.any, [first, second]).wait()
        assert (np.asarray(c[0]) == 6).all()
        mkl.blas.gemm(queue, *given, [first, second]).wait()
        with pytest.raises(mkl.invalid_argument, match="too many arguments"):
            mkl.blas.gemm(queue, *given, 7)
    mkl.blas.gemm_batch(queue, N, N, 3, 3, 3, 1, a, 3, 9, b, 3, 9, 0, c, 3, 9, 2, mode.any,
                        second).wait()
    assert (np.asarray(c) == 6).all()
    none = np.zeros(0, np.float32)
    mkl.blas.gemm_batch(queue, N, N, 3, 3, 3, 1, none, 3, 9, none, 3, 9, 0, none, 3, 9, 0).wait()
    forced = mode.force_alternate
    with pytest.raises(mkl.invalid_argument, match="needs a mode beside it"):
        mkl.blas.gemm(queue, *given, forced)
    with pytest.raises(mkl.invalid_argument, match="axpy: it takes no compute_mode"):
        mkl.blas.axpy(queue, 3, 1, a, 1, c, 1, mode=mode.any)
    if mkl.provider_of(queue, "mkl.blas", "gemm").name != "cublas":
        with pytest.raises(sycl.UnsupportedError, match="leave out force_alternate"):
            mkl.blas.gemm(queue, *given, mode.float_to_bf16 | forced)
