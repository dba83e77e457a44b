"""BLAS against its meaning, on dense matrices of longer floats: all options, layouts and strides.

Paddings and the triangle that is not there hold NaN, which must neither be read nor change.
"""

from __future__ import annotations

import ctypes
import re
import sys
import types

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import blas_model as model
from tests.sampling import by_turns
from unisycl.oneapi import mkl
from unisycl.oneapi.frame import providers
from unisycl.oneapi.frame import table as frame_table
from unisycl.oneapi.mkl.blas import table
from unisycl.oneapi.mkl.blas.arguments import LETTERS, REAL, TYPES
from unisycl.oneapi.mkl.providers import cblas, cublas

pytestmark = pytest.mark.part("L-1")
PROVIDERS = [p for p in mkl.available("mkl.blas") if p != "cublas"]  # on the processor
N, T, C = mkl.transpose.nontrans, mkl.transpose.trans, mkl.transpose.conjtrans


class Case:
    """One call: its memory, its dense operands, its arguments."""

    def __init__(self, row, letter, options, row_major, seed, steps) -> None:
        self.row, self.letter, self.options, self.row_major = row, letter, options, row_major
        self.rng = np.random.default_rng(seed)
        self.steps = iter(steps * 4)
        self.sizes = dict(model.SIZES)
        self.arguments, self.memory, self.places, self.dense = [], {}, {}, {}
        for argument in row.arguments:
            getattr(self, "_" + type(argument).__name__.lower())(argument)

    def _option(self, a) -> None:
        self.arguments.append(self.options[a.name])

    def _size(self, a) -> None:
        self.arguments.append(self.sizes[a.name])

    def _number(self, a) -> None:
        value = model.numbers(self.rng, self.letter, ())[()]
        value = value.real if a.real else value
        self.dense[a.name] = model.LONG[self.letter](value)
        self.arguments.append(value)

    def _sum(self, text):
        return sum(int(p) if p.isdigit() else self.sizes[p] for p in text.split("+"))

    def _matrix(self, a) -> None:
        if a.square:
            rows = columns = self.sizes["m" if self.options[a.square] is mkl.side.left else "n"]
        else:
            rows, columns = self._sum(a.rows), self._sum(a.columns)
        if a.turned and self.options[a.turned] is not N:
            rows, columns = columns, rows
        if a.band:
            self._band(a, rows, columns)
            return
        ld = (columns if self.row_major else rows) + 2
        at = model.slots(rows, columns, ld, self.row_major)
        if a.name == "a" and "upper_lower" in self.options and a.rows in ("", "n") and (
                a.columns in ("", "n")):
            at = np.where(model.triangle(at.shape, self.options), at, -1)
        elif a.name == "c" and "upper_lower" in self.options and "left_right" not in self.options:
            at = np.where(model.triangle(at.shape, self.options), at, -1)
        self._store(a.name, at, ld * (rows if self.row_major else columns))
        self.arguments += [self.memory[a.name], ld]

    def _band(self, a, diagonals, columns) -> None:
        if "kl" in a.rows:
            rows, kl, ku = self.sizes["m"], self.sizes["kl"], self.sizes["ku"]
        else:
            upper = self.options["upper_lower"] is mkl.uplo.upper
            rows, k = columns, self.sizes["k"]
            kl, ku = (0, k) if upper else (k, 0)
        ld = diagonals + 1
        at = model.band_slots(rows, columns, kl, ku, ld, self.row_major)
        self._store(a.name, at, ld * (rows if self.row_major else columns))
        self.arguments += [self.memory[a.name], ld]

    def _vector(self, a) -> None:
        turned = a.turned and self.options[a.turned] is not N
        n, step = self.sizes[a.other if turned else a.size], next(self.steps)
        step = abs(step) if a.order == "forward" else step
        self._store(a.name, model.vector_slots(n, step), (n - 1) * abs(step) + 1)
        self.arguments += [self.memory[a.name], step]

    def _memory(self, a) -> None:
        kind = {"t": TYPES[self.letter], "r": REAL[self.letter]}.get(a.type) or np.dtype(a.type)
        if a.count == "packed":
            n, upper = self.sizes["n"], self.options["upper_lower"] is mkl.uplo.upper
            self._store(a.name, model.packed_slots(n, upper, self.row_major), n * (n + 1) // 2)
        else:
            self.memory[a.name] = np.zeros(int(a.count), kind)
            if a.name == "param":
                self.memory[a.name][:] = [next(self.steps) % 3 - 1, 0.5, -0.3, 0.2, 0.7]
                self.dense["param"] = self.memory[a.name].astype(np.longdouble)
            self.places[a.name] = np.zeros(1, int)
        self.arguments.append(self.memory[a.name])

    def _store(self, name, at, count) -> None:
        """Keep the elements that are there; all else of the memory is NaN."""
        memory = np.full(count, np.nan, TYPES[self.letter])
        values = model.numbers(self.rng, self.letter, at.shape)
        if self.row.name[:2] in ("tr", "tb", "tp") and name in ("a", "ap"):
            values = values * 0.3
            np.fill_diagonal(values, 2)
        hermitian = self.row.name in model.HERMITIAN and at.ndim == 2 and (
            at.shape[0] == at.shape[1]) and (at < 0).any()
        if hermitian:
            np.fill_diagonal(values, values.diagonal().real)
        memory[at[at >= 0]] = values[at >= 0]
        if "unit_diag" in self.options and name in ("a", "ap") and (
                self.options["unit_diag"] is mkl.diag.unit):
            memory[np.diag(at)] = np.nan
        self.memory[name], self.places[name] = memory, at
        dense = np.where(at >= 0, values, 0).astype(model.LONG[self.letter])
        if name in ("a", "ap") and self.row.name in model.TRIANGULAR | model.HERMITIAN | (
                model.SYMMETRIC) and dense.ndim == 2 and (at < 0).any():
            dense = model.whole(self.row.name, dense, self.options)
        self.dense[name] = dense

    def check(self, found, what) -> None:
        """Compare memory with what it should be, and all else with what it was."""
        wanted = model.expected(self.row, self.options, self.dense)
        eps = np.finfo(REAL[self.letter]).eps
        for name, before in self.memory.items():
            after, at = found[name], self.places[name]
            if name not in wanted:
                assert np.array_equal(after, before, equal_nan=True), (what, name, "changed")
                continue
            there = at >= 0
            right = np.broadcast_to(np.asarray(wanted[name]), at.shape)[there]
            if self.letter in "sd" and np.iscomplexobj(right):
                right = right.real
            error = abs(after[at[there]].astype(np.clongdouble) - right)
            assert (error <= 60 * eps * (1 + abs(right))).all(), (what, name, error.max())
            rest = np.setdiff1d(np.arange(after.size), at[there])
            assert np.array_equal(after[rest], before[rest], equal_nan=True), (what, name, "rest")


def run(queue, case, place) -> dict:
    """Run a case and return the memory behind it; ``place`` says in what memory."""
    layout = mkl.blas.row_major if case.row_major else mkl.blas.column_major
    routine = getattr(layout, case.row.name)
    if place == "arrays":
        found = {k: v.copy() for k, v in case.memory.items()}
        routine(queue, *_with(case, found)).wait()
        return found
    if place == "buffers":
        found = {k: v.copy() for k, v in case.memory.items()}
        held = {k: sycl.buffer(v) for k, v in found.items()}
        routine(queue, *_with(case, held))
        for one in held.values():
            one.close()
        return found
    make = getattr(sycl, f"malloc_{place}")
    held = {k: make(v.size, v.dtype, queue) for k, v in case.memory.items()}
    before = [queue.copy(v, held[k]) for k, v in case.memory.items()]
    last = routine(queue, *_with(case, held), dependencies=before)
    found = {k: np.empty_like(v) for k, v in case.memory.items()}
    for k, v in found.items():
        queue.copy(held[k], v, depends_on=last).wait()
        sycl.free(held[k], queue)
    return found


def _with(case, memory):
    names = {id(v): k for k, v in case.memory.items()}
    return [memory[names[id(a)]] if isinstance(a, np.ndarray) and id(a) in names else a
            for a in case.arguments]


SPECIAL = ("rotg", "rotmg")


def level_of(name) -> str:
    """Return the row that a routine belongs to."""
    if name in table.LEVEL1 and name != "axpby":
        return "L-2"
    matrices = [a for a in table.ROUTINES[name].arguments if isinstance(a, table.Matrix)]
    return "L-3" if len(matrices) < 2 and name not in ("syrk", "herk") and name != "axpby" else (
        "L-4")


def cases(row, letter):
    for n, options in enumerate(model.options_of(row, letter)):
        for row_major in (False, True) if row.name not in table.LEVEL1 else (False,):
            steps = ((1, 1), (2, -1), (-1, 2), (-2, -3)) if options == {} else (
                ((1, 1), (-2, 3))[n % 2],)
            for k, pair in enumerate(steps):
                yield Case(row, letter, options, row_major, 100 * n + k, list(pair))


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.row(level_of(n)))
                                  for n in table.ROUTINES if n not in SPECIAL])
