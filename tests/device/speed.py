"""How fast kernels, launches and memory are on one OpenCL device, beside hand-written OpenCL C.

``python -m tests.device.speed DEVICE FILE [SECONDS] [--parts suite] [--names A,B]`` prints a table
and writes FILE as JSON. Bandwidth is by the device's own times (events), launches are by the host's
clock, the benchmarks of the suite by both. Rounds are interleaved.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from tests.device.launches import launches
from unisycl.testing import find_device

SECONDS = 150.0
BAR = 0.97
TRIADS = """
__kernel void one(__global const float *a, __global const float *b, __global float *c, float s)
{ size_t i = get_global_id(0); c[i] = a[i] + s * b[i]; }
__kernel void four(__global const float4 *a, __global const float4 *b, __global float4 *c, float s)
{ size_t i = get_global_id(0); c[i] = a[i] + s * b[i]; }
__kernel void touch(__global float *out) { out[get_global_id(0)] = 1.0f; }
__kernel void nothing(void) {}
"""
SUITE = ("stream_copy_f32", "stream_add_f32", "stream_triad_f32", "stream_triad_f64",
         "stream_dot_f32", "mandelbrot", "nbody", "matmul", "matmul_tiled", "stencil",
         "stencil_tiled", "black_scholes", "tree_reduction", "group_reduction", "sum_reduction",
         "histogram", "transpose", "transpose_tiled", "spmv", "gather", "scatter", "scan")


def triad(i: Any, a: Any, b: Any, c: Any, s: Any) -> None:
    c[i] = a[i] + s * b[i]


class Peer:
    """The same device through PyOpenCL alone."""

    def __init__(self, q: sycl.queue) -> None:
        import pyopencl as cl  # noqa: PLC0415 - loaded by unisycl first, with its runtimes

        native = sycl.get_native(sycl.backend.opencl, q.get_device())
        self.cl = cl
        self.context = cl.Context([native])
        self.queue = cl.CommandQueue(
            self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.plain = cl.CommandQueue(self.context)
        self.program = cl.Program(self.context, TRIADS).build()

    def kernel(self, name: str, *args: Any) -> Any:
        """Return a kernel with its arguments set."""
        made = self.cl.Kernel(self.program, name)
        if args:
            made.set_args(*args)
        return made


def bandwidth(q: sycl.queue, count: int) -> dict[str, float]:
    """Return TB/s of the triad: ours, and one or four elements a work-item by hand."""
    timed = sycl.queue(q.get_device(), sycl.property.queue.enable_profiling())
    a, b, c = (sycl.malloc_device(count, timed, dtype=np.float32) for _ in range(3))
    peer = Peer(q)
    flags = peer.cl.mem_flags.READ_WRITE
    x, y, z = (peer.cl.Buffer(peer.context, flags, 4 * count) for _ in range(3))
    for memory in (a, b, c):
        timed.fill(memory, 1.0).wait()
    for memory in (x, y, z):
        peer.cl.enqueue_fill_buffer(peer.queue, memory, np.float32(1), 0, 4 * count).wait()
    half = np.float32(0.5)
    one, four = (peer.kernel(n, x, y, z, half) for n in ("one", "four"))

    def ours() -> float:
        event = timed.parallel_for(count, triad, a, b, c, half)
        event.wait()
        info = sycl.info.event_profiling
        return (event.get_profiling_info(info.command_end)
                - event.get_profiling_info(info.command_start)) * 1e-9

    def by_hand(kernel: Any, items: int, local: tuple[int, ...] | None) -> float:
        event = peer.cl.enqueue_nd_range_kernel(peer.queue, kernel, (items,), local)
        event.wait()
        return (event.profile.end - event.profile.start) * 1e-9

    ways: dict[str, Callable[[], float]] = {
        "unisycl": ours, "OpenCL C, float": lambda: by_hand(one, count, None),
        "OpenCL C, float, groups of 256": lambda: by_hand(one, count, (256,)),
        "OpenCL C, float4": lambda: by_hand(four, count // 4, None),
        "OpenCL C, float4, groups of 256": lambda: by_hand(four, count // 4, (256,))}
    times: dict[str, list[float]] = {k: [] for k in ways}
    for _ in range(15):
        for name, way in ways.items():
            times[name].append(way())
    moved = 12 * count
    out = np.zeros(8, np.float32)
    timed.memcpy(out, c, 32).wait()
    assert np.all(out == 1.5), out
    return {k: moved / statistics.median(v[3:]) / 1e12 for k, v in times.items()}


def peer_of(device: str) -> str:
    """Return the name the benchmarks have for PyOpenCL on a device's platform."""
    platform = find_device(device).get_platform().get_info(sycl.info.platform.name)
    return next((p for word, p in (("NVIDIA", "nvidia-opencl"), ("Intel", "intel-opencl"),
                                   ("Portable", "pocl")) if word in platform), "")


