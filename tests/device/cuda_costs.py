"""What a card has to show in processes of their own: faults, a cold compile, graphs beside C.

``python -m tests.device.cuda --parts fault,cold,graph_in_c`` runs them. Non-goals: judging.
Invariant: each process begins with an empty cache.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

ROOT = Path(__file__).parents[2]
PROCESSES, ROUNDS, SECONDS = 5, 3, 60
Program = Callable[[sycl.queue], None]


def _process(what: str, device: str) -> subprocess.CompletedProcess[str]:
    """Run a function of this module in a process of its own, with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [sys.executable, "-m", "tests.device.cuda_costs", what, device], cwd=ROOT, check=False,
            env={**os.environ, "UNISYCL_CACHE": folder}, capture_output=True, text=True,
            timeout=SECONDS)


# ------------------------------------------------------------------ faults
def wild(i: Any, p: Any, far: Any) -> None:
    p[i + far] = 1


def _lose(device: str) -> None:
    """Store where no memory is; print the error, and what other devices do then."""
    told: list[Any] = []
    q = sycl.queue(find_device(device), told.extend)
    p = sycl.malloc_device(16, np.int32, q)
    q.parallel_for(16, wild, p, np.int64(0)).wait()
    q.parallel_for(16, wild, p, np.int64(1) << 44)
    q.wait_and_throw()
    print(f"asynchronous errors: {len(told)}; the first: {told[0].what()}")
    try:
        sycl.malloc_device(16, np.int32, sycl.queue(find_device(device)))
        print("later commands: taken")
    except sycl.exception as error:
        print(f"later commands: {error.what()}")
    out = np.zeros(4, np.int32)
    sycl.queue("cpu").parallel_for(4, lambda i, out: wild(i, out, np.int64(0)), out).wait()
    print(f"the processor goes on: {out.tolist()}")


def fault(q: sycl.queue) -> None:
    """An illegal address names the kernel and its line, and the process ends as usual."""
    begin = time.perf_counter()
    done = _process("lose", _name(q))
    print(f"{done.stdout}status {done.returncode} after {time.perf_counter() - begin:.1f} s")
    text = done.stdout
    assert done.returncode == 0, done.stderr[-2000:]
    for said in ("kernel 'wild'", "cuda_costs.py:", "ILLEGAL_ADDRESS", "[1, 1, 1, 1]",
                 "does nothing any more in this process"):
        assert said in text, text


# ------------------------------------------------------------------ compiling
def warmed(i: Any, p: Any) -> None:
    p[i] = p[i] * 3


def twenty_lines(i: Any, x: Any, y: Any, out: Any, n: Any, scale: Any) -> None:
    k = i[0]
    total = np.float32(0)
    least = x[k]
    most = x[k]
    for j in range(n):
        a = x[(k + j) % 1024]
        b = y[(k + 3 * j) % 1024]
        d = a - b
        if d < 0:
            d = -d
        total += scale * d
        least = min(least, a)
        most = max(most, b)
        if total > 1e6:
            break
    spread = most - least
    if spread > 0:
        total = total / spread
    total = sycl.sqrt(total) + sycl.exp(-spread)
    total = sycl.clamp(total, np.float32(0), np.float32(100))
    out[k] = total


def _cold(device: str) -> None:
    """Print what the first launch took of a kernel in a process that has launched another, its
    second one, and NVIDIA's compiler alone for the same text, in ms."""
    from unisycl.backends.cuda.text import compile as compiler  # noqa: PLC0415 - this part's own

    tool, seen = compiler.compiler(), list[tuple[Any, ...]]()
    inner = type(tool).compile

    def noted(self: Any, *words: Any) -> Any:
        seen.append(words)
        return inner(self, *words)

    q = sycl.queue(find_device(device), sycl.property.queue.in_order())
    x, y, out = (sycl.malloc_device(1024, np.float32, q) for _ in range(3))
    for p in (x, y, out):
        q.fill(p, 1)
        q.parallel_for(1024, warmed, p).wait()
    type(tool).compile = noted  # type: ignore[method-assign]
    times = []
    for _ in range(2):
        begin = time.perf_counter()
        q.parallel_for(1024, twenty_lines, x, y, out, 8, np.float32(0.5)).wait()
        times.append((time.perf_counter() - begin) * 1e3)
    begin = time.perf_counter()
    inner(tool, *seen[-1])
    alone = (time.perf_counter() - begin) * 1e3
    print(f"{times[0]:.2f} {times[1]:.3f} {alone:.2f}")


def cold(q: sycl.queue) -> None:
    """What compiling a kernel of twenty lines costs."""
    rows = []
    for _ in range(PROCESSES):
        done = _process("cold", _name(q))
        assert done.returncode == 0, done.stderr[-2000:]
        rows.append([float(x) for x in done.stdout.split()])
    first, second, alone = map(statistics.median, zip(*rows, strict=True))
    print(f"a kernel of twenty lines: its first launch {first:.1f} ms, its second {second:.3f}, "
          f"NVIDIA's compiler alone for its text {alone:.1f}; medians of {PROCESSES} processes")


# ------------------------------------------------------------------ graphs
def graph_in_c(q: sycl.queue) -> None:
    """Replays of a graph of a hundred kernels, by turns with a program in C++."""
    from tests.device.cuda import graphs  # noqa: PLC0415 - they import each other
    compiler = shutil.which("nvcc")
    if compiler is None:
        print("no nvcc is found on PATH: nothing to compare with")
        return
    with tempfile.TemporaryDirectory() as folder:
        made = str(Path(folder) / "graph")
        subprocess.run([compiler, "-O3", "-arch=native", "-o", made,
                        str(ROOT / "bench/cuda/graph_in_c.cu")], check=True, timeout=SECONDS)
        for _ in range(ROUNDS):
            done = subprocess.run([made], capture_output=True, text=True, check=True,
                                  timeout=SECONDS)
            rows = [[float(x) for x in line.split()] for line in done.stdout.splitlines()]
            one, each = map(statistics.median, zip(*rows, strict=True))
            graphs(q)
            print(f"{'CUDA C++':32} {one:9.3f} {each:9.3f}", flush=True)


def _name(q: sycl.queue) -> str:
    """Return how another process finds the device of a queue."""
    cards = [d for d in sycl.device.get_devices() if d.get_backend() is q.get_backend()]
    return f"{q.get_backend().name}:{cards.index(q.get_device())}"


PARTS: dict[str, tuple[Program, ...]] = {
    "fault": (fault,), "cold": (cold,), "graph_in_c": (graph_in_c,)}

if __name__ == "__main__":
    {"lose": _lose, "cold": _cold}[sys.argv[1]](sys.argv[2])