def test_routines_do_what_they_mean(queue: sycl.queue, name: str) -> None:
    row = table.ROUTINES[name]
    for letter in row.types:
        if REAL[letter] == np.float64 and not queue.get_device().has(sycl.aspect.fp64):
            continue
        for case in by_turns(queue.get_device(), cases(row, letter)):
            found = run(queue, case, "shared" if not mkl_reaches_arrays(queue) else "arrays")
            case.check(found, (name, letter, case.options, case.row_major, case.arguments))


def mkl_reaches_arrays(queue) -> bool:
    return bool(queue.get_device().has(sycl.aspect.usm_system_allocations))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_does_what_routines_mean(provider: str) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    with mkl.using("mkl.blas", provider):
        served = [(n, t) for n, row in table.ROUTINES.items() for t in row.types
                  if n not in SPECIAL and serves(queue, n, t)]
        own = provider == "kernels"  # other devices run the others, of each routine and type
        for name, letter in by_turns(queue.get_device(), served) if own else served:
            some = cases(table.ROUTINES[name], letter)
            if own:
                some = by_turns(queue.get_device(), some)
            for case in some:
                case.check(run(queue, case, "arrays"),
                           (name, letter, case.options, case.row_major))


def serves(queue, name, letter) -> bool:
    try:
        mkl.provider_of(queue, "mkl.blas", name, TYPES[letter])
    except sycl.exception as error:
        if error.code() is not sycl.errc.feature_not_supported:
            raise
        return False
    return True


