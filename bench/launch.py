"""What one launch costs: a kernel of one work-item, waited for, pipelined, and its host's share."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Missing, Work, sized
from bench.peers.icd import register
from bench.peers.opencl import Session, opencl
from bench.peers.start import numba, taichi, warp

COUNT = sized(2000, 50)
TOUCH = "__kernel void touch(__global float *out) { out[get_global_id(0)] = 1.0f; }"

Submit = Callable[[], Any]


def operands() -> Work:
    """Return one element to write."""
    return Work((np.zeros(1, np.float32),), 0)


def waited(submit: Submit) -> float:
    """Return the seconds of one launch when each is waited for."""
    begin = time.perf_counter()
    for _ in range(COUNT):
        submit().wait()
    return (time.perf_counter() - begin) / COUNT


def pipelined(submit: Submit, finish: Submit) -> float:
    """Return the seconds of one launch when only the last is waited for."""
    begin = time.perf_counter()
    for _ in range(COUNT):
        submit()
    finish()
    return (time.perf_counter() - begin) / COUNT


def hosted(submit: Submit, finish: Submit) -> float:
    """Return the seconds that the submitting thread spends on one launch."""
    begin = time.perf_counter()
    for _ in range(COUNT):
        submit()
    spent = time.perf_counter() - begin
    finish()
    return spent / COUNT


def with_unisycl(way: str) -> Case:
    """An in-order queue and USM; ``way`` is how the launches follow each other."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    def touch(i: Any, out: Any) -> None:
        out[i] = np.float32(1)

    queue = ours.queue(sycl.property.queue.in_order())
    out: Any = sycl.malloc_shared(1, np.float32, queue)

    def submit() -> Any:
        return queue.parallel_for(1, touch, out)

    if way == "bound":
        submit = queue.bind(1, touch, out)
    run = {"waited": lambda: waited(submit), "pipelined": lambda: pipelined(submit, queue.wait),
           "hosted": lambda: hosted(submit, queue.wait),
           "bound": lambda: hosted(submit, queue.wait)}[way]
    return Case(run, lambda: np.array([out[0]]), keep=(queue, out))


def buffer_with_unisycl() -> Case:
    """The same kernel through a buffer and an accessor made at each launch."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    def touch(i: Any, out: Any) -> None:
        out[i] = np.float32(1)

    queue = ours.queue(sycl.property.queue.in_order())
    memory = sycl.buffer(np.zeros(1, np.float32))

    def group(h: Any) -> None:
        h.parallel_for(1, touch, sycl.accessor(memory, h, sycl.read_write))

    def result() -> Any:
        with sycl.host_accessor(memory, sycl.read_only) as host:
            return np.array([host[0]])

    return Case(lambda: waited(lambda: queue.submit(group)), result, keep=memory)


def on_opencl(way: str) -> Callable[[Session], Case]:
    """Return PyOpenCL's launch, arguments given at each."""
    def prepare(session: Session) -> Case:
        out = np.zeros(1, np.float32)
        memory, kernel, queue = session.buffer(out), session.kernel("touch"), session.queue

        def submit() -> Any:
            return kernel(queue, (1,), None, memory)

        def result() -> Any:
            session.read([out], [memory])
            return out

        return Case(lambda: waited(submit) if way == "waited" else pipelined(submit, queue.finish),
                    result, keep=session)
    return prepare


def with_dpctl(way: str) -> Case:
    """The launch, by dpctl, of an OpenCL kernel through SYCL, in-order queue, shared USM."""
    register("intel-opencl")
    dpctl = importlib.import_module("dpctl")
    program = importlib.import_module("dpctl.program")
    if not dpctl.get_devices():
        raise Missing("dpctl finds no device")
    queue = dpctl.SyclQueue(property="in_order")
    kernel = program.create_program_from_source(queue, TOUCH).get_sycl_kernel("touch")
    memory = importlib.import_module("dpctl.memory").MemoryUSMShared(64, queue=queue)

    def submit() -> Any:
        return queue.submit(kernel, [memory], [1])

    return Case(lambda: waited(submit) if way == "waited" else pipelined(submit, queue.wait),
                lambda: np.frombuffer(memory.copy_to_host(), np.float32)[:1], keep=memory)


def repeated(made: dict[str, Implementation]) -> dict[str, Implementation]:
    """Return implementations whose run is many launches, each of which waits by itself."""
    def times(prepare: Callable[[], Case]) -> Case:
        case = prepare()

        def run() -> float:
            begin = time.perf_counter()
            for _ in range(COUNT):
                case.run()
            return (time.perf_counter() - begin) / COUNT

        return Case(run, case.result, case)
    return {name: Implementation(partial(times, i.prepare), i.needs) for name, i in made.items()}


def check(result: Any) -> None:
    """The element is written."""
    assert result[0] == 1


def dpctl(way: str) -> dict[str, Implementation]:
    """Return dpctl's implementation."""
    return {"dpctl": Implementation(lambda: with_dpctl(way), ("dpctl",))}


CALLS = repeated({**numba("touch", operands), **taichi("touch", operands),
                  **warp("touch", operands, (1,))})
MICRO = ("us", 1e6)
BENCHMARKS = {
    "launch_usm": Benchmark(
        "one work-item, in-order queue, USM: submit and wait",
        {OURS: Implementation(lambda: with_unisycl("waited")), **CALLS, **dpctl("waited"),
         **opencl(on_opencl("waited"))}, check, shown=MICRO),
    "launch_buffer": Benchmark(
        "the same through a buffer and an accessor",
        {OURS: Implementation(buffer_with_unisycl)}, check, shown=MICRO),
    "launch_pipelined": Benchmark(
        f"{COUNT} such launches, waiting for the last: one launch",
        {OURS: Implementation(lambda: with_unisycl("pipelined")), **dpctl("pipelined"),
         **opencl(on_opencl("pipelined"))}, check, shown=MICRO),
    "launch_host": Benchmark(
        "the submitting thread's share of a pipelined launch",
        {OURS: Implementation(lambda: with_unisycl("hosted"))}, check, shown=MICRO),
    "launch_bound": Benchmark(
        "the same with everything bound beforehand",
        {OURS: Implementation(lambda: with_unisycl("bound"))}, check, shown=MICRO),
}

if __name__ == "__main__":
    ours.show({k: v for k, v in BENCHMARKS.items() if k != "launch_bound"})