def suite(device: str, deadline: float, names: Sequence[str] = SUITE) -> dict[str, float]:
    """Return the time of hand-written OpenCL C over ours, for the benchmarks that time allows.

    Once by the clock of the host, waiting included, and once by the device's own: the commands of
    a run, added up. In each process the host's rounds come first, since times cost a launch.
    """
    from bench.harness import OURS  # noqa: PLC0415 - after the environment is set
    from bench.run import load, measure, report  # noqa: PLC0415

    os.environ["UNISYCL_DEVICE"] = device
    peer = peer_of(device)
    found: dict[str, dict[str, float]] = {"wall": {}, "events": {}}
    for name in names:
        if time.monotonic() > deadline:
            print("no time left for", name)
            continue
        workers = measure(name, 5, [peer], verbose=False, by_device=3)
        line = f"{name:17}"
        for clock, times in (("wall", {k: w.seconds for k, w in workers.items()}),
                             ("events", {k: w.device for k, w in workers.items()})):
            rows = report.rows_of(load(name), times)
            if OURS in rows and peer in rows:
                found[clock][name] = rows[peer].ratio()
                line += (f" {clock}: ours {rows[OURS].median * 1e3:9.4f} ms, by hand "
                         f"{rows[peer].median * 1e3:9.4f}, ratio {rows[peer].ratio():6.3f};")
        notes = {k: w.note for k, w in workers.items() if w.note}
        print(line, notes or "", flush=True)
    return summary(found)


def summary(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Print the geometric mean by each clock and what is below the bar; return all figures."""
    out: dict[str, float] = {}
    for clock, ratios in found.items():
        if not ratios:
            continue
        mean = math.exp(statistics.fmean(map(math.log, ratios.values())))
        low = ", ".join(f"{k} {v:.2f}" for k, v in sorted(ratios.items(), key=lambda x: x[1])
                        if v < BAR)
        print(f"{clock}: geometric mean of by hand / ours over {len(ratios)}: {mean:.3f} (bar "
              f"{BAR}); below it: {low or 'none'}")
        out.update({f"{clock} {name}": ratio for name, ratio in ratios.items()})
        out[f"{clock} geometric mean"] = mean
    return out


def main() -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="tests.device.speed", description=__doc__)
    parser.add_argument("device", help="its name in unisycl, such as opencl:0")
    parser.add_argument("file", type=Path, help="where the figures go, as JSON")
    parser.add_argument("seconds", type=float, nargs="?", default=SECONDS,
                        help="no benchmark of the suite starts later")
    parser.add_argument("--parts", default="launch,bandwidth,suite")
    parser.add_argument("--names", default=",".join(SUITE), help="of benchmarks of the suite")
    options = parser.parse_args()
    device, target = options.device, options.file
    deadline = time.monotonic() + options.seconds
    q = sycl.queue(find_device(device))
    most = q.get_device().get_info(sycl.info.device.max_mem_alloc_size) // 4
    count = min(1 << 28, 1 << (int(most) // 4).bit_length() - 1)
    if q.get_device().is_cpu():
        count = min(count, 1 << 25)
    results: dict[str, Any] = {"device": q.get_device().get_info(sycl.info.device.name)}
    for name, part in (("launch us", lambda: launches(q, Peer(q))),  # before queues ask for times
                       ("bandwidth TB/s", lambda: bandwidth(q, count)),
                       ("suite", lambda: suite(device, deadline, options.names.split(",")))):
        if name.partition(" ")[0] not in options.parts.split(","):
            continue
        try:
            results[name] = part()
            for key, value in results[name].items():
                print(f"{name:16} {key:48} {value:9.4f}", flush=True)
        except Exception:  # noqa: BLE001 - the next part may work
            results[name] = {"error": traceback.format_exc()}
            traceback.print_exc()
        target.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