def test_memory_of_all_kinds_is_taken(queue: sycl.queue) -> None:
    for name in ("gemm", "gemv", "axpy", "dot", "trsm"):
        row = table.ROUTINES[name]
        for place in ("shared", "device", "host", "buffers"):
            case = next(iter(cases(row, "s")))
            case.check(run(queue, case, place), (name, place))


@pytest.mark.row("L-2")
def test_rotations_are_made(queue: sycl.queue) -> None:
    for a, b in ((3.0, 4.0), (-5.0, 0.0), (0.0, 2.0), (1e-3, -7.0)):
        memory = [np.array([v]) for v in (a, b, 0.0, 0.0)]
        mkl.blas.rotg(queue, *memory).wait()
        r, _, c, s = (m[0] for m in memory)
        assert np.allclose([c * a + s * b, c * b - s * a], [r, 0], atol=1e-12)
        assert np.isclose(c * c + s * s, 1)
    d1, d2, x1, param = (np.array(v) for v in ([2.0], [3.0], [1.5], [0.0] * 5))
    mkl.blas.rotmg(queue, d1, d2, x1, 0.7, param).wait()
    after = model._modified(np.array([1.5]), np.array([0.7]), param)
    assert np.isclose(after["x"][0], x1[0])
    assert np.isclose(after["y"][0], 0, atol=1e-12)


