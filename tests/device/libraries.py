"""NVIDIA's libraries on a card: the problems of the tests, and times beside others'.

::

    python -m tests.device.libraries --out DIR [--parts networks,speed]

DIR receives ``libraries.txt``: each part with what it found, then times. Needed are NVIDIA's
libraries; CuPy and PyTorch are measured beside them where they are. Non-goals: judging times.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import importlib
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.oneapi import dnn_model as model
from tests.conformance.oneapi import test_dnn_products, test_lapack
from unisycl.oneapi import dnn, mkl
from unisycl.oneapi.dnn.providers import cudnn
from unisycl.testing import find_device

N = mkl.transpose.nontrans
ROUNDS = 5


def factorizations(queue: sycl.queue) -> str:
    """Run the tests' problems, and singular ones."""
    for part in test_lapack.PARTS:
        for kind in test_lapack.TYPES:
            part(queue, kind, np.random.default_rng(5))
    a, ipiv = np.array([1.0, 2, 3, 0, 0, 0, 1, 1, 1]), np.zeros(3, np.int64)
    with pytest.raises(mkl.computation_error):
        mkl.lapack.getrf(queue, 3, 3, a, 3, ipiv).wait()
    batch, pivots = np.stack([np.eye(2), np.ones((2, 2)), np.eye(2)]), np.zeros(6, np.int64)
    with pytest.raises(mkl.batch_error) as found:
        mkl.lapack.getrf_batch(queue, 2, 2, batch, 2, 4, pivots, 2, 3).wait()
    assert (found.value.ids(), found.value.infos()) == ([1], [2])
    return str(mkl.provider_of(queue, "mkl.lapack", "getrf"))


