"""Everything about one card of NVIDIA's in one run: what it is, the conformance suite, its speed.

::

    python -m tests.device.cuda --out DIR [--parts devices,smoke,arrays,speed,suite] [--seconds 560]

Needed are the package and ``nvidia-cuda-nvrtc``; CuPy is measured beside it where it is installed.
DIR receives ``devices.txt``, ``smoke.txt`` (a few programs, each with its error), one such text
for each part of ``cuda_features``, ``speed.txt`` and ``conformance.json`` and ``.txt`` (rows, and
the failures shortened; ``--all`` for every case). A part that fails is reported and the next one
runs. Non-goals: judging.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from tests.device import cuda_features
from tests.device.opencl import Suite, call, keep, say
from unisycl.testing import find_device

LAUNCHES, WAITED, ROUNDS, KERNELS = 2000, 300, 7, 100
TRIAD = 1 << 28
HANGS = 60
"""Seconds after which a test counts as one that never ends, and ends its file."""


def nothing(i: Any) -> None:
    pass


def touch(i: Any, p: Any) -> None:
    p[i] = p[i] + 1


def add_up(i: Any, total: Any, p: Any) -> None:
    total.combine(p[i])


def triad(i: Any, a: Any, b: Any, c: Any) -> None:
    a[i] = b[i] + np.float32(0.5) * c[i]


# ------------------------------------------------------------------ a few programs
def buffers(q: sycl.queue) -> None:
    a = np.arange(1000, dtype=np.float32)
    with sycl.buffer(a) as b:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)
            h.parallel_for(1000, lambda i: touch(i, acc))
        for _ in range(3):
            q.submit(group)
        q.wait_and_throw()
    assert (a == np.arange(1000, dtype=np.float32) + 3).all(), a[:8]


def pointers(q: sycl.queue) -> None:
    for make in (sycl.malloc_device, sycl.malloc_host, sycl.malloc_shared):
        p, out = make(1000, np.int32, q), np.zeros(1000, np.int32)
        q.fill(p, 5)
        q.wait_and_throw()
        for _ in range(10):
            q.parallel_for(1000, touch, p).wait_and_throw()
        q.memcpy(out, p, out.nbytes).wait_and_throw()
        assert (out == 15).all(), (make.__name__, out[:8])


def groups(q: sycl.queue) -> None:
    out = np.zeros(256, np.int32)

    def kernel(it: Any, out: Any, tile: Any) -> None:
        k = it.get_local_id(0)
        tile[k] = it.get_global_id(0)
        sycl.group_barrier(it.get_group())
        out[it.get_global_id(0)] = tile[63 - k] + sycl.reduce_over_group(
            it.get_sub_group(), 1, sycl.plus())

    with sycl.buffer(out) as b:
        def group(h: sycl.handler) -> None:
            acc, tile = sycl.accessor(b, h), sycl.local_accessor(np.int32, 64, h)
            h.parallel_for(sycl.nd_range(256, 64), lambda it: kernel(it, acc, tile))
        q.submit(group)
        q.wait_and_throw()
    want = [64 * (k // 64) + 63 - k % 64 + 32 for k in range(256)]
    assert want == out.tolist(), out[:8]


def sums(q: sycl.queue) -> None:
    out = np.zeros(1, np.float64)
    with sycl.buffer(out) as b:
        def group(h: sycl.handler) -> None:
            h.parallel_for(1 << 20, sycl.reduction(b, h, sycl.plus()),
                           lambda i, total: total.combine(i[0]))
        q.submit(group)
        q.wait_and_throw()
    assert [(1 << 19) * ((1 << 20) - 1)] == out.tolist(), out


def printing(q: sycl.queue) -> None:
    q.parallel_for(2, lambda i: print("printed by item", i[0])).wait_and_throw()


def large(q: sycl.queue) -> None:
    a = np.arange(1 << 24, dtype=np.float32)
    with sycl.buffer(a) as b:
        q.submit(lambda h: touch_all(h, b))
        q.wait_and_throw()
    assert a[-1] == (1 << 24), a[-4:]


def touch_all(h: sycl.handler, b: Any) -> None:
    acc = sycl.accessor(b, h)
    h.parallel_for(1 << 24, lambda i: touch(i, acc))


def times(q: sycl.queue) -> None:
    timed = sycl.queue(q.get_device(), sycl.property.queue.enable_profiling())
    p = sycl.malloc_device(1 << 24, np.float32, timed)
    event = timed.parallel_for(1 << 24, touch, p)
    event.wait_and_throw()
    about = sycl.info.event_profiling
    start, end = (event.get_profiling_info(x) for x in (about.command_start, about.command_end))
    print(f"a kernel over 2**24 numbers took {(end - start) / 1e3:.1f} us")
    assert 0 < end - start < 10**9


PROGRAMS = (buffers, pointers, groups, sums, printing, large, times)


def smoke(device: str) -> None:
    """Run each program; print what went wrong."""
    q = sycl.queue(find_device(device))
    for program in PROGRAMS:
        begin = time.perf_counter()
        try:
            program(q)
        except Exception:  # noqa: BLE001 - the next one may work
            print(f"{program.__name__}: FAILED\n{traceback.format_exc()}", flush=True)
        else:
            print(f"{program.__name__}: well, {time.perf_counter() - begin:.2f} s", flush=True)


# ------------------------------------------------------------------ speed
def ways_of(q: sycl.queue) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Return how launches are made, and how they are waited for."""
    in_order = sycl.queue(q.get_device(), sycl.property.queue.in_order())
    p = sycl.malloc_device(1, np.float32, in_order)
    buffer = sycl.buffer(np.zeros(1, np.float32))

    def group(h: sycl.handler) -> None:
        h.parallel_for(1, touch, sycl.accessor(buffer, h, sycl.read_write))

    found: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "unisycl, empty": (lambda: in_order.parallel_for(1, nothing), in_order.wait),
        "unisycl, empty, bound": (in_order.bind(1, nothing), in_order.wait),
        "unisycl, out of order": (lambda: q.parallel_for(1, nothing), q.wait),
        "unisycl, one pointer": (lambda: in_order.parallel_for(1, touch, p), in_order.wait),
        "unisycl, one accessor": (lambda: in_order.submit(group), in_order.wait),
        "unisycl, a reduction": (lambda: in_order.parallel_for(
            1, sycl.reduction(p, sycl.plus), add_up, p), in_order.wait)}
    here = in_order.get_device().state.driver.opened()  # type: ignore[attr-defined]
    with here.session:  # where several cards are, another one may be current
        lane = here.commands.lanes.choose(())
    launch = _raw(in_order, here)
    found["the driver's call by ctypes"] = (
        lambda: launch(lane), lambda: here.session.api.attempt("cuStreamSynchronize", lane.value))
    try:
        import cupy  # noqa: PLC0415 - measured where it is installed
    except ImportError:
        return found
    raw = cupy.RawKernel('extern "C" __global__ void nothing() {}', "nothing")
    found["CuPy RawKernel"] = (lambda: raw((1,), (1,), ()), cupy.cuda.get_current_stream(
        ).synchronize)
    return found