@pytest.mark.row("L-4")
def test_beta_of_zero_ignores_what_is_there(queue: sycl.queue) -> None:
    a, b, c = (sycl.malloc_shared(size, np.float32, queue) for size in (35, 30, 42))
    a[:], b[:], c[:] = 1, 1, np.nan
    mkl.blas.row_major.gemm(queue, N, N, 7, 6, 5, 2, a, 5, b, 6, 0, c, 6).wait()
    assert (c[:] == 10).all()
    for memory in (a, b, c):
        sycl.free(memory, queue)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_a_zero_multiplies_is_not_read(provider: str) -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    wrong, c, y = np.full(9, np.nan, "f"), np.full(9, 2, "f"), np.full(3, 2, "f")
    with mkl.using("mkl.blas", provider):
        for beta, right in ((3, 6), (0, 0)):
            c[:], y[:] = 2, 2
            mkl.blas.gemm(queue, N, N, 3, 3, 3, 0, wrong, 3, wrong, 3, beta, c, 3).wait()
            mkl.blas.gemv(queue, N, 3, 3, 0, wrong, 3, wrong, 1, beta, y, 1).wait()
            assert (c == right).all()
            assert (y == right).all()
        mkl.blas.axpy(queue, 3, 0, wrong, 1, y, 1).wait()
        mkl.blas.gemv(queue, N, 3, 0, 1, wrong, 3, wrong, 1, 5, y, 1).wait()  # changes nothing
        assert (y == 0).all()


@pytest.mark.parametrize("kind", [np.float32, np.complex128])
def test_libraries_are_asked_for_no_products_that_zero_multiplies(
        kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[object, ...]] = []
    routine = cblas.load("openblas").routine("gemm", np.dtype(kind))
    assert isinstance(routine, cblas.Routine)
    monkeypatch.setattr(cblas.CBlas, "routine", lambda *_: routine)
    monkeypatch.setattr(routine, "function", lambda *given: asked.append(given))
    a, b, c = (np.ones(size, kind) for size in (35, 30, 42))
    with mkl.using("mkl.blas", "openblas"):
        for alpha in (0, 2, -0.0):
            mkl.blas.gemm(sycl.queue(sycl.cpu_selector_v), N, N, 7, 6, 5, alpha, a, 7, b, 5, 3, c,
                          7).wait()
    assert [(7, 6, 0), (7, 6, 5), (7, 6, 0)] == [given[3:6] for given in asked]


