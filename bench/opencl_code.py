"""``python -m bench.opencl_code DEVICE [NAME…]``: generated OpenCL C beside hand-written.

The suite's kernels that are one launch, on one OpenCL device, in one process, over the same memory,
in turns. Printed are the medians of the rounds' ratios, by hand / ours, of the device's own times
and, on processors, of the processor time spent, which other programs disturb less.
Non-goals: what a launch costs the host (``tests.device.speed``). Invariant: both compute the same.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from bench import ours
from bench.catalogue import load
from bench.harness import OURS, Case, Work, prepare
from bench.peers import opencl
from unisycl.testing import find_device

NAMES = (*(f"stream_{k}_{t}" for t in ("f32", "f64") for k in ("copy", "mul", "add", "triad")),
         "mandelbrot", "nbody", "matmul", "matmul_tiled", "stencil", "stencil_tiled",
         "black_scholes", "tree_reduction", "transpose", "transpose_tiled", "spmv", "gather",
         "scatter")
PEERS = {"NVIDIA": "nvidia-opencl", "Intel": "intel-opencl", "Portable": "pocl"}
PAGE = 4096


def in_pages(array: Any) -> Any:
    """Return a copy that begins at a page, as the buffers of drivers do; scalars as they are."""
    if not isinstance(array, np.ndarray):
        return array
    raw = np.empty(array.nbytes + PAGE, np.uint8)
    start = -raw.ctypes.data % PAGE
    made = raw[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    made[...] = array
    return made


class Shared:
    """Gives both sides the same operands: ours come first, in the host's memory."""

    def __init__(self) -> None:
        self.args: tuple[Any, ...] = ()
        self._launch = ours.launch

    def launch(self, space: Any, kernel: Any, work: Work, *local: Any) -> Case:
        """Stand in for ``ours.launch``."""
        self.args = tuple(in_pages(a) for a in work.args)
        return self._launch(space, kernel, Work(self.args, work.out), *local)

    def buffer(self, session: Any) -> list[Any]:
        """Stand in for ``Session.bind``: buffers over our memory where the device uses it."""
        cl = session.cl
        how = cl.mem_flags.READ_WRITE | (
            cl.mem_flags.USE_HOST_PTR if session.context.devices[0].host_unified_memory
            else cl.mem_flags.COPY_HOST_PTR)
        return [cl.Buffer(session.context, how, hostbuf=a) if isinstance(a, np.ndarray) else a
                for a in self.args]


def timed(case: Case) -> tuple[float, float]:
    """Return the seconds of one run, by the device, and of processor time."""
    begin = time.process_time()
    assert case.timed is not None
    spent = case.timed()
    return spent, time.process_time() - begin


def rounds(a: Case, b: Case, least: int, seconds: float) -> list[tuple[float, float, float]]:
    """Return b's time over a's by the device and by processors, and a's seconds, of each round."""
    out: list[tuple[float, float, float]] = []
    for _ in range(2):
        timed(a)
        timed(b)
    deadline = time.monotonic() + seconds
    while len(out) < least or (time.monotonic() < deadline and len(out) < 400):
        order: list[Callable[[], tuple[float, float]]] = [lambda: timed(a), lambda: timed(b)]
        if len(out) % 2:
            second, first = order[1](), order[0]()
        else:
            first, second = order[0](), order[1]()
        out.append((second[0] / first[0], second[1] / max(first[1], 1e-9), first[0]))
    return out


def compare(name: str, peer: str, seconds: float, least: int = 9) -> tuple[float, float]:
    """Measure one benchmark and print its line; return both ratios."""
    shared = Shared()
    ours.launch = shared.launch
    setattr(opencl.Session, "bind", lambda session, args: shared.buffer(session))  # noqa: B010
    benchmark = load(name)
    mine, theirs = (prepare(benchmark, k) for k in (OURS, peer))
    found = rounds(mine, theirs, least, seconds)
    device, processor = (sorted(f[k] for f in found) for k in (0, 1))
    quarter = len(found) // 4
    own = statistics.median(f[2] for f in found) * 1e3
    print(f"{name:18} ours {own:9.4f} ms, by hand / ours {statistics.median(device):.3f} "
          f"({device[quarter]:.2f} to {device[-1 - quarter]:.2f}), processor time "
          f"{statistics.median(processor):.3f}, {len(found)} rounds", flush=True)
    return statistics.median(device), statistics.median(processor)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.opencl_code", description=__doc__)
    parser.add_argument("device")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=4.0, help="for each benchmark")
    options = parser.parse_args()
    os.environ["UNISYCL_DEVICE"] = options.device
    device = find_device(options.device)
    platform = device.get_platform().get_info(sycl.info.platform.name)
    peer = next(p for word, p in PEERS.items() if word in platform)
    print(f"{device.get_info(sycl.info.device.name)}, {platform}")
    found = [compare(name, peer, options.seconds) for name in options.names or NAMES]
    means = [math.exp(statistics.fmean(math.log(f[k]) for f in found)) for k in (0, 1)]
    print(f"geometric mean over {len(found)}: {means[0]:.3f}, processor time {means[1]:.3f}")


if __name__ == "__main__":
    main()
