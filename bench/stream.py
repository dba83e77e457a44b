"""BabelStream's five kernels in float32 and float64: memory bandwidth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import Session, one_kernel, opencl
from bench.peers.start import dpnp, numba, taichi, warp, warp_library
from bench.peers.threads import threaded

N = sized(1 << 25, 1 << 16)
GROUP, GROUPS = 256, 256  # OpenCL's dot: partial sums of so many groups
TYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64}
MOVED = {"copy": 2, "mul": 2, "add": 3, "triad": 3, "dot": 2}


def operands(kind: Any, which: str) -> Work:
    """Return the operands: sources, the target (or the sum) and the factor where there is one."""
    a = (np.arange(N) % 1000).astype(kind) * kind(0.001)
    b, c, s = a[::-1].copy(), np.ones(N, kind), kind(0.4)
    return {"copy": Work((a, c), 1), "mul": Work((a, c, s), 1), "add": Work((a, b, c), 2),
            "triad": Work((a, b, c, s), 2), "dot": Work((a, b, np.zeros(1, kind)), 2)}[which]


def reference(which: str, a: Any, b: Any, *rest: Any) -> Any:
    """Return what the result must be."""
    if which == "dot":
        return np.array([np.dot(a.astype(np.float64), b.astype(np.float64))])
    s = rest[-1] if rest else b
    return {"copy": lambda: a, "mul": lambda: s * a, "add": lambda: a + b,
            "triad": lambda: a + s * b}[which]()


def with_unisycl(kind: Any, which: str) -> Case:
    """One element a work-item; the dot product by a reduction."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def copy(i: Any, a: Any, c: Any) -> None:
        c[i] = a[i]

    @sycl.kernel
    def mul(i: Any, a: Any, c: Any, s: Any) -> None:
        c[i] = s * a[i]

    @sycl.kernel
    def add(i: Any, a: Any, b: Any, c: Any) -> None:
        c[i] = a[i] + b[i]

    @sycl.kernel
    def triad(i: Any, a: Any, b: Any, c: Any, s: Any) -> None:
        c[i] = a[i] + s * b[i]

    @sycl.kernel
    def dot(i: Any, total: Any, a: Any, b: Any) -> None:
        total += a[i] * b[i]

    work = operands(kind, which)
    if which != "dot":
        chosen = {"copy": copy, "mul": mul, "add": add, "triad": triad}[which]
        return ours.launch(sycl.range(N), chosen, work)
    queue = ours.queue()
    (a, b, out), fetch = ours.place(queue, work.args)
    fresh = sycl.property.reduction.initialize_to_identity()

    def start(q: Any) -> list[Any]:
        total = sycl.reduction(out, sycl.plus, fresh)
        return [q.parallel_for(sycl.range(N), total, dot, a, b)]

    def run() -> None:
        start(queue)[0].wait()

    return Case(run, ours.fetched(work, fetch), timed=ours.timer(queue, start))


def numpy_on(which: str) -> Callable[..., None]:
    """Return what NumPy does to one slice."""
    def triad(part: slice, a: Any, b: Any, c: Any, s: Any) -> None:
        np.multiply(b[part], s, out=c[part])
        np.add(a[part], c[part], out=c[part])

    def copy(part: slice, a: Any, c: Any) -> None:
        np.copyto(c[part], a[part])

    def mul(part: slice, a: Any, c: Any, s: Any) -> None:
        np.multiply(a[part], s, out=c[part])

    def add(part: slice, a: Any, b: Any, c: Any) -> None:
        np.add(a[part], b[part], out=c[part])

    chosen: dict[str, Callable[..., None]] = {"copy": copy, "mul": mul, "add": add, "triad": triad}
    return chosen[which]


def numpy_dot(kind: Any) -> dict[str, Implementation]:
    """Return NumPy's dot product, which has its own threads."""
    def dot(a: Any, b: Any, out: Any) -> None:
        out[0] = np.dot(a, b)
    return {"numpy": Implementation(lambda: operands(kind, "dot").call(dot))}


def dpnp_on(which: str) -> Callable[[Any, list[Any]], Callable[[], Any]]:
    """Return what dpnp does; the triad into its target, as NumPy does."""
    def make(dp: Any, args: list[Any]) -> Callable[[], Any]:
        def triad() -> Any:
            a, b, c, s = args
            dp.multiply(b, s, out=c)
            return dp.add(a, c, out=c)

        def copy() -> Any:
            args[1][:] = args[0]
            return args[1]

        return {"copy": copy, "mul": lambda: dp.multiply(args[0], args[2], out=args[1]),
                "add": lambda: dp.add(args[0], args[1], out=args[2]), "triad": triad,
                "dot": lambda: dp.dot(args[0], args[1])}[which]
    return make


def opencl_dot(kind: Any, name: str) -> dict[str, Implementation]:
    """Return OpenCL's dot product: partial sums by groups, the rest by NumPy, as BabelStream."""
    def prepare(session: Session) -> Case:
        work = operands(kind, "dot")
        partial_sums = np.zeros(GROUPS, kind)
        a, b, out = session.bind((*work.args[:2], partial_sums))
        kernel = session.kernel("dot_product", REAL=name, GROUP=GROUP)
        kernel.set_args(a, b, out, np.int32(N))

        def run() -> None:
            session.enqueue(kernel, (GROUPS * GROUP,), (GROUP,))
            session.read([partial_sums], [out])
            work.args[2][0] = partial_sums.sum()

        return Case(run, work.result, keep=session, timed=session.timer(run))
    return opencl(prepare)


def warp_on(which: str, tag: str, work: Callable[[], Work]) -> dict[str, Implementation]:
    """Return Warp's kernel; it has its own inner product."""
    if which != "dot":
        return warp(f"{which}_{tag}", work, (N,))
    return warp_library(lambda wp, a, b, out: wp.utils.array_inner(a, b, out=out), work)


def peers(kind: Any, tag: str, which: str) -> dict[str, Implementation]:
    """Return the peers' implementations of one kernel and type."""
    work = partial(operands, kind, which)
    real = {"f32": "float", "f64": "double"}[tag]
    if which == "dot":
        array, cl = numpy_dot(kind), opencl_dot(kind, real)
    else:
        array = threaded(numpy_on(which), work, N, 1 << 15 if which == "triad" else 0)
        cl = one_kernel(which, work, (N,), REAL=real)
    return {**array, **numba(which, work), **taichi(f"{which}_{tag}", work),
            **warp_on(which, tag, work), **dpnp(dpnp_on(which), work), **cl}


def make(tag: str, which: str) -> Benchmark:
    """Return one benchmark of the family."""
    kind = TYPES[tag]
    tolerance = 4 * float(np.finfo(kind).eps)
    if which == "dot":
        tolerance *= 2e3  # additions in another order

    def check(result: Any) -> None:
        args = operands(kind, which).args
        np.testing.assert_allclose(np.ravel(result), reference(which, *args), rtol=tolerance)

    return Benchmark(
        title=f"BabelStream's {which}, {N} x {np.dtype(kind).name}",
        implementations={OURS: Implementation(partial(with_unisycl, kind, which)),
                         **peers(kind, tag, which)},
        check=check, work=MOVED[which] * np.dtype(kind).itemsize * N / 1e9, unit="GB/s",
        bound="stream")


BENCHMARKS = {f"stream_{which}_{tag}": make(tag, which) for tag in TYPES for which in MOVED}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