@pytest.mark.row("L-4")
def test_batches_equal_loops(queue: sycl.queue) -> None:
    m, n, k, batch = 3, 4, 5, 6
    rng = np.random.default_rng(12)
    a, b, c = (sycl.malloc_shared(batch * size, np.float32, queue) for size in (20, 25, 17))
    for memory in (a, b, c):
        memory[:] = rng.standard_normal(memory.size()).astype(np.float32)
    before = c[:].copy()
    mkl.blas.row_major.gemm_batch(queue, N, T, m, n, k, 2, a, k, 20, b, k, 25, 0.5, c, n, 17,
                                  batch).wait()
    for p in range(batch):
        x, y = a[20 * p:20 * p + 15].reshape(m, k), b[25 * p:25 * p + 20].reshape(n, k)
        z = before[17 * p:17 * p + 12].reshape(m, n)
        right = 2 * x.astype(float) @ y.T + 0.5 * z
        assert np.allclose(c[17 * p:17 * p + 12].reshape(m, n), right, atol=1e-5)
        assert np.array_equal(c[17 * p + 12:17 * p + 17], before[17 * p + 12:17 * p + 17])
    lists = [[memory.pointer_to(p * step) for p in range(3)]
             for memory, step in ((a, 20), (b, 25), (c, 17))]
    before = c[:].copy()
    mkl.blas.row_major.gemm_batch(
        queue, [N, T], [T, T], [m, k], [n, n], [k, m], [2, 1], lists[0], [k, k], lists[1], [k, m],
        [0.5, 0], lists[2], [n, n - 1 + 1], 2, [3, 0]).wait()
    for p in range(3):
        x, y = a[20 * p:20 * p + 15].reshape(m, k), b[25 * p:25 * p + 20].reshape(n, k)
        right = 2 * x.astype(float) @ y.T + 0.5 * before[17 * p:17 * p + 12].reshape(m, n)
        assert np.allclose(c[17 * p:17 * p + 12].reshape(m, n), right, atol=1e-5)
    for text, call in {
            "stride_c is 11; problems have 12": lambda: mkl.blas.row_major.gemm_batch(
                queue, N, T, m, n, k, 2, a, k, 20, b, k, 25, 0.5, c, n, 11, batch),
            "a has 120 elements where 135": lambda: mkl.blas.row_major.gemm_batch(
                queue, N, T, m, n, k, 2, a, k, 24, b, k, 25, 0.5, c, n, 17, batch),
            "a has 3 entries where 4": lambda: mkl.blas.gemm_batch(
                queue, [N], [N], [3], [3], [3], [1], lists[0], [3], lists[1], [3], [0], lists[2],
                [3], 1, [4])}.items():
        with pytest.raises(mkl.invalid_argument, match=text):
            call()
    for memory in (a, b, c):
        sycl.free(memory, queue)


A = np.eye(4, dtype=np.float32)
B, OUT = A.copy(), A.copy()
READ_ONLY = A.copy()
READ_ONLY.flags.writeable = False
gemm = mkl.blas.row_major.gemm
BAD = {
    "lda is 3; a needs at least 4": lambda q: gemm(q, N, N, 4, 4, 4, 1, A, 3, B, 4, 0, OUT, 4),
    "c has 16 elements where 19 are needed": lambda q: gemm(
        q, N, N, 4, 4, 4, 1, A, 4, B, 4, 0, OUT, 5),
    "a and c overlap": lambda q: gemm(q, N, N, 4, 4, 4, 1, A, 4, B, 4, 0, A, 4),
    "b has elements of float64; float32": lambda q: gemm(
        q, N, N, 4, 4, 4, 1, A, 4, B.astype(float), 4, 0, OUT, 4),
    "c cannot be written": lambda q: gemm(q, N, N, 4, 4, 4, 1, A, 4, B, 4, 0, READ_ONLY, 4),
    "transa must be one of transpose.conjtrans": lambda q: gemm(
        q, "N", N, 4, 4, 4, 1, A, 4, B, 4, 0, OUT, 4),
    "m must be at least 0": lambda q: gemm(q, N, N, -4, 4, 4, 1, A, 4, B, 4, 0, OUT, 4),
    "alpha is 1j; it must be real": lambda q: gemm(q, N, N, 4, 4, 4, 1j, A, 4, B, 4, 0, OUT, 4),
    "alpha must be a number": lambda q: gemm(q, N, N, 4, 4, 4, "x", A, 4, B, 4, 0, OUT, 4),
    "missing: ldc": lambda q: gemm(q, N, N, 4, 4, 4, 1, A, 4, B, 4, 0, OUT),
    "unknown: ldd": lambda q: gemm(q, N, N, 4, 4, 4, 1, A, 4, B, 4, 0, OUT, ldd=3),
    "the first argument is a queue": lambda q: gemm(A),
    "incx must be positive": lambda q: mkl.blas.iamax(q, 4, A, -1, np.zeros(1, np.int64)),
    "incx must not be 0": lambda q: mkl.blas.axpy(q, 4, 1, A, 0, OUT, 1),
    "a has elements of int64; the routine is for float32": lambda q: mkl.blas.gemv(
        q, N, 2, 2, 1, np.ones(4, int), 2, np.ones(2, int), 1, 0, np.ones(2, int), 1),
    "a is an array with gaps": lambda q: gemm(
        q, N, N, 2, 2, 2, 1, A[:, ::2], 4, B, 4, 0, OUT, 4),
    "a must be an array": lambda q: gemm(q, N, N, 4, 4, 4, 1, [1], 4, B, 4, 0, OUT, 4),
    "trans must not be transpose.trans for complex": lambda q: mkl.blas.herk(
        q, mkl.uplo.upper, T, 2, 2, 1, A.astype("F"), 4, 0, OUT.astype("F"), 4),
}