def _raw(q: sycl.queue, here: Any) -> Callable[[Any], int]:
    """Return what launches an empty kernel by nothing but the driver's function."""
    from unisycl.backends.base import Geometry, Launch  # noqa: PLC0415 - the part's own
    from unisycl.backends.cuda.launch.prepared import Prepared  # noqa: PLC0415
    from unisycl.frontend.specialize import find  # noqa: PLC0415

    driver = q.get_device().state.driver  # type: ignore[attr-defined]
    geometry = Geometry("range", (1,), (), (0,))
    executable = driver.compile(find(nothing, "range", 1, (), (), ())[0].kernel, geometry)
    made = Prepared(executable, Launch(executable, geometry, ()), executable.plan(
        geometry, driver.facts, driver.card), ("nothing", None))
    session = here.session

    def launch(lane: Any) -> int:
        with session:
            return int(session.api.try_launch_prepared(*made.arguments(lane)))
    return launch


def launches(q: sycl.queue) -> None:
    """Print what a launch costs each way: submitted only, with one wait for all, and for each."""
    ways = ways_of(q)
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, (submit, wait) in ways.items():
            for _ in range(20):
                submit()
            wait()
            begin = time.perf_counter()
            for _ in range(LAUNCHES):
                submit()
            given = time.perf_counter()
            wait()
            ended = time.perf_counter()
            for _ in range(WAITED):
                submit()
                wait()
            each = time.perf_counter() - ended
            found[name].append(((given - begin) / LAUNCHES, (ended - begin) / LAUNCHES,
                                each / WAITED))
    print(f"{'us a launch':32} submitted  one wait  wait each")
    for name, rows in found.items():
        middle = [statistics.median(column) * 1e6 for column in zip(*rows, strict=True)]
        print(f"{name:32} {middle[0]:9.2f} {middle[1]:9.2f} {middle[2]:10.2f}", flush=True)


