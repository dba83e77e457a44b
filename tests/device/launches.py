"""What one launch costs on an OpenCL device, beside PyOpenCL's own.

``python -m tests.device.launches DEVICE`` prints it, and so does ``tests.device.speed``. Every way
launches a kernel of one work-item, empty or with one argument. ``host`` is the processor time of
the submitting thread where nothing is waited for, ``pipelined`` the time with one wait at the end,
``waited`` with a wait for each. Ratios are to PyOpenCL's in-order queue and the same kernel. Rows
that begin with "parts" tell what each of the things we ask OpenCL for costs by itself, and what
PyOpenCL's call costs where the thread does something else before each: a worker of the driver that
has gone to sleep must be woken then.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.ext.oneapi import experimental as ext
from unisycl.testing import find_device

COUNT, WAITED, ROUNDS, NODES, BUSY = 1000, 200, 7, 10, 350
Way = tuple[Callable[[], Any], Callable[[], Any]]
EMPTY, ONE = "PyOpenCL, empty kernel", "PyOpenCL, argument set before"
EACH, TEN = "PyOpenCL, argument set each time", "PyOpenCL, ten kernels"
RATIOS = {"unisycl, empty kernel": EMPTY, "unisycl, empty kernel, in order": EMPTY,
          "unisycl, empty kernel, bound": EMPTY, "unisycl, one argument": EACH,
          "unisycl, one argument, bound": ONE, "unisycl, accessor": EACH,
          "unisycl, graph of ten": TEN}


def touch(i: Any, out: Any) -> None:
    out[i] = np.float32(1)


def nothing(i: Any) -> None:
    pass


def graph_of(q: sycl.queue, memory: Any) -> Any:
    """Return a graph of kernels, each after the one before."""
    graph = ext.command_graph(q.get_context(), q.get_device())
    graph.begin_recording(q)
    for _ in range(NODES):
        q.parallel_for(1, touch, memory)
    graph.end_recording(q)
    return graph.finalize()


def of_unisycl(q: sycl.queue) -> dict[str, Way]:
    """Return our own ways."""
    in_order = sycl.queue(q.get_device(), sycl.property.queue.in_order())
    plain = sycl.queue(q.get_device())
    memory = sycl.malloc_device(1, in_order, dtype=np.float32)
    buffer = sycl.buffer(np.zeros(1, np.float32))
    graph = graph_of(in_order, memory)

    def group(h: sycl.handler) -> None:
        h.parallel_for(1, touch, sycl.accessor(buffer, h, sycl.read_write))

    return {
        "unisycl, empty kernel": (lambda: plain.parallel_for(1, nothing), plain.wait),
        "unisycl, empty kernel, in order": (lambda: in_order.parallel_for(1, nothing),
                                            in_order.wait),
        "unisycl, empty kernel, bound": (in_order.bind(1, nothing), in_order.wait),
        "unisycl, one argument": (lambda: in_order.parallel_for(1, touch, memory), in_order.wait),
        "unisycl, one argument, bound": (in_order.bind(1, touch, memory), in_order.wait),
        "unisycl, accessor": (lambda: in_order.submit(group), in_order.wait),
        "unisycl, graph of ten": (lambda: in_order.ext_oneapi_graph(graph), in_order.wait)}


def of_pyopencl(peer: Any) -> dict[str, Way]:
    """Return PyOpenCL's ways; ``peer`` is a ``tests.device.speed.Peer``."""
    cl, queue = peer.cl, peer.plain
    loose = cl.CommandQueue(
        peer.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
    buffer = cl.Buffer(peer.context, cl.mem_flags.READ_WRITE, 4)
    kernel, again, empty = (peer.kernel(*a) for a in (("touch", buffer), ("touch", buffer),
                                                      ("nothing",)))
    enqueue = cl.enqueue_nd_range_kernel
    last: list[Any] = []

    def set_each_time() -> Any:
        again.set_args(buffer)
        return enqueue(queue, again, (1,), (1,))

    def ten() -> Any:
        for _ in range(NODES):
            event = enqueue(queue, kernel, (1,), (1,))
        return event

    def flushed(where: Any) -> Any:
        event = enqueue(where, empty, (1,), (1,))
        where.flush()
        return event

    def chained() -> Any:
        last[:] = [enqueue(loose, empty, (1,), (1,), None, last or None)]
        loose.flush()
        return last[0]

    def busy() -> Any:
        for _ in range(BUSY):
            pass
        return SimpleNamespace(wait=int)

    return {
        EMPTY: (lambda: enqueue(queue, empty, (1,), (1,)), queue.finish),
        ONE: (lambda: enqueue(queue, kernel, (1,), (1,)), queue.finish),
        EACH: (set_each_time, queue.finish),
        TEN: (ten, queue.finish),
        "parts: other work": (busy, int),
        "parts: other work, in order": (
            lambda: busy() and enqueue(queue, empty, (1,), (1,)), queue.finish),
        "parts: in order, flush": (lambda: flushed(queue), queue.finish),
        "parts: out of order": (lambda: enqueue(loose, empty, (1,), (1,)), loose.finish),
        "parts: out of order, flush": (lambda: flushed(loose), loose.finish),
        "parts: out of order, flush, wait list": (chained, loose.finish)}


def launches(q: sycl.queue, peer: Any) -> dict[str, float]:
    """Return microseconds of one launch each way, and ours over PyOpenCL's."""
    ways = {**of_pyopencl(peer), **of_unisycl(q)}
    times: dict[str, dict[str, list[float]]] = {
        name: {"host": [], "pipelined": [], "waited": []} for name in ways}
    for _ in range(ROUNDS):
        for name, (submit, finish) in ways.items():
            count = COUNT // NODES if "ten" in name else COUNT
            for _ in range(20):
                submit()
            finish()
            begin, spent = time.perf_counter(), time.thread_time()
            for _ in range(count):
                submit()
            host = time.thread_time() - spent
            finish()
            found = times[name]
            found["host"].append(host / count)
            found["pipelined"].append((time.perf_counter() - begin) / count)
            waited = WAITED // NODES if "ten" in name else WAITED
            begin = time.perf_counter()
            for _ in range(waited):
                submit().wait()
            found["waited"].append((time.perf_counter() - begin) / waited)
    out = {f"{name}: {kind}": statistics.median(v) * 1e6
           for name, found in times.items() for kind, v in found.items()}
    for name, other in RATIOS.items():
        for kind, mine in times[name].items():
            out[f"{name}: {kind}, times PyOpenCL's"] = statistics.median(
                a / b for a, b in zip(mine, times[other][kind], strict=True))
    return out


def main() -> int:
    """Print the figures of the device named on the command line."""
    from tests.device.speed import Peer  # noqa: PLC0415 - which imports this module

    q = sycl.queue(find_device(sys.argv[1]))
    for name, value in launches(q, Peer(q)).items():
        print(f"{name:56} {value:9.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