def test_bad_input_is_refused_before_anything_runs(queue: sycl.queue) -> None:
    for text, call in BAD.items():
        with pytest.raises(sycl.UsageError, match=re.escape(text)) as found:
            call(queue)
        assert found.value.code() is sycl.errc.invalid
    assert all(np.array_equal(x, np.eye(4)) for x in (A, B, OUT))


def test_a_call_that_comes_again_checks_its_memory_again() -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    a, b = np.ones((4, 4), np.float32), np.ones((4, 4), np.float32)
    for _ in range(3):
        c = np.zeros((4, 4), np.float32)
        gemm(queue, N, N, 4, 4, 4, 1, a, 4, b, 4, 0, c, 4).wait()
        assert (c == 4).all()
    for bad in (b, c[:3].copy(), c.astype(float), c[:, ::2], READ_ONLY):
        with pytest.raises(mkl.invalid_argument):
            gemm(queue, N, N, 4, 4, 4, 1, a, 4, b, 4, 0, bad, 4)
    assert (b == 1).all()
    go = sycl.ext.unisycl.user_event()
    ordered = sycl.queue(sycl.cpu_selector_v, sycl.property.queue.in_order())
    gemm(ordered, N, N, 4, 4, 4, 1, a, 4, b, 4, 0, c, 4).wait()
    c[:] = 0
    ordered.submit(lambda h: (h.depends_on(go), h.host_task(lambda: a.__imul__(2)))[0])
    last = gemm(ordered, N, N, 4, 4, 4, 1, a, 4, b, 4, 0, c, 4)
    assert (c == 0).all()
    go.set()
    last.wait()
    assert (c == 8).all()


class ByColumns(cublas.CuBlas):
    """cuBLAS's conventions over CBLAS: what is asked of it, and that rows become columns."""

    def __init__(self, name: str) -> None:
        self._known = {}
        self._plain = cblas.load("openblas")

    def version(self) -> str:
        return "a stand-in"

    def routine(self, name, dtype):
        plain, _, rows = name.partition(".")
        letter, row = LETTERS.get(dtype, ""), table.ROUTINES.get(plain)
        if plain not in cublas._ROUTINES or (rows and plain not in cublas._BY_ROWS) or (
                row is None or letter not in row.types):
            return None
        return cublas.Routine(row, letter, None, self)

    def call(self, routine, stream, values) -> None:
        row, c = routine.row, self._plain.routine(routine.row.name, TYPES[routine.letter])
        given, out = iter(values), [] if row.name in table.LEVEL1 else [102]
        for a in row.arguments:
            value = next(given)
            if isinstance(a, table.Option):
                out.append({"transpose": (111, 112, 113), "uplo": (122, 121), "side": (141, 142),
                            "diag": (131, 132)}[a.kind][value])
            elif isinstance(a, table.Size):
                out.append(value.value)
            elif isinstance(a, table.Number) and (a.real or routine.letter in "sd"):
                out.append(np.ctypeslib.as_array(ctypes.cast(value, ctypes.POINTER(
                    ctypes.c_float if routine.letter in "sc" else ctypes.c_double)), (1,))[0])
            else:
                out.append(value.value)
            if isinstance(a, table.Matrix | table.Vector):
                out.append(next(given).value)
        if c.result is None:
            c.function(*out)
        else:
            target = out.pop()
            c.result.from_address(target).value = c.function(*out)