def made(rng: Any, n: int, each: int, kind: Any, queue: sycl.queue) -> tuple[Any, list[Any]]:
    """Return a matrix with its diagonal and some elements in each row, and its memory."""
    columns = np.sort(np.argsort(rng.random((n, n)), axis=1)[:, :each], axis=1) if n < 500 else (
        np.sort(rng.integers(0, n // each, (n, each)) + np.arange(each) * (n // each), axis=1))
    if n < 500:
        columns[:, 0], columns = np.arange(n), np.sort(columns, axis=1)
        for row in range(n):
            columns[row] = np.sort(np.r_[row, np.setdiff1d(np.arange(n), row)[:each - 1]])
    values = rng.standard_normal((n, each)).astype(kind)
    starts = np.arange(0, n * each + 1, each, dtype=np.int32)
    parts = []
    for x in (starts, columns.astype(np.int32).ravel(), values.ravel()):
        memory = sycl.malloc_shared(x.size, x.dtype, queue)
        memory[:] = x
        parts.append(memory)
    handle = mkl.sparse.init_matrix_handle()
    mkl.sparse.set_csr_data(queue, handle, n, n, n * each, mkl.index_base.zero, *parts)
    return handle, [starts, columns.ravel(), values.ravel()]


def sparse_products(queue: sycl.queue) -> str:
    """Compare products and solutions with NumPy's, and their bits in two runs."""
    rng = np.random.default_rng(2)
    for kind in "fdFD":
        handle, (starts, columns, values) = made(rng, 60, 9, kind, queue)
        dense = np.zeros((60, 60), kind)
        dense[np.repeat(np.arange(60), 9), columns] = values
        dense_now = dense + 8 * np.eye(60, dtype=kind)
        where = np.repeat(np.arange(60), 9) == columns
        memory: Any = handle.values.base  # type: ignore[union-attr]
        memory[:] = np.where(where, values + 8, values).astype(kind)
        bound = 2000 * float(np.finfo(kind).eps)
        x, y = (rng.standard_normal(60).astype(kind) for _ in range(2))
        found = [y.copy(), y.copy()]
        for out in found:
            mkl.sparse.gemv(queue, N, 2, handle, x, 0.5, out).wait()
        assert np.abs(found[0] - (2 * dense_now @ x + 0.5 * y)).max() < bound
        assert found[0].tobytes() == found[1].tobytes()
        for layout in (mkl.layout.row_major, mkl.layout.col_major):
            for ld in (64, 63):  # one that our kernels get
                by_rows = layout is mkl.layout.row_major
                lying = (60, ld) if by_rows else (5, ld)
                b, c = rng.standard_normal(lying).astype(kind), np.full(lying, np.nan, kind)
                mkl.sparse.gemm(queue, layout, N, N, 1, handle, b, 5, ld, 0, c, ld).wait()
                seen = [z[:, :5] if by_rows else z[:, :60].T for z in (b, c)]
                assert np.abs(seen[1] - dense_now @ seen[0]).max() < bound, (layout, ld)
        for uplo, part in ((mkl.uplo.upper, np.triu), (mkl.uplo.lower, np.tril)):
            for trans, op in ((N, lambda z: z), (mkl.transpose.trans, lambda z: z.T),
                              (mkl.transpose.conjtrans, lambda z: z.conj().T)):
                mkl.sparse.optimize_trsv(queue, uplo, trans, mkl.diag.nonunit, handle).wait()
                mkl.sparse.trsv(queue, uplo, trans, mkl.diag.nonunit, 1, handle, x, y).wait()
                assert np.abs(op(part(dense_now)) @ y - x).max() < bound, (uplo, trans)
    return str(mkl.provider_of(queue, "mkl.sparse"))


def best(run: Callable[[], Any]) -> float:
    """Return the least time of a few rounds, in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def _ours(queue: sycl.queue) -> dict[str, Callable[[], Any]]:
    rng = np.random.default_rng(1)
    n = 4096
    start = rng.standard_normal((n, n)).astype("f")
    start += start.T
    start += 4 * n**0.5 * np.eye(n, dtype="f")
    source, a = (sycl.malloc_device(n * n, np.float32, queue) for _ in range(2))
    w, ipiv = sycl.malloc_device(n, np.float32, queue), sycl.malloc_device(n, np.int64, queue)
    queue.copy(start.ravel(), source).wait()
    upper, m = mkl.uplo.upper, 1024

    def copied(routine: Callable[[sycl.event], sycl.event]) -> Callable[[], Any]:
        return lambda: routine(queue.copy(source, a)).wait()
    cases = {
        f"copy {n}": lambda: queue.copy(source, a).wait(),
        f"getrf {n}": copied(lambda e: mkl.lapack.getrf(queue, n, n, a, n, ipiv, dependencies=e)),
        f"potrf {n}": copied(lambda e: mkl.lapack.potrf(queue, upper, n, a, n, dependencies=e)),
        f"syevd {m}": copied(lambda e: mkl.lapack.syevd(queue, mkl.job.vec, upper, m, a, m, w,
                                                        dependencies=e))}
    rows, each = 1 << 20, 16
    handle, _ = made(rng, rows, each, "f", queue)
    x, y = (sycl.malloc_device(rows * 32, np.float32, queue) for _ in range(2))
    queue.fill(x, np.float32(1)).wait()
    row_major = mkl.layout.row_major
    for who in ("cusparse", "kernels"):
        def using(call: Callable[[], sycl.event], who: str = who) -> Callable[[], Any]:
            def run() -> None:
                with mkl.using("mkl.sparse", who):
                    call().wait()
            return run
        cases[f"sparse gemv {who}"] = using(
            lambda: mkl.sparse.gemv(queue, N, 1, handle, x, 0, y))
        cases[f"sparse gemm 32 {who}"] = using(
            lambda: mkl.sparse.gemm(queue, row_major, N, N, 1, handle, x, 32, 32, 0, y, 32))
    upper_now = mkl.diag.unit, 1, handle, x, y
    mkl.sparse.optimize_trsv(queue, upper, N, mkl.diag.unit, handle).wait()

    def anew() -> None:
        handle.plans[mkl.sparse.routines.LIBRARY].clear()
        mkl.sparse.trsv(queue, upper, N, *upper_now).wait()
    cases["sparse trsv"] = lambda: mkl.sparse.trsv(queue, upper, N, *upper_now).wait()
    cases["sparse trsv, looked at anew"] = anew
    return cases


def _cupys() -> dict[str, Callable[[], Any]]:
    import cupy  # noqa: PLC0415 - may not be there
    from cupyx.scipy import linalg  # noqa: PLC0415
    from cupyx.scipy import sparse as sparse_of_cupy  # noqa: PLC0415

    rng = np.random.default_rng(1)
    n = 4096
    a = cupy.asarray(rng.standard_normal((n, n)), dtype="f")
    a = a + a.T + 4 * n**0.5 * cupy.eye(n, dtype="f")
    small = a[:1024, :1024].copy()
    rows, each = 1 << 20, 16
    columns = np.sort(rng.integers(0, rows // each, (rows, each)) + np.arange(each) * (
        rows // each), axis=1)
    matrix = sparse_of_cupy.csr_matrix((
        cupy.asarray(rng.standard_normal(rows * each), dtype="f"),
        cupy.asarray(columns.ravel(), dtype="i"),
        cupy.arange(0, rows * each + 1, each, dtype="i")), shape=(rows, rows))
    x, xs = cupy.ones(rows, "f"), cupy.ones((rows, 32), "f")

    def waited(call: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: (call(), cupy.cuda.Device().synchronize())
    return {
        f"getrf {n}": waited(lambda: linalg.lu_factor(a)),
        f"potrf {n}": waited(lambda: cupy.linalg.cholesky(a)),
        "syevd 1024": waited(lambda: cupy.linalg.eigh(small)),
        "sparse gemv": waited(lambda: matrix @ x), "sparse gemm 32": waited(lambda: matrix @ xs)}


def times(queue: sycl.queue) -> str:
    """Return times, ours beside CuPy's."""
    lines = [f"{name:24} {best(call):9.3f} ms" for name, call in _ours(queue).items()]
    try:
        lines += [f"CuPy {name:19} {best(call):9.3f} ms" for name, call in _cupys().items()]
    except ImportError as error:
        lines.append(f"CuPy is not there: {error}")
    return "\n" + "\n".join(lines)


def networks(queue: sycl.queue) -> str:
    """Run the tests of convolutions, by cuDNN where it serves them, then by our kernels alone."""
    made: list[str] = []
    create = cudnn.CuDnn.create

    def counted(self: cudnn.CuDnn, op: Any, place: Any) -> Any:
        try:
            found = create(self, op, place)
        except dnn.error as problem:
            if op.name.startswith(("conv", "deconv", "inner", "matmul")):
                made.append(f"no {op.name}: {problem}")
            raise
        made.append(op.name)
        return found

    cases = test_dnn_products
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cudnn.CuDnn, "create", counted)
        patch.setattr(model, "providers", lambda queue: ["in their order"])
        patch.setattr(dnn, "using", lambda name: contextlib.nullcontext())
        for name in cases.CASES:
            cases.test_convolutions_and_their_gradients(queue, name)
            cases.test_deconvolutions_are_convolutions_transposed(queue, name)
        cases.test_convolutions_in_short_floats_and_whole_numbers(queue)
        cases.test_products_of_matrices(queue)
        cases.test_post_ops_in_their_order(queue)
        cases.test_sums_of_large_bytes_are_exact(queue)
        for name in cases.MANY:
            cases.test_many_channels_are_products_of_matrices(queue, name)
    for name in cases.MANY:
        cases.test_many_channels_are_products_of_matrices(queue, name)
    said = collections.Counter(made)
    return f"{dnn.provider_of(queue)}\n" + "\n".join(f"  {n} {t}" for t, n in said.items())


def _layer(queue: sycl.queue, kind: Any, more: Any = None, *, bias: bool = False) -> Any:
    """Return a run of a convolution of 3 x 3, 64 to 64 channels, 56 x 56, 64 images."""
    e, memory, tag = dnn.engine(queue), dnn.memory, dnn.memory.format_tag.any
    dims = [(64, 64, 56, 56), (64, 64, 3, 3), *([(64,)] if bias else []), (64, 64, 56, 56)]
    pd = dnn.convolution_forward.primitive_desc(
        e, dnn.prop_kind.forward_inference, dnn.algorithm.convolution_auto,
        *(memory.desc(d, kind, tag) for d in dims), (1, 1), (1, 1), (1, 1),
        *([] if more is None else [more]))
    numbers = [dnn.arg.SRC, dnn.arg.WEIGHTS, *([dnn.arg.BIAS] if bias else []), dnn.arg.DST]
    given = {}
    for number in numbers:
        md = pd.exec_arg_desc(number)
        given[number] = memory(md, e)
        x = np.random.default_rng(1).standard_normal(md.dims, np.float32)
        of = memory(np.ascontiguousarray(x), e)
        dnn.reorder(of, given[number]).execute(queue, of, given[number]).wait()
    made = dnn.convolution_forward(pd)

    def run() -> None:
        for _ in range(10):
            last = made.execute(queue, given)
        last.wait()

    def recorded() -> Callable[[], None]:
        graph = sycl.ext.oneapi.experimental.command_graph(queue)
        graph.begin_recording(queue)
        for _ in range(10):
            made.execute(queue, given)
        graph.end_recording(queue)
        ready = graph.finalize()
        return lambda: queue.ext_oneapi_graph(ready).wait()
    run.recorded = recorded  # type: ignore[attr-defined]
    run.by = pd.impl_info_str()  # type: ignore[attr-defined]
    return run


def _pool(queue: sycl.queue, kind: Any) -> Callable[[], None]:
    """Return a run of largest elements of 3 x 3 by steps of 2, 64 images of 64 x 112 x 112."""
    e, memory, tag = dnn.engine(queue), dnn.memory, dnn.memory.format_tag
    lying = tag.abcd if kind is memory.data_type.f32 else tag.acdb
    pd = dnn.pooling_forward.primitive_desc(
        e, dnn.prop_kind.forward_inference, dnn.algorithm.pooling_max,
        memory.desc((64, 64, 112, 112), kind, lying), memory.desc((64, 64, 56, 56), kind, lying),
        (2, 2), (3, 3), (0, 0), (1, 1), (0, 0))
    given = {n: memory(pd.exec_arg_desc(n), e) for n in (dnn.arg.SRC, dnn.arg.DST)}
    made = dnn.pooling_forward(pd)

    def run() -> None:
        for _ in range(10):
            last = made.execute(queue, given)
        last.wait()
    run.by = pd.impl_info_str()  # type: ignore[attr-defined]
    return run


def _torchs_pool(kind: str) -> Callable[[], None]:
    torch = importlib.import_module("torch")
    x = torch.randn(64, 64, 112, 112, dtype=getattr(torch, kind), device="cuda")
    if kind != "float32":
        x = x.to(memory_format=torch.channels_last)

    def run() -> None:
        for _ in range(10):
            torch.nn.functional.max_pool2d(x, 3, 2, 1)
        torch.cuda.synchronize()
    return run


def pools(queue: sycl.queue) -> str:
    """Return what ten poolings in a row take, each, by cuDNN, by our kernels, by PyTorch."""
    queue = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    types, lines = dnn.memory.data_type, []
    for who, name, make in (
            *((w, f"pool {n}", functools.partial(_pool, queue, k))
              for n, k in (("bf16", types.bf16), ("f32", types.f32)) for w in ("cudnn", "kernels")),
            ("", "torch bf16", functools.partial(_torchs_pool, "bfloat16")),
            ("", "torch f32", functools.partial(_torchs_pool, "float32"))):
        with dnn.using(who) if who else contextlib.nullcontext():
            try:
                run = make()
                run()
                lines.append(f"{name:16} {best(run) * 100:9.1f} us {getattr(run, 'by', '')}")
            except Exception as error:  # noqa: BLE001 - the next case runs
                lines.append(f"{name} {who} FAILED {type(error).__name__}: {error}")
    return "\n" + "\n".join(lines)


def _torchs(kind: str) -> Callable[[], None]:
    torch = importlib.import_module("torch")
    at: Any = {"dtype": getattr(torch, kind), "device": "cuda"}
    last = {} if kind == "float32" else {"memory_format": torch.channels_last}
    x = torch.randn(64, 64, 56, 56, **at).to(**last)
    w = torch.randn(64, 64, 3, 3, **at).to(**last)

    def run() -> None:
        for _ in range(10):
            torch.nn.functional.conv2d(x, w, padding=1)
        torch.cuda.synchronize()
    return run


def speed(queue: sycl.queue) -> str:
    """Return what ten layers in a row take, each, beside PyTorch's and beside our kernels."""
    queue = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    types = dnn.memory.data_type
    strict, ops = dnn.primitive_attr(), dnn.post_ops()
    ops.append_eltwise(dnn.algorithm.eltwise_relu, 0.0, 0.0)
    strict.set_post_ops(ops)
    residual, ops = dnn.primitive_attr(), dnn.post_ops()
    ops.append_sum(1.0)
    ops.append_eltwise(dnn.algorithm.eltwise_relu, 0.0, 0.0)
    residual.set_post_ops(ops)
    cases: dict[str, Callable[[], Any]] = {
        "bf16": lambda: _layer(queue, types.bf16), "f16": lambda: _layer(queue, types.f16),
        "f32": lambda: _layer(queue, types.f32),
        "bf16 bias relu": lambda: _layer(queue, types.bf16, strict, bias=True),
        "bf16 bias sum relu": lambda: _layer(queue, types.bf16, residual, bias=True),
        "torch bf16": lambda: _torchs("bfloat16"), "torch f32": lambda: _torchs("float32")}
    lines = []
    for who, name in [*(("", n) for n in cases), ("kernels", "f32")]:
        with dnn.using(who) if who else contextlib.nullcontext():
            try:
                lines += _timed(name, cases[name]())
            except Exception as error:  # noqa: BLE001 - the next case runs
                lines.append(f"{name} FAILED {type(error).__name__}: {error}")
    return "\n" + "\n".join(lines)


def _timed(name: str, run: Any) -> list[str]:
    """Return lines with what a layer takes: by calls in a row, and in a command graph."""
    operations = 2 * 64 * 56 * 56 * 64 * 64 * 9
    run()
    ways = {getattr(run, "by", ""): run}
    if hasattr(run, "recorded"):
        ways["in a graph"] = run.recorded()
        ways["in a graph"]()
    lines = []
    for how, call in ways.items():
        took = best(call) / 10
        lines.append(f"{name:16} {took * 1e3:9.1f} us {operations / took / 1e9:7.1f} TFLOP/s {how}")
    return lines


PARTS = (factorizations, sparse_products, times, networks, speed, pools)


def main() -> None:
    """Run all parts, each with its error."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--parts", default=",".join(p.__name__ for p in PARTS))
    given = parser.parse_args()
    queue = sycl.queue(find_device(given.device))
    lines = [str(queue.get_device().get_info(sycl.info.device.name))]
    for part in PARTS:
        if part.__name__ not in given.parts.split(","):
            continue
        begin = time.perf_counter()
        try:
            said = part(queue)
        except (Exception, pytest.fail.Exception):  # noqa: BLE001 - the next part runs
            said = "FAILED\n" + traceback.format_exc(limit=-4)
        lines.append(f"{part.__name__}: {time.perf_counter() - begin:.1f} s: {said}")
        print(lines[-1], flush=True)
        (given.out / "libraries.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
