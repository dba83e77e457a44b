"""Reruns give the same bits, as docs/oneapi.md says for each library."""

from __future__ import annotations

import types
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import ccl, dal, dnn, dpl, mkl, tbb
from unisycl.oneapi.dnn import arg, memory
from unisycl.oneapi.frame import promises, table
from unisycl.oneapi.mkl import rng

N = 257
X = np.random.default_rng(3).standard_normal((N, 4)).astype(np.float32)
FLAT = X.ravel()
PAGE = Path(__file__).parents[3] / "docs" / "oneapi.md"


def run_dpl(q):
    out, keys = np.zeros_like(FLAT), np.arange(FLAT.size, dtype=np.int32) // 9
    found = [dpl.reduce(q, FLAT), dpl.transform_reduce(q, FLAT, 0, sycl.plus, lambda v: v * v)]
    for scan in (dpl.inclusive_scan, dpl.exclusive_scan):
        scan(q, FLAT, out)
        found.append(out.copy())
    dpl.transform_inclusive_scan(q, FLAT, out, sycl.plus, lambda v: v * v)
    found.append(out.copy())
    dpl.inclusive_scan_by_segment(q, keys, FLAT, out)
    found.append(out.copy())
    ends, sums = np.zeros_like(keys), np.zeros_like(FLAT)
    count = dpl.reduce_by_segment(q, keys, FLAT, ends, sums)
    dpl.sort(q, out)
    return [*found, sums[:count], out]


def run_mkl(q):
    a = sycl.malloc_shared(FLAT.size, np.float32, q)
    b, c = (sycl.malloc_shared(FLAT.size, np.float32, q) for _ in range(2))
    a[:], b[:], c[:] = FLAT, FLAT[::-1], 0
    plain = mkl.transpose.nontrans
    mkl.blas.row_major.gemm(q, plain, plain, 4, 4, N, 1, a, N, b, 4, 0, c, 4).wait()
    mkl.blas.dot(q, FLAT.size, a, 1, b, 1, c.pointer_to(16)).wait()
    mkl.vm.exp(q, 64, a, c.pointer_to(32)).wait()
    mkl.stats.mean(q, mkl.stats.make_dataset(4, N, a, lying=mkl.stats.layout.col_major),
                   c.pointer_to(128)).wait()
    found = np.array(c[:])
    for m in (a, b, c):
        sycl.free(m, q)
    return [found]


def run_rng(q):
    found = []
    for make in (rng.philox4x32x10, rng.mrg32k3a, rng.mcg59):
        for law in (rng.uniform(-1, 1), rng.gaussian(0, 2), rng.exponential(0, 1)):
            out = np.zeros(64, np.float32)
            rng.generate(law, make(q, 7), out)
            found.append(out)
    return found


def run_dnn(q):
    e = dnn.engine(q)
    s = dnn.stream(e)
    src, w = memory(X[:16], e), memory(np.ascontiguousarray(X[16:20]), e)
    dst = memory(memory.desc((16, 4), memory.data_type.f32, memory.format_tag.ab), e)
    dnn.matmul(e, src.get_desc(), w.get_desc(), dst.get_desc()).execute(
        s, {arg.SRC: src, arg.WEIGHTS: w, arg.DST: dst})
    s.wait()
    found = [np.array(dst.map_data())]
    soft = dnn.softmax_forward(dnn.softmax_forward.primitive_desc(
        e, dnn.prop_kind.forward_inference, dnn.algorithm.softmax_accurate, dst.get_desc(),
        dst.get_desc(), 1))
    soft.execute(s, {arg.SRC: dst, arg.DST: dst})
    s.wait()
    return [*found, np.array(dst.map_data())]


def run_dal(q):
    x = X[:40]
    found = dal.train(q, dal.kmeans.descriptor(cluster_count=2), x)
    return [found.model.centroids, dal.compute(q, dal.covariance.descriptor(), x).cov_matrix]


def run_tbb(q):
    del q
    return [tbb.parallel_deterministic_reduce(
        tbb.blocked_range(N), np.float32(0),
        lambda part, total: np.float32(total + sum(FLAT[k] for k in part)),
        lambda a, b: np.float32(a + b))]


def run_vpl(q):
    pytest.importorskip("av", reason="PyAV is not installed")
    from unisycl.oneapi import vpl
    source, clean, out = (vpl.surface(q, f, 16, 8) for f in ("nv12", "nv12", "rgb4"))
    for plane in source.array():
        plane[:] = (np.abs(FLAT[:plane.size]).reshape(plane.shape) * 60).astype(np.uint8)
    done = vpl.denoise(source, clean)
    vpl.process(clean, out, depends_on=done).wait()
    return [out.array().copy()]


def run_ccl(q):
    def rank(comm):
        out = np.zeros_like(FLAT)
        ccl.allreduce(FLAT * np.float32(comm.rank() + 0.3), out, comm=comm, where=q).wait()
        return out
    found = ccl.run_threads(3, rank)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    return found


LIBRARIES = {"dpl": run_dpl, "mkl": run_mkl, "mkl.rng": run_rng, "dnn": run_dnn, "dal": run_dal,
             "tbb": run_tbb, "vpl": run_vpl, "ccl": run_ccl}


@pytest.mark.part("L-24")
@pytest.mark.parametrize("name", LIBRARIES)
def test_reruns_give_the_same_bits(queue: sycl.queue, name: str) -> None:
    runs = [[np.asarray(x).tobytes() for x in LIBRARIES[name](queue)] for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.part("L-24")
def test_each_routine_states_it() -> None:
    page = PAGE.read_text().split("## The same bits")[1]
    for line in promises.lines():
        assert line in page
    for row in table.ROWS:  # whoever may serve a routine
        assert promises.promise_of(row.library, row.name).precision
    for name in LIBRARIES:
        assert [p for p in promises.PROMISES if p.library.startswith(name)]
    for name in mkl.__all__:  # every library of mkl's that has routines
        if isinstance(getattr(mkl, name), types.ModuleType):
            assert [p for p in promises.PROMISES if p.library == f"mkl.{name}"], name
    for name in (x for x in dpl.__all__ if hasattr(getattr(dpl, x), "later")):
        assert [name in p.routines for p in promises.PROMISES if p.library == "dpl"].count(
            True) == 1, f"dpl.{name} states its determinism once"
    assert promises.promise_of("tbb", "", "parallel_reduce").same is promises.Same.other
    assert promises.promise_of("tbb", "", "parallel_deterministic_reduce").same is (
        promises.Same.always)
    with pytest.raises(LookupError, match="nothing is promised"):
        promises.promise_of("mkl.blas", "nobody")


@pytest.mark.part("L-24")
def test_who_serves_keeps_its_promise(queue: sycl.queue) -> None:
    """What is promised always, and of libraries with the threads they have, holds in two runs."""
    for library, routine in (("mkl.blas", "gemm"), ("mkl.lapack", "getrf"), ("mkl.sparse", "gemv"),
                             ("mkl.dft", "transform"), ("dnn", "matmul"), ("dal", "kmeans.train")):
        dtype = np.complex64 if library == "mkl.dft" else np.float32
        serving = mkl.provider_of(queue, library, routine, dtype)
        assert serving.promise.library == library
        assert serving.promise.same is not promises.Same.other