def test_rows_are_columns_of_the_transposed_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("stand_in")
    module.load = ByColumns
    monkeypatch.setitem(sys.modules, "stand_in", module)
    monkeypatch.setattr(providers, "ROWS", (
        frame_table.Row("mkl.blas", "stand_in", "stand_in", host=True),))
    monkeypatch.setattr(providers, "_KNOWN", {})
    queue = sycl.queue(sycl.cpu_selector_v)
    for name in sorted(cublas._ROUTINES):
        row = table.ROUTINES[name]
        for letter in row.types:
            for case in cases(row, letter):
                if case.row_major and name not in cublas._BY_ROWS:
                    continue
                case.check(run(queue, case, "arrays"), (name, letter, case.options))


def test_repeats_of_a_devices_library_see_new_values_and_freed_memory(
        queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("stand_in")
    module.load = ByColumns
    monkeypatch.setitem(sys.modules, "stand_in", module)
    monkeypatch.setattr(providers, "ROWS", (frame_table.Row("mkl.blas", "stand_in", "stand_in"),))
    monkeypatch.setattr(providers, "_KNOWN", {})
    monkeypatch.setattr(ByColumns, "serves", lambda self, device: True, raising=False)
    a, b, c = (sycl.malloc_shared(16, np.float64, queue) for _ in range(3))
    for value in (1, 2, 3):
        a[:], b[:] = value, 1
        if queue.get_backend() is sycl.backend.cuda:
            pytest.skip("the stand-in works in the host's memory")
        mkl.blas.gemm(queue, N, N, 4, 4, 4, 1.0, a, 4, b, 4, 0.0, c, 4).wait()
        assert (c[:] == 4 * value).all()
    sycl.free(b, queue)
    with pytest.raises(sycl.UsageError, match="freed"):
        mkl.blas.gemm(queue, N, N, 4, 4, 4, 1.0, a, 4, b, 4, 0.0, c, 4)
    for memory in (a, c):
        sycl.free(memory, queue)


@pytest.mark.part("L-4")
def test_parts_of_matrices_lie_as_their_leading_dimension_says() -> None:
    queue = sycl.queue(sycl.cpu_selector_v)
    n = mkl.transpose.nontrans
    big = np.arange(64, dtype=np.float32).reshape(8, 8)
    a, c = big[1:5, 2:6], np.full((4, 10), 7, np.float32)
    given = n, n, 4, 4, 4, 1, a, 8, a, 8, 0, c[:, 3:7], 10
    mkl.blas.row_major.gemm(queue, *given).wait()
    assert np.array_equal(c[:, 3:7], a @ a)
    assert (np.delete(c, range(3, 7), 1) == 7).all()
    mkl.blas.column_major.gemm(queue, n, n, 4, 4, 4, 1, a.T, 8, a.T, 8, 0, c[:, 3:7].T, 10).wait()
    assert np.array_equal(c[:, 3:7], a @ a)
    for wrong, text in (((*given[:7], 4, *given[8:]), "a matrix whose leading dimension is 8"),
                        ((n, n, 3, 5, 4, 1, a, 8, big, 8, 0, c[:, 3:7], 10),
                         "c is a part of a matrix, in which 4 elements lie together where 5"),
                        ((*given[:6], a[::-1], *given[7:]), "a is an array with gaps")):
        with pytest.raises(mkl.invalid_argument, match=text):
            mkl.blas.row_major.gemm(queue, *wrong)
    whole = np.asfortranarray([[0.0, 1, 2], [0, 4, 2], [0, 2, 3]])
    part = whole[1:, 1:]
    mkl.lapack.potrf(queue, mkl.uplo.lower, 2, part, 3).wait()
    assert np.allclose(np.tril(part), np.linalg.cholesky([[4, 2], [2, 3]]))
    assert np.array_equal([*whole[:, 0], *whole[0]], [0, 0, 0, 0, 1, 2])
