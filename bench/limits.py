"""The machine's own limits, which kernels are measured against: ``python -m bench.limits``.

Two loops in LLVM IR, run on all processors at once: a stream triad whose stores bypass the caches
(3 x 4 bytes an element move) and multiply-adds on independent vector registers. Prints one JSON
object. Non-goals: kernels of ours; only the last figure is one. Invariant: best of several runs.
"""

from __future__ import annotations

import ctypes
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from llvmlite import binding

from bench import ours
from bench.harness import sized

N = sized(1 << 25, 1 << 18)
STEPS = sized(1 << 24, 1 << 18)
REPEATS = 25
CHAINS = 12  # independent multiply-adds: latency times throughput, within 16 registers

TRIAD = """
define void @triad(ptr %a, ptr %b, ptr %c, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr {vector}, ptr %a, i64 %i
  %pb = getelementptr {vector}, ptr %b, i64 %i
  %pc = getelementptr {vector}, ptr %c, i64 %i
  %va = load {vector}, ptr %pa, align 64
  %vb = load {vector}, ptr %pb, align 64
  %r = call {vector} @llvm.fma.{mangled}({vector} %vb, {vector} {scale}, {vector} %va)
  store {vector} %r, ptr %pc, align 64, !nontemporal !0
  %next = add nuw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
declare {vector} @llvm.fma.{mangled}({vector}, {vector}, {vector})
!0 = !{{i32 1}}
"""


def fma_text(vector: str, mangled: str) -> str:
    """Return the IR of ``STEPS`` rounds of ``CHAINS`` independent multiply-adds."""
    phis = [f"  %x{k} = phi {vector} [ %s{k}, %entry ], [ %y{k}, %loop ]" for k in range(CHAINS)]
    steps = [f"  %y{k} = call {vector} @llvm.fma.{mangled}({vector} %x{k}, {vector} %m, "
             f"{vector} %t)" for k in range(CHAINS)]
    starts = [f"  %s{k} = fmul {vector} %m, {splat(vector, 1.0 + k)}" for k in range(CHAINS)]
    sums = [f"  %z{k} = fadd {vector} %{f'z{k - 1}' if k else 'y0'}, %y{k}"
            for k in range(CHAINS)]
    return "\n".join([
        "define void @fma(ptr %a, ptr %b, ptr %c, i64 %n) {", "entry:",
        f"  %m = load {vector}, ptr %a, align 64", f"  %t = load {vector}, ptr %b, align 64",
        *starts, "  br label %loop", "loop:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]", *phis, *steps,
        "  %next = add nuw i64 %i, 1", "  %more = icmp ult i64 %next, %n",
        "  br i1 %more, label %loop, label %done", "done:", *sums,
        f"  store {vector} %z{CHAINS - 1}, ptr %c, align 64", "  ret void", "}",
        f"declare {vector} @llvm.fma.{mangled}({vector}, {vector}, {vector})"])


def splat(vector: str, value: float) -> str:
    """Return a constant vector of one value."""
    lanes = int(vector.split(maxsplit=1)[0][1:])
    return "<" + ", ".join([f"float {value:e}"] * lanes) + ">"


def compile_loops() -> tuple[Any, Callable[[str], Any], int]:
    """Return what must live, the native loops by name, and the lanes of a vector."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    features = binding.get_host_cpu_features()
    lanes = 16 if features.get("avx512f") else 8 if features.get("avx2") else 4
    vector, mangled = f"<{lanes} x float>", f"v{lanes}f32"
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=features.flatten(), opt=2)
    scale = splat(vector, 0.5)
    first = binding.parse_assembly(TRIAD.format(vector=vector, mangled=mangled, scale=scale))
    engine = binding.create_mcjit_compiler(first, machine)
    engine.add_module(binding.parse_assembly(fma_text(vector, mangled)))
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, ctypes.c_int64)
    return engine, lambda name: kind(engine.get_function_address(name)), lanes


def aligned(count: int) -> Any:
    """Return ones on a 64-byte boundary."""
    raw = np.ones(count + 16, np.float32)
    first = (-raw.ctypes.data % 64) // 4
    return raw[first:first + count]


def best(work: Callable[[int], None], workers: int) -> float:
    """Return the least seconds that all workers together took."""
    times = []
    with ThreadPoolExecutor(workers) as pool:
        for _ in range(REPEATS):
            begin = time.perf_counter()
            list(pool.map(work, range(workers)))
            times.append(time.perf_counter() - begin)
    return min(times)


def own_fma(workers: int) -> float:
    """Return the GFLOP/s of a small kernel of ours: eight chains a work-item."""
    import unisycl as sycl  # noqa: PLC0415 - after the loops are measured

    @sycl.kernel
    def chains(i: Any, out: Any, m: Any, t: Any, steps: Any) -> None:
        x0 = x1 = x2 = x3 = x4 = x5 = x6 = x7 = np.float32(i)
        for _ in range(steps):
            x0, x1, x2, x3 = x0 * m + t, x1 * m + t, x2 * m + t, x3 * m + t
            x4, x5, x6, x7 = x4 * m + t, x5 * m + t, x6 * m + t, x7 * m + t
        out[i] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7

    items, steps = 4096 * workers, max(1, STEPS // 4096)
    queue, out = ours.queue(), np.zeros(items, np.float32)
    times = []
    for _ in range(REPEATS + 1):
        begin = time.perf_counter()
        queue.parallel_for(items, chains, out, np.float32(0.5), np.float32(1), steps).wait()
        times.append(time.perf_counter() - begin)
    return 2 * 8 * items * steps / min(times[1:]) / 1e9


def measure() -> dict[str, float]:
    """Return the limits in GB/s and GFLOP/s."""
    workers = len(os.sched_getaffinity(0))
    engine, loop, lanes = compile_loops()
    triad, fma = loop("triad"), loop("fma")
    share = N // workers // 16 * 16
    arrays = [aligned(share * workers) for _ in range(3)]

    def stream(k: int) -> None:
        triad(*(a.ctypes.data + 4 * k * share for a in arrays), share // lanes)

    def multiply(k: int) -> None:
        data = arrays[2].ctypes.data
        fma(arrays[0].ctypes.data, arrays[1].ctypes.data, data + 64 * k, STEPS)

    moved, flops = 3 * 4 * share * workers, 2 * CHAINS * lanes * STEPS * workers
    found = {"stream": moved / best(stream, workers) / 1e9,
             "fma": flops / best(multiply, workers) / 1e9}
    del engine
    return {**found, "fma by a kernel": own_fma(workers)}


if __name__ == "__main__":
    print(json.dumps(measure()))