def graphs(q: sycl.queue) -> None:
    """Print what a kernel of a graph of a hundred costs, and the driver's own call for them."""
    in_order = sycl.queue(q.get_device(), sycl.property.queue.in_order())
    p = sycl.malloc_device(1, np.float32, in_order)
    graph = sycl.ext.oneapi.experimental.command_graph(in_order)
    graph.begin_recording(in_order)
    for _ in range(KERNELS):
        in_order.parallel_for(1, touch, p)
    graph.end_recording()
    ready: Any = graph.finalize()
    in_order.ext_oneapi_graph(ready).wait()
    here = in_order.get_device().state.driver.opened()  # type: ignore[attr-defined]
    batch = ready.plan.steps[0].batch
    lane, value = here.commands.lanes.choose(()), batch._graph.value
    ways: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "unisycl": (lambda: in_order.ext_oneapi_graph(ready), in_order.wait),
        "the driver's call by ctypes": (
            lambda: here.session.api.attempt("cuGraphLaunch", value, lane.value),
            lambda: here.session.api.attempt("cuStreamSynchronize", lane.value))}
    print(f"us a kernel of a graph of {KERNELS}: with one wait for 50 replays, and for each")
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    with here.session:
        for _ in range(ROUNDS):
            for name, (submit, wait) in ways.items():
                found[name].append((_replayed(submit, wait, each=False),
                                    _replayed(submit, wait, each=True)))
    for name, rows in found.items():
        one, each = (statistics.median(x) for x in zip(*rows, strict=True))
        print(f"{name:32} {one:9.3f} {each:9.3f}", flush=True)


def _replayed(submit: Callable[[], Any], wait: Callable[[], Any], *, each: bool) -> float:
    """Return what a kernel of a graph takes, in us."""
    begin = time.perf_counter()
    for _ in range(50):
        submit()
        if each:
            wait()
    wait()
    return (time.perf_counter() - begin) / 50 / KERNELS * 1e6


def bandwidth(q: sycl.queue) -> None:
    """Print the triad's bandwidth by the card's own times."""
    timed = sycl.queue(q.get_device(), sycl.property.queue.enable_profiling())
    count = TRIAD
    a, b, c = (sycl.malloc_device(count, np.float32, timed) for _ in range(3))
    for p in (b, c):
        timed.fill(p, 1)
    timed.wait()
    about, best = sycl.info.event_profiling, []
    for _ in range(15):
        event = timed.parallel_for(count, triad, a, b, c)
        event.wait()
        best.append(event.get_profiling_info(about.command_end)
                    - event.get_profiling_info(about.command_start))
    print(f"triad of 2**28 float32: {12 * count / statistics.median(best[3:]) / 1e3:.3f} TB/s",
          flush=True)


def speed(device: str) -> None:
    """Measure launches and bandwidth."""
    q = sycl.queue(find_device(device))
    for part in (launches, graphs, bandwidth):
        try:
            part(q)
        except Exception:  # noqa: BLE001 - the next one may work
            traceback.print_exc()


def main() -> int:
    """Run the parts that were asked for, each in a process of its own."""
    parser = argparse.ArgumentParser(prog="tests.device.cuda", description=__doc__)
    parser.add_argument("--out", type=Path, help="the folder for the results")
    parser.add_argument("--device", default="cuda", help="the device's name")
    parser.add_argument("--parts", default=",".join(
        ("devices", "smoke", *cuda_features.PARTS, "speed", "suite")))
    parser.add_argument("--seconds", type=float, default=560, help="for all of it")
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--all", action="store_true", help="run every case of each test")
    parser.add_argument("--name", default="NVIDIA by CUDA", help="the name of its column")
    parser.add_argument("--about", default="`python -m tests.device.cuda`")
    parser.add_argument("--do", choices=("smoke", "speed", *cuda_features.PARTS),
                        help="one part, in this process")
    parser.add_argument("pytest", nargs="*", help="further arguments for pytest")
    options = parser.parse_args()
    if options.do:
        if options.do in cuda_features.PARTS:
            cuda_features.run(options.do, options.device)
        else:
            (smoke if options.do == "smoke" else speed)(options.device)
        return 0
    if options.out is None:
        parser.error("--out is needed")
    stop = time.monotonic() + options.seconds
    options.out.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "UNISYCL_BACKENDS": "cuda,cpu,host", "PYTHONUNBUFFERED": "1"}
    for part, command in (("devices", ("-m", "unisycl", "doctor")), *(
            (name, ("-m", "tests.device.cuda", "--do", name))
            for name in ("smoke", *cuda_features.PARTS, "speed"))):
        if part in options.parts.split(","):
            status, text = call(env, min(150, stop - time.monotonic()), *command, *(
                ("--device", options.device) if part != "devices" else ()))
            (options.out / f"{part}.txt").write_text(text)
            say(f"{part}: status {status}\n{text[-4000:]}")
    if "suite" in options.parts.split(","):
        files = options.out.resolve() / "files"
        files.mkdir(exist_ok=True)
        suite = Suite(env, options.device, files, stop)
        extra = [*([] if options.all else ["--sample"]), "--device", options.device,
                 "-o", f"faulthandler_timeout={HANGS}", "-o", "faulthandler_exit_on_timeout=true",
                 *options.pytest]
        suite.run(options.workers, 1, extra, lambda suite: keep(suite, options))
        say(suite.report()[:6000])
    return 0


if __name__ == "__main__":
    sys.exit(main())
